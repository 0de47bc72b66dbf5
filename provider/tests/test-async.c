/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ASYNC jobs: every kind of work paused and resumed, many jobs on one thread, jobs that may not pause
 * or are abandoned, children; and libssl in its asynchronous mode at both ends.
 *
 * The model is slow enough that a request is hardly ever done before its job is paused. Where it is,
 * because the host took the CPU away in between, the job is done anew.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/err.h>

#include "unit.h"

#define SLOW     "model:hash=on,clock_hz=1000000"
#define SIZE     1408
#define JOBS     40u
#define KINDS    9u
#define ATTEMPTS 20u

static struct unit unit;

/* ---- work ---- */

struct task {
	const char *algorithm;
	const char *properties;
	bool block; /* it may not pause */
	uint8_t text[SIZE], out[SIZE + 64];
	size_t got;
};

static bool seal(struct task *task, bool aead)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, task->algorithm, task->properties);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t *out = task->out;
	int got = 0, rest = 0, size = SIZE;
	bool good = cipher && context;

	good = good && EVP_EncryptInit_ex2(context, cipher, task->text, task->text, NULL);
	if (strstr(task->algorithm, "CCM"))
		good = good && EVP_EncryptUpdate(context, NULL, &got, NULL, size);
	if (aead)
		good = good && EVP_EncryptUpdate(context, NULL, &got, task->text, 13);
	good = good && EVP_EncryptUpdate(context, out, &got, task->text, size) &&
	       EVP_EncryptFinal_ex(context, out + got, &rest);
	task->got = (size_t)(got + rest);
	if (aead)
		good = good &&
		       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 12, out + task->got) > 0;
	task->got += aead ? 12 : 0;
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
	return good;
}

/* GCM the other way, which pauses before the tag is known to be right */
static bool seal_and_open(struct task *task)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, task->algorithm, task->properties);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t back[SIZE + 16];
	int got;
	bool good = seal(task, true) && context;

	good = good && EVP_DecryptInit_ex2(context, cipher, task->text, task->text, NULL) &&
	       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 12, task->out + SIZE) > 0 &&
	       EVP_DecryptUpdate(context, NULL, &got, task->text, 13) &&
	       EVP_DecryptUpdate(context, back, &got, task->out, SIZE) &&
	       EVP_DecryptFinal_ex(context, back + got, &got) &&
	       memcmp(back, task->text, SIZE) == 0;
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
	return good;
}

static bool digest(struct task *task)
{
	EVP_MD *algorithm = EVP_MD_fetch(unit.library, task->algorithm, task->properties);
	unsigned got = 0;
	bool good = algorithm && EVP_Digest(task->text, SIZE, task->out, &got, algorithm, NULL);

	task->got = got;
	EVP_MD_free(algorithm);
	return good;
}

static bool mac(struct task *task, const char *key, const char *value)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(key, (char *)(uintptr_t)value, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm = EVP_MAC_fetch(unit.library, task->algorithm, task->properties);
	EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
	bool good = context && EVP_MAC_init(context, task->text, 32, params) &&
		    EVP_MAC_update(context, task->text, SIZE) &&
		    EVP_MAC_final(context, task->out, &task->got, sizeof(task->out));

	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
	return good;
}

static bool any(struct task *task)
{
	const char *name = task->algorithm;

	if (strcmp(name, "HMAC") == 0)
		return mac(task, OSSL_MAC_PARAM_DIGEST, "SHA256");
	if (strcmp(name, "CMAC") == 0)
		return mac(task, OSSL_MAC_PARAM_CIPHER, "AES-256-CBC");
	if (strncmp(name, "SHA", 3) == 0)
		return digest(task);
	if (strstr(name, "GCM"))
		return seal_and_open(task);
	return seal(task, strstr(name, "CCM") != NULL);
}

/* What a job runs: a copy of its argument is given, which is a pointer */
static int run(void *argument)
{
	struct task *task = *(struct task **)argument;
	bool good;

	if (task->block)
		ASYNC_block_pause();
	good = any(task);
	if (task->block)
		ASYNC_unblock_pause();
	return good;
}

/* ---- jobs ---- */

struct job {
	ASYNC_JOB *job;
	ASYNC_WAIT_CTX *wait;
	OSSL_ASYNC_FD fd;
	struct task ours, theirs;
	unsigned pauses;
	bool done;
};

static void prepare(struct job *job, unsigned kind)
{
	static const char *const names[KINDS] = { "AES-256-CBC", "AES-128-CTR", "AES-256-GCM",
						  "AES-256-CCM", "AES-256-XTS", "AES-192-OFB",
						  "SHA512",      "HMAC",        "CMAC" };

	memset(job, 0, sizeof(*job));
	job->wait = ASYNC_WAIT_CTX_new();
	job->fd = -1;
	CHECK(job->wait);
	job->ours.algorithm = names[kind];
	job->ours.properties = OURS;
	unit_fill(job->ours.text, SIZE);
	job->theirs = job->ours;
	job->theirs.properties = THEIRS;
	CHECK(any(&job->theirs));
}

/* One descriptor for each wait context, the same from one pause to the next */
static void check_descriptor(struct job *job)
{
	OSSL_ASYNC_FD fd;
	size_t count;

	CHECK(ASYNC_WAIT_CTX_get_all_fds(job->wait, NULL, &count) && count == 1);
	CHECK(ASYNC_WAIT_CTX_get_all_fds(job->wait, &fd, &count));
	CHECK(job->fd < 0 || job->fd == fd);
	job->fd = fd;
}

static void start(struct job *job)
{
	struct task *task = &job->ours;
	int result = 0;

	switch (ASYNC_start_job(&job->job, job->wait, &result, run, &task, sizeof(task))) {
	case ASYNC_PAUSE:
		job->pauses++;
		check_descriptor(job);
		break;
	case ASYNC_FINISH:
		CHECK(result);
		job->done = true;
		CHECK(task->got == job->theirs.got &&
		      memcmp(task->out, job->theirs.out, task->got) == 0);
		break;
	default:
		CHECK(!"a job");
	}
}

static void end(struct job *job)
{
	ASYNC_WAIT_CTX_free(job->wait);
	CHECK(job->fd < 0 || (fcntl(job->fd, F_GETFD) < 0 && errno == EBADF));
}

/* Goes on with those whose descriptors are readable until all are done */
static void finish(struct job *jobs, unsigned count)
{
	struct pollfd fds[JOBS];
	unsigned left;

	do {
		left = 0;
		for (unsigned i = 0; i < count; i++) {
			left += !jobs[i].done;
			fds[i] = (struct pollfd){ .fd = jobs[i].done ? -1 : jobs[i].fd,
						  .events = POLLIN };
		}
		CHECK(left == 0 || poll(fds, count, 10000) > 0);
		for (unsigned i = 0; i < count; i++)
			if (!jobs[i].done && fds[i].revents & POLLIN)
				start(&jobs[i]);
	} while (left > 0);
}

/* A job that has paused and waits for the core */
static void start_until_paused(struct job *job, unsigned kind)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		prepare(job, kind);
		start(job);
		if (!job->done)
			return;
		end(job);
	}
	CHECK(!"a job that pauses");
}

/* A core that fails may be done before a job is paused */
static void many_jobs(unsigned count, bool all_pause)
{
	static _Thread_local struct job jobs[JOBS];

	for (unsigned i = 0; i < count; i++) {
		if (all_pause) {
			start_until_paused(&jobs[i], i % KINDS);
		} else {
			prepare(&jobs[i], i % KINDS);
			start(&jobs[i]);
		}
	}
	finish(jobs, count);
	for (unsigned i = 0; i < count; i++)
		end(&jobs[i]);
}

/* A job may be resumed when nothing is done, or be forbidden to pause */
static void jobs_that_do_not_wait(void)
{
	struct job job;

	for (unsigned kind = 0; kind < KINDS; kind++) {
		prepare(&job, kind);
		while (!job.done)
			start(&job);
		end(&job);
		prepare(&job, kind);
		job.ours.block = true;
		start(&job);
		CHECK(job.done);
		end(&job);
	}
}

static int never(void *argument)
{
	(void)argument;
	return 1;
}

/* Who wants to be called back has no descriptor to wait for, and is served at once */
static void callbacks(void)
{
	struct job job;

	prepare(&job, 2);
	CHECK(ASYNC_WAIT_CTX_set_callback(job.wait, never, NULL));
	start(&job);
	CHECK(job.done && job.pauses == 0);
	end(&job);
}

/* The wait context goes, and the job is never resumed; as in SSL_free() */
static void abandoned(void)
{
	static struct job jobs[JOBS];

	for (unsigned i = 0; i < JOBS; i++)
		start_until_paused(&jobs[i], i % KINDS);
	for (unsigned i = 0; i < JOBS; i++) {
		end(&jobs[i]);
		memset(&jobs[i], 0xa5, sizeof(jobs[i]));
	}
}

/* The wait context serves another job while one is given up */
static void replaced(void)
{
	struct job given_up, next;

	start_until_paused(&given_up, 0);
	prepare(&next, 2);
	ASYNC_WAIT_CTX_free(next.wait);
	next.wait = given_up.wait;
	start(&next);
	finish(&next, 1);
	end(&next);
}

/* In a child the parent's request has no end: software does it again */
static void children(void)
{
	struct job job;
	int status;
	pid_t child;

	start_until_paused(&job, 2);
	child = fork();
	if (child == 0) {
		while (!job.done)
			start(&job);
		end(&job);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	finish(&job, 1);
	end(&job);
}

/* A core that fails: software does it, in the same job */
static void faults(void)
{
	unit = unit_open(SLOW ",faults=dma-error:rate=3", "all=1");
	for (unsigned i = 0; i < 3; i++)
		many_jobs(KINDS, false);
	CHECK(unit_count("gcm", UNIT_FAILED) + unit_count("cbc", UNIT_FAILED) > 0);
	unit_close(&unit);
}

static void *thread(void *argument)
{
	(void)argument;
	many_jobs(2 * KINDS, true);
	return NULL;
}

static void threads(void)
{
	pthread_t all[4];

	for (unsigned i = 0; i < COUNT(all); i++)
		CHECK(pthread_create(&all[i], NULL, thread, NULL) == 0);
	for (unsigned i = 0; i < COUNT(all); i++)
		CHECK(pthread_join(all[i], NULL) == 0);
}

/* libcrypto never gives back a job that is not resumed: that leak is not ours to find */
static void without_leaks_told(void (*scene)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		unit = unit_open(SLOW, "all=1");
		scene();
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
}

int main(void)
{
	without_leaks_told(abandoned);
	without_leaks_told(replaced);
	unit = unit_open(SLOW, "all=1");
	many_jobs(JOBS, true);
	CHECK(unit_count("gcm", UNIT_HARDWARE) > 0 && unit_count("hmac", UNIT_HARDWARE) > 0);
	jobs_that_do_not_wait();
	callbacks();
	children();
	threads();
	unit_close(&unit);
	faults();
	return 0;
}
