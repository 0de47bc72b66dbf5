/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "aes-mode.h"

#include <nettle/ctr.h>
#include <string.h>

#define BLOCK SILEX_AES_BLOCK

void silex_aes_count_blocks(struct silex_aes *aes, size_t blocks)
{
	const struct silex_timing *timing = &aes->config->timing;
	unsigned cycles = aes->key.size == AES128_KEY_SIZE   ? timing->aes128_cycles
			  : aes->key.size == AES192_KEY_SIZE ? timing->aes192_cycles
							     : timing->aes256_cycles;

	if (blocks == 0)
		return;
	aes->work->cycles += blocks * cycles;
	aes->work->block_bytes = BLOCK;
	aes->work->block_cycles = cycles;
}

void silex_aes_expand(struct silex_aes *aes, struct silex_aes_key *key, bool decrypt)
{
	if (silex_aes_key_expand(key, decrypt))
		aes->work->cycles += aes->config->timing.aes_key_cycles;
}

void silex_aes_encrypt_block(struct silex_aes *aes, struct silex_aes_key *key, uint8_t *dst,
			     const uint8_t *src)
{
	silex_aes_encrypt_of(key)(&key->encrypt, BLOCK, dst, src);
	silex_aes_count_blocks(aes, 1);
}

size_t silex_aes_save_iv(struct silex_aes *aes, uint8_t *dst)
{
	memcpy(dst, aes->iv, BLOCK);
	return BLOCK;
}

/* ---- counters ---- */

/* Blocks until the low 64 bits of the counter, or the fewer that count, have run once around */
static uint64_t blocks_to_wrap(const uint8_t *counter, unsigned bits)
{
	uint64_t low = 0, mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;

	for (unsigned i = 8; i < BLOCK; i++)
		low = low << 8 | counter[i];
	low = mask - (low & mask);
	return low < UINT64_MAX ? low + 1 : low;
}

/* Takes back what was carried out of the bits that count */
static void keep_high_bits(uint8_t *counter, const uint8_t *before, unsigned bits)
{
	unsigned whole = bits / 8;
	uint8_t mask = (uint8_t)((1u << (bits % 8)) - 1);

	if (whole == BLOCK)
		return;
	memcpy(counter, before, BLOCK - whole - 1);
	counter[BLOCK - whole - 1] = (uint8_t)((counter[BLOCK - whole - 1] & mask) |
					       (before[BLOCK - whole - 1] & ~mask));
}

void silex_aes_crypt_counter(struct silex_aes *aes, unsigned bits, uint8_t *dst, const uint8_t *src,
			     size_t size)
{
	uint8_t before[BLOCK];

	silex_aes_count_blocks(aes, (size + BLOCK - 1) / BLOCK);
	while (size > 0) {
		uint64_t blocks = blocks_to_wrap(aes->iv, bits);
		size_t piece = blocks < (size + BLOCK - 1) / BLOCK ? (size_t)blocks * BLOCK : size;

		memcpy(before, aes->iv, BLOCK);
		ctr_crypt(&aes->key.encrypt, silex_aes_encrypt_of(&aes->key), BLOCK, aes->iv, piece,
			  dst, src);
		keep_high_bits(aes->iv, before, bits);
		dst += piece;
		src += piece;
		size -= piece;
	}
}
