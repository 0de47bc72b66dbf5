/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which process this is, with regard to state that a child inherits.
 *
 * Parent and child must not share some state: locks, random numbers, threads, and things that the
 * kernel gave to one process.  Such state is marked with the number of the process that made it.  A
 * process with another number makes the state again.  The file needs nothing else of the library,
 * so other parts compile it too.
 */
#ifndef FS_FORK_H
#define FS_FORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A number that differs from the numbers of all ancestors, however they forked: fork(), _Fork(),
 * clone(2), a PID namespace.  It is never 0, and stays the same as long as the process lives.  A
 * child in the memory of its parent (vfork(), CLONE_VM) has the parent's state, and therefore the
 * parent's number.
 *
 * Costs two loads.  Any thread may call it, a signal handler too.
 */
uint64_t fs_fork_generation(void);

/*
 * State that each process makes for itself is marked by a word, which is 0 at first.
 * fs_fork_enter() returns whether this process still has to make the state.  If so, the caller
 * makes it and calls fs_fork_made(); other threads wait in fs_fork_enter().  The old content does
 * not count, because a thread of the parent may have been changing it.
 */
typedef _Atomic uint64_t fs_fork_mark;

bool fs_fork_enter(fs_fork_mark *mark);
void fs_fork_made(fs_fork_mark *mark);

/* Whether this process has made it */
bool fs_fork_is_made(const fs_fork_mark *mark);

#endif
