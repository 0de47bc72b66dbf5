/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds: checked, done, estimated. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "operation.h"

/* The caller's request as this library knows it: the caller's memory if that has it all, else a copy */
struct fs_taken {
	const struct firesteel_request *request;
	struct firesteel_request copy;
};

/* Takes a request that has `size` bytes; 0, FIRESTEEL_ERROR_INVALID or FIRESTEEL_ERROR_NEWER.  Reads no
 * more of it than that, and after success no more than firesteel_request_size(). */
int fs_request_take(struct fs_taken *taken, const struct firesteel_request *request, size_t size);

/* Whether a request of this operation (NULL: there is no such one) is valid, and such a device can do
 * it: 0 or an error.  `values`: operands have data. */
int fs_request_check(const struct firesteel_capabilities *has, const struct fs_operation *operation,
		     const struct firesteel_request *request, bool values);

#endif
