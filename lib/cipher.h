/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for the AES core. */
#ifndef FS_CIPHER_H
#define FS_CIPHER_H

#include "device.h"

int fs_cipher_check(const struct firesteel_capabilities *has,
		    const struct firesteel_request *request, bool values);
int fs_cipher_do(struct firesteel *device, const struct firesteel_request *request);

#endif
