/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy: what goes to the core, and what to wolfCrypt.
 *
 * The first use of a work tries the core with it against wolfCrypt.  A core that answers wrongly
 * does not get that work; until the answer is there, concurrent calls use software.  Ask first,
 * then run: both count, and a request that is not FIRESTEEL_OK is wolfCrypt's to do.
 */
#ifndef FSW_POLICY_H
#define FSW_POLICY_H

#include "device.h"

enum fsw_trial {
	FSW_TRIAL_GOOD, /* core and wolfCrypt agree */
	FSW_TRIAL_BAD, /* they do not */
	FSW_TRIAL_NONE, /* one of them gave no answer: try again later */
};

/* A work; a constant */
struct fsw_task_kind {
	/* Tries the core; what wolfCrypt takes for the same goes to *software_ns */
	enum fsw_trial (*trial)(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns);
	/* The bytes from which on the core is faster, or FSW_NEVER.  NULL: each request is
	 * estimated. */
	size_t (*break_even)(struct fsw_device *device, enum firesteel_wolfssl_work work);
};

/* ---- choice ---- */

/* Whether work of this size goes to the core */
bool fsw_wants_size(struct fsw_device *device, enum firesteel_wolfssl_work work, size_t bytes);

/* Software's time for the trial counts as so much.  An effort should rather be too small: that
 * favours software. */
#define FSW_EFFORT 1024u

/* Whether a request goes to the core, for which software needs so much effort */
bool fsw_wants(struct fsw_device *device, enum firesteel_wolfssl_work work,
	       const struct firesteel_request *request, uint64_t effort);

/* Counts what the core does not do: CRYPTOCB_UNAVAILABLE */
int fsw_unfit(struct fsw_device *device, enum firesteel_wolfssl_work work);

/* ---- requests ---- */

/* Does a request of so many bytes and counts it.  An error of firesteel_run(); but for FIRESTEEL_OK
 * software does the same. */
int fsw_run(struct fsw_device *device, enum firesteel_wolfssl_work work,
	    const struct firesteel_request *request, size_t bytes);

/* Both at once, for work that goes by estimate: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_do(struct fsw_device *device, enum firesteel_wolfssl_work work,
	   const struct firesteel_request *request, uint64_t effort);

/* ---- for trials ---- */

/* Fills a sample with bytes that differ, the same each time */
void fsw_trial_fill(byte *bytes, size_t size);

/* What an error of the core says, as the operands of trials are valid.  Not for FIRESTEEL_OK. */
enum fsw_trial fsw_trial_failed(int error);

enum fsw_trial fsw_trial_compare(const void *core, const void *software, size_t size);

/* Monotonic time in ns */
int64_t fsw_now(void);

/* Sets *best to the time since `from` if that is less, or if this is round 0 */
void fsw_best(int64_t from, unsigned round, int64_t *best);

#endif
