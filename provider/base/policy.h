/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The policy (frontends/common/policy.h) with what the user has set, and counters for the statistics.
 *
 * The core is tried with a task once the process has asked for as much of it as the trial costs in
 * software, or at its first use if the user has set a threshold.  A core that answers wrongly is not used
 * for that kind of work.
 *
 * Symmetric work goes by its size, public keys by the estimate for each request; or both as the user's
 * threshold says.
 *
 * Ask first, then run: both count, and a request that fails is the caller's to do in software.
 */
#ifndef FSP_POLICY_H
#define FSP_POLICY_H

#include "base/provider.h"

/* Before all else, with what tries the tasks: FSP_TASKS of them */
void fsp_policy_begin(struct fsp_provider *provider, const struct fsp_task_kind tasks[]);

/* ---- by size ---- */

#define FSP_SMALL_MAX 64u

/* Whether work of this size goes to the core */
bool fsp_policy_wants_size(struct fsp_provider *provider, enum fsp_task task, size_t bytes);

/* Counts work that was too small */
void fsp_policy_small(struct fsp_provider *provider, enum fsp_task task, unsigned *small);

/*
 * The same, but counts what is too small in `small`, which is added to the statistics when it reaches
 * FSP_SMALL_MAX or its owner is freed: counting each at once would cost up to 10 ns, more with more
 * threads.
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

/* ---- requests that are wanted ---- */

/*
 * Does a request of so many bytes and counts it.  FIRESTEEL_OK, FIRESTEEL_ERROR_TAG,
 * FIRESTEEL_ERROR_SIGNATURE, or another error: then the caller does the same in software.
 */
int fsp_policy_run(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bytes);

/* Both at once: whether the core has done it */
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
