/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy (frontends/common/policy.h) with what the user has set, and counters for the statistics.
 *
 * The core is tried with a task once the process has asked for as much work as the trial costs in
 * software.  If the user has set a threshold, the trial is at the first use.  A core that answers
 * wrongly is not used for that kind of work.
 *
 * Symmetric work goes by its size, public keys by estimates of requests; or both as the user's
 * threshold says.
 *
 * Ask first, then run: both count, and a request that fails is the caller's to do in software.
 */
#ifndef FSP_POLICY_H
#define FSP_POLICY_H

#include "base/provider.h"

/* Call it first; it takes FSP_TASKS tasks */
void fsp_policy_begin(struct fsp_provider *provider, const struct fsp_task_kind tasks[]);

/* ---- by size ---- */

#define FSP_SMALL_MAX 64u

/* Whether work of this size goes to the core */
bool fsp_policy_wants_size(struct fsp_provider *provider, enum fsp_task task, size_t bytes);

/* Counts work that was too small */
void fsp_policy_small(struct fsp_provider *provider, enum fsp_task task, unsigned *small);

/*
 * The same, but counts small work in `small`.  That count is added to the statistics when it
 * reaches FSP_SMALL_MAX or its owner is freed.  An atomic count would cost up to 10 ns, and more
 * with more threads.
 */
static inline bool fsp_policy_wants_piece(struct fsp_provider *provider, enum fsp_task task,
					  size_t bytes, unsigned *small)
{
	if (bytes >=
	    atomic_load_explicit(&provider->policy.tasks[task].break_even, memory_order_relaxed))
		return fsp_policy_wants_size(provider, task, bytes);
	if (++*small >= FSP_SMALL_MAX)
		fsp_policy_small(provider, task, small);
	return false;
}

/* ---- by estimate ---- */

/*
 * Whether a request goes to the core: `bits` is the size for the user's threshold, `effort` the
 * estimated effort of software (FSC_EFFORT).
 */
bool fsp_policy_wants(struct fsp_provider *provider, enum fsp_task task,
		      const struct firesteel_request *request, size_t bits, uint64_t effort);

/* Whether requests of this effort go to software for now, without an estimate */
bool fsp_policy_rests(struct fsp_provider *provider, enum fsp_task task, uint64_t effort);

/* Counts such a request that fsp_policy_wants() was not asked about */
void fsp_policy_rest(struct fsp_provider *provider, enum fsp_task task, uint64_t effort);

/* ---- requests that are wanted ---- */

/*
 * Does a request of `bytes` bytes and counts it.  After any error except FIRESTEEL_ERROR_TAG and
 * FIRESTEEL_ERROR_SIGNATURE, the caller does the work in software.
 */
int fsp_policy_run(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bytes);

/* fsp_policy_wants() and fsp_policy_run() at once: whether the core has done it */
bool fsp_policy_do(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bits, uint64_t effort);

/* Counts work done in software because the core has no such operation */
void fsp_policy_unfit(struct fsp_provider *provider, enum fsp_task task);

/* The core has returned a wrong result: it is not used for this kind of work again */
void fsp_policy_distrust(struct fsp_provider *provider, enum fsp_task task);

/* A result has failed its check: if the key is consistent the core computes wrongly, and otherwise the
 * core does not get the key again */
void fsp_policy_blame(struct fsp_provider *provider, enum fsp_task task, bool consistent,
		      atomic_bool *broken_key);

#endif
