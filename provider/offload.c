/* SPDX-License-Identifier: Apache-2.0 */
#include "offload.h"

#include "async.h"
#include "trial.h"

/* Tries the core with this kind of work; until then it is not used for it */
static bool try(struct fsp_provider *provider, enum fsp_work work)
{
	int untried = FSP_UNTRIED;
	size_t bytes;

	if (!atomic_compare_exchange_strong(&provider->trust[work], &untried, FSP_TRYING))
		return untried == FSP_TRUSTED;
	switch (fsp_trial_answers(provider, work)) {
	case FSP_TRIAL_GOOD:
		break;
	case FSP_TRIAL_BAD:
		atomic_store(&provider->trust[work], FSP_DISTRUSTED);
		return false;
	case FSP_TRIAL_NONE:
		atomic_store(&provider->trust[work], FSP_UNTRIED);
		return false;
	}
	bytes = provider->settings.threshold[work];
	if (bytes == FSP_AUTO)
		bytes = fsp_trial_break_even(provider, work);
	bytes = bytes > 0 ? bytes : 1;
	atomic_store(&provider->break_even[work], bytes);
	atomic_store(&provider->statistics->of[work].break_even,
		     bytes == FSP_NEVER ? FSP_STATISTICS_NEVER : bytes);
	atomic_store(&provider->trust[work], FSP_TRUSTED);
	return true;
}

static bool trusted(struct fsp_provider *provider, enum fsp_work work)
{
	int trust = atomic_load_explicit(&provider->trust[work], memory_order_acquire);

	return trust == FSP_TRUSTED || (trust == FSP_UNTRIED && try(provider, work));
}

bool fsp_wanted(struct fsp_provider *provider, enum fsp_work work, size_t bytes)
{
	struct fsp_counters *counters = &provider->statistics->of[work];

	if (!trusted(provider, work)) {
		atomic_fetch_add_explicit(&counters->failed, 1, memory_order_relaxed);
		return false;
	}
	if (bytes < atomic_load_explicit(&provider->break_even[work], memory_order_relaxed)) {
		atomic_fetch_add_explicit(&counters->small, 1, memory_order_relaxed);
		return false;
	}
	return true;
}

void fsp_small(struct fsp_provider *provider, enum fsp_work work, unsigned *small)
{
	atomic_fetch_add_explicit(&provider->statistics->of[work].small, *small,
				  memory_order_relaxed);
	*small = 0;
}

int fsp_offload(struct fsp_provider *provider, enum fsp_work work,
		const struct firesteel_request *request, size_t bytes)
{
	struct fsp_counters *counters = &provider->statistics->of[work];
	int error = fsp_async_run(provider, request);

	if (error == FIRESTEEL_OK || error == FIRESTEEL_ERROR_TAG) {
		atomic_fetch_add_explicit(&counters->hardware, 1, memory_order_relaxed);
		atomic_fetch_add_explicit(&counters->hardware_bytes, bytes, memory_order_relaxed);
		return error;
	}
	atomic_fetch_add_explicit(&counters->failed, 1, memory_order_relaxed);
	atomic_store_explicit(&counters->last_error, error, memory_order_relaxed);
	return error;
}

void fsp_unfit(struct fsp_provider *provider, enum fsp_work work)
{
	atomic_fetch_add_explicit(&provider->statistics->of[work].unfit, 1, memory_order_relaxed);
}
