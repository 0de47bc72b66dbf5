/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children, however they are made, of a process whose threads are in the middle of a trial of the core:
 * they try it themselves, and have it.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

/* So slow that the trial of RSA takes long */
#define SLOW "model:clock_hz=1000000"

static struct unit unit;

static void sign(EVP_PKEY *key)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[256];
	size_t size = sizeof(out);

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, out, &size, (const uint8_t *)"abc", 3) > 0);
	EVP_MD_CTX_free(context);
}

static void *use(void *key)
{
	sign(key);
	return NULL;
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

static bool in_hardware(EVP_PKEY *key)
{
	unsigned long long before = unit_count("rsa", UNIT_HARDWARE);

	sign(key);
	return unit_count("rsa", UNIT_HARDWARE) > before;
}

static void in_a_trial(enum way way)
{
	EVP_PKEY *theirs, *key;
	pthread_t thread;
	int status;
	pid_t child;

	unit = unit_open(SLOW, "all=1");
	theirs = unit_rsa(&unit, 1024);
	key = unit_key(&unit, theirs, OURS);
	CHECK(pthread_create(&thread, NULL, use, key) == 0);
	usleep(20000); /* by now it tries; if not, the child is the first to try */
	child = child_by(way);
	if (child == 0)
		_exit(in_hardware(key) ? 0 : 1);
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(in_hardware(key));
	/* nobody blames the core */
	CHECK(unit_count("rsa", UNIT_FAILED) == 0);
	EVP_PKEY_free(key);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
}

int main(void)
{
	for (unsigned way = 0; way < WAYS; way++)
		in_a_trial((enum way)way);
	return 0;
}
