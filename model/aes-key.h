/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* An AES key and its expansions, which nettle makes and uses. */
#ifndef SILEX_AES_KEY_H
#define SILEX_AES_KEY_H

#include <nettle/aes.h>
#include <nettle/nettle-types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

union silex_aes_schedule {
	struct aes128_ctx aes128;
	struct aes192_ctx aes192;
	struct aes256_ctx aes256;
};

struct silex_aes_key {
	uint8_t bytes[AES256_KEY_SIZE];
	size_t size; /* 16, 24 or 32 when the key is usable */
	bool can_encrypt;
	bool can_decrypt;
	union silex_aes_schedule encrypt;
	union silex_aes_schedule decrypt;
};

/* Expands the key for a direction unless that was done; true if there was work to do */
bool silex_aes_key_expand(struct silex_aes_key *key, bool decrypt);

/* nettle's function for one direction, to be called with the schedule of that direction */
nettle_cipher_func *silex_aes_encrypt_of(const struct silex_aes_key *key);
nettle_cipher_func *silex_aes_decrypt_of(const struct silex_aes_key *key);

/* CBC in nettle's fastest way; `iv` goes on with it */
void silex_aes_cbc_encrypt(const struct silex_aes_key *key, uint8_t *iv, size_t size, uint8_t *dst,
			   const uint8_t *src);

void silex_aes_key_wipe(struct silex_aes_key *key);

#endif
