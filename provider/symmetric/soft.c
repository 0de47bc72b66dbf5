/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/soft.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "base/software.h"

/* Whether it has all that is called without a look */
static bool take(struct fsp_soft *soft, const struct fsp_functions *functions)
{
	soft->provider = functions->context;
	soft->newctx = FSP_SOFT(functions, cipher_newctx, CIPHER_NEWCTX);
	soft->freectx = FSP_SOFT(functions, cipher_freectx, CIPHER_FREECTX);
	soft->dupctx = FSP_SOFT(functions, cipher_dupctx, CIPHER_DUPCTX);
	soft->encrypt_init = FSP_SOFT(functions, cipher_encrypt_init, CIPHER_ENCRYPT_INIT);
	soft->decrypt_init = FSP_SOFT(functions, cipher_decrypt_init, CIPHER_DECRYPT_INIT);
	soft->update = FSP_SOFT(functions, cipher_update, CIPHER_UPDATE);
	soft->final = FSP_SOFT(functions, cipher_final, CIPHER_FINAL);
	soft->cipher = FSP_SOFT(functions, cipher_cipher, CIPHER_CIPHER);
	soft->get = FSP_SOFT(functions, cipher_get_ctx_params, CIPHER_GET_CTX_PARAMS);
	soft->set = FSP_SOFT(functions, cipher_set_ctx_params, CIPHER_SET_CTX_PARAMS);
	return soft->newctx && soft->freectx && soft->encrypt_init && soft->decrypt_init &&
	       soft->update && soft->final && soft->cipher && soft->get && soft->set;
}

/*
 * What CCM does at the end of a message that had no payload.  That of OpenSSL 3.0.20 does nothing, and so
 * accepts any tag; that of 3.5.9 processes an empty payload.  It is tried, since a version does not tell:
 * distributions take such changes into older ones.  false: not known.
 */
static bool try_empty_end(struct fsp_soft *soft, size_t key_size)
{
	static const uint8_t zeros[FSP_KEY_MAX];
	uint8_t out[FSP_BLOCK], tag[12];
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, tag, sizeof(tag)),
		OSSL_PARAM_END,
	};
	void *context = soft->newctx(soft->provider);
	size_t got;
	bool good = context && soft->encrypt_init(context, zeros, key_size, zeros, 7, NULL) &&
		    soft->final(context, out, &got, sizeof(out));

	ERR_set_mark();
	soft->ends_empty = good && soft->get(context, params);
	ERR_pop_to_mark();
	if (context)
		soft->freectx(context);
	return good;
}

static struct fsp_soft *make(struct fsp_provider *provider, const struct fsp_cipher_kind *kind)
{
	struct fsp_soft *soft = OPENSSL_zalloc(sizeof(*soft));
	const struct fsp_functions *functions = fsp_software_find(provider, OSSL_OP_CIPHER,
								  kind->name, NULL);

	if (!soft)
		return NULL;
	if (functions && take(soft, functions) &&
	    (kind->mode != FIRESTEEL_CCM || try_empty_end(soft, kind->key_size)))
		return soft;
	OPENSSL_free(soft);
	return NULL;
}

/* NULL: the default provider does not have it */
static const struct fsp_soft *find(struct fsp_provider *provider,
				   const struct fsp_cipher_kind *kind)
{
	struct fsp_soft *_Atomic *slot = &provider->soft[kind->task][kind->key_size / 8];
	struct fsp_soft *soft = atomic_load(slot), *none = NULL;

	if (soft)
		return soft;
	soft = make(provider, kind);
	if (!soft || atomic_compare_exchange_strong(slot, &none, soft))
		return soft;
	/* Another thread was faster */
	OPENSSL_free(soft);
	return none;
}

void fsp_soft_free(struct fsp_provider *provider)
{
	for (unsigned i = 0; i < FSP_TASKS; i++)
		for (unsigned j = 0; j < FSP_KEY_SIZES; j++)
			OPENSSL_free(provider->soft[i][j]);
}

/* ---- contexts ---- */

bool fsp_soft_make(struct fsp_soft_context *soft, struct fsp_provider *provider,
		   const struct fsp_cipher_kind *kind)
{
	soft->software = find(provider, kind);
	soft->context = soft->software ? soft->software->newctx(soft->software->provider) : NULL;
	return soft->context;
}

bool fsp_soft_dup(struct fsp_soft_context *soft)
{
	void *from = soft->context;

	if (!from)
		return true;
	soft->context = soft->software->dupctx ? soft->software->dupctx(from) : NULL;
	return soft->context;
}

void fsp_soft_close(struct fsp_soft_context *soft)
{
	if (soft->context)
		soft->software->freectx(soft->context);
	soft->context = NULL;
}

bool fsp_soft_updated_iv(const struct fsp_soft_context *soft, uint8_t *iv, size_t size)
{
	void *stands = NULL;
	/* By pointer, as the default provider tries first: a copy would leave that failure's error */
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_ptr(OSSL_CIPHER_PARAM_UPDATED_IV, &stands, size),
		OSSL_PARAM_END,
	};

	if (!soft->software->get(soft->context, params) || !stands)
		return false;
	memcpy(iv, stands, size);
	return true;
}
