/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for the hash core. */
#ifndef FS_HASH_H
#define FS_HASH_H

#include "device.h"

int fs_hash_check(const struct firesteel_capabilities *has, const struct firesteel_request *request,
		  bool values);
int fs_hash_do(struct firesteel *device, const struct firesteel_request *request);

/* Bytes of a digest, 0 for none */
size_t fs_hash_size(enum firesteel_digest algorithm);

#endif
