/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds: checked, done, estimated. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "operation.h"

/* Whether a request is valid, and such a device can do it: 0 or an error.  `values`: operands have
 * data.  `*operation` is its operation; NULL: there is no such one. */
int fs_request_check(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values,
		     const struct fs_operation **operation);

#endif
