/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy (frontends/common/policy.h) for wolfCrypt's works, and their counters.
 *
 * A work is tried at its first use.  Ask first, then run: both count. wolfCrypt does each request
 * that did not end with FIRESTEEL_OK.
 */
#ifndef FSW_POLICY_H
#define FSW_POLICY_H

#include "device.h"

/* A work; a constant */
struct fsw_task_kind {
	/* Tries the core; *software_ns gets wolfCrypt's time for the same work */
	enum fsc_trial (*trial)(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns);
	/* The smallest size for which the core is faster, or FSC_NEVER.  NULL: it goes by
	 * estimates. */
	size_t (*break_even)(struct fsw_device *device, enum firesteel_wolfssl_work work);
};

/* Call it first; `kinds` has FIRESTEEL_WOLFSSL_WORKS elements */
void fsw_policy_begin(struct fsw_device *device, const struct fsw_task_kind kinds[]);

/* ---- choice ---- */

/* Whether work of this size goes to the core */
bool fsw_wants_size(struct fsw_device *device, enum firesteel_wolfssl_work work, size_t bytes);

/* Whether a request goes to the core, if software needs `effort` (FSC_EFFORT) */
bool fsw_wants(struct fsw_device *device, enum firesteel_wolfssl_work work,
	       const struct firesteel_request *request, uint64_t effort);

/* Counts a request that the core does not support: returns CRYPTOCB_UNAVAILABLE */
int fsw_unfit(struct fsw_device *device, enum firesteel_wolfssl_work work);

/* ---- requests ---- */

/* Does a request of `bytes` bytes and counts it.  Returns the error of firesteel_run(); after any
 * error software must do the work. */
int fsw_run(struct fsw_device *device, enum firesteel_wolfssl_work work,
	    const struct firesteel_request *request, size_t bytes);

/* fsw_wants() and fsw_run() at once, for work that goes by estimate: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_do(struct fsw_device *device, enum firesteel_wolfssl_work work,
	   const struct firesteel_request *request, uint64_t effort);

#endif
