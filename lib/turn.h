/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a process take turns at a core, in the order in which they came. */
#ifndef FS_TURN_H
#define FS_TURN_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct fs_deadline;
struct fs_waiter;

enum fs_turn_state {
	FS_TURN_FREE,
	FS_TURN_TAKEN, /* and nobody waits */
	FS_TURN_WANTED, /* taken, and somebody waits */
};

struct fs_turn {
	/* enum fs_turn_state.  A thread that finds it free takes it and gives it back without the
	 * mutex.  Only with the mutex held does it become FS_TURN_WANTED, or stop being so. */
	_Atomic unsigned state;
	pthread_mutex_t mutex; /* of the rest */
	unsigned waiting;
	struct fs_waiter *first;
	struct fs_waiter *last;
};

void fs_turn_begin(struct fs_turn *turn);

/* Waits until `deadline`; whether it is ours then.  `*waited` is set if there was a wait. */
bool fs_turn_acquire(struct fs_turn *turn, struct fs_deadline *deadline, bool *waited);
void fs_turn_release(struct fs_turn *turn);

/* How many are at it or wait */
unsigned fs_turn_length(struct fs_turn *turn);

#endif
