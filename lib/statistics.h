/* SPDX-License-Identifier: Apache-2.0 */
/* struct firesteel_statistics while threads count. */
#ifndef FS_STATISTICS_H
#define FS_STATISTICS_H

#include <stdatomic.h>

#include "include/firesteel/firesteel.h"

typedef _Atomic uint64_t fs_counter;

struct fs_statistics {
	fs_counter operations[FIRESTEEL_OPERATIONS];
	fs_counter errors[FIRESTEEL_OPERATIONS];
	fs_counter bytes;
	fs_counter copied;
	fs_counter spun;
	fs_counter slept;
	fs_counter queued;
	fs_counter retries;
	fs_counter faults;
	fs_counter resets;
	fs_counter checks_failed;
	fs_counter unproven;
	fs_counter unprotected;
};

static inline void fs_count(fs_counter *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void fs_statistics_clear(struct fs_statistics *statistics);

/* Adds them to what is there */
void fs_statistics_add(struct fs_statistics *statistics, struct firesteel_statistics *into);

#endif
