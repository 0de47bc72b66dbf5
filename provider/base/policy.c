/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

#include <openssl/async.h>
#include <openssl/err.h>

#include "base/async.h"

static struct fsp_counters *counters_of(struct fsp_provider *provider, enum fsp_task task)
{
	return provider->policy.counters[task];
}

static void count(atomic_ullong *counter, unsigned long long by)
{
	atomic_fetch_add_explicit(counter, by, memory_order_relaxed);
}

/* Whether the core does it; otherwise software does, which is counted */
static bool counted(struct fsp_provider *provider, enum fsp_task task, enum fsc_choice choice)
{
	struct fsp_counters *counters = counters_of(provider, task);
	atomic_ullong *const software[FSC_CHOICES] = {
		[FSC_SMALL] = &counters->small, [FSC_QUEUED] = &counters->queued,
		[FSC_UNFIT] = &counters->unfit, [FSC_UNPROTECTED] = &counters->unprotected,
		[FSC_BUSY] = &counters->busy,   [FSC_FAILED] = &counters->failed,
	};

	if (choice != FSC_CORE)
		count(software[choice], 1);
	return choice == FSC_CORE;
}

/* ---- trials ---- */

static enum fsc_trial run_trial(void *front, unsigned task, int64_t *software_ns)
{
	struct fsp_provider *provider = front;
	enum fsc_trial trial;

	ERR_set_mark();
	trial = provider->policy.kinds[task].trial(provider, (enum fsp_task)task, software_ns);
	ERR_pop_to_mark();
	if (trial == FSC_TRIAL_BAD)
		fsp_policy_distrust(provider, (enum fsp_task)task);
	return trial;
}

static size_t find_break_even(void *front, unsigned task)
{
	struct fsp_provider *provider = front;
	const struct fsp_task_kind *kind = &provider->policy.kinds[task];
	size_t bytes = provider->settings.threshold[kind->work];

	if (!kind->break_even)
		return 0;
	if (bytes == FSP_AUTO)
		bytes = kind->break_even(provider, (enum fsp_task)task);
	bytes = bytes > 0 ? bytes : 1;
	atomic_store(&counters_of(provider, (enum fsp_task)task)->break_even,
		     bytes == FSP_NEVER ? FSP_STATISTICS_NEVER : bytes);
	return bytes;
}

void fsp_policy_begin(struct fsp_provider *provider, const struct fsp_task_kind tasks[])
{
	struct fsp_policy *policy = &provider->policy;

	policy->kinds = tasks;
	for (unsigned i = 0; i < FSP_TASKS; i++)
		policy->counters[i] = &provider->statistics->of[tasks[i].work];
	policy->common = (struct fsc_policy){
		.device = provider->device,
		.tasks = policy->tasks,
		.protection = provider->capabilities.protection,
		.front = provider,
		.trial = run_trial,
		.break_even = find_break_even,
	};
}

void fsp_policy_distrust(struct fsp_provider *provider, enum fsp_task task)
{
	struct fsp_policy *policy = &provider->policy;

	for (unsigned i = 0; i < FSP_TASKS; i++)
		if (policy->kinds[i].work == policy->kinds[task].work)
			fsc_distrust(&policy->tasks[i]);
}

void fsp_policy_blame(struct fsp_provider *provider, enum fsp_task task, bool consistent,
		      atomic_bool *broken_key)
{
	if (consistent)
		fsp_policy_distrust(provider, task);
	else
		atomic_store(broken_key, true);
}

/* ---- choice ---- */

static size_t threshold_of(const struct fsp_provider *provider, enum fsp_task task)
{
	return provider->settings.threshold[provider->policy.kinds[task].work];
}

/* What must have been asked for before a trial.  A threshold of the user's says that the core is wanted
 * at once. */
static uint64_t cost_of(const struct fsp_provider *provider, enum fsp_task task)
{
	return threshold_of(provider, task) == FSP_AUTO ? provider->policy.kinds[task].cost : 0;
}

bool fsp_policy_wants_size(struct fsp_provider *provider, enum fsp_task task, size_t bytes)
{
	return counted(provider, task,
		       fsc_by_size(&provider->policy.common, task, bytes, cost_of(provider, task)));
}

void fsp_policy_small(struct fsp_provider *provider, enum fsp_task task, unsigned *small)
{
	count(&counters_of(provider, task)->small, *small);
	*small = 0;
}

bool fsp_policy_wants(struct fsp_provider *provider, enum fsp_task task,
		      const struct firesteel_request *request, size_t bits, uint64_t effort)
{
	size_t threshold = threshold_of(provider, task);
	bool chosen = threshold != FSP_AUTO; /* by the user */
	enum fsc_choice choice = FSC_SMALL;

	if (!chosen || bits >= threshold) /* FSP_NEVER is the greatest */
		choice = fsc_by_estimate(&provider->policy.common, task, request, effort,
					 cost_of(provider, task), chosen);
	return counted(provider, task, choice);
}

bool fsp_policy_rests(struct fsp_provider *provider, enum fsp_task task, uint64_t effort)
{
	return fsc_rests(&provider->policy.tasks[task], effort);
}

void fsp_policy_rest(struct fsp_provider *provider, enum fsp_task task, uint64_t effort)
{
	fsc_rest(&provider->policy.tasks[task], effort);
	counted(provider, task, FSC_SMALL);
}

/* ---- requests ---- */

int fsp_policy_run(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bytes)
{
	struct fsp_counters *counters = counters_of(provider, task);
	int error = fsp_async_run(provider, request);
	enum fsc_choice done = fsc_after(error);

	if (counted(provider, task, done)) {
		count(&counters->hardware, 1);
		count(&counters->hardware_bytes, bytes);
		/* A job does other work while it waits */
		if (!ASYNC_get_current_job())
			fsc_learn(&provider->policy.tasks[task]);
	} else if (done == FSC_FAILED) {
		atomic_store_explicit(&counters->last_error, error, memory_order_relaxed);
	}
	return error;
}

bool fsp_policy_do(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bits, uint64_t effort)
{
	return fsp_policy_wants(provider, task, request, bits, effort) &&
	       fsp_policy_run(provider, task, request, (bits + 7) / 8) == FIRESTEEL_OK;
}

void fsp_policy_unfit(struct fsp_provider *provider, enum fsp_task task)
{
	counted(provider, task, FSC_UNFIT);
}
