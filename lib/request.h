/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds: checked, done, estimated. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "operation.h"

/* Whether a request of this operation (NULL: there is no such one) is valid, and such a device can do
 * it: 0 or an error.  `values`: operands have data. */
int fs_request_check(const struct firesteel_capabilities *has, const struct fs_operation *operation,
		     const struct firesteel_request *request, bool values);

#endif
