/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/mac.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/policy.h"

/* ---- contexts ---- */

void *fsp_mac_new(void *provider, const struct fsp_mac_kind *kind, size_t size)
{
	struct fsp_mac *mac = OPENSSL_zalloc(size);

	if (!mac)
		return NULL;
	mac->provider = provider;
	mac->kind = kind;
	return mac;
}

void *fsp_mac_dup(const struct fsp_mac *mac, size_t size)
{
	struct fsp_mac *to = OPENSSL_memdup(mac, size);

	if (!to || !mac->soft)
		return to;
	to->soft = EVP_MAC_CTX_dup(mac->soft);
	if (to->soft)
		return to;
	OPENSSL_clear_free(to, size);
	return NULL;
}

/* ---- software ---- */

bool fsp_mac_soft_begin(struct fsp_mac *mac, const uint8_t *key, size_t size,
			const OSSL_PARAM *more)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(mac->kind->below, mac->below, 0),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, FSP_SOFTWARE, 0),
		more ? *more : OSSL_PARAM_construct_end(),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm;

	if (!mac->soft) {
		algorithm = EVP_MAC_fetch(mac->provider->library, mac->kind->name, FSP_SOFTWARE);
		mac->soft = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
		EVP_MAC_free(algorithm);
	}
	fsp_policy_unfit(mac->provider, mac->kind->task);
	return mac->soft && EVP_MAC_init(mac->soft, key, size, key ? params : NULL);
}

/* ---- parameters ---- */

bool fsp_mac_take_name(const OSSL_PARAM *param, char name[FSP_MAC_NAME])
{
	size_t size;

	if (param->data_type != OSSL_PARAM_UTF8_STRING || !param->data)
		return false;
	size = param->data_size ? strnlen(param->data, param->data_size) : strlen(param->data);
	if (size >= FSP_MAC_NAME)
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
