/* SPDX-License-Identifier: Apache-2.0 */
#include "base/policy.h"

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

void fsp_policy_begin(struct fsp_provider *provider, const struct fsp_task_kind tasks[])
{
	provider->policy.kinds = tasks;
	for (unsigned i = 0; i < FSP_TASKS; i++)
		provider->policy.counters[i] = &provider->statistics->of[tasks[i].work];
}

/* ---- trust ---- */

/* From which size on a task that is weighed by size goes to the core */
static void find_break_even(struct fsp_provider *provider, enum fsp_task task)
{
	const struct fsp_task_kind *kind = &provider->policy.kinds[task];
	size_t bytes = provider->settings.threshold[kind->work];

	if (bytes == FSP_AUTO)
		bytes = kind->break_even(provider, task);
	bytes = bytes > 0 ? bytes : 1;
	atomic_store(&provider->policy.break_even[task], bytes);
	atomic_store(&counters_of(provider, task)->break_even,
		     bytes == FSP_NEVER ? FSP_STATISTICS_NEVER : bytes);
}

/*
 * Whether the core is to be tried now.  A trial does the work of some requests in software: what a
 * process has asked for must be as much, or one that does little would pay for a trial that it never
 * makes good.  A threshold of the user's says that the core is wanted at once.
 */
static bool is_due(struct fsp_provider *provider, enum fsp_task task, uint64_t work)
{
	struct fsp_policy *policy = &provider->policy;
	const struct fsp_task_kind *kind = &policy->kinds[task];

	if (provider->settings.threshold[kind->work] != FSP_AUTO)
		return true;
	return atomic_fetch_add_explicit(&policy->asked[task], work, memory_order_relaxed) + work >=
	       kind->cost;
}

/* Tries the core with this task; until then it is not used for it */
static bool try(struct fsp_provider *provider, enum fsp_task task)
{
	struct fsp_policy *policy = &provider->policy;
	int untried = FSP_UNTRIED, trying = FSP_TRYING;
	int64_t software_ns = 0;
	enum fsp_trial trial;

	if (!atomic_compare_exchange_strong(&policy->trust[task], &untried, FSP_TRYING))
		return untried == FSP_TRUSTED;
	ERR_set_mark();
	trial = policy->kinds[task].trial(provider, task, &software_ns);
	ERR_pop_to_mark();
	atomic_store(&policy->software_ns[task], software_ns);
	if (trial == FSP_TRIAL_GOOD && policy->kinds[task].break_even)
		find_break_even(provider, task);
	if (trial == FSP_TRIAL_BAD)
		fsp_policy_distrust(provider, task);
	/* Another task of the same work may have led to distrust meanwhile */
	atomic_compare_exchange_strong(&policy->trust[task], &trying,
				       trial == FSP_TRIAL_GOOD ? FSP_TRUSTED : FSP_UNTRIED);
	return trying == FSP_TRYING && trial == FSP_TRIAL_GOOD;
}

static int trust_in(struct fsp_provider *provider, enum fsp_task task)
{
	return atomic_load_explicit(&provider->policy.trust[task], memory_order_acquire);
}

void fsp_policy_distrust(struct fsp_provider *provider, enum fsp_task task)
{
	for (unsigned i = 0; i < FSP_TASKS; i++)
		if (provider->policy.kinds[i].work == provider->policy.kinds[task].work)
			atomic_store(&provider->policy.trust[i], FSP_DISTRUSTED);
}

void fsp_policy_blame(struct fsp_provider *provider, enum fsp_task task, bool consistent,
		      atomic_bool *broken_key)
{
	if (consistent)
		fsp_policy_distrust(provider, task);
	else
		atomic_store(broken_key, true);
}

/* Whether the core may do so much work, which tries it if that is due; false: software does it, which is
 * counted */
static bool may_do(struct fsp_provider *provider, enum fsp_task task, int trust, uint64_t work)
{
	if (trust == FSP_TRUSTED)
		return true;
	if (trust == FSP_UNTRIED && !is_due(provider, task, work)) {
		count(&counters_of(provider, task)->small, 1);
		return false;
	}
	if (trust == FSP_UNTRIED && try(provider, task))
		return true;
	count(&counters_of(provider, task)->failed, 1);
	return false;
}

/* ---- by size ---- */

bool fsp_policy_wants_size(struct fsp_provider *provider, enum fsp_task task, size_t bytes)
{
	if (!may_do(provider, task, trust_in(provider, task), bytes))
		return false;
	if (bytes <
	    atomic_load_explicit(&provider->policy.break_even[task], memory_order_relaxed)) {
		count(&counters_of(provider, task)->small, 1);
		return false;
	}
	return true;
}

void fsp_policy_small(struct fsp_provider *provider, enum fsp_task task, unsigned *small)
{
	count(&counters_of(provider, task)->small, *small);
	*small = 0;
}

/* ---- by estimate ---- */

/* The library refuses this request: because of what the core lacks, or to keep a secret from it */
static void count_refused(struct fsp_provider *provider, enum fsp_task task,
			  enum firesteel_operation operation)
{
	struct fsp_counters *counters = counters_of(provider, task);
	bool unprotected = firesteel_needs_protection(operation) &&
			   !provider->capabilities.protection;

	count(unprotected ? &counters->unprotected : &counters->unfit, 1);
}

/* What the core is expected to need; less than 0: software does it, which is counted */
static int64_t estimate(struct fsp_provider *provider, enum fsp_task task,
			const struct firesteel_request *request, uint64_t effort)
{
	int64_t core_ns = firesteel_expect_ns(provider->device, request);
	int trust = trust_in(provider, task);

	if (core_ns < 0) {
		count_refused(provider, task, request->operation);
		return -1;
	}
	if (!may_do(provider, task, trust, effort))
		return -1;
	/* What a trial took has changed the estimate */
	return trust == FSP_TRUSTED ? core_ns : firesteel_expect_ns(provider->device, request);
}

/* Whether the core is expected to finish before software would, including the wait for earlier
 * requests */
static bool pays(struct fsp_provider *provider, enum fsp_task task, int64_t core_ns,
		 enum firesteel_operation operation, uint64_t effort)
{
	long long base = atomic_load_explicit(&provider->policy.software_ns[task],
					      memory_order_relaxed);

	core_ns += firesteel_queue_ns(provider->device, operation);
	return (double)core_ns <= (double)base * (double)effort / FSP_EFFORT;
}

bool fsp_policy_wants(struct fsp_provider *provider, enum fsp_task task,
		      const struct firesteel_request *request, size_t bits, uint64_t effort)
{
	size_t threshold = provider->settings.threshold[provider->policy.kinds[task].work];
	bool large = threshold == FSP_AUTO || bits >= threshold; /* FSP_NEVER is the greatest */
	int64_t core_ns = 0;

	if (large && (core_ns = estimate(provider, task, request, effort)) < 0)
		return false;
	if (large && threshold == FSP_AUTO)
		large = pays(provider, task, core_ns, request->operation, effort);
	if (!large)
		count(&counters_of(provider, task)->small, 1);
	return large;
}

/* ---- requests ---- */

int fsp_policy_run(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bytes)
{
	struct fsp_counters *counters = counters_of(provider, task);
	int error = fsp_async_run(provider, request);

	switch (error) {
	case FIRESTEEL_OK:
	case FIRESTEEL_ERROR_TAG:
	case FIRESTEEL_ERROR_SIGNATURE:
		count(&counters->hardware, 1);
		count(&counters->hardware_bytes, bytes);
		return error;
	/* An operand out of range is not the core's fault */
	case FIRESTEEL_ERROR_REFUSED:
		count(&counters->unfit, 1);
		return error;
	default:
		count(&counters->failed, 1);
		atomic_store_explicit(&counters->last_error, error, memory_order_relaxed);
		return error;
	}
}

bool fsp_policy_do(struct fsp_provider *provider, enum fsp_task task,
		   const struct firesteel_request *request, size_t bits, uint64_t effort)
{
	return fsp_policy_wants(provider, task, request, bits, effort) &&
	       fsp_policy_run(provider, task, request, (bits + 7) / 8) == FIRESTEEL_OK;
}

void fsp_policy_unfit(struct fsp_provider *provider, enum fsp_task task)
{
	count(&counters_of(provider, task)->unfit, 1);
}
