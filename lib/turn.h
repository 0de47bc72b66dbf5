/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a process take turns at a core, in the order in which they came. */
#ifndef FS_TURN_H
#define FS_TURN_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct fs_waiter;

struct fs_turn {
	pthread_mutex_t mutex;
	bool taken;
	unsigned waiting;
	struct fs_waiter *first;
	struct fs_waiter *last;
};

void fs_turn_begin(struct fs_turn *turn);

/* Waits until `deadline`; whether it is ours then.  `*waited` is set if there was a wait. */
bool fs_turn_acquire(struct fs_turn *turn, uint64_t deadline, bool *waited);
void fs_turn_release(struct fs_turn *turn);

/* How many are at it or wait */
unsigned fs_turn_length(struct fs_turn *turn);

#endif
