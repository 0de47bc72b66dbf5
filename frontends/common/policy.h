/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy: what goes to the core, and what to software.  It is that of the OpenSSL provider and of
 * wolfSSL's front end; what a trial is, what is counted and what users may set is theirs.
 *
 * A task is what is tried, and weighed against software, by itself.  The core is tried with a task, with
 * a known answer, once a process has asked for as much of it as the front end says.  A core that answers
 * wrongly does not get that task; until the answer is there, other calls use software.  A core that gave
 * no answer is tried again.  Then it gets what it is expected to do faster than software: by size, from
 * the break-even on; or each request by its estimate.
 *
 * A child inherits what its parent knows of the core.  A trial that the parent was in the middle of is
 * nobody's in the child, which tries for itself.
 */
#ifndef FSC_POLICY_H
#define FSC_POLICY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <firesteel/firesteel.h>

#include "trial.h"

/* Who does a request; if software, why */
enum fsc_choice {
	FSC_CORE,
	FSC_SMALL, /* software is faster, or the core was not tried yet */
	FSC_QUEUED, /* software is faster than the core with the requests before this one */
	FSC_UNFIT, /* the core does not do this */
	FSC_UNPROTECTED, /* it takes a secret, and the core has no countermeasures */
	FSC_BUSY, /* other processes had the core, or all of its slots */
	FSC_FAILED, /* the core failed, or answered wrongly when it was tried */
	FSC_CHOICES
};

/* What is known of a task on a device; zeros at first */
struct fsc_task {
	atomic_ullong trust; /* policy.c */
	atomic_ullong asked; /* for how much work before the trial */
	atomic_llong software_ns; /* what software takes for the trial */
	atomic_size_t break_even; /* bytes, at least 1, once it is trusted and goes by size; 0 */
};

struct fsc_policy {
	struct firesteel *device;
	struct fsc_task *tasks;
	bool protection; /* the device has countermeasures */
	void *front; /* for the two below */
	/* Tries the core; what software takes for the same goes to *software_ns */
	enum fsc_trial (*trial)(void *front, unsigned task, int64_t *software_ns);
	/* After a good trial: from how many bytes on the core is faster, at least 1.  0: the task goes
	 * by estimates. */
	size_t (*break_even)(void *front, unsigned task);
};

/* Who does work of a size.  `cost`, in bytes: what must have been asked for before a trial. */
enum fsc_choice fsc_by_size(const struct fsc_policy *policy, unsigned task, size_t bytes,
			    uint64_t cost);

/* The effort of the trial itself.  An effort should rather be too small: that favours software. */
#define FSC_EFFORT 1024u

/* Who does a request for which software needs so much effort.  `cost` is in efforts.  `always`: the core
 * if it can, whatever takes longer. */
enum fsc_choice fsc_by_estimate(const struct fsc_policy *policy, unsigned task,
				const struct firesteel_request *request, uint64_t effort,
				uint64_t cost, bool always);

/* Who has done a request, or is to do it, after an error of firesteel_run(): FSC_CORE if the core has
 * answered, be it that a tag or a signature is wrong */
enum fsc_choice fsc_after(int error);

/* The core has returned a wrong result: it does not get the task again */
void fsc_distrust(struct fsc_task *task);

/* It may have: it is tried again before it gets more of the task */
void fsc_doubt(struct fsc_task *task);

#endif
