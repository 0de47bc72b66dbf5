/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No thread is cancelled inside the library.
 *
 * A computation in software has no cancellation point, so programs that cancel threads expect none
 * in its place; and a thread that ended here would leave locks behind that nobody opens.  So each
 * function of the interface that may wait, or call what POSIX makes a cancellation point, holds
 * cancellation off until it returns; a request to cancel then takes effect at the caller's next
 * cancellation point.
 *
 * That is done at the entries, in the place of waits that are no cancellation points (futexes): these
 * are one of many kinds, besides poll(), read(), write(), getrandom() and files, and the next one to be
 * added would be forgotten.  It takes no system call.
 *
 * The file needs nothing else of the library: what stands on the library includes it, too.
 */
#ifndef FS_CANCEL_H
#define FS_CANCEL_H

#include <pthread.h>

static inline int fs_cancel_off(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void fs_cancel_restore(const int *before)
{
	int ours;

	pthread_setcancelstate(*before, &ours);
}

/* Among the declarations of a function: until it returns */
#define FS_UNCANCELLED \
	__attribute__((cleanup(fs_cancel_restore))) const int before = fs_cancel_off()

#endif
