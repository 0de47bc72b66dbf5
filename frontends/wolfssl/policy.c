/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "policy.h"

#include <string.h>
#include <time.h>

static void count(atomic_ullong *counter, unsigned long long by)
{
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* ---- trust ---- */

/* Tries the core with this work; until then it is not used for it */
static bool try(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	const struct fsw_task_kind *kind = &device->kinds[work];
	struct fsw_task *task = &device->tasks[work];
	int untried = FSW_UNTRIED;
	int64_t software_ns = 0;
	enum fsw_trial trial;

	if (!atomic_compare_exchange_strong(&task->trust, &untried, FSW_TRYING))
		return untried == FSW_TRUSTED;
	trial = kind->trial(device, work, &software_ns);
	atomic_store(&task->software_ns, software_ns);
	if (trial == FSW_TRIAL_GOOD && kind->break_even)
		atomic_store(&task->break_even,
			     device->always ? 1 : kind->break_even(device, work));
	atomic_store(&task->trust, trial == FSW_TRIAL_GOOD  ? FSW_TRUSTED
				   : trial == FSW_TRIAL_BAD ? FSW_DISTRUSTED
							    : FSW_UNTRIED);
	return trial == FSW_TRIAL_GOOD;
}

static bool is_trusted(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	int trust = atomic_load_explicit(&device->tasks[work].trust, memory_order_acquire);

	return trust == FSW_TRUSTED || (trust == FSW_UNTRIED && try(device, work));
}

/* ---- choice ---- */

bool fsw_wants_size(struct fsw_device *device, enum firesteel_wolfssl_work work, size_t bytes)
{
	struct fsw_task *task = &device->tasks[work];

	if (!is_trusted(device, work)) {
		count(&task->failed, 1);
		return false;
	}
	if (bytes >= atomic_load_explicit(&task->break_even, memory_order_relaxed))
		return true;
	count(&task->small, 1);
	return false;
}

/* Whether the core is expected to finish before software would, with the wait for earlier
 * requests */
static bool pays(struct fsw_device *device, const struct fsw_task *task, int64_t core_ns,
		 enum firesteel_operation operation, uint64_t effort)
{
	long long software_ns = atomic_load_explicit(&task->software_ns, memory_order_relaxed);

	core_ns += firesteel_queue_ns(device->core, operation);
	return (double)core_ns <= (double)software_ns * (double)effort / FSW_EFFORT;
}

bool fsw_wants(struct fsw_device *device, enum firesteel_wolfssl_work work,
	       const struct firesteel_request *request, uint64_t effort)
{
	struct fsw_task *task = &device->tasks[work];
	int64_t core_ns = firesteel_expect_ns(device->core, request);

	if (core_ns < 0) {
		bool unfit = core_ns == FIRESTEEL_ERROR_ABSENT ||
			     core_ns == FIRESTEEL_ERROR_INVALID;

		count(unfit ? &task->unfit : &task->failed, 1);
		return false;
	}
	if (!is_trusted(device, work)) {
		count(&task->failed, 1);
		return false;
	}
	if (device->always)
		return true;
	/* A trial has changed the estimate */
	core_ns = firesteel_expect_ns(device->core, request);
	if (core_ns >= 0 && pays(device, task, core_ns, request->operation, effort))
		return true;
	count(&task->small, 1);
	return false;
}

int fsw_unfit(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	count(&device->tasks[work].unfit, 1);
	return CRYPTOCB_UNAVAILABLE;
}

/* ---- requests ---- */

int fsw_run(struct fsw_device *device, enum firesteel_wolfssl_work work,
	    const struct firesteel_request *request, size_t bytes)
{
	struct fsw_task *task = &device->tasks[work];
	int error = firesteel_run(device->core, request);

	switch (error) {
	case FIRESTEEL_OK:
		count(&task->hardware, 1);
		count(&task->bytes, bytes);
		break;
	case FIRESTEEL_ERROR_TAG:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		count(&task->rejected, 1);
		break;
	case FIRESTEEL_ERROR_CHECK:
		/* The core computes wrongly, or the key is inconsistent: another trial tells */
		atomic_store(&task->trust, FSW_UNTRIED);
		count(&task->failed, 1);
		break;
	default:
		count(&task->failed, 1);
		break;
	}
	return error;
}

int fsw_do(struct fsw_device *device, enum firesteel_wolfssl_work work,
	   const struct firesteel_request *request, uint64_t effort)
{
	if (!fsw_wants(device, work, request, effort) ||
	    fsw_run(device, work, request, 0) != FIRESTEEL_OK)
		return CRYPTOCB_UNAVAILABLE;
	return 0;
}

/* ---- for trials ---- */

void fsw_trial_fill(byte *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (byte)(i * 167 + 13);
}

enum fsw_trial fsw_trial_failed(int error)
{
	switch (error) {
	case FIRESTEEL_ERROR_INVALID:
	case FIRESTEEL_ERROR_ABSENT:
	case FIRESTEEL_ERROR_CHECK:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		return FSW_TRIAL_BAD;
	default:
		return FSW_TRIAL_NONE;
	}
}

enum fsw_trial fsw_trial_compare(const void *core, const void *software, size_t size)
{
	return memcmp(core, software, size) == 0 ? FSW_TRIAL_GOOD : FSW_TRIAL_BAD;
}

int64_t fsw_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void fsw_best(int64_t from, unsigned round, int64_t *best)
{
	int64_t took = fsw_now() - from;

	if (round == 0 || took < *best)
		*best = took;
}
