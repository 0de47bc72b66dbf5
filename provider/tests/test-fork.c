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

#define SIZE 4096u

/* Trials of AES take some ten milliseconds each */
#define SLOW "model:clock_hz=20000"

static struct unit unit;

static void encrypt(EVP_CIPHER *cipher)
{
	static const uint8_t key[32] = { 1 };
	uint8_t bytes[SIZE] = { 0 };
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got;

	CHECK(EVP_EncryptInit_ex2(context, cipher, key, key, NULL));
	CHECK(EVP_EncryptUpdate(context, bytes, &got, bytes, SIZE));
	EVP_CIPHER_CTX_free(context);
}

static void *use(void *cipher)
{
	encrypt(cipher);
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

static bool in_hardware(EVP_CIPHER *cipher)
{
	unsigned long long before = unit_count("cbc", UNIT_HARDWARE);

	encrypt(cipher);
	return unit_count("cbc", UNIT_HARDWARE) > before;
}

static void in_a_trial(enum way way)
{
	EVP_CIPHER *cipher;
	pthread_t thread;
	int status;
	pid_t child;

	unit = unit_open(SLOW, "all=1");
	cipher = EVP_CIPHER_fetch(unit.library, "AES-256-CBC", OURS);
	CHECK(cipher);
	CHECK(pthread_create(&thread, NULL, use, cipher) == 0);
	/* until the trial has begun: then others use software */
	while (unit_count("cbc", UNIT_SMALL) == 0 && unit_count("cbc", UNIT_HARDWARE) == 0)
		encrypt(cipher);
	CHECK(unit_count("cbc", UNIT_HARDWARE) == 0);
	child = child_by(way);
	if (child == 0)
		_exit(in_hardware(cipher) ? 0 : 1);
	CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(in_hardware(cipher));
	/* nobody blames the core */
	CHECK(unit_count("cbc", UNIT_FAILED) == 0);
	EVP_CIPHER_free(cipher);
	unit_close(&unit);
}

int main(void)
{
	for (unsigned way = 0; way < WAYS; way++)
		in_a_trial((enum way)way);
	return 0;
}
