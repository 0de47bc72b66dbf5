/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CTR, CFB and OFB: any number of bytes.  What is left of a block that was begun, and a block that
 * is only begun, are software's, which keeps the rest of the key stream.
 */
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/policy.h"
#include "symmetric/cipher.h"
#include "symmetric/modes.h"

static bool soft(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	cipher->offset = (unsigned)((cipher->offset + size) % FSP_BLOCK);
	return fsp_cipher_soft(cipher, out, in, size);
}

static bool stream(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	size_t done = cipher->offset ? FSP_BLOCK - cipher->offset : 0;
	size_t whole = size > done ? (size - done) / FSP_BLOCK * FSP_BLOCK : 0;

	if (!fsp_policy_wants_piece(cipher->provider, cipher->kind->task, whole, &cipher->small) ||
	    whole == 0)
		return soft(cipher, out, in, size);
	if (done > 0 && !soft(cipher, out, in, done))
		return false;
	done += fsp_cipher_core(cipher, out + done, in + done, whole);
	return soft(cipher, out + done, in + done, size - done);
}

int fsp_stream_update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		      const unsigned char *in, size_t size)
{
	struct fsp_cipher *cipher = context;

	*out_size = 0;
	if (!cipher->keyed)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (!fsp_fits(capacity, size) || !stream(cipher, out, in, size))
		return 0;
	*out_size = size;
	return 1;
}

int fsp_stream_final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct fsp_cipher *cipher = context;

	(void)out;
	(void)capacity;
	*out_size = 0;
	return cipher->keyed || fsp_failed(PROV_R_NO_KEY_SET);
}

int fsp_unit_final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	(void)context;
	(void)out;
	(void)capacity;
	*out_size = 0;
	return 1;
}

int fsp_stream_cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		      const unsigned char *in, size_t size)
{
	return fsp_stream_update(context, out, out_size, capacity, in, size);
}
