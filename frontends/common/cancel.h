/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Threads that are ended by pthread_cancel(): where software has no cancellation point, the core must
 * not have one either.  A thread that ended inside would leave memory, descriptors and promises.
 *
 *	int held = fsc_cancel_hold();
 *	...
 *	fsc_cancel_release(held);
 */
#ifndef FSC_CANCEL_H
#define FSC_CANCEL_H

#include <pthread.h>

static inline int fsc_cancel_hold(void)
{
	int before;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	return before;
}

static inline void fsc_cancel_release(int before)
{
	pthread_setcancelstate(before, &before);
}

#endif
