/* SPDX-License-Identifier: Apache-2.0 */
#include "task.h"

#include <time.h>

#include <openssl/err.h>

#include "async.h"

int64_t fsp_task_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void fsp_task_best(int64_t from, unsigned round, int64_t *best)
{
	int64_t took = fsp_task_now() - from;

	if (round == 0 || took < *best)
		*best = took;
}

enum fsp_trial fsp_task_judge(int error)
{
	switch (error) {
	case FIRESTEEL_ERROR_INVALID:
	case FIRESTEEL_ERROR_ABSENT:
	case FIRESTEEL_ERROR_CHECK:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		return FSP_TRIAL_BAD;
	default:
		return FSP_TRIAL_NONE;
	}
}

static struct fsp_counters *counters_of(struct fsp_provider *provider, enum fsp_task task)
{
	return &provider->statistics->of[fsp_tasks[task].work];
}

static void count(atomic_ullong *counter, unsigned long long by)
{
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* Tries the core with this task; until then it is not used for it */
static bool try(struct fsp_provider *provider, enum fsp_task task)
{
	int untried = FSP_UNTRIED, trying = FSP_TRYING;
	int64_t software_ns = 0;
	enum fsp_trial trial;

	if (!atomic_compare_exchange_strong(&provider->task_trust[task], &untried, FSP_TRYING))
		return untried == FSP_TRUSTED;
	ERR_set_mark();
	trial = fsp_tasks[task].trial(provider, &software_ns);
	ERR_pop_to_mark();
	atomic_store(&provider->task_ns[task], software_ns);
	if (trial == FSP_TRIAL_BAD)
		fsp_task_distrust(provider, task);
	/* Another task of the same work may have led to distrust meanwhile */
	atomic_compare_exchange_strong(&provider->task_trust[task], &trying,
				       trial == FSP_TRIAL_GOOD ? FSP_TRUSTED : FSP_UNTRIED);
	return trying == FSP_TRYING && trial == FSP_TRIAL_GOOD;
}

static bool trusted(struct fsp_provider *provider, enum fsp_task task)
{
	int trust = atomic_load_explicit(&provider->task_trust[task], memory_order_acquire);

	return trust == FSP_TRUSTED || (trust == FSP_UNTRIED && try(provider, task));
}

/* Whether the core is expected to finish before software would, including the wait for earlier
 * requests */
static bool pays(struct fsp_provider *provider, enum fsp_task task,
		 const struct firesteel_request *request, uint64_t effort)
{
	int64_t core = firesteel_expect_ns(provider->device, request);
	long long base = atomic_load_explicit(&provider->task_ns[task], memory_order_relaxed);

	if (core < 0)
		return false;
	core += firesteel_queue_ns(provider->device, request->operation);
	return (double)core <= (double)base * (double)effort / FSP_EFFORT;
}

/* The library refuses this request: because of what the core lacks, or to keep a secret from it */
static void count_refused(struct fsp_provider *provider, enum fsp_task task)
{
	struct fsp_counters *counters = counters_of(provider, task);
	bool unprotected = fsp_tasks[task].secret && !provider->capabilities.protection;

	count(unprotected ? &counters->unprotected : &counters->unfit, 1);
}

bool fsp_task_wanted(struct fsp_provider *provider, enum fsp_task task,
		     const struct firesteel_request *request, size_t bits, uint64_t effort)
{
	struct fsp_counters *counters = counters_of(provider, task);
	size_t threshold = provider->settings.threshold[fsp_tasks[task].work];
	bool small = threshold != FSP_AUTO && bits < threshold; /* FSP_NEVER is the greatest */

	if (!small && firesteel_expect_ns(provider->device, request) < 0) {
		count_refused(provider, task);
		return false;
	}
	if (!small && !trusted(provider, task)) {
		count(&counters->failed, 1);
		return false;
	}
	if (!small && threshold == FSP_AUTO)
		small = !pays(provider, task, request, effort);
	if (small)
		count(&counters->small, 1);
	return !small;
}

int fsp_task_run(struct fsp_provider *provider, enum fsp_task task,
		 const struct firesteel_request *request, size_t bits)
{
	struct fsp_counters *counters = counters_of(provider, task);
	int error = fsp_async_run(provider, request);

	if (error == FIRESTEEL_OK || error == FIRESTEEL_ERROR_SIGNATURE) {
		count(&counters->hardware, 1);
		count(&counters->hardware_bytes, (bits + 7) / 8);
		return error;
	}
	/* An operand out of range is not the core's fault */
	if (error == FIRESTEEL_ERROR_REFUSED) {
		count(&counters->unfit, 1);
		return error;
	}
	count(&counters->failed, 1);
	atomic_store_explicit(&counters->last_error, error, memory_order_relaxed);
	return error;
}

void fsp_task_distrust(struct fsp_provider *provider, enum fsp_task task)
{
	for (unsigned i = 0; i < FSP_TASKS; i++)
		if (fsp_tasks[i].work == fsp_tasks[task].work)
			atomic_store(&provider->task_trust[i], FSP_DISTRUSTED);
}

void fsp_task_unfit(struct fsp_provider *provider, enum fsp_task task)
{
	count(&counters_of(provider, task)->unfit, 1);
}
