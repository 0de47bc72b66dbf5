/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public-key cores of a device.  A request goes to the one with the least to do: the fewest
 * requests of this process and of others, and of equals the first.  All are alike, so this is the one
 * that will be free soonest, as far as anybody knows.
 *
 * A core that fails at a request takes nothing with it: another one does the request, and none is
 * given to the core that failed for as long as its health says so (health.h).  A result that fails its
 * check is computed again by another core; if that one's is right, the first computes wrongly, and is
 * not used any more.
 */
#ifndef FS_ENGINES_H
#define FS_ENGINES_H

#include "pk.h"

/* 0: one of them can be used; or why none can */
int fs_engines_error(struct firesteel *device);

/* What a request would wait for, ns; 0: a core is free */
int64_t fs_engines_queue_ns(struct firesteel *device);

/* Like fs_pk_do(), by one of them */
int fs_engines_do(struct firesteel *device,
		  int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
		  const struct firesteel_request *request);

#endif
