/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/cipher-params.h"

#include <string.h>
#include <sys/random.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/cipher.h"

static int not_set(void)
{
	return fsp_failed(PROV_R_FAILED_TO_SET_PARAMETER);
}

static int not_got(void)
{
	return fsp_failed(PROV_R_FAILED_TO_GET_PARAMETER);
}

/* ---- reading ---- */

const OSSL_PARAM *fsp_cipher_gettable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_IV, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_UPDATED_IV, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_TLS_MAC, NULL, 0),
		OSSL_PARAM_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

/* Bytes are asked for by copy or by pointer */
static int set_bytes(OSSL_PARAM *param, const void *bytes, size_t size)
{
	if (param->data_type == OSSL_PARAM_OCTET_PTR)
		return OSSL_PARAM_set_octet_ptr(param, bytes, size) || not_set();
	if (param->data && param->data_size < size)
		return not_set();
	return OSSL_PARAM_set_octet_string(param, bytes, size) || not_set();
}

static int get_updated_iv(struct fsp_cipher *cipher, OSSL_PARAM *param)
{
	if (cipher->soft_stands && cipher->kind->iv_size &&
	    !fsp_soft_updated_iv(&cipher->soft, cipher->iv, cipher->kind->iv_size))
		return not_set();
	return set_bytes(param, cipher->iv, cipher->kind->iv_size);
}

static bool is(const OSSL_PARAM *param, const char *key)
{
	return strcmp(param->key, key) == 0;
}

/* First what libcrypto asks for with every IV: each costs a comparison */
static int get_one(struct fsp_cipher *cipher, OSSL_PARAM *param)
{
	static const char *const names[] = { "", "CS1", "CS2", "CS3" };

	if (is(param, OSSL_CIPHER_PARAM_IVLEN))
		return OSSL_PARAM_set_size_t(param, cipher->kind->iv_size) || not_set();
	if (is(param, OSSL_CIPHER_PARAM_KEYLEN))
		return OSSL_PARAM_set_size_t(param, cipher->kind->key_size) || not_set();
	if (is(param, OSSL_CIPHER_PARAM_IV))
		return set_bytes(param, cipher->first_iv, cipher->kind->iv_size);
	if (is(param, OSSL_CIPHER_PARAM_UPDATED_IV))
		return get_updated_iv(cipher, param);
	if (is(param, OSSL_CIPHER_PARAM_TLS_MAC))
		return set_bytes(param, cipher->mac, cipher->mac_size);
	if (is(param, OSSL_CIPHER_PARAM_PADDING))
		return OSSL_PARAM_set_uint(param, cipher->padding) || not_set();
	if (is(param, OSSL_CIPHER_PARAM_NUM))
		return OSSL_PARAM_set_uint(param, cipher->offset) || not_set();
	if (cipher->kind->cts && is(param, OSSL_CIPHER_PARAM_CTS_MODE))
		return OSSL_PARAM_set_utf8_string(param, names[cipher->cts_variant]) || not_set();
	return 1;
}

int fsp_cipher_get_ctx(void *context, OSSL_PARAM params[])
{
	for (; params && params->key; params++)
		if (!get_one(context, params))
			return 0;
	return 1;
}

/* ---- writing ---- */

const OSSL_PARAM *fsp_cipher_settable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_PADDING, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_NUM, NULL),
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_TLS_VERSION, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_TLS_MAC_SIZE, NULL),
		OSSL_PARAM_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

const OSSL_PARAM *fsp_xts_settable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

/* The length of a key cannot be another one; of XTS alone software is told */
static int set_xts(const struct fsp_cipher *cipher, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_KEYLEN);
	size_t size;

	if (param && !OSSL_PARAM_get_size_t(param, &size))
		return not_got();
	return !param || size == cipher->kind->key_size;
}

/* How far a stream is in its block: it can be set to the beginning of the next one alone, as there is
 * no way to give software the rest of a key stream */
static int set_place(struct fsp_cipher *cipher, const OSSL_PARAM *param)
{
	unsigned offset;

	if (!OSSL_PARAM_get_uint(param, &offset) || (offset != 0 && offset != cipher->offset))
		return not_got();
	if (offset == cipher->offset)
		return 1;
	cipher->offset = 0;
	return fsp_cipher_recall(cipher) || not_got();
}

static int set_stealing(struct fsp_cipher *cipher, const OSSL_PARAM *param)
{
	const char *name;

	if (param->data_type != OSSL_PARAM_UTF8_STRING || !param->data)
		return not_got();
	name = param->data;
	if (OPENSSL_strncasecmp(name, "CS", 2) != 0 || name[2] < '1' || name[2] > '3' || name[3])
		return not_got();
	cipher->cts_variant = (unsigned)(name[2] - '0');
	return 1;
}

static int set_tls(struct fsp_cipher *cipher, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_VERSION);

	if (param && (!OSSL_PARAM_get_uint(param, &cipher->tls_version) ||
		      cipher->tls_version == SSL3_VERSION)) {
		cipher->tls_version = 0;
		return not_got();
	}
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_TLS_MAC_SIZE);
	if (param && (!OSSL_PARAM_get_size_t(param, &cipher->mac_size) ||
		      cipher->mac_size > sizeof(cipher->mac))) {
		cipher->mac_size = 0;
		return not_got();
	}
	if (param && cipher->mac_size > 0 &&
	    getrandom(cipher->no_mac, sizeof(cipher->no_mac), 0) != sizeof(cipher->no_mac))
		return not_got();
	return 1;
}

int fsp_cipher_set_ctx(void *context, const OSSL_PARAM params[])
{
	struct fsp_cipher *cipher = context;
	const OSSL_PARAM *param;
	unsigned padding;

	if (!params)
		return 1;
	if (cipher->kind->mode == FIRESTEEL_XTS)
		return set_xts(cipher, params);
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_PADDING);
	if (param) {
		if (!OSSL_PARAM_get_uint(param, &padding))
			return not_got();
		cipher->padding = padding != 0;
	}
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_NUM);
	if (param && !set_place(cipher, param))
		return 0;
	param = OSSL_PARAM_locate_const(params, OSSL_CIPHER_PARAM_CTS_MODE);
	if (param && cipher->kind->cts && !set_stealing(cipher, param))
		return 0;
	return set_tls(cipher, params);
}
