/* SPDX-License-Identifier: Apache-2.0 */
/* Locks a mutex, or gives up at a time of fs_now(). */
#ifndef FS_TIMED_LOCK_H
#define FS_TIMED_LOCK_H

#include <pthread.h>

#include "clock.h"

#ifdef __SANITIZE_THREAD__

/* The sanitizer does not know pthread_mutex_clocklock(), and takes what follows for a race */
static inline int fs_timed_lock(pthread_mutex_t *lock, uint64_t deadline)
{
	uint64_t now = fs_now();
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	wall = fs_timespec((uint64_t)wall.tv_sec * FS_SECOND + (uint64_t)wall.tv_nsec +
			   (deadline > now ? deadline - now : 0));
	return pthread_mutex_timedlock(lock, &wall);
}

#else

static inline int fs_timed_lock(pthread_mutex_t *lock, uint64_t deadline)
{
	const struct timespec until = fs_timespec(deadline);

	return pthread_mutex_clocklock(lock, CLOCK_MONOTONIC, &until);
}

#endif

#endif
