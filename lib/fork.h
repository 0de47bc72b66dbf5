/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which process this is, as far as state that a child inherits goes.
 *
 * State of the kind that parent and child must not have in common (locks, random numbers, threads, what
 * the kernel gave to one process) is marked with the number of the process that made it, and made anew
 * where that is not the number any more.  The file needs nothing else of the library, so that others
 * compile it, too.
 */
#ifndef FS_FORK_H
#define FS_FORK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A number that a process shares with none of those that it was forked from, in whatever way: fork(),
 * _Fork(), clone(2), a PID namespace.  It is never 0, and stays the same as long as the process lives.
 * A child with the memory of its parent (vfork(), CLONE_VM) has the parent's state, and so its number.
 *
 * Costs two loads.  Any thread may call it, a signal handler too.
 */
uint64_t fs_fork_generation(void);

/*
 * State that each process makes for itself is marked by a word, which is 0 at first.
 * fs_fork_enter() answers whether this process has yet to make it: then the caller does so, whatever it
 * finds there, as a thread of another process may have been at work in it, and calls fs_fork_made().
 * Other threads wait in fs_fork_enter() meanwhile.
 */
typedef _Atomic uint64_t fs_fork_mark;

bool fs_fork_enter(fs_fork_mark *mark);
void fs_fork_made(fs_fork_mark *mark);

/* Whether this process has made it */
bool fs_fork_is_made(const fs_fork_mark *mark);

#endif
