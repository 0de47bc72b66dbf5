/* SPDX-License-Identifier: Apache-2.0 */
/* Core or software, for ciphers, hashes and MACs (for public keys: task.h)? */
#ifndef FSP_OFFLOAD_H
#define FSP_OFFLOAD_H

#include "provider.h"

#define FSP_SMALL_MAX 64u

/*
 * Whether work of this size goes to the core.  The first call for a kind of work tries the core
 * (with a known answer) and finds its break-even; concurrent calls meanwhile use software.
 */
bool fsp_wanted(struct fsp_provider *provider, enum fsp_work work, size_t bytes);

/* Counts work that was too small */
void fsp_small(struct fsp_provider *provider, enum fsp_work work, unsigned *small);

/*
 * The same, but counts what is too small in `small`, which is added to the statistics when it reaches
 * FSP_SMALL_MAX or its owner is freed: counting each at once would cost up to 10 ns, more with more
 * threads.
 */
static inline bool fsp_wanted_now(struct fsp_provider *provider, enum fsp_work work, size_t bytes,
				  unsigned *small)
{
	if (bytes >= atomic_load_explicit(&provider->break_even[work], memory_order_relaxed))
		return fsp_wanted(provider, work, bytes);
	if (++*small >= FSP_SMALL_MAX)
		fsp_small(provider, work, small);
	return false;
}

/*
 * Does a request and counts it.  FIRESTEEL_OK, FIRESTEEL_ERROR_TAG, or another error: then the
 * caller does the same in software.
 */
int fsp_offload(struct fsp_provider *provider, enum fsp_work work,
		const struct firesteel_request *request, size_t bytes);

/* Counts work done in software because the core has no such operation */
void fsp_unfit(struct fsp_provider *provider, enum fsp_work work);

#endif
