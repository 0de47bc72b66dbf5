/* SPDX-License-Identifier: Apache-2.0 */
/* A request that owns all that it points at, so that the core may still be at work when the caller's
 * memory is gone. */
#ifndef FS_COPY_H
#define FS_COPY_H

#include "operation.h"

struct fs_copy;

/* A copy of a valid request of this operation and of all that it reads; NULL: no memory */
struct fs_copy *fs_copy_new(const struct fs_operation *operation,
			    const struct firesteel_request *request);

/* Wipes and frees it; NULL is allowed */
void fs_copy_free(struct fs_copy *copy);

/* The request to do */
const struct firesteel_request *fs_copy_request(const struct fs_copy *copy);

/* Results and contexts to where the original request wants them */
void fs_copy_out(const struct fs_copy *copy);

#endif
