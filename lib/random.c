/* SPDX-License-Identifier: Apache-2.0 */
#include "random.h"

#include <string.h>
#include <sys/random.h>

#include "include/firesteel/firesteel.h"

#define HALF (FS_SHA512_SIZE / 2)

int fs_random_begin(struct fs_random *random)
{
	random->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	random->left = 0;
	/* up to 256 bytes come whole, or an error does */
	if (getrandom(random->key, sizeof(random->key), 0) != (ssize_t)sizeof(random->key))
		return FIRESTEEL_ERROR_SYSTEM;
	return FIRESTEEL_OK;
}

/* The key's hash is half output and half the next key */
static void refill(struct fs_random *random)
{
	uint8_t digest[FS_SHA512_SIZE];
	struct fs_sha512 hash;

	fs_sha512_begin(&hash);
	fs_sha512_add(&hash, random->key, sizeof(random->key));
	fs_sha512_end(&hash, digest);
	memset(random->key, 0, sizeof(random->key));
	memcpy(random->key, digest, HALF);
	memcpy(random->rest, digest + HALF, HALF);
	random->left = HALF;
	firesteel_wipe(digest, sizeof(digest));
}

/* One output serves four blinding factors, of which each operation takes one */
void fs_random_get(struct fs_random *random, uint8_t *bytes, size_t size)
{
	uint8_t *from;

	pthread_mutex_lock(&random->mutex);
	if (size > random->left)
		refill(random);
	from = random->rest + HALF - random->left;
	memcpy(bytes, from, size);
	firesteel_wipe(from, size);
	random->left -= size;
	pthread_mutex_unlock(&random->mutex);
}
