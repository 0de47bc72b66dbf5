/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No thread is cancelled inside the library.
 *
 * Programs that cancel threads expect no cancellation point here, because computations in software
 * have no such point.  A thread that ended inside the library would also leave its locks taken.  So
 * each function of the interface that may wait or reach a cancellation point of POSIX disables
 * cancellation until it returns.  A request to cancel takes effect at the caller's next
 * cancellation point.
 *
 * Cancellation is disabled at the entries.  To make each wait safe would not do: poll(), read(),
 * write(), getrandom() and file operations are cancellation points too, and the next addition would
 * be forgotten.  It takes no system call.
 *
 * The file needs nothing else of the library, so users of the library include it too.
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
