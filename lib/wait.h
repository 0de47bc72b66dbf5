/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for the end of an operation: spinning, sleeping, or one after the other. */
#ifndef FS_WAIT_H
#define FS_WAIT_H

#include "device.h"

struct fs_wait {
	struct firesteel *device;
	enum fs_core core;
	bool (*done)(void *opaque); /* looks at the core */
	void (*arm)(void *opaque); /* unmasks its interrupt */
	void *opaque;
};

/* 0, or FIRESTEEL_ERROR_FAULT when it did not end in time: a multiple of `expected` ns, and the
 * device's time-out */
int fs_wait(const struct fs_wait *wait, uint64_t expected);

#endif
