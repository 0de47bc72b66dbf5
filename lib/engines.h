/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public-key cores of a device.  A request goes to the core with the fewest requests of this
 * process and of others; the first of equals.  All cores are alike, so this core will most likely
 * be free first.
 *
 * If a core fails at a request, another core does the request.  The failed core gets no request
 * until its health allows it (health.h).  If a result fails its check, another core computes it
 * again.  If the second result passes, the first core computes wrongly and is not used any more.
 */
#ifndef FS_ENGINES_H
#define FS_ENGINES_H

#include "pk.h"

/* 0 if one of them can be used; otherwise the error */
int fs_engines_error(struct firesteel *device);

/* How long a request would wait, ns; 0: a core is free */
int64_t fs_engines_queue_ns(struct firesteel *device);

/* Like fs_pk_do(), on one of them */
int fs_engines_do(struct firesteel *device,
		  int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
		  const struct firesteel_request *request);

#endif
