/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CBC with ciphertext stealing: a message is one update of at least 16 bytes.
 *
 * The core does CBC up to the last two blocks, which are software's in whatever order they go.
 */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/policy.h"
#include "symmetric/cipher.h"
#include "symmetric/modes.h"

static bool soft(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	static char names[][4] = { "", "CS1", "CS2", "CS3" };
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE,
						 names[cipher->cts_variant], 0),
		OSSL_PARAM_construct_end(),
	};

	cipher->soft_stands = false;
	if (!fsp_cipher_soft_ready(cipher) ||
	    !cipher->soft.software->set(cipher->soft.context, params))
		return false;
	cipher->soft_stands = true;
	return fsp_cipher_soft(cipher, out, in, size);
}

/* All but the last block and what is left of the one after it */
static size_t before_the_last_two(size_t size)
{
	size_t blocks = (size + FSP_BLOCK - 1) / FSP_BLOCK;

	return blocks > 2 ? (blocks - 2) * FSP_BLOCK : 0;
}

int fsp_cts_update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		   const unsigned char *in, size_t size)
{
	struct fsp_cipher *cipher = context;
	size_t head = before_the_last_two(size), done = 0;

	*out_size = 0;
	if (!cipher->keyed)
		return fsp_failed(PROV_R_NO_KEY_SET);
	/* `offset` says that there was a message since the last init */
	if (size < FSP_BLOCK || cipher->offset)
		return 0;
	if (!fsp_fits(capacity, size))
		return 0;
	cipher->offset = 1;
	if (head > 0 &&
	    fsp_policy_wants_piece(cipher->provider, FSP_TASK_CTS, head, &cipher->small))
		done = fsp_cipher_core(cipher, out, in, head);
	if (!soft(cipher, out + done, in + done, size - done))
		return 0;
	*out_size = size;
	return 1;
}

int fsp_cts_cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		   const unsigned char *in, size_t size)
{
	return fsp_cts_update(context, out, out_size, capacity, in, size);
}
