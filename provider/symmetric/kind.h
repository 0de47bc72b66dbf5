/* SPDX-License-Identifier: Apache-2.0 */
/* What one AES algorithm is; each is a constant. */
#ifndef FSP_KIND_H
#define FSP_KIND_H

#include <firesteel/firesteel.h>

#include "base/task.h"

#define FSP_BLOCK   16u
#define FSP_KEY_MAX 64u

struct fsp_cipher_kind {
	const char *name; /* the default provider's */
	enum fsp_task task;
	enum firesteel_mode mode;
	unsigned evp_mode;
	size_t key_size, iv_size;
	size_t block_size; /* 1: a stream */
	bool aead, custom_iv, cts;
};

#endif
