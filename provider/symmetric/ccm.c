/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES-CCM: the length first, associated data in one piece, the payload in one; records of TLS 1.2.
 * A decryption compares tags in the update that has the payload.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/aead-iv.h"
#include "symmetric/aead-record.h"
#include "symmetric/aead-table.h"

static int ccm_set_ctx(void *context, const OSSL_PARAM params[]);

static int init(struct fsp_aead *aead, const unsigned char *key, size_t key_size,
		const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[], bool decrypt)
{
	fsp_aead_set_direction(aead, decrypt);
	if (iv) {
		if (iv_size != aead->iv_size)
			return fsp_failed(PROV_R_INVALID_IV_LENGTH);
		memcpy(aead->iv, iv, iv_size);
		fsp_aead_step(aead, FSP_ON_IV);
	}
	if (key && !fsp_aead_set_key(aead, key, key_size))
		return 0;
	return ccm_set_ctx(aead, params);
}

FSP_AEAD_INITS(ccm)

/* ---- parameters ---- */

/* A tag to compare with, or without data only its length */
static bool set_tag(struct fsp_aead *aead, const OSSL_PARAM *param)
{
	if (!param)
		return true;
	if (param->data_type != OSSL_PARAM_OCTET_STRING || param->data_size % 2 ||
	    param->data_size < 4 || param->data_size > FSP_TAG)
		return fsp_failed(PROV_R_INVALID_TAG_LENGTH);
	if (param->data && !aead->decrypt)
		return fsp_failed(PROV_R_TAG_NOT_NEEDED);
	if (param->data) {
		memcpy(aead->tag, param->data, param->data_size);
		aead->has_tag = true;
	}
	aead->tag_size = param->data_size;
	return true;
}

static bool set_iv_size(struct fsp_aead *aead, const OSSL_PARAM *param)
{
	size_t size;

	if (!param)
		return true;
	if (!OSSL_PARAM_get_size_t(param, &size) || size < 7 || size > 13)
		return fsp_failed(PROV_R_INVALID_IV_LENGTH);
	if (size == aead->iv_size)
		return true;
	aead->iv_size = size;
	return fsp_aead_step(aead, FSP_ON_IV_SIZE);
}

static bool set_fixed(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (!in || size != FSP_FIXED)
		return false;
	memcpy(aead->iv, in, FSP_FIXED);
	return true;
}

static bool set_tls(struct fsp_aead *aead, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD);

	if (param && !fsp_aead_take(aead, param, fsp_aead_record_aad))
		return fsp_failed(PROV_R_INVALID_DATA);
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED);
	return !param || fsp_aead_take(aead, param, set_fixed) ||
	       fsp_failed(PROV_R_INVALID_IV_LENGTH);
}

static int ccm_set_ctx(void *context, const OSSL_PARAM params[])
{
	struct fsp_aead *aead = context;

	if (!params)
		return 1;
	return set_tag(aead, OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_TAG)) &&
	       set_iv_size(aead, OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_AEAD_IVLEN)) &&
	       set_tls(aead, params);
}

/* ---- records ---- */

static int record(struct fsp_aead *aead, uint8_t *out, size_t *out_size, const uint8_t *in,
		  size_t size)
{
	if (!in || in != out || size < FSP_EXPLICIT + aead->tag_size)
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	/* The explicit part of the IV is the record's number, with which the associated data begin */
	if (!aead->decrypt)
		memcpy(out, aead->aad, FSP_EXPLICIT);
	memcpy(aead->iv + FSP_FIXED, out, FSP_EXPLICIT);
	return fsp_aead_record(aead, out, out_size, size);
}

/* ---- pieces ---- */

static bool set_total(struct fsp_aead *aead, size_t size)
{
	if (size > INT_MAX || !fsp_aead_step(aead, FSP_ON_LENGTH))
		return false;
	aead->total = size;
	return true;
}

static bool associated(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (size == 0)
		return fsp_aead_step(aead, FSP_ON_NOTHING);
	return aead->aad_size == 0 && fsp_aead_step(aead, FSP_ON_AAD) &&
	       fsp_aead_aad(aead, in, size);
}

static bool process(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	if (aead->state == FSP_OPEN && fsp_aead_core(aead, out, in, size))
		return true;
	return (aead->state == FSP_IN_SOFTWARE || fsp_aead_soft_begin(aead)) &&
	       fsp_aead_soft_update(aead, out, in, size) && fsp_aead_soft_end(aead);
}

/* Whether it is a message to decrypt, not ended yet, whose tag is missing */
static bool lacks_tag(const struct fsp_aead *aead)
{
	return aead->decrypt && !aead->has_tag && aead->state != FSP_NO_IV &&
	       aead->state != FSP_DONE && aead->state != FSP_FAILED;
}

static bool payload(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	bool good;

	/* Its length is the message's, unless that was told before */
	if (lacks_tag(aead))
		return fsp_aead_no_tag();
	if (aead->state == FSP_READY ? !set_total(aead, size) : size != aead->total)
		return false;
	if (!fsp_aead_step(aead, FSP_ON_PAYLOAD))
		return false;
	good = process(aead, out, in, size);
	if (!good && aead->decrypt)
		firesteel_wipe(out, size);
	/* A nonce is not used twice, nor a tag */
	fsp_aead_step(aead, good ? FSP_ON_DONE : FSP_ON_FAILURE);
	if (aead->decrypt)
		aead->has_tag = false;
	return good;
}

/* NULL for `in` and `out` tells the length, NULL for `out` has associated data */
static inline int any(struct fsp_aead *aead, uint8_t *out, size_t *out_size, const uint8_t *in,
		      size_t size)
{
	bool good;

	*out_size = 0;
	if (!aead->keyed)
		return fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
	if (aead->state == FSP_RECORD)
		return record(aead, out, out_size, in, size);
	if (!in && out)
		return 1; /* the end, when all is done */
	if (out)
		good = payload(aead, out, in, size);
	else
		good = in ? associated(aead, in, size) : set_total(aead, size);
	*out_size = good ? size : 0;
	return good || fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
}

static int update(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		  const unsigned char *in, size_t size)
{
	*out_size = 0;
	return fsp_fits(capacity, out ? size : 0) && any(context, out, out_size, in, size);
}

/*
 * A message that ends without payload.  Where the default provider then processes an empty one, so do we:
 * its tag is computed or compared, and a message of another length, or one whose payload failed, fails.
 * As there, no error says why, unless a tag is missing.
 */
static bool end_empty(struct fsp_aead *aead)
{
	const bool tagless = lacks_tag(aead);
	uint8_t nothing[FSP_BLOCK];
	size_t got;
	bool good;

	ERR_set_mark();
	good = any(aead, nothing, &got, nothing, 0);
	ERR_pop_to_mark();
	return tagless ? fsp_aead_no_tag() : good;
}

static bool open_software(struct fsp_aead *aead)
{
	return fsp_soft_open(&aead->soft, aead->provider, aead->kind) ||
	       fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
}

static int final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct fsp_aead *aead = context;

	(void)out;
	(void)capacity;
	*out_size = 0;
	if (aead->keyed && aead->state == FSP_RECORD)
		return 0;
	/* Without a message, or with the payload done, there is nothing to do */
	if (!aead->keyed || aead->state == FSP_NO_IV || aead->state == FSP_DONE)
		return aead->keyed;
	return open_software(aead) && (!aead->soft.software->ends_empty || end_empty(aead));
}

/* Without input it is the end by a default provider that processes empty messages then, else an update */
static int cipher(void *context, unsigned char *out, size_t *out_size, size_t capacity,
		  const unsigned char *in, size_t size)
{
	struct fsp_aead *aead = context;

	*out_size = 0;
	if (!in && !open_software(aead))
		return 0;
	if (!in && aead->soft.software->ends_empty)
		return final(aead, out, out_size, capacity);
	return update(aead, out, out_size, capacity, in, size);
}

FSP_AEAD_TABLES(ccm, CCM);
