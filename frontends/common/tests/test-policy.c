/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The policy by itself, over a library that says what a case wants: when the core is tried, what becomes
 * of trials that end badly, in a thread that is cancelled, or in a process that is forked meanwhile; and
 * who does what by size and by estimate.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frontends/common/policy.h"
#include "frontends/common/size.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define CHECK(condition)                                                                 \
	do {                                                                             \
		if (!(condition)) {                                                      \
			fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, \
				#condition);                                             \
			abort();                                                         \
		}                                                                        \
	} while (0)

/* ---- the library ---- */

static int64_t expected = 100, per_byte, queue;

int64_t firesteel_expect_ns_sized(struct firesteel *device, const struct firesteel_request *request,
				  size_t size)
{
	(void)device;
	(void)size;
	return per_byte ? expected + per_byte * (int64_t)request->hash.in.size : expected;
}

int64_t firesteel_queue_ns(struct firesteel *device, enum firesteel_operation operation)
{
	(void)device;
	(void)operation;
	return queue;
}

bool firesteel_needs_protection(enum firesteel_operation operation)
{
	return operation == FIRESTEEL_RSA_PRIVATE;
}

/* ---- a front end ---- */

static struct fsc_task tasks[1];
static enum fsc_trial outcome;
static unsigned trials;
static int begun[2], go_on[2]; /* a trial that a test holds up: pipes */
static bool held_up;

static enum fsc_trial trial(void *front, unsigned task, int64_t *software_ns)
{
	char byte = 0;

	CHECK(front == tasks && task == 0);
	trials++;
	*software_ns = 1000;
	if (held_up) {
		CHECK(write(begun[1], &byte, 1) == 1);
		CHECK(read(go_on[0], &byte, 1) == 1);
	}
	return outcome;
}

static size_t break_even(void *front, unsigned task)
{
	CHECK(front == tasks && task == 0);
	return 64;
}

static const struct fsc_policy policy = {
	.tasks = tasks,
	.front = tasks,
	.trial = trial,
	.break_even = break_even,
};

static const struct firesteel_request secret = { .operation = FIRESTEEL_RSA_PRIVATE },
				      open = { .operation = FIRESTEEL_RSA_PUBLIC };

static void anew(enum fsc_trial next)
{
	tasks[0] = (struct fsc_task){ 0 };
	outcome = next;
	trials = 0;
	expected = 100;
	per_byte = queue = 0;
	held_up = false;
}

/* ---- cases ---- */

static void tried_when_due(void)
{
	anew(FSC_TRIAL_GOOD);
	CHECK(fsc_by_size(&policy, 0, 400, 1000) == FSC_SMALL);
	CHECK(fsc_by_size(&policy, 0, 400, 1000) == FSC_SMALL && trials == 0);
	CHECK(fsc_by_size(&policy, 0, 400, 1000) == FSC_CORE && trials == 1);
	CHECK(fsc_by_size(&policy, 0, 64, 1000) == FSC_CORE);
	CHECK(fsc_by_size(&policy, 0, 63, 1000) == FSC_SMALL && trials == 1);
}

static void tried_again(enum fsc_trial first, enum fsc_choice then)
{
	anew(first);
	CHECK(fsc_by_size(&policy, 0, 1000, 1000) == then && trials == 1);
	outcome = FSC_TRIAL_GOOD;
	/* when as much was asked for again */
	CHECK(fsc_by_size(&policy, 0, 999, 1000) == FSC_SMALL && trials == 1);
	CHECK(fsc_by_size(&policy, 0, 999, 1000) == FSC_CORE && trials == 2);
}

static void wrong_answers(void)
{
	anew(FSC_TRIAL_BAD);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_FAILED);
	outcome = FSC_TRIAL_GOOD;
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_FAILED && trials == 1);
	anew(FSC_TRIAL_GOOD);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE);
	fsc_distrust(&tasks[0]);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_FAILED);
	fsc_doubt(&tasks[0]); /* more than that it is not */
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_FAILED && trials == 1);
	anew(FSC_TRIAL_GOOD);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE);
	fsc_doubt(&tasks[0]);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE && trials == 2);
}

static void by_estimate(void)
{
	struct fsc_policy protected = policy;

	protected.protection = true;
	anew(FSC_TRIAL_GOOD);
	/* software takes 1,000 ns for an effort of FSC_EFFORT */
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, false) == FSC_CORE);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, false) == FSC_SMALL);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, true) == FSC_CORE);
	queue = 901;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, false) == FSC_QUEUED);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, true) == FSC_CORE);
	expected = FIRESTEEL_ERROR_ABSENT;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, true) == FSC_UNFIT);
	CHECK(fsc_by_estimate(&policy, 0, &secret, FSC_EFFORT, 0, true) == FSC_UNPROTECTED);
	CHECK(fsc_by_estimate(&protected, 0, &secret, FSC_EFFORT, 0, true) == FSC_UNFIT);
	expected = FIRESTEEL_ERROR_BUSY;
	CHECK(fsc_by_estimate(&policy, 0, &secret, FSC_EFFORT, 0, true) == FSC_BUSY);
	expected = FIRESTEEL_ERROR_GONE;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, true) == FSC_FAILED);
	/* what the core refuses is no reason to try it */
	anew(FSC_TRIAL_GOOD);
	expected = FIRESTEEL_ERROR_ABSENT;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, true) == FSC_UNFIT && trials == 0);
}

/* Software that is faster gets the next requests of at most that effort without an estimate */
static void without_an_estimate(void)
{
	unsigned unasked = 0;

	anew(FSC_TRIAL_GOOD);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, false) == FSC_CORE);
	CHECK(!fsc_rests(&tasks[0], FSC_EFFORT / 16));
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, false) == FSC_SMALL);
	CHECK(fsc_rests(&tasks[0], FSC_EFFORT / 16));
	/* the core is faster from now on: other efforts, and who wants the core, learn it at once */
	expected = 10;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 8, 0, false) == FSC_CORE);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 32, 0, false) == FSC_CORE);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, true) == FSC_CORE);
	fsc_rest(&tasks[0], FSC_EFFORT / 16);
	unasked++;
	while (unasked < 1000 &&
	       fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, false) == FSC_SMALL)
		unasked++;
	CHECK(unasked == 63);
	fsc_rest(&tasks[0], FSC_EFFORT / 16); /* of none that is left */
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 16, 0, false) == FSC_CORE);
}

/* To make keys and to use them alternate; a third effort takes the place of what rests least */
static void without_estimates_of_two_efforts(void)
{
	anew(FSC_TRIAL_GOOD);
	expected = 1001;
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, false) == FSC_SMALL);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 4, 0, false) == FSC_SMALL);
	CHECK(fsc_rests(&tasks[0], FSC_EFFORT) && fsc_rests(&tasks[0], FSC_EFFORT / 4));
	fsc_rest(&tasks[0], FSC_EFFORT / 4);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT / 2, 0, false) == FSC_SMALL);
	CHECK(fsc_rests(&tasks[0], FSC_EFFORT) && !fsc_rests(&tasks[0], FSC_EFFORT / 4));
	/* a core that is not trusted has failed, which is no rest */
	fsc_distrust(&tasks[0]);
	CHECK(!fsc_rests(&tasks[0], FSC_EFFORT));
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, false) == FSC_FAILED);
}

#define MILLISECOND INT64_C(1000000)

/* One for which software takes 10 ms, and the core 5 by the library's estimate */
static bool core_gets_one(void)
{
	expected = 5 * MILLISECOND;
	return fsc_by_estimate(&policy, 0, &open, 10000 * FSC_EFFORT, 0, false) == FSC_CORE;
}

static void by_measured_time(void)
{
	unsigned given = 0;
	long long besides;

	anew(FSC_TRIAL_GOOD);
	while (given < 100 && core_gets_one()) {
		usleep(20000);
		fsc_learn(&tasks[0]);
		given++;
	}
	CHECK(given > 1 && given < 100);
	/* nobody measures a task that is left to software */
	atomic_fetch_sub(&tasks[0].learnt_ns, 1000 * MILLISECOND);
	CHECK(core_gets_one());
	/* a single fast one tells that the slow ones were disturbed */
	fsc_learn(&tasks[0]);
	CHECK(core_gets_one());
	/* its time is counted once, and not that of one that the user wants at the core */
	fsc_learn(&tasks[0]);
	besides = tasks[0].besides_ns;
	usleep(20000);
	fsc_learn(&tasks[0]);
	CHECK(tasks[0].besides_ns == besides);
	CHECK(fsc_by_estimate(&policy, 0, &open, FSC_EFFORT, 0, true) == FSC_CORE);
	usleep(20000);
	fsc_learn(&tasks[0]);
	CHECK(tasks[0].besides_ns == besides);
}

static void after_requests(void)
{
	CHECK(fsc_after(FIRESTEEL_OK) == FSC_CORE && fsc_after(FIRESTEEL_ERROR_TAG) == FSC_CORE);
	CHECK(fsc_after(FIRESTEEL_ERROR_SIGNATURE) == FSC_CORE);
	CHECK(fsc_after(FIRESTEEL_ERROR_REFUSED) == FSC_UNFIT);
	CHECK(fsc_after(FIRESTEEL_ERROR_BUSY) == FSC_BUSY);
	CHECK(fsc_after(FIRESTEEL_ERROR_TIMEOUT) == FSC_BUSY);
	CHECK(fsc_after(FIRESTEEL_ERROR_FAULT) == FSC_FAILED);
	CHECK(fsc_after(FIRESTEEL_ERROR_CHECK) == FSC_FAILED);
}

/* ---- threads and processes ---- */

static void *ask(void *choice)
{
	*(enum fsc_choice *)choice = fsc_by_size(&policy, 0, 100, 0);
	pthread_testcancel();
	return NULL;
}

static pthread_t start_trial(enum fsc_choice *choice)
{
	pthread_t thread;
	char byte;

	CHECK(pipe(begun) == 0 && pipe(go_on) == 0);
	held_up = true;
	CHECK(pthread_create(&thread, NULL, ask, choice) == 0);
	CHECK(read(begun[0], &byte, 1) == 1);
	held_up = false;
	return thread;
}

static void *finish_trial(pthread_t thread)
{
	char byte = 0;
	void *result;

	CHECK(write(go_on[1], &byte, 1) == 1);
	CHECK(pthread_join(thread, &result) == 0);
	for (unsigned i = 0; i < 2; i++)
		CHECK(close(begun[i]) == 0 && close(go_on[i]) == 0);
	return result;
}

/* While one thread tries, the others use software, which is nobody's fault */
static void meanwhile(void)
{
	enum fsc_choice other;
	pthread_t thread;

	anew(FSC_TRIAL_GOOD);
	thread = start_trial(&other);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_SMALL && trials == 1);
	CHECK(finish_trial(thread) == NULL && other == FSC_CORE);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE && trials == 1);
}

/* A thread that is cancelled in a trial sees it to its end */
static void cancelled(void)
{
	enum fsc_choice other = FSC_CHOICES;
	pthread_t thread;

	anew(FSC_TRIAL_GOOD);
	thread = start_trial(&other);
	CHECK(pthread_cancel(thread) == 0);
	CHECK(finish_trial(thread) == PTHREAD_CANCELED && other == FSC_CORE);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE && trials == 1);
}

enum way { FORK, UNDERSCORE_FORK, CLONE, WAYS };

static pid_t child_by(enum way way)
{
	if (way == FORK)
		return fork();
	if (way == UNDERSCORE_FORK)
		return _Fork();
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static int in_child(enum way way, int (*work)(void))
{
	int status;
	pid_t child = child_by(way);

	if (child == 0)
		_exit(work());
	CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int asks(void)
{
	return fsc_by_size(&policy, 0, 100, 0) == FSC_CORE && trials == 2 ? 0 : 1;
}

/* Its child, however it is made, tries for itself */
static void forked(enum way way)
{
	enum fsc_choice other;
	pthread_t thread;

	anew(FSC_TRIAL_GOOD);
	thread = start_trial(&other);
	CHECK(in_child(way, asks) == 0);
	CHECK(finish_trial(thread) == NULL && other == FSC_CORE && trials == 1);
}

static int asks_no_more(void)
{
	return fsc_by_size(&policy, 0, 100, 0) == FSC_CORE && trials == 1 ? 0 : 1;
}

/* What the parent has found holds for the child */
static void inherited(enum way way)
{
	anew(FSC_TRIAL_GOOD);
	CHECK(fsc_by_size(&policy, 0, 100, 0) == FSC_CORE);
	CHECK(in_child(way, asks_no_more) == 0);
}

/* ---- break-evens ---- */

static void break_evens(void)
{
	const struct firesteel_request hash = { .operation = FIRESTEEL_HASH };

	anew(FSC_TRIAL_GOOD);
	/* 1,000 ns and 1 ns a byte against 2 ns a byte: from 1,000 bytes on */
	expected = 1000;
	per_byte = 1;
	CHECK(fsc_size_ns(NULL, &hash, 24) == 1024);
	CHECK(fsc_size_break_even(NULL, &hash, 512, 8192) == 1008);
	/* the fixed costs of software do not count */
	CHECK(fsc_size_break_even(NULL, &hash, 100512, 108192) == 1008);
	CHECK(fsc_size_break_even(NULL, &hash, 256, 4096) == FSC_NEVER);
	CHECK(fsc_size_break_even(NULL, &hash, -1, 8192) == FSC_NEVER);
	CHECK(fsc_size_break_even(NULL, &hash, 512, 512) == FSC_NEVER);
	expected = 0;
	CHECK(fsc_size_break_even(NULL, &hash, 512, 8192) == FSC_STEP);
	expected = FSC_LARGEST;
	CHECK(fsc_size_break_even(NULL, &hash, 512, 8192) == FSC_LARGEST);
}

int main(void)
{
	tried_when_due();
	tried_again(FSC_TRIAL_NONE, FSC_FAILED);
	tried_again(FSC_TRIAL_BUSY, FSC_BUSY);
	wrong_answers();
	by_estimate();
	without_an_estimate();
	without_estimates_of_two_efforts();
	by_measured_time();
	after_requests();
	meanwhile();
	cancelled();
	for (unsigned way = 0; way < WAYS; way++) {
		forked((enum way)way);
		inherited((enum way)way);
	}
	break_evens();
	return 0;
}
