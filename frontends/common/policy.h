/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy: whether a request goes to the core or to software.  The OpenSSL provider and
 * wolfSSL's front end share it; trials, counters and settings are their own.
 *
 * A task is a kind of work that is tried and compared with software separately.  The core is tried
 * with a task, with a known answer, once a process has asked for as much of it as the front end
 * says.  Until the trial ends, other calls use software.  A core that answers wrongly does not get
 * that task; a core that gave no answer is tried again.  After a good trial the core gets what it
 * should do faster than software: by size, from the break-even on, or by an estimate.  Each request
 * is estimated until software is found to be faster, and from then on every 64th.
 *
 * A child inherits its parent's knowledge of the core.  If the fork interrupts a trial of the
 * parent, the child makes its own trial.
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
	FSC_SMALL, /* software is faster, or there was no trial yet */
	FSC_QUEUED, /* software is faster than the core with its queue */
	FSC_UNFIT, /* the core does not support this */
	FSC_UNPROTECTED, /* it needs a secret, and the core has no countermeasures */
	FSC_BUSY, /* other processes use the core, or all of its slots */
	FSC_FAILED, /* the core failed, or answered wrongly when it was tried */
	FSC_CHOICES
};

/* A task remembers this many efforts, because making a key and using it take different ones */
#define FSC_RESTS 2u

/* Knowledge about a task on a device; zeros at first */
struct fsc_task {
	atomic_ullong trust; /* policy.c */
	atomic_ullong asked; /* work that was asked for before the trial */
	atomic_llong software_ns; /* software's time for the trial */
	atomic_size_t break_even; /* bytes, at least 1, if trusted and by size; otherwise 0 */
	atomic_llong besides_ns; /* time of a request besides the library's estimate */
	atomic_llong learnt_ns; /* when this was measured last */
	struct {
		atomic_ullong effort;
		atomic_uint left; /* requests of it that software gets without an estimate */
	} rests[FSC_RESTS];
};

struct fsc_policy {
	struct firesteel *device;
	struct fsc_task *tasks;
	bool protection; /* the device has countermeasures */
	void *front; /* passed to the two functions below */
	/* Tries the core; *software_ns gets software's time for the same work */
	enum fsc_trial (*trial)(void *front, unsigned task, int64_t *software_ns);
	/* After a good trial: the smallest size for which the core is faster, at least 1.  0: the
	 * task goes by estimates. */
	size_t (*break_even)(void *front, unsigned task);
};

/* Who does work of a size.  `cost`, in bytes: the work that must have been asked for before a
 * trial. */
enum fsc_choice fsc_by_size(const struct fsc_policy *policy, unsigned task, size_t bytes,
			    uint64_t cost);

/* The effort of the trial itself.  Round efforts down: this favours software. */
#define FSC_EFFORT 1024u

/* Who does a request for which software needs `effort`.  `cost` is an effort too.  `always`: the
 * core if it supports the request, even if it is slower. */
enum fsc_choice fsc_by_estimate(const struct fsc_policy *policy, unsigned task,
				const struct firesteel_request *request, uint64_t effort,
				uint64_t cost, bool always);

/* Whether software gets a request of this effort without an estimate.  An estimate takes time and
 * evicts other code from caches.  If it says that software is faster, the next requests of that
 * effort are not estimated. */
bool fsc_rests(struct fsc_task *task, uint64_t effort);

/* Software has got such a request.  fsc_by_estimate() calls it too. */
void fsc_rest(struct fsc_task *task, uint64_t effort);

/* The core has done a request that fsc_by_estimate() gave it, while the calling thread waited: the
 * request's whole time counts in later choices.  A front end's own work is no part of the library's
 * estimate. */
void fsc_learn(struct fsc_task *task);

/* Who has done a request, or must do it, after an error of firesteel_run().  FSC_CORE if the core
 * has answered, even if the answer is a wrong tag or signature. */
enum fsc_choice fsc_after(int error);

/* The core has returned a wrong result: it does not get the task again */
void fsc_distrust(struct fsc_task *task);

/* The core may have returned a wrong result: it is tried again before it gets more of the task */
void fsc_doubt(struct fsc_task *task);

#endif
