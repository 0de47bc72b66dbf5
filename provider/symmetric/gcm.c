/* SPDX-License-Identifier: Apache-2.0 */
/* AES-GCM: pieces, and records of TLS 1.2. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/aead-iv.h"
#include "symmetric/aead-record.h"
#include "symmetric/aead-table.h"

/* ---- beginning ---- */

static int gcm_set_ctx(void *context, const OSSL_PARAM params[]);

static int init(struct fsp_aead *aead, const unsigned char *key, size_t key_size,
		const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[], bool decrypt)
{
	fsp_aead_set_direction(aead, decrypt);
	if (!decrypt)
		aead->tag_size = FSP_TAG;
	if (iv) {
		if (iv_size == 0 || iv_size > FSP_IV_MAX)
			return fsp_failed(PROV_R_INVALID_IV_LENGTH);
		aead->iv_size = iv_size;
		fsp_aead_copy_iv(aead->iv, iv, iv_size);
		fsp_aead_step(aead, FSP_ON_IV);
	}
	return (!key || fsp_aead_set_key(aead, key, key_size)) && gcm_set_ctx(aead, params);
}

FSP_AEAD_INITS(gcm)

/* ---- parameters ---- */

static bool set_tag(struct fsp_aead *aead, const OSSL_PARAM *param)
{
	uint8_t tag[FSP_TAG];
	void *to = tag;
	size_t size;

	if (!param)
		return true;
	/* Some versions of libcrypto raise an error themselves */
	if (!OSSL_PARAM_get_octet_string(param, &to, sizeof(tag), &size))
		return fsp_failed(PROV_R_FAILED_TO_GET_PARAMETER);
	if (!aead->decrypt || size == 0)
		return fsp_failed(PROV_R_INVALID_TAG);
	/* The core has compared with another tag */
	if (aead->state == FSP_IN_CORE && !aead->has_computed && !fsp_aead_soft_begin(aead))
		return false;
	memcpy(aead->tag, tag, size);
	aead->tag_size = size;
	aead->has_tag = true;
	aead->tag_is_this = aead->state <= FSP_OPEN;
	return true;
}

static bool set_iv_size(struct fsp_aead *aead, const OSSL_PARAM *param)
{
	size_t size;

	if (!param)
		return true;
	if (!OSSL_PARAM_get_size_t(param, &size) || size == 0 || size > FSP_IV_MAX)
		return fsp_failed(PROV_R_INVALID_IV_LENGTH);
	/* An IV of another size is discarded, and a new one is required */
	if (size == aead->iv_size)
		return true;
	aead->iv_size = size;
	return fsp_aead_step(aead, FSP_ON_IV_SIZE);
}

static int gcm_set_ctx(void *context, const OSSL_PARAM params[])
{
	struct fsp_aead *aead = context;
	const OSSL_PARAM *param;

	if (!params)
		return 1;
	if (!set_tag(aead, OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG)) ||
	    !set_iv_size(aead, OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN)))
		return 0;
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD);
	if (param && !fsp_aead_take(aead, param, fsp_aead_record_aad))
		return fsp_failed(PROV_R_INVALID_AAD);
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED);
	if (param && !fsp_aead_take(aead, param, fsp_aead_set_fixed_iv))
		return fsp_failed(PROV_R_FAILED_TO_GET_PARAMETER);
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV);
	return !param || fsp_aead_take(aead, param, fsp_aead_set_explicit_iv);
}

/* ---- records ---- */

static bool process_record(struct fsp_aead *aead, uint8_t *out, size_t *out_size, const uint8_t *in,
			   size_t size)
{
	uint8_t *explicit_iv = aead->iv + aead->iv_size - FSP_EXPLICIT;
	bool good;

	if (!in || in != out || size < FSP_EXPLICIT + FSP_TAG || !fsp_aead_can_count(aead))
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	aead->tag_size = FSP_TAG;
	if (aead->decrypt) {
		memcpy(explicit_iv, in, FSP_EXPLICIT);
		return fsp_aead_record(aead, out, out_size, size);
	}
	memcpy(out, explicit_iv, FSP_EXPLICIT);
	good = fsp_aead_record(aead, out, out_size, size);
	fsp_aead_count_iv(aead);
	return good;
}

/* Whatever becomes of it, another head or IV has to come */
static bool record(struct fsp_aead *aead, uint8_t *out, size_t *out_size, const uint8_t *in,
		   size_t size)
{
	bool good = process_record(aead, out, out_size, in, size);

	fsp_aead_step(aead, FSP_ON_DONE);
	return good;
}

/* ---- pieces ---- */

/* What was refused, where an encryption that was given no IV can make one */
static bool step_with_iv(struct fsp_aead *aead, enum fsp_aead_event event)
{
	return aead->state == FSP_NO_IV && aead->keyed && fsp_aead_random_iv(aead) &&
	       fsp_aead_step(aead, event);
}

static inline bool step(struct fsp_aead *aead, enum fsp_aead_event event)
{
	return fsp_aead_step(aead, event) || step_with_iv(aead, event);
}

static bool payload(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	if (!step(aead, FSP_ON_PAYLOAD))
		return false;
	if (size == 0)
		return true;
	if (aead->state == FSP_OPEN && fsp_aead_core(aead, out, in, size))
		return true;
	if (aead->state != FSP_IN_SOFTWARE && !fsp_aead_soft_begin(aead))
		return false;
	return fsp_aead_soft_update(aead, out, in, size);
}

static bool end(struct fsp_aead *aead)
{
	bool good = true;

	/* The message goes on until there is a tag */
	if (!step(aead, FSP_ON_END))
		return false;
	if (aead->decrypt && !aead->has_tag)
		return fsp_aead_no_tag();
	/* An empty message; or software is to say whether the core was wrong about the tag */
	if (aead->state == FSP_OPEN ||
	    (aead->decrypt && aead->state == FSP_IN_CORE && !fsp_aead_core_end(aead)))
		good = fsp_aead_soft_begin(aead);
	if (good && aead->state == FSP_IN_SOFTWARE)
		good = fsp_aead_soft_end(aead);
	fsp_aead_step(aead, good ? FSP_ON_DONE : FSP_ON_FAILURE);
	return good;
}

/* NULL for `in` ends a message, NULL for `out` has associated data */
static inline int any(struct fsp_aead *aead, uint8_t *out, size_t *out_size, const uint8_t *in,
		      size_t size)
{
	bool good;

	*out_size = 0;
	if (aead->state == FSP_RECORD)
		return record(aead, out, out_size, in, size);
	if (!in)
		return end(aead);
	good = out ? payload(aead, out, in, size)
		   : step(aead, FSP_ON_AAD) && (size == 0 || fsp_aead_aad(aead, in, size));
	*out_size = good ? size : 0;
	return good;
}

static int update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		  const unsigned char *in, size_t size)
{
	*out_size = 0;
	if (size == 0)
		return 1;
	return fsp_fits(capacity, out ? size : 0) && (any(context, out, out_size, in, size) ||
						      fsp_failed(PROV_R_CIPHER_OPERATION_FAILED));
}

/* Software does not say here why it fails, unless a tag is missing */
static int final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	(void)out;
	(void)capacity;
	return any(context, NULL, out_size, NULL, 0);
}

static int cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		  const unsigned char *in, size_t size)
{
	return fsp_fits(capacity, out ? size : 0) && any(context, out, out_size, in, size);
}

FSP_AEAD_TABLES(gcm, GCM);
