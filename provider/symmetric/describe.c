/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/describe.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"

const OSSL_PARAM *fsp_cipher_gettable(void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_uint(OSSL_CIPHER_PARAM_MODE, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_KEYLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_IVLEN, NULL),
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_BLOCK_SIZE, NULL),
		OSSL_PARAM_int(OSSL_CIPHER_PARAM_AEAD, NULL),
		OSSL_PARAM_int(OSSL_CIPHER_PARAM_CUSTOM_IV, NULL),
		OSSL_PARAM_int(OSSL_CIPHER_PARAM_CTS, NULL),
		OSSL_PARAM_int(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, NULL),
		OSSL_PARAM_int(OSSL_CIPHER_PARAM_HAS_RAND_KEY, NULL),
		OSSL_PARAM_END,
	};

	(void)provider;
	return params;
}

int fsp_cipher_describe(OSSL_PARAM params[], const struct fsp_cipher_kind *kind)
{
	const struct {
		const char *key;
		size_t value;
	} sizes[] = {
		{ OSSL_CIPHER_PARAM_MODE, kind->evp_mode },
		{ OSSL_CIPHER_PARAM_KEYLEN, kind->key_size },
		{ OSSL_CIPHER_PARAM_IVLEN, kind->iv_size },
		{ OSSL_CIPHER_PARAM_BLOCK_SIZE, kind->block_size },
		{ OSSL_CIPHER_PARAM_AEAD, kind->aead },
		{ OSSL_CIPHER_PARAM_CUSTOM_IV, kind->custom_iv },
		{ OSSL_CIPHER_PARAM_CTS, kind->cts },
		{ OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0 },
		{ OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		OSSL_PARAM *param = OSSL_PARAM_locate(params, sizes[i].key);

		/* It converts to the requested type */
		if (param && !OSSL_PARAM_set_size_t(param, sizes[i].value))
			return fsp_failed(PROV_R_FAILED_TO_SET_PARAMETER);
	}
	return 1;
}
