/* SPDX-License-Identifier: Apache-2.0 */
/* XTS: each update is a data unit of its own, from 16 bytes to 2^20 blocks. */
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/policy.h"
#include "symmetric/cipher.h"
#include "symmetric/modes.h"

#define UNIT_MAX ((size_t)FSP_BLOCK << 20)

/* Whether the core can, and can fail without harm to data that are worked on in place */
static bool fit(const struct fsp_cipher *cipher, bool in_place, size_t size)
{
	return (size % FSP_BLOCK == 0 || cipher->provider->capabilities.cts) &&
	       (!in_place || size <= FIRESTEEL_WHOLE);
}

static bool core(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_XTS,
			    .decrypt = cipher->decrypt,
			    .key = { cipher->key, cipher->kind->key_size },
			    .iv = { cipher->iv, FSP_BLOCK },
			    .in = { in, size },
			    .out = { out, size } },
	};

	if (!fit(cipher, in == out, size)) {
		fsp_policy_unfit(cipher->provider, FSP_TASK_XTS);
		return false;
	}
	return fsp_policy_run(cipher->provider, FSP_TASK_XTS, &request, size) == FIRESTEEL_OK;
}

int fsp_xts_update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		   const unsigned char *in, size_t size)
{
	struct fsp_cipher *cipher = context;

	*out_size = 0;
	if (!fsp_fits(capacity, size))
		return 0;
	if (!cipher->keyed || !cipher->has_iv || size < FSP_BLOCK)
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	if (size > UNIT_MAX) {
		fsp_failed(PROV_R_XTS_DATA_UNIT_IS_TOO_LARGE);
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	}
	if (!(fsp_policy_wants_piece(cipher->provider, FSP_TASK_XTS, size, &cipher->small) &&
	      core(cipher, out, in, size)) &&
	    !fsp_cipher_soft(cipher, out, in, size))
		return 0;
	*out_size = size;
	return 1;
}

int fsp_xts_cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		   const unsigned char *in, size_t size)
{
	return fsp_xts_update(context, out, out_size, capacity, in, size);
}
