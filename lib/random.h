/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random bytes for blinding factors, nonces and the like: from the kernel once for each process,
 * and from then on without a system call.
 */
#ifndef FS_RANDOM_H
#define FS_RANDOM_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "sha512.h"

struct fs_random {
	pthread_mutex_t mutex;
	uint8_t key[FS_SHA512_SIZE];
	uint8_t rest[FS_SHA512_SIZE / 2]; /* of the last output; its last `left` bytes */
	size_t left;
};

/* Also in a forked child, which would otherwise repeat its parent.  FIRESTEEL_OK, or
 * FIRESTEEL_ERROR_SYSTEM. */
int fs_random_begin(struct fs_random *random);

/* At most 32 bytes; earlier output cannot be computed from the stored state */
void fs_random_get(struct fs_random *random, uint8_t *bytes, size_t size);

#endif
