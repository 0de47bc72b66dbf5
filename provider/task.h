/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core or software, for operations with public keys?
 *
 * Each task is tried at its first use: the core does an operation whose answer is known, and software
 * does it too and is timed.  The time of software for other sizes is derived from that by an effort
 * that the caller states; firesteel_expect_ns() estimates the time of the core.
 *
 * A new task needs an enumerator (work.h) and a line in task-table.c.
 */
#ifndef FSP_TASK_H
#define FSP_TASK_H

#include "provider.h"
#include "trial.h"

/* A task; a constant */
struct fsp_task_kind {
	enum fsp_work work; /* whose settings and counters are used */
	bool secret; /* not done by a core without countermeasures */
	/* Tries the core; software's time goes to *software_ns */
	enum fsp_trial (*trial)(struct fsp_provider *provider, int64_t *software_ns);
};

extern const struct fsp_task_kind fsp_tasks[FSP_TASKS];

/* The effort of the trial itself.  An effort should rather be too small: that favours software. */
#define FSP_EFFORT 1024u

/*
 * Whether a request goes to the core: `bits` is the size for the user's threshold, `effort` the
 * estimated effort of software.
 */
bool fsp_task_wanted(struct fsp_provider *provider, enum fsp_task task,
		     const struct firesteel_request *request, size_t bits, uint64_t effort);

/*
 * Does a request and counts it.  FIRESTEEL_OK, FIRESTEEL_ERROR_SIGNATURE or another: then the
 * caller does the same in software.
 */
int fsp_task_run(struct fsp_provider *provider, enum fsp_task task,
		 const struct firesteel_request *request, size_t bits);

/* The core has returned a wrong result: it is not used for this kind of work again */
void fsp_task_distrust(struct fsp_provider *provider, enum fsp_task task);

/* Counts work done in software because the core has no such operation */
void fsp_task_unfit(struct fsp_provider *provider, enum fsp_task task);

/* ---- for trials ---- */

/* Monotonic time in ns */
int64_t fsp_task_now(void);

/* Sets *best to the time since `from` if that is less, or if this is round 0 */
void fsp_task_best(int64_t from, unsigned round, int64_t *best);

/* What a core's error means if the operands were valid: FSP_TRIAL_BAD, or FSP_TRIAL_NONE */
enum fsp_trial fsp_task_judge(int error);

#endif
