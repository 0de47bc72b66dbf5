/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "aes-key.h"

#include <nettle/cbc.h>

#include "wipe.h"

static void expand_encrypt(struct silex_aes_key *key)
{
	if (key->size == AES128_KEY_SIZE)
		aes128_set_encrypt_key(&key->encrypt.aes128, key->bytes);
	else if (key->size == AES192_KEY_SIZE)
		aes192_set_encrypt_key(&key->encrypt.aes192, key->bytes);
	else
		aes256_set_encrypt_key(&key->encrypt.aes256, key->bytes);
}

static void expand_decrypt(struct silex_aes_key *key)
{
	if (key->size == AES128_KEY_SIZE)
		aes128_set_decrypt_key(&key->decrypt.aes128, key->bytes);
	else if (key->size == AES192_KEY_SIZE)
		aes192_set_decrypt_key(&key->decrypt.aes192, key->bytes);
	else
		aes256_set_decrypt_key(&key->decrypt.aes256, key->bytes);
}

bool silex_aes_key_expand(struct silex_aes_key *key, bool decrypt)
{
	bool *done = decrypt ? &key->can_decrypt : &key->can_encrypt;

	if (*done)
		return false;
	if (decrypt)
		expand_decrypt(key);
	else
		expand_encrypt(key);
	*done = true;
	return true;
}

nettle_cipher_func *silex_aes_encrypt_of(const struct silex_aes_key *key)
{
	if (key->size == AES128_KEY_SIZE)
		return (nettle_cipher_func *)aes128_encrypt;
	if (key->size == AES192_KEY_SIZE)
		return (nettle_cipher_func *)aes192_encrypt;
	return (nettle_cipher_func *)aes256_encrypt;
}

nettle_cipher_func *silex_aes_decrypt_of(const struct silex_aes_key *key)
{
	if (key->size == AES128_KEY_SIZE)
		return (nettle_cipher_func *)aes128_decrypt;
	if (key->size == AES192_KEY_SIZE)
		return (nettle_cipher_func *)aes192_decrypt;
	return (nettle_cipher_func *)aes256_decrypt;
}

void silex_aes_cbc_encrypt(const struct silex_aes_key *key, uint8_t *iv, size_t size, uint8_t *dst,
			   const uint8_t *src)
{
	if (key->size == AES128_KEY_SIZE)
		cbc_aes128_encrypt(&key->encrypt.aes128, iv, size, dst, src);
	else if (key->size == AES192_KEY_SIZE)
		cbc_aes192_encrypt(&key->encrypt.aes192, iv, size, dst, src);
	else
		cbc_aes256_encrypt(&key->encrypt.aes256, iv, size, dst, src);
}

void silex_aes_key_wipe(struct silex_aes_key *key)
{
	silex_wipe(key, sizeof(*key));
}
