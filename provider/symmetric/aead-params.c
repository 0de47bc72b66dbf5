/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-params.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/aead-iv.h"

const OSSL_PARAM *fsp_aead_gettable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TAGLEN, NULL),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD, NULL),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

const OSSL_PARAM *fsp_aead_settable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, NULL),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TLS1_SET_IV_INV, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

static bool get_iv(struct fsp_aead *aead, OSSL_PARAM *param)
{
	if (aead->state == FSP_NO_IV && aead->kind->mode == FIRESTEEL_GCM &&
	    !fsp_aead_random_iv(aead))
		return false;
	if (param->data_type == OSSL_PARAM_OCTET_PTR)
		return OSSL_PARAM_set_octet_ptr(param, aead->iv, aead->iv_size);
	if (param->data && param->data_size < aead->iv_size)
		return fsp_failed(PROV_R_INVALID_IV_LENGTH);
	return OSSL_PARAM_set_octet_string(param, aead->iv, aead->iv_size);
}

static bool get_tag(struct fsp_aead *aead, OSSL_PARAM *param)
{
	/* The core has one before the message ends, which may get longer */
	if (aead->decrypt || !aead->has_tag || aead->state != FSP_DONE)
		return fsp_failed(PROV_R_TAG_NOT_SET);
	if (param->data && aead->kind->mode == FIRESTEEL_CCM && param->data_size != aead->tag_size)
		return false;
	if (param->data && (param->data_size == 0 || param->data_size > aead->tag_size))
		return fsp_failed(PROV_R_INVALID_TAG);
	return OSSL_PARAM_set_octet_string(param, aead->tag,
					   param->data ? param->data_size : aead->tag_size);
}

/* GCM: the IV for the next message, of which `out` gets the last bytes */
static bool next_iv(struct fsp_aead *aead, OSSL_PARAM *param)
{
	return aead->kind->mode == FIRESTEEL_GCM && param->data_type == OSSL_PARAM_OCTET_STRING &&
	       param->data && fsp_aead_next_iv(aead, param->data, param->data_size);
}

static bool get_size(OSSL_PARAM *param, size_t size)
{
	return OSSL_PARAM_set_size_t(param, size) || fsp_failed(PROV_R_FAILED_TO_SET_PARAMETER);
}

static bool is(const OSSL_PARAM *param, const char *key)
{
	return strcmp(param->key, key) == 0;
}

/* First what is asked for with every message: each costs a comparison */
static bool get_one(struct fsp_aead *aead, OSSL_PARAM *param)
{
	if (is(param, OSSL_CIPHER_PARAM_IVLEN))
		return get_size(param, aead->iv_size);
	if (is(param, OSSL_CIPHER_PARAM_AEAD_TAG))
		return get_tag(aead, param);
	if (is(param, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD))
		return get_size(param, aead->tls_overhead);
	if (is(param, OSSL_CIPHER_PARAM_AEAD_TLS1_GET_IV_GEN))
		return next_iv(aead, param);
	if (is(param, OSSL_CIPHER_PARAM_IV) || is(param, OSSL_CIPHER_PARAM_UPDATED_IV))
		return get_iv(aead, param);
	if (is(param, OSSL_CIPHER_PARAM_KEYLEN))
		return get_size(param, aead->kind->key_size);
	if (is(param, OSSL_CIPHER_PARAM_AEAD_TAGLEN))
		return get_size(param, aead->tag_size);
	return true;
}

int fsp_aead_get_ctx(void *context, OSSL_PARAM params[])
{
	for (; params && params->key; params++)
		if (!get_one(context, params))
			return 0;
	return 1;
}
