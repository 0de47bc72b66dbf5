/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for the end of an operation: spinning, sleeping, or one after the other. */
#ifndef FS_WAIT_H
#define FS_WAIT_H

#include "device.h"
#include "expect.h"

struct fs_wait {
	struct firesteel *device;
	enum fs_core core;
	bool (*done)(void *opaque); /* looks at the core */
	void (*arm)(void *opaque); /* unmasks its interrupt */
	void *opaque;
};

/* 0, or FIRESTEEL_ERROR_FAULT if it did not end in time: a multiple of the prediction plus the
 * device's time-out.  The function does not look at the core before the predicted end is near,
 * because each look is a register access. */
int fs_wait(const struct fs_wait *wait, const struct fs_prediction *prediction);

#endif
