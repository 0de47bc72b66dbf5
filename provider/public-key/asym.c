/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/asym.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "public-key/rsa-decrypt.h"

struct asym {
	struct fsp_provider *provider;
	struct fsp_key *key;
	bool decrypt;
	EVP_PKEY_CTX *soft;
};

static void *new(void *provider)
{
	struct asym *asym = OPENSSL_zalloc(sizeof(*asym));

	if (asym)
		asym->provider = provider;
	return asym;
}

static void free_asym(void *opaque)
{
	struct asym *asym = opaque;

	if (!asym)
		return;
	EVP_PKEY_CTX_free(asym->soft);
	fsp_key_drop(asym->key);
	OPENSSL_free(asym);
}

static void *dup(void *opaque)
{
	const struct asym *from = opaque;
	struct asym *to = new(from->provider);

	if (!to)
		return NULL;
	to->key = fsp_key_hold(from->key);
	to->decrypt = from->decrypt;
	to->soft = from->soft ? EVP_PKEY_CTX_dup(from->soft) : NULL;
	if (!from->soft || to->soft)
		return to;
	free_asym(to);
	return NULL;
}

static int begin(struct asym *asym, struct fsp_key *key, bool decrypt, const OSSL_PARAM params[])
{
	struct fsp_key *old = asym->key;

	if (!key || !key->software)
		return fsp_failed(PROV_R_NO_KEY_SET);
	asym->key = fsp_key_hold(key);
	fsp_key_drop(old);
	asym->decrypt = decrypt;
	EVP_PKEY_CTX_free(asym->soft);
	asym->soft = EVP_PKEY_CTX_new_from_pkey(asym->provider->library, key->software,
						FSP_SOFTWARE);
	return asym->soft && (decrypt ? EVP_PKEY_decrypt_init_ex(asym->soft, params)
				      : EVP_PKEY_encrypt_init_ex(asym->soft, params)) > 0;
}

static int encrypt_init(void *asym, void *key, const OSSL_PARAM params[])
{
	return begin(asym, key, false, params);
}

static int decrypt_init(void *asym, void *key, const OSSL_PARAM params[])
{
	return begin(asym, key, true, params);
}

static int encrypt(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		   const unsigned char *in, size_t in_size)
{
	struct asym *asym = opaque;

	if (!asym->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	*size = capacity;
	return fsp_answer(EVP_PKEY_encrypt(asym->soft, out, size, in, in_size));
}

static int decrypt(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		   const unsigned char *in, size_t in_size)
{
	struct asym *asym = opaque;
	struct fsp_rsa *rsa;
	int answer = -1;

	if (!asym->soft)
		return fsp_failed(PROV_R_NO_KEY_SET);
	rsa = out && asym->decrypt ? fsp_key_components(asym->key) : NULL;
	if (rsa && fsp_rsa_decrypt(rsa, asym->soft, out, size, capacity, in, in_size, &answer))
		return answer;
	*size = capacity;
	return fsp_answer(EVP_PKEY_decrypt(asym->soft, out, size, in, in_size));
}

/* ---- parameters ---- */

static int get_ctx(void *opaque, OSSL_PARAM params[])
{
	const struct asym *asym = opaque;

	return asym->soft && EVP_PKEY_CTX_get_params(asym->soft, params) > 0;
}

static int set_ctx(void *opaque, const OSSL_PARAM params[])
{
	const struct asym *asym = opaque;

	return !params || !params->key ||
	       (asym->soft && EVP_PKEY_CTX_set_params(asym->soft, params) > 0);
}

static const OSSL_PARAM *ask(struct fsp_provider *provider,
			     const OSSL_PARAM *(*question)(const EVP_ASYM_CIPHER *))
{
	EVP_ASYM_CIPHER *software = EVP_ASYM_CIPHER_fetch(provider->library, "RSA", FSP_SOFTWARE);
	const OSSL_PARAM *answer = software ? question(software) : NULL;

	EVP_ASYM_CIPHER_free(software);
	return answer;
}

static const OSSL_PARAM *gettable(void *asym, void *provider)
{
	(void)asym;
	return ask(provider, EVP_ASYM_CIPHER_gettable_ctx_params);
}

static const OSSL_PARAM *settable(void *asym, void *provider)
{
	(void)asym;
	return ask(provider, EVP_ASYM_CIPHER_settable_ctx_params);
}

#define FUNCTION(number, function) { OSSL_FUNC_ASYM_CIPHER_##number, (void (*)(void))(function) }

const OSSL_DISPATCH fsp_asym_rsa[] = {
	FUNCTION(NEWCTX, new),
	FUNCTION(FREECTX, free_asym),
	FUNCTION(DUPCTX, dup),
	FUNCTION(ENCRYPT_INIT, encrypt_init),
	FUNCTION(ENCRYPT, encrypt),
	FUNCTION(DECRYPT_INIT, decrypt_init),
	FUNCTION(DECRYPT, decrypt),
	FUNCTION(GET_CTX_PARAMS, get_ctx),
	FUNCTION(GETTABLE_CTX_PARAMS, gettable),
	FUNCTION(SET_CTX_PARAMS, set_ctx),
	FUNCTION(SETTABLE_CTX_PARAMS, settable),
	{ 0, NULL },
};
