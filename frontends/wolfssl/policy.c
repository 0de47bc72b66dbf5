/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "policy.h"

static void count(atomic_ullong *counter, unsigned long long by)
{
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* Whether the core does it; otherwise wolfCrypt does, which is counted */
static bool counted(struct fsw_device *device, enum firesteel_wolfssl_work work,
		    enum fsc_choice choice)
{
	struct fsw_counters *counters = &device->counters[work];
	atomic_ullong *const software[FSC_CHOICES] = {
		[FSC_SMALL] = &counters->small, [FSC_QUEUED] = &counters->small,
		[FSC_UNFIT] = &counters->unfit, [FSC_UNPROTECTED] = &counters->unfit,
		[FSC_BUSY] = &counters->busy,   [FSC_FAILED] = &counters->failed,
	};

	if (choice != FSC_CORE)
		count(software[choice], 1);
	return choice == FSC_CORE;
}

/* ---- trials ---- */

static enum fsc_trial run_trial(void *front, unsigned task, int64_t *software_ns)
{
	struct fsw_device *device = front;

	return device->kinds[task].trial(device, (enum firesteel_wolfssl_work)task, software_ns);
}

static size_t find_break_even(void *front, unsigned task)
{
	struct fsw_device *device = front;

	if (!device->kinds[task].break_even)
		return 0;
	return device->always
		       ? 1
		       : device->kinds[task].break_even(device, (enum firesteel_wolfssl_work)task);
}

void fsw_policy_begin(struct fsw_device *device, const struct fsw_task_kind kinds[])
{
	device->kinds = kinds;
	device->policy = (struct fsc_policy){
		.device = device->core,
		.tasks = device->tasks,
		.protection = device->capabilities.protection,
		.front = device,
		.trial = run_trial,
		.break_even = find_break_even,
	};
}

/* ---- choice ---- */

bool fsw_wants_size(struct fsw_device *device, enum firesteel_wolfssl_work work, size_t bytes)
{
	return counted(device, work, fsc_by_size(&device->policy, work, bytes, 0));
}

bool fsw_wants(struct fsw_device *device, enum firesteel_wolfssl_work work,
	       const struct firesteel_request *request, uint64_t effort)
{
	return counted(device, work,
		       fsc_by_estimate(&device->policy, work, request, effort, 0, device->always));
}

int fsw_unfit(struct fsw_device *device, enum firesteel_wolfssl_work work)
{
	counted(device, work, FSC_UNFIT);
	return CRYPTOCB_UNAVAILABLE;
}

/* ---- requests ---- */

int fsw_run(struct fsw_device *device, enum firesteel_wolfssl_work work,
	    const struct firesteel_request *request, size_t bytes)
{
	struct fsw_counters *counters = &device->counters[work];
	int error = firesteel_run(device->core, request);

	switch (error) {
	case FIRESTEEL_OK:
		count(&counters->hardware, 1);
		count(&counters->bytes, bytes);
		fsc_learn(&device->tasks[work]);
		return error;
	case FIRESTEEL_ERROR_TAG:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		count(&counters->rejected, 1);
		return error;
	case FIRESTEEL_ERROR_CHECK:
		/* The core computes wrongly, or the key is inconsistent: another trial tells */
		fsc_doubt(&device->tasks[work]);
	}
	counted(device, work, fsc_after(error));
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
