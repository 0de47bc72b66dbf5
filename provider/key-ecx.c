/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys for X25519 and for Ed25519, which have no parameters.  Software generates those for
 * Ed25519: they are long-lived, and a wrong public key from a faulty core would be noticed too
 * late.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "ecx.h"
#include "key-table.h"

void fsp_ecx_components_free(void *ecx)
{
	fsp_cleanse(ecx, sizeof(struct fsp_ecx));
}

void *fsp_ecx_components_new(struct fsp_provider *provider, EVP_PKEY *software)
{
	struct fsp_ecx *ecx = OPENSSL_zalloc(sizeof(*ecx));
	size_t secret = FSP_ECX_SIZE, public = FSP_ECX_SIZE;

	(void)provider;
	if (!ecx)
		return NULL;
	ERR_set_mark();
	ecx->has_secret = EVP_PKEY_get_raw_private_key(software, ecx->secret, &secret) > 0 &&
			  secret == FSP_ECX_SIZE;
	ecx->has_public = EVP_PKEY_get_raw_public_key(software, ecx->public, &public) > 0 &&
			  public == FSP_ECX_SIZE;
	ERR_pop_to_mark();
	return ecx;
}

static const OSSL_PARAM types[] = {
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
	OSSL_PARAM_END,
};

const struct fsp_key_kind fsp_key_x25519_kind = {
	.name = "X25519",
	.exchange = "X25519",
	.private_part = OSSL_PKEY_PARAM_PRIV_KEY,
	.public_part = OSSL_PKEY_PARAM_PUB_KEY,
	.types = types,
	.components_new = fsp_ecx_components_new,
	.components_free = fsp_ecx_components_free,
	.generate = fsp_x25519_generate,
};
FSP_KEY_TABLE(x25519);

const struct fsp_key_kind fsp_key_ed25519_kind = {
	.name = "ED25519",
	.signature = "ED25519",
	.private_part = OSSL_PKEY_PARAM_PRIV_KEY,
	.public_part = OSSL_PKEY_PARAM_PUB_KEY,
	.types = types,
	.components_new = fsp_ecx_components_new,
	.components_free = fsp_ecx_components_free,
};
FSP_KEY_TABLE(ed25519);
