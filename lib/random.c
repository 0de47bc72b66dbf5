/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <string.h>
#include <sys/random.h>

#include "include/firesteel/firesteel.h"

#define HALF (FS_SHA512_SIZE / 2)

int fs_random_begin(struct fs_random *random)
{
	random->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	/* up to 256 bytes come whole, or an error does */
	if (getrandom(random->key, sizeof(random->key), 0) != (ssize_t)sizeof(random->key))
		return FIRESTEEL_ERROR_SYSTEM;
	return FIRESTEEL_OK;
}

/* The key's hash is half output and half the next key */
void fs_random_take(struct fs_random *random, uint8_t *bytes, size_t size)
{
	uint8_t digest[FS_SHA512_SIZE];
	struct fs_sha512 hash;

	pthread_mutex_lock(&random->mutex);
	fs_sha512_begin(&hash);
	fs_sha512_add(&hash, random->key, sizeof(random->key));
	fs_sha512_end(&hash, digest);
	memset(random->key, 0, sizeof(random->key));
	memcpy(random->key, digest, HALF);
	pthread_mutex_unlock(&random->mutex);
	memcpy(bytes, digest + HALF, size < HALF ? size : HALF);
	firesteel_wipe(digest, sizeof(digest));
}
