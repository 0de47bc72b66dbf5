/* SPDX-License-Identifier: Apache-2.0 */
/* The MACs by name. */
#include "mac.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "provider.h"

const struct fsp_algorithm fsp_macs[] = {
	{ { "HMAC", "provider=firesteel", fsp_hmac, NULL }, FSP_HMAC, 0 },
	{ { "CMAC:1.3.6.1.1.8.1.2", "provider=firesteel", fsp_cmac, NULL },
	  FSP_CMAC,
	  1u << FIRESTEEL_CBC },
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};

bool fsp_mac_name(const OSSL_PARAM *param, char *name, size_t capacity)
{
	size_t size;

	if (param->data_type != OSSL_PARAM_UTF8_STRING || !param->data)
		return false;
	size = param->data_size ? strnlen(param->data, param->data_size) : strlen(param->data);
	if (size >= capacity)
		return false;
	memcpy(name, param->data, size);
	name[size] = '\0';
	return true;
}

const OSSL_PARAM *fsp_mac_gettable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_MAC_PARAM_SIZE, NULL),
		OSSL_PARAM_size_t(OSSL_MAC_PARAM_BLOCK_SIZE, NULL),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}
