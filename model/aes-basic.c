/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The modes without a tag of NIST SP 800-38A, and ciphertext stealing of its addendum. */
#include <nettle/cbc.h>
#include <nettle/cfb.h>
#include <nettle/memxor.h>
#include <string.h>

#include "aes-modes.h"
#include "wipe.h"

#define BLOCK SILEX_AES_BLOCK

static void expand_for_direction(struct silex_aes *aes)
{
	silex_aes_expand(aes, &aes->key, silex_aes_decrypts(aes));
}

static void expand_to_encrypt(struct silex_aes *aes)
{
	silex_aes_expand(aes, &aes->key, false);
}

/* ---- ECB ---- */

static void ecb_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	if (silex_aes_decrypts(aes))
		silex_aes_decrypt_of (&aes->key)(&aes->key.decrypt, size, dst, src);
	else
		silex_aes_encrypt_of (&aes->key)(&aes->key.encrypt, size, dst, src);
	silex_aes_count_blocks(aes, size / BLOCK);
}

const struct silex_aes_mode silex_aes_ecb = {
	.bit = SILEX_AES_MODE_ECB,
	.begin = expand_for_direction,
	.blocks = ecb_blocks,
	.save = silex_aes_save_iv,
};

/* ---- CBC ---- */

static void cbc_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	if (silex_aes_decrypts(aes))
		cbc_decrypt(&aes->key.decrypt, silex_aes_decrypt_of(&aes->key), BLOCK, aes->iv,
			    size, dst, src);
	else
		silex_aes_cbc_encrypt(&aes->key, aes->iv, size, dst, src);
	silex_aes_count_blocks(aes, size / BLOCK);
}

static void cbc_steal_encrypt(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	uint8_t first[BLOCK], last[BLOCK] = { 0 };

	cbc_blocks(aes, first, src, BLOCK);
	memcpy(last, src + BLOCK, size);
	cbc_blocks(aes, dst, last, BLOCK);
	memcpy(dst + BLOCK, first, size);
}

static void cbc_steal_decrypt(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	uint8_t stolen[BLOCK], iv[BLOCK];

	memcpy(iv, aes->iv, BLOCK);
	memset(aes->iv, 0, BLOCK);
	cbc_blocks(aes, stolen, src, BLOCK); /* alone: the block before the xor */
	memxor3(dst + BLOCK, stolen, src + BLOCK, size);
	memcpy(stolen, src + BLOCK, size);
	memcpy(aes->iv, iv, BLOCK);
	cbc_blocks(aes, dst, stolen, BLOCK);
	silex_wipe(stolen, sizeof(stolen));
}

/*
 * Assumption: the last two blocks change places when the last one is not full, and stay where
 * they are otherwise (CBC-CS2; CS3 of RFC 3962 is the same but for full blocks).
 */
static void cbc_steal(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	if (silex_aes_decrypts(aes))
		cbc_steal_decrypt(aes, dst, src, size);
	else
		cbc_steal_encrypt(aes, dst, src, size);
}

const struct silex_aes_mode silex_aes_cbc = {
	.bit = SILEX_AES_MODE_CBC,
	.cts = true,
	.begin = expand_for_direction,
	.blocks = cbc_blocks,
	.steal = cbc_steal,
	.save = silex_aes_save_iv,
};

/* ---- CTR ---- */

static void ctr_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	silex_aes_crypt_counter(aes, aes->config->aes_counter_bits, dst, src, size);
}

const struct silex_aes_mode silex_aes_ctr = {
	.bit = SILEX_AES_MODE_CTR,
	.begin = expand_to_encrypt,
	.blocks = ctr_blocks,
	.rest = ctr_blocks,
	.save = silex_aes_save_iv,
};

/* ---- CFB, of whole blocks ---- */

static void cfb_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	if (silex_aes_decrypts(aes))
		cfb_decrypt(&aes->key.encrypt, silex_aes_encrypt_of(&aes->key), BLOCK, aes->iv,
			    size, dst, src);
	else
		cfb_encrypt(&aes->key.encrypt, silex_aes_encrypt_of(&aes->key), BLOCK, aes->iv,
			    size, dst, src);
	silex_aes_count_blocks(aes, (size + BLOCK - 1) / BLOCK);
}

const struct silex_aes_mode silex_aes_cfb = {
	.bit = SILEX_AES_MODE_CFB,
	.begin = expand_to_encrypt,
	.blocks = cfb_blocks,
	.rest = cfb_blocks,
	.save = silex_aes_save_iv,
};

/* ---- OFB ---- */

static void ofb_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	for (size_t done = 0; done < size; done += BLOCK) {
		size_t piece = size - done < BLOCK ? size - done : BLOCK;

		silex_aes_encrypt_block(aes, &aes->key, aes->iv, aes->iv);
		memxor3(dst + done, src + done, aes->iv, piece);
	}
}

const struct silex_aes_mode silex_aes_ofb = {
	.bit = SILEX_AES_MODE_OFB,
	.begin = expand_to_encrypt,
	.blocks = ofb_blocks,
	.rest = ofb_blocks,
	.save = silex_aes_save_iv,
};
