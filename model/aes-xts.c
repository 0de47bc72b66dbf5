/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* XTS, IEEE 1619: the tweak's chain is here, the cipher is nettle's. */
#include <nettle/memxor.h>
#include <string.h>

#include "aes-modes.h"
#include "wipe.h"

#define BLOCK      SILEX_AES_BLOCK
#define BATCH      (32 * BLOCK)
#define POLYNOMIAL 0x87 /* x^7 + x^2 + x + 1: what x^128 is in the field */

static void double_tweak(uint8_t *tweak)
{
	unsigned carry = 0;

	for (unsigned i = 0; i < BLOCK; i++) {
		unsigned byte = (unsigned)tweak[i] << 1 | carry;

		tweak[i] = (uint8_t)byte;
		carry = byte >> 8;
	}
	if (carry)
		tweak[0] ^= POLYNOMIAL;
}

static void crypt(struct silex_aes *aes, uint8_t *bytes, size_t size)
{
	if (silex_aes_decrypts(aes))
		silex_aes_decrypt_of (&aes->key)(&aes->key.decrypt, size, bytes, bytes);
	else
		silex_aes_encrypt_of (&aes->key)(&aes->key.encrypt, size, bytes, bytes);
	silex_aes_count_blocks(aes, size / BLOCK);
}

static void xts_begin(struct silex_aes *aes)
{
	silex_aes_expand(aes, &aes->key, silex_aes_decrypts(aes));
	if (silex_aes_loads(aes))
		return;
	silex_aes_expand(aes, &aes->key2, false);
	silex_aes_encrypt_block(aes, &aes->key2, aes->iv, aes->iv);
}

static void xts_batch(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	uint8_t tweaks[BATCH];

	for (size_t done = 0; done < size; done += BLOCK) {
		memcpy(tweaks + done, aes->iv, BLOCK);
		double_tweak(aes->iv);
	}
	memxor3(dst, src, tweaks, size);
	crypt(aes, dst, size);
	memxor(dst, tweaks, size);
	silex_wipe(tweaks, size);
}

static void xts_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	while (size > 0) {
		size_t piece = size < BATCH ? size : BATCH;

		xts_batch(aes, dst, src, piece);
		dst += piece;
		src += piece;
		size -= piece;
	}
}

/* The full block takes the last tweak when decrypting, and the one before it when encrypting */
static void xts_steal(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	uint8_t first[BLOCK], second[BLOCK], tweak[BLOCK];

	memcpy(tweak, aes->iv, BLOCK);
	if (silex_aes_decrypts(aes))
		double_tweak(aes->iv);
	xts_batch(aes, first, src, BLOCK);
	memcpy(second, src + BLOCK, size);
	memcpy(second + size, first + size, BLOCK - size);
	if (silex_aes_decrypts(aes))
		memcpy(aes->iv, tweak, BLOCK);
	xts_batch(aes, dst, second, BLOCK);
	memcpy(dst + BLOCK, first, size);
	silex_wipe(first, sizeof(first));
	silex_wipe(second, sizeof(second));
}

const struct silex_aes_mode silex_aes_xts = {
	.bit = SILEX_AES_MODE_XTS,
	.cts = true,
	.begin = xts_begin,
	.blocks = xts_blocks,
	.steal = xts_steal,
	.save = silex_aes_save_iv,
};
