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

/* Tells whoever has the turn that somebody waits for it; or takes it, if nobody has it.  With the
 * mutex. */
static bool want(struct fs_turn *turn)
{
	unsigned seen = FS_TURN_FREE;

	for (;;) {
		if (seen == FS_TURN_WANTED)
			return false;
		if (atomic_compare_exchange_weak_explicit(
			    &turn->state, &seen,
			    seen == FS_TURN_FREE ? FS_TURN_TAKEN : FS_TURN_WANTED,
			    memory_order_acquire, memory_order_relaxed))
			return seen == FS_TURN_FREE;
	}
}

/* Whoever still waits is still announced.  With the mutex, while the turn is taken. */
static void announce(struct fs_turn *turn)
{
	atomic_store_explicit(&turn->state, turn->first ? FS_TURN_WANTED : FS_TURN_TAKEN,
			      memory_order_relaxed);
}

/* Whether the turn came before the deadline; whoever gives it leaves it taken for us.  With the mutex,
 * and announced: so nobody gives the turn back without it. */
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
	if (!waiter.ours) {
		dequeue(turn, &waiter);
		announce(turn);
	}
	pthread_cond_destroy(&waiter.called);
	pthread_condattr_destroy(&monotonic);
	return waiter.ours;
}

bool fs_turn_acquire(struct fs_turn *turn, struct fs_deadline *deadline, bool *waited)
{
	unsigned nobody = FS_TURN_FREE;
	bool ours;

	if (atomic_compare_exchange_strong_explicit(&turn->state, &nobody, FS_TURN_TAKEN,
						    memory_order_acquire, memory_order_relaxed))
		return true;
	pthread_mutex_lock(&turn->mutex);
	ours = want(turn);
	if (!ours) {
		*waited = true;
		ours = wait_for_call(turn, fs_deadline_at(deadline));
	}
	pthread_mutex_unlock(&turn->mutex);
	return ours;
}

void fs_turn_release(struct fs_turn *turn)
{
	unsigned alone = FS_TURN_TAKEN;
	struct fs_waiter *next;

	if (atomic_compare_exchange_strong_explicit(&turn->state, &alone, FS_TURN_FREE,
						    memory_order_release, memory_order_relaxed))
		return;
	pthread_mutex_lock(&turn->mutex);
	next = turn->first;
	if (next) {
		dequeue(turn, next);
		announce(turn);
		next->ours = true;
		pthread_cond_signal(&next->called);
	} else {
		/* whoever waited has given up meanwhile */
		atomic_store_explicit(&turn->state, FS_TURN_FREE, memory_order_release);
	}
	pthread_mutex_unlock(&turn->mutex);
}

unsigned fs_turn_length(struct fs_turn *turn)
{
	unsigned state = atomic_load_explicit(&turn->state, memory_order_relaxed), length;

	if (state != FS_TURN_WANTED)
		return state == FS_TURN_TAKEN;
	pthread_mutex_lock(&turn->mutex);
	length = turn->waiting + 1;
	pthread_mutex_unlock(&turn->mutex);
	return length;
}
