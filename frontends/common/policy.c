/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "policy.h"

#include "lib/cancel.h"
#include "lib/fork.h"

/* A task's trust is one of these, or TRYING with the number of the process that tries above it */
enum { UNTRIED, TRUSTED, DISTRUSTED, TRYING };

#define NUMBER_SHIFT 2

/* ---- trust ---- */

/* A trial that a thread does not see to its end would leave the task untried for ever */
static enum fsc_trial run_trial(const struct fsc_policy *policy, unsigned task)
{
	struct fsc_task *at = &policy->tasks[task];
	FS_UNCANCELLED;
	int64_t software_ns = 0;
	enum fsc_trial trial = policy->trial(policy->front, task, &software_ns);

	atomic_store(&at->software_ns, software_ns);
	if (trial == FSC_TRIAL_GOOD)
		atomic_store(&at->break_even, policy->break_even(policy->front, task));
	return trial;
}

static enum fsc_choice after_trial(const struct fsc_policy *policy, unsigned task,
				   unsigned long long trying, enum fsc_trial trial)
{
	static const struct {
		unsigned long long trust;
		enum fsc_choice choice;
	} ends[] = {
		[FSC_TRIAL_GOOD] = { TRUSTED, FSC_CORE },
		[FSC_TRIAL_BAD] = { DISTRUSTED, FSC_FAILED },
		[FSC_TRIAL_NONE] = { UNTRIED, FSC_FAILED },
		[FSC_TRIAL_BUSY] = { UNTRIED, FSC_BUSY },
	};
	struct fsc_task *at = &policy->tasks[task];

	/* The next trial is not due before as much was asked for again */
	atomic_store_explicit(&at->asked, 0, memory_order_relaxed);
	/* Meanwhile another task may have led to distrust in this one */
	if (atomic_compare_exchange_strong(&at->trust, &trying, ends[trial].trust))
		return ends[trial].choice;
	return FSC_FAILED;
}

/* Tries the core with this task; until then it is not used for it */
static enum fsc_choice try(const struct fsc_policy *policy, unsigned task)
{
	unsigned long long trying = fs_fork_generation() << NUMBER_SHIFT | TRYING;
	unsigned long long found = atomic_load(&policy->tasks[task].trust);

	do {
		if (found == TRUSTED)
			return FSC_CORE;
		if (found == DISTRUSTED)
			return FSC_FAILED;
		if (found == trying)
			return FSC_SMALL;
	} while (!atomic_compare_exchange_weak(&policy->tasks[task].trust, &found, trying));
	return after_trial(policy, task, trying, run_trial(policy, task));
}

/*
 * A trial does the work of some requests in software: what a process has asked for must be as much, or
 * one that does little would pay for a trial that it never makes good.
 */
static bool is_due(struct fsc_task *task, uint64_t work, uint64_t cost)
{
	return atomic_fetch_add_explicit(&task->asked, work, memory_order_relaxed) + work >= cost;
}

static bool is_trusted(const struct fsc_task *task)
{
	return atomic_load_explicit(&task->trust, memory_order_acquire) == TRUSTED;
}

/* Whether the core may do so much work, which tries it if that is due */
static enum fsc_choice may_do(const struct fsc_policy *policy, unsigned task, uint64_t work,
			      uint64_t cost)
{
	struct fsc_task *at = &policy->tasks[task];

	if (is_trusted(at))
		return FSC_CORE;
	if (atomic_load(&at->trust) == DISTRUSTED)
		return FSC_FAILED;
	return is_due(at, work, cost) ? try(policy, task) : FSC_SMALL;
}

void fsc_distrust(struct fsc_task *task)
{
	atomic_store(&task->trust, DISTRUSTED);
}

void fsc_doubt(struct fsc_task *task)
{
	unsigned long long trusted = TRUSTED;

	atomic_compare_exchange_strong(&task->trust, &trusted, UNTRIED);
}

/* ---- by size ---- */

enum fsc_choice fsc_by_size(const struct fsc_policy *policy, unsigned task, size_t bytes,
			    uint64_t cost)
{
	enum fsc_choice choice = may_do(policy, task, bytes, cost);

	if (choice == FSC_CORE &&
	    bytes < atomic_load_explicit(&policy->tasks[task].break_even, memory_order_relaxed))
		choice = FSC_SMALL;
	return choice;
}

/* ---- by estimate ---- */

enum fsc_choice fsc_after(int error)
{
	switch (error) {
	case FIRESTEEL_OK:
	case FIRESTEEL_ERROR_TAG:
	case FIRESTEEL_ERROR_SIGNATURE:
		return FSC_CORE;
	case FIRESTEEL_ERROR_INVALID:
	case FIRESTEEL_ERROR_ABSENT:
	/* An operand out of range is not the core's fault */
	case FIRESTEEL_ERROR_REFUSED:
		return FSC_UNFIT;
	case FIRESTEEL_ERROR_BUSY:
	case FIRESTEEL_ERROR_TIMEOUT:
		return FSC_BUSY;
	default:
		return FSC_FAILED;
	}
}

/* The library refuses this request: because of what the core lacks, to keep a secret from it, or as
 * there is no core now */
static enum fsc_choice refused(const struct fsc_policy *policy, enum firesteel_operation operation,
			       int error)
{
	enum fsc_choice choice = fsc_after(error);

	if (choice == FSC_UNFIT && !policy->protection && firesteel_needs_protection(operation))
		choice = FSC_UNPROTECTED;
	return choice;
}

/* The calling thread's request that the core is to do.  No task: there is none whose time counts. */
static _Thread_local struct {
	const struct fsc_task *task;
	int64_t begin, expected; /* ns */
} chosen;

/* Nobody measures a task that is left to software, so the next estimate after a second is without it */
#define RETRY_NS INT64_C(1000000000)

static long long besides(const struct fsc_task *task, int64_t now)
{
	if (now - atomic_load_explicit(&task->learnt_ns, memory_order_relaxed) >= RETRY_NS)
		return 0;
	return atomic_load_explicit(&task->besides_ns, memory_order_relaxed);
}

/* Down at once, up by a sixteenth of the way: what took long was more likely disturbed than done slowly */
static long long follow(long long old, long long found)
{
	return found < old ? found : old + (found - old + 15) / 16;
}

void fsc_learn(struct fsc_task *task)
{
	long long old = atomic_load_explicit(&task->besides_ns, memory_order_relaxed);
	int64_t now, more;

	if (chosen.task != task)
		return;
	chosen.task = NULL;
	now = fsc_trial_now();
	more = now - chosen.begin - chosen.expected;
	if (more < 0)
		more = 0;
	/* A single long stop must not decide */
	if (more > old + chosen.expected)
		more = old + chosen.expected;
	atomic_store_explicit(&task->besides_ns, follow(old, more), memory_order_relaxed);
	atomic_store_explicit(&task->learnt_ns, now, memory_order_relaxed);
}

/* An estimate for every 64th request costs little, and notices a core that has become faster */
#define REST 63u

static atomic_uint *rest_of(struct fsc_task *task, uint64_t effort)
{
	for (unsigned i = 0; i < FSC_RESTS; i++)
		if (atomic_load_explicit(&task->rests[i].effort, memory_order_relaxed) == effort)
			return &task->rests[i].left;
	return NULL;
}

static unsigned left_of(const atomic_uint *rest)
{
	return rest ? atomic_load_explicit(rest, memory_order_relaxed) : 0;
}

/* In the place of the effort that was estimated longer ago */
static void begin_rest(struct fsc_task *task, uint64_t effort)
{
	atomic_uint *rest = rest_of(task, effort);
	unsigned i = left_of(&task->rests[1].left) < left_of(&task->rests[0].left);

	if (!rest) {
		rest = &task->rests[i].left;
		atomic_store_explicit(&task->rests[i].effort, effort, memory_order_relaxed);
	}
	atomic_store_explicit(rest, REST, memory_order_relaxed);
}

bool fsc_rests(struct fsc_task *task, uint64_t effort)
{
	return is_trusted(task) && left_of(rest_of(task, effort)) > 0;
}

/* Two threads may count as one */
void fsc_rest(struct fsc_task *task, uint64_t effort)
{
	atomic_uint *rest = rest_of(task, effort);
	unsigned left = left_of(rest);

	if (left > 0)
		atomic_store_explicit(rest, left - 1, memory_order_relaxed);
}

/* Whether the core is expected to finish before software would, alone and with the wait for earlier
 * requests */
static enum fsc_choice weigh(const struct fsc_policy *policy, unsigned task, int64_t begin,
			     int64_t core_ns, enum firesteel_operation operation, uint64_t effort)
{
	struct fsc_task *at = &policy->tasks[task];
	long long base = atomic_load_explicit(&at->software_ns, memory_order_relaxed);
	double software_ns = (double)base * (double)effort / FSC_EFFORT;
	double more = (double)besides(at, begin);

	if ((double)core_ns > software_ns)
		begin_rest(at, effort);
	if ((double)core_ns + more > software_ns)
		return FSC_SMALL;
	core_ns += firesteel_queue_ns(policy->device, operation);
	if ((double)core_ns + more > software_ns)
		return FSC_QUEUED;
	chosen.task = at;
	chosen.begin = begin;
	chosen.expected = core_ns;
	return FSC_CORE;
}

enum fsc_choice fsc_by_estimate(const struct fsc_policy *policy, unsigned task,
				const struct firesteel_request *request, uint64_t effort,
				uint64_t cost, bool always)
{
	struct fsc_task *at = &policy->tasks[task];
	bool trusted = is_trusted(at);
	enum fsc_choice choice;
	int64_t core_ns;

	chosen.task = NULL;
	if (!always && fsc_rests(at, effort)) {
		fsc_rest(at, effort);
		return FSC_SMALL;
	}
	core_ns = firesteel_expect_ns(policy->device, request);
	if (core_ns < 0)
		return refused(policy, request->operation, (int)core_ns);
	choice = may_do(policy, task, effort, cost);
	if (choice != FSC_CORE || always)
		return choice;
	/* What a trial took has changed the estimate */
	if (!trusted && (core_ns = firesteel_expect_ns(policy->device, request)) < 0)
		return refused(policy, request->operation, (int)core_ns);
	return weigh(policy, task, fsc_trial_now(), core_ns, request->operation, effort);
}
