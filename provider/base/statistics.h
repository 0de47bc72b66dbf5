/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which work was done where, and why: counters that a process shares with its children, in a file if
 * the settings name one.  They are written in place, so that a sandbox is no obstacle and a reader
 * sees them while the process lives.
 *
 * The file is a struct fsp_statistics in the byte order of the machine.
 */
#ifndef FSP_STATISTICS_H
#define FSP_STATISTICS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/work.h"

#define FSP_STATISTICS_MAGIC   "firesteel-statistics"
#define FSP_STATISTICS_VERSION 4u

#define FSP_STATISTICS_NEVER UINT64_MAX

struct fsp_counters {
	char name[16];
	atomic_ullong hardware; /* done by a core */
	atomic_ullong hardware_bytes;
	atomic_ullong small; /* done in software: below the threshold, or before the trial */
	atomic_ullong queued; /* ... faster than to wait for the requests before it */
	atomic_ullong unfit; /* ... the core does not support this */
	atomic_ullong unprotected; /* ... it takes a secret, and the core has no countermeasures */
	atomic_ullong busy; /* ... other processes use the core, or all of its slots */
	atomic_ullong failed; /* ... the core failed at it */
	atomic_llong last_error; /* of those: enum firesteel_error */
	atomic_ullong break_even; /* bytes from which on it goes to the core, 0: not found yet */
};

struct fsp_statistics {
	char magic[24];
	uint32_t version;
	uint32_t works;
	int64_t process; /* the first process that opened it */
	char device[64]; /* empty: none */
	char reason[256]; /* why there is no device */
	struct fsp_counters of[FSP_WORKS];
};

/* NULL only if there is no memory; if the file cannot be created, `message` says why */
struct fsp_statistics *fsp_statistics_open(const char *file, char *message, size_t size);
void fsp_statistics_close(struct fsp_statistics *statistics);

#endif
