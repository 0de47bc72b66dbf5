/* SPDX-License-Identifier: Apache-2.0 */
#include "turn.h"

#include <stddef.h>

#include "clock.h"

struct fs_waiter {
	pthread_cond_t called;
	bool ours;
	struct fs_waiter *next;
};

void fs_turn_begin(struct fs_turn *turn)
{
	*turn = (struct fs_turn){ .mutex = PTHREAD_MUTEX_INITIALIZER };
}

static void enqueue(struct fs_turn *turn, struct fs_waiter *waiter)
{
	if (turn->last)
		turn->last->next = waiter;
	else
		turn->first = waiter;
	turn->last = waiter;
	turn->waiting++;
}

static void dequeue(struct fs_turn *turn, struct fs_waiter *waiter)
{
	struct fs_waiter *before = NULL, *at = turn->first;

	while (at != waiter) {
		before = at;
		at = at->next;
	}
	if (before)
		before->next = waiter->next;
	else
		turn->first = waiter->next;
	if (turn->last == waiter)
		turn->last = before;
	turn->waiting--;
}

/* Whether the turn came before the deadline; whoever gives it leaves it taken for us */
static bool wait_for_call(struct fs_turn *turn, uint64_t deadline)
{
	const struct timespec until = fs_timespec(deadline);
	struct fs_waiter waiter = { .ours = false };
	pthread_condattr_t monotonic;
	int timeout = 0;

	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&waiter.called, &monotonic);
	enqueue(turn, &waiter);
	while (!waiter.ours && timeout == 0)
		timeout = pthread_cond_timedwait(&waiter.called, &turn->mutex, &until);
	if (!waiter.ours)
		dequeue(turn, &waiter);
	pthread_cond_destroy(&waiter.called);
	pthread_condattr_destroy(&monotonic);
	return waiter.ours;
}

bool fs_turn_acquire(struct fs_turn *turn, uint64_t deadline, bool *waited)
{
	bool ours = true;

	pthread_mutex_lock(&turn->mutex);
	if (turn->taken) {
		*waited = true;
		ours = wait_for_call(turn, deadline);
	} else {
		turn->taken = true;
	}
	pthread_mutex_unlock(&turn->mutex);
	return ours;
}

void fs_turn_release(struct fs_turn *turn)
{
	struct fs_waiter *next;

	pthread_mutex_lock(&turn->mutex);
	next = turn->first;
	if (next) {
		dequeue(turn, next);
		next->ours = true;
		pthread_cond_signal(&next->called);
	} else {
		turn->taken = false;
	}
	pthread_mutex_unlock(&turn->mutex);
}

unsigned fs_turn_length(struct fs_turn *turn)
{
	unsigned length;

	pthread_mutex_lock(&turn->mutex);
	length = turn->waiting + turn->taken;
	pthread_mutex_unlock(&turn->mutex);
	return length;
}
