/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512 (FIPS 180-4) and HMAC with it, by the processor: for Ed25519 and nonces. */
#ifndef FS_SHA512_H
#define FS_SHA512_H

#include <stddef.h>
#include <stdint.h>

#define FS_SHA512_SIZE  64u
#define FS_SHA512_BLOCK 128u

struct fs_sha512 {
	uint64_t state[8];
	uint64_t size;
	uint8_t part[FS_SHA512_BLOCK];
};

void fs_sha512_begin(struct fs_sha512 *hash);
void fs_sha512_add(struct fs_sha512 *hash, const void *bytes, size_t size);
/* Wipes the hash */
void fs_sha512_end(struct fs_sha512 *hash, uint8_t digest[FS_SHA512_SIZE]);

struct fs_hmac {
	struct fs_sha512 inner;
	struct fs_sha512 outer;
};

void fs_hmac_begin(struct fs_hmac *hmac, const uint8_t key[FS_SHA512_SIZE]);
void fs_hmac_add(struct fs_hmac *hmac, const void *bytes, size_t size);
void fs_hmac_end(struct fs_hmac *hmac, uint8_t mac[FS_SHA512_SIZE]);

#endif
