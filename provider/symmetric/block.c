/* SPDX-License-Identifier: Apache-2.0 */
/* ECB and CBC: whole blocks, with padding at the end unless it is switched off. */
#include <string.h>

#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/cbc-record.h"
#include "symmetric/cipher.h"
#include "symmetric/modes.h"

static bool ready(const struct fsp_cipher *cipher)
{
	return cipher->keyed || fsp_failed(PROV_R_NO_KEY_SET);
}

/* Of so many bytes, how many are done now: a decryption with padding keeps its last block, as it
 * may be the one with the padding */
static size_t done_now(const struct fsp_cipher *cipher, size_t size)
{
	size_t whole = size / FSP_BLOCK * FSP_BLOCK;

	if (cipher->decrypt && cipher->padding && whole == size && whole > 0)
		return whole - FSP_BLOCK;
	return whole;
}

/* Fills the block that was begun, and processes it */
static bool finish_part(struct fsp_cipher *cipher, uint8_t *out, const uint8_t **in, size_t *size)
{
	size_t missing = FSP_BLOCK - cipher->part_size;

	if (missing > 0) {
		memcpy(cipher->part + cipher->part_size, *in, missing);
		*in += missing;
		*size -= missing;
	}
	cipher->part_size = 0;
	return fsp_cipher_blocks(cipher, out, cipher->part, FSP_BLOCK);
}

static void keep(struct fsp_cipher *cipher, const uint8_t *in, size_t size)
{
	memcpy(cipher->part + cipher->part_size, in, size);
	cipher->part_size += size;
}

int fsp_block_update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		     const unsigned char *in, size_t size)
{
	struct fsp_cipher *cipher = context;
	size_t now;

	*out_size = 0;
	if (!ready(cipher))
		return 0;
	if (cipher->tls_version) {
		if (in != out || !in || !cipher->padding)
			return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
		*out_size = size;
		return fsp_cbc_record(cipher, out, out_size, capacity);
	}
	now = done_now(cipher, cipher->part_size + size);
	if (!fsp_fits(capacity, now))
		return 0;
	*out_size = now;
	if (now > 0 && cipher->part_size > 0) {
		if (!finish_part(cipher, out, &in, &size))
			return 0;
		out += FSP_BLOCK;
		now -= FSP_BLOCK;
	}
	if (now > 0 && !fsp_cipher_blocks(cipher, out, in, now))
		return 0;
	if (size > now)
		keep(cipher, in + now, size - now);
	return 1;
}

/* How many bytes of a last block are not padding; -1: the padding is invalid.  Constant time. */
static int without_padding(const uint8_t block[FSP_BLOCK])
{
	unsigned padding = block[FSP_BLOCK - 1];
	unsigned wrong = (padding - 1) >> 4; /* not 1 to 16 */

	for (unsigned i = 0; i < FSP_BLOCK; i++) {
		/* all ones where this byte is padding */
		unsigned counts = 0u - ((FSP_BLOCK - 1 - i - padding) >> 31);

		wrong |= counts & (block[i] ^ padding);
	}
	return wrong ? -1 : (int)(FSP_BLOCK - padding);
}

static int final_encrypt(struct fsp_cipher *cipher, unsigned char *out, size_t *out_size,
			 size_t capacity)
{
	size_t missing = FSP_BLOCK - cipher->part_size;

	if (!cipher->padding) {
		if (cipher->part_size == 0)
			return 1;
		return fsp_failed(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
	}
	if (!fsp_fits(capacity, FSP_BLOCK))
		return 0;
	memset(cipher->part + cipher->part_size, (int)missing, missing);
	cipher->part_size = 0;
	*out_size = FSP_BLOCK;
	return fsp_cipher_blocks(cipher, out, cipher->part, FSP_BLOCK);
}

static int final_decrypt(struct fsp_cipher *cipher, unsigned char *out, size_t *out_size,
			 size_t capacity)
{
	int size;

	if (cipher->part_size == 0 && !cipher->padding)
		return 1;
	if (cipher->part_size != FSP_BLOCK)
		return fsp_failed(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
	if (!fsp_cipher_blocks(cipher, cipher->part, cipher->part, FSP_BLOCK))
		return 0;
	size = cipher->padding ? without_padding(cipher->part) : (int)FSP_BLOCK;
	if (size < 0)
		return fsp_failed(PROV_R_BAD_DECRYPT);
	if (!fsp_fits(capacity, (size_t)size))
		return 0;
	memcpy(out, cipher->part, (size_t)size);
	cipher->part_size = 0;
	*out_size = (size_t)size;
	return 1;
}

int fsp_block_final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct fsp_cipher *cipher = context;

	*out_size = 0;
	if (!ready(cipher))
		return 0;
	if (cipher->tls_version)
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	return cipher->decrypt ? final_decrypt(cipher, out, out_size, capacity)
			       : final_encrypt(cipher, out, out_size, capacity);
}

int fsp_block_cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		     const unsigned char *in, size_t size)
{
	struct fsp_cipher *cipher = context;

	*out_size = 0;
	if (!ready(cipher) || !fsp_fits(capacity, size))
		return 0;
	if (size % FSP_BLOCK)
		return fsp_failed(PROV_R_WRONG_FINAL_BLOCK_LENGTH);
	if (size > 0 && !fsp_cipher_blocks(cipher, out, in, size))
		return 0;
	*out_size = size;
	return 1;
}
