/* SPDX-License-Identifier: Apache-2.0 */
/* A directory for the statistics of a program's processes, and what they say. */
#ifndef FSP_CHECK_FILES_H
#define FSP_CHECK_FILES_H

#include <stddef.h>

#include "base/statistics.h"

/* Of all processes together */
struct files {
	char directory[128];
	size_t processes; /* that have loaded the provider */
	size_t unread; /* files that are no statistics of this version */
	char device[64]; /* of the last process that has one; empty: no process has any */
	char reason[256]; /* of the last one that serves nothing */
	struct fsp_counters of[FSP_WORKS];
};

/* Makes the directory, where all processes started from now on put their statistics; 0, or -1 with
 * errno */
int files_begin(struct files *files);

/* Adds up the files' counters, and removes files and directory */
void files_end(struct files *files);

#endif
