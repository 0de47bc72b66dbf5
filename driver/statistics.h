/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What went where and why; shown in debugfs, firesteel/statistics. */
#ifndef FIRESTEEL_STATISTICS_H
#define FIRESTEEL_STATISTICS_H

#include <linux/atomic.h>

/* Where a request went, and why to software */
enum firesteel_way {
	FIRESTEEL_HARDWARE,
	FIRESTEEL_SMALL, /* software costs less */
	FIRESTEEL_FULL, /* no job was free */
	FIRESTEEL_SHAPE, /* what the core does not do, or too many pieces */
	FIRESTEEL_OUT_OF_SERVICE, /* the core is faulty or gone */
	FIRESTEEL_FAILED, /* the core took it and failed: also counted as hardware */
	FIRESTEEL_DOUBTED, /* not authentic by the core, so software looks: also as hardware */
	FIRESTEEL_WAYS
};

struct firesteel_use {
	atomic_long_t requests[FIRESTEEL_WAYS];
	atomic_long_t bytes[FIRESTEEL_WAYS];
	atomic_long_t copies; /* of input that output replaces */
};

static inline void firesteel_count(struct firesteel_use *use, enum firesteel_way way,
				   unsigned int bytes)
{
	atomic_long_inc(&use->requests[way]);
	atomic_long_add(bytes, &use->bytes[way]);
}

void firesteel_statistics_open(void);
void firesteel_statistics_close(void);

#endif
