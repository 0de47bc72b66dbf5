/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What went where and why; shown by debugfs.c. */
#ifndef FIRESTEEL_STATISTICS_H
#define FIRESTEEL_STATISTICS_H

#include <linux/atomic.h>

/* Where a request went, and why to software */
enum firesteel_path {
	FIRESTEEL_HARDWARE,
	FIRESTEEL_SMALL, /* software costs less */
	FIRESTEEL_FULL, /* the backlog was full */
	FIRESTEEL_SHAPE, /* what the core does not do, or too many pieces */
	FIRESTEEL_OUT_OF_SERVICE, /* the core is faulty or gone */
	FIRESTEEL_FAILED, /* the core took it and failed: also counted as hardware */
	FIRESTEEL_TAG_RECHECK, /* the tag was wrong, so software checks again: also hardware */
	FIRESTEEL_PATHS
};

struct firesteel_use {
	atomic_long_t requests[FIRESTEEL_PATHS];
	atomic_long_t bytes[FIRESTEEL_PATHS];
	atomic_long_t copies; /* of input that output replaces */
};

static inline void firesteel_count(struct firesteel_use *use, enum firesteel_path path,
				   unsigned int bytes)
{
	atomic_long_inc(&use->requests[path]);
	atomic_long_add(bytes, &use->bytes[path]);
}

#endif
