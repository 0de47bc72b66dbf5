/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Threads that are ended by pthread_cancel(), as by default at cancellation points alone: the front end
 * has none.  Each thread is cancelled before it begins, so that it would end at the first one.  Work
 * with keys is left out: wolfCrypt's random numbers are read from a file, which is one.
 */
#include <pthread.h>

#include "works.h"

static bool survived;

static void symmetric(void)
{
	works_ciphers(2);
	works_hashes(2);
}

static void open_and_close(void)
{
	unit_open("model:hash=on", true);
	unit_close();
}

static void *thread(void *work)
{
	CHECK(pthread_cancel(pthread_self()) == 0);
	(*(void (**)(void))work)();
	survived = true;
	pthread_testcancel();
	return NULL;
}

static void survives(void (*work)(void))
{
	pthread_t started;
	void *result;

	survived = false;
	CHECK(pthread_create(&started, NULL, thread, &work) == 0);
	CHECK(pthread_join(started, &result) == 0);
	CHECK(survived && result == PTHREAD_CANCELED);
}

int main(void)
{
	/* Each work for the first time, so with its trial, then without */
	unit_open("model:hash=on", true);
	survives(symmetric);
	survives(symmetric);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_GCM).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_SHA256).hardware > 0);
	unit_close();
	survives(open_and_close);
	return 0;
}
