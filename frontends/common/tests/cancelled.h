/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A thread that is cancelled before it begins to work, and so ends at the first cancellation point. */
#ifndef FSC_TESTS_CANCELLED_H
#define FSC_TESTS_CANCELLED_H

#include <pthread.h>
#include <stdbool.h>

struct cancelled {
	void (*prepare)(void); /* may have cancellation points; or NULL */
	void (*work)(void);
	bool survived;
};

static void *cancelled_thread(void *argument)
{
	struct cancelled *cancelled = argument;

	if (cancelled->prepare)
		cancelled->prepare();
	pthread_cancel(pthread_self());
	cancelled->work();
	cancelled->survived = true;
	pthread_testcancel();
	return NULL;
}

/* Whether it comes to the end of its work, and ends there */
static inline bool survives_cancelled(void (*prepare)(void), void (*work)(void))
{
	struct cancelled cancelled = { prepare, work, false };
	pthread_t thread;
	void *result;

	return pthread_create(&thread, NULL, cancelled_thread, &cancelled) == 0 &&
	       pthread_join(thread, &result) == 0 && cancelled.survived &&
	       result == PTHREAD_CANCELED;
}

#endif
