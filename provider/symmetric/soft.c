/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/soft.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/software.h"

/* A function of a dispatch table; NULL: it is not there */
static void (*find_function(const OSSL_DISPATCH *table, int id))(void)
{
	for (; table->function_id; table++)
		if (table->function_id == id)
			return table->function;
	return NULL;
}

static bool take_functions(struct fsp_soft *soft, const OSSL_DISPATCH *table)
{
#define TAKE(member, ID) \
	soft->member = (OSSL_FUNC_cipher_##member##_fn *)find_function(table, OSSL_FUNC_CIPHER_##ID)
	TAKE(newctx, NEWCTX);
	TAKE(freectx, FREECTX);
	TAKE(dupctx, DUPCTX);
	TAKE(encrypt_init, ENCRYPT_INIT);
	TAKE(decrypt_init, DECRYPT_INIT);
	TAKE(update, UPDATE);
	TAKE(final, FINAL);
	TAKE(cipher, CIPHER);
#undef TAKE
	soft->get = (OSSL_FUNC_cipher_get_ctx_params_fn *)find_function(
		table, OSSL_FUNC_CIPHER_GET_CTX_PARAMS);
	soft->set = (OSSL_FUNC_cipher_set_ctx_params_fn *)find_function(
		table, OSSL_FUNC_CIPHER_SET_CTX_PARAMS);
	return soft->newctx && soft->freectx && soft->encrypt_init && soft->decrypt_init &&
	       soft->update && soft->final && soft->cipher && soft->get && soft->set;
}

/* Whether a name is one of those between colons */
static bool has_name(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (*names) {
		const char *end = strchrnul(names, ':');

		if ((size_t)(end - names) == length &&
		    OPENSSL_strncasecmp(names, name, length) == 0)
			return true;
		names = *end ? end + 1 : end;
	}
	return false;
}

static bool look_up(struct fsp_soft *soft, const OSSL_PROVIDER *provider, const char *name)
{
	const OSSL_ALGORITHM *all, *one;
	bool found = false;
	int no_cache;

	soft->provider = OSSL_PROVIDER_get0_provider_ctx(provider);
	all = OSSL_PROVIDER_query_operation(provider, OSSL_OP_CIPHER, &no_cache);
	for (one = all; one && one->algorithm_names && !found; one++)
		found = has_name(one->algorithm_names, name) &&
			take_functions(soft, one->implementation);
	OSSL_PROVIDER_unquery_operation(provider, OSSL_OP_CIPHER, all);
	return found;
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
	const OSSL_PROVIDER *software = fsp_software(provider);

	if (!soft)
		return NULL;
	if (software && look_up(soft, software, kind->name) &&
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
