/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy (frontends/common/policy.h) for wolfCrypt's works, and their counters.
 *
 * A work is tried at its first use.  Ask first, then run: both count, and a request that is not
 * FIRESTEEL_OK is wolfCrypt's to do.
 */
#ifndef FSW_POLICY_H
#define FSW_POLICY_H

#include "device.h"

/* A work; a constant */
struct fsw_task_kind {
	/* Tries the core; what wolfCrypt takes for the same goes to *software_ns */
	enum fsc_trial (*trial)(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns);
	/* The bytes from which on the core is faster, or FSC_NEVER.  NULL: each request is
	 * estimated. */
	size_t (*break_even)(struct fsw_device *device, enum firesteel_wolfssl_work work);
};

/* Before all else, with what tries the works: FIRESTEEL_WOLFSSL_WORKS of them */
void fsw_policy_begin(struct fsw_device *device, const struct fsw_task_kind kinds[]);

/* ---- choice ---- */

/* Whether work of this size goes to the core */
bool fsw_wants_size(struct fsw_device *device, enum firesteel_wolfssl_work work, size_t bytes);

/* Whether a request goes to the core, for which software needs so much effort (FSC_EFFORT) */
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

#endif
