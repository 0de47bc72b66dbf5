/* SPDX-License-Identifier: Apache-2.0 */
#include "public-key/asym.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "public-key/rsa-decrypt.h"

#define NAME "RSA"

struct asym {
	struct fsp_provider *provider;
	const struct fsp_functions *software; /* the default provider's algorithm */
	void *soft; /* its context */
	struct fsp_key *key; /* NULL: not begun */
	bool decrypt;
};

static const struct fsp_functions *find(struct fsp_provider *provider)
{
	return fsp_software_find(provider, OSSL_OP_ASYM_CIPHER, NAME, NULL);
}

static void free_asym(void *opaque)
{
	struct asym *asym = opaque;

	if (!asym)
		return;
	if (asym->soft)
		FSP_SOFT(asym->software, asym_cipher_freectx, ASYM_CIPHER_FREECTX)(asym->soft);
	fsp_key_drop(asym->key);
	OPENSSL_free(asym);
}

/* Takes over software's context, also if it fails */
static struct asym *wrap(struct fsp_provider *provider, const struct fsp_functions *software,
			 void *soft)
{
	struct asym *asym = soft ? OPENSSL_zalloc(sizeof(*asym)) : NULL;

	if (asym) {
		asym->provider = provider;
		asym->software = software;
		asym->soft = soft;
	} else if (soft) {
		FSP_SOFT(software, asym_cipher_freectx, ASYM_CIPHER_FREECTX)(soft);
	}
	return asym;
}

static void *new(void *provider)
{
	const struct fsp_functions *software = find(provider);

	if (!software)
		return NULL;
	return wrap(provider, software,
		    FSP_SOFT(software, asym_cipher_newctx, ASYM_CIPHER_NEWCTX)(software->context));
}

static void *dup(void *opaque)
{
	const struct asym *from = opaque;
	struct asym *to = wrap(
		from->provider, from->software,
		FSP_SOFT(from->software, asym_cipher_dupctx, ASYM_CIPHER_DUPCTX)(from->soft));

	if (!to)
		return NULL;
	to->key = fsp_key_hold(from->key);
	to->decrypt = from->decrypt;
	return to;
}

static int begin(struct asym *asym, struct fsp_key *key, bool decrypt, const OSSL_PARAM params[],
		 OSSL_FUNC_asym_cipher_encrypt_init_fn *init)
{
	struct fsp_key *old = asym->key;
	int answer = init(asym->soft, key ? key->data : NULL, params);

	if (!key || answer <= 0)
		return answer;
	asym->key = fsp_key_hold(key);
	asym->decrypt = decrypt;
	fsp_key_drop(old);
	return answer;
}

static int encrypt_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct asym *asym = opaque;

	return begin(asym, key, false, params,
		     FSP_SOFT(asym->software, asym_cipher_encrypt_init, ASYM_CIPHER_ENCRYPT_INIT));
}

static int decrypt_init(void *opaque, void *key, const OSSL_PARAM params[])
{
	struct asym *asym = opaque;

	return begin(asym, key, true, params,
		     FSP_SOFT(asym->software, asym_cipher_decrypt_init, ASYM_CIPHER_DECRYPT_INIT));
}

static int encrypt(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		   const unsigned char *in, size_t in_size)
{
	struct asym *asym = opaque;

	return FSP_SOFT(asym->software, asym_cipher_encrypt,
			ASYM_CIPHER_ENCRYPT)(asym->soft, out, size, capacity, in, in_size);
}

static int decrypt(void *opaque, unsigned char *out, size_t *size, size_t capacity,
		   const unsigned char *in, size_t in_size)
{
	struct asym *asym = opaque;
	struct fsp_rsa *rsa = out && asym->key && asym->decrypt ? fsp_key_components(asym->key)
								: NULL;
	int answer = -1;

	if (rsa && fsp_rsa_decrypt(rsa, asym->software, asym->soft, out, size, capacity, in,
				   in_size, &answer))
		return answer;
	return FSP_SOFT(asym->software, asym_cipher_decrypt,
			ASYM_CIPHER_DECRYPT)(asym->soft, out, size, capacity, in, in_size);
}

/* ---- parameters ---- */

static int get_ctx(void *opaque, OSSL_PARAM params[])
{
	const struct asym *asym = opaque;

	return FSP_SOFT(asym->software, asym_cipher_get_ctx_params,
			ASYM_CIPHER_GET_CTX_PARAMS)(asym->soft, params);
}

static int set_ctx(void *opaque, const OSSL_PARAM params[])
{
	const struct asym *asym = opaque;

	return FSP_SOFT(asym->software, asym_cipher_set_ctx_params,
			ASYM_CIPHER_SET_CTX_PARAMS)(asym->soft, params);
}

static void *soft_of(const struct asym *asym)
{
	return asym ? asym->soft : NULL;
}

static const OSSL_PARAM *gettable(void *asym, void *provider)
{
	const struct fsp_functions *software = find(provider);

	return software
		       ? FSP_SOFT(software, asym_cipher_gettable_ctx_params,
				  ASYM_CIPHER_GETTABLE_CTX_PARAMS)(soft_of(asym), software->context)
		       : NULL;
}

static const OSSL_PARAM *settable(void *asym, void *provider)
{
	const struct fsp_functions *software = find(provider);

	return software
		       ? FSP_SOFT(software, asym_cipher_settable_ctx_params,
				  ASYM_CIPHER_SETTABLE_CTX_PARAMS)(soft_of(asym), software->context)
		       : NULL;
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
