/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds: checked, done, estimated. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "operation.h"

/* The caller's request in this library's layout: the caller's memory if it is complete, otherwise a
 * copy */
struct fs_taken {
	const struct firesteel_request *request;
	struct firesteel_request copy;
};

/* Takes a request of `size` bytes; 0, FIRESTEEL_ERROR_INVALID or FIRESTEEL_ERROR_NEWER.  Reads at
 * most `size` bytes, and after success at most firesteel_request_size(). */
int fs_request_take(struct fs_taken *taken, const struct firesteel_request *request, size_t size);

/* Whether a request of this operation (NULL: unknown) is valid, and such a device supports it: 0 or
 * an error.  `values`: operands have data. */
int fs_request_check(const struct firesteel_capabilities *has, const struct fs_operation *operation,
		     const struct firesteel_request *request, bool values);

#endif
