/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "device.h"

/* The core that does it */
enum fs_core fs_request_core(enum firesteel_operation operation);

/* Whether it is valid, and such a device can do it; `values`: operands have data */
int fs_request_check(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values);

#endif
