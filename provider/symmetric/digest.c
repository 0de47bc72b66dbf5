/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/digest.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "symmetric/hash.h"

static void *new(void *provider, const struct fsp_hash_kind *kind)
{
	struct fsp_hash *hash = OPENSSL_zalloc(sizeof(*hash));

	if (hash)
		fsp_hash_begin(hash, provider, kind, FSP_TASK_DIGEST);
	return hash;
}

static void free_hash(void *context)
{
	fsp_cleanse(context, sizeof(struct fsp_hash));
}

static void *dup_hash(void *context)
{
	return OPENSSL_memdup(context, sizeof(struct fsp_hash));
}

static int init(void *context, const OSSL_PARAM params[])
{
	struct fsp_hash *hash = context;

	(void)params;
	fsp_hash_begin(hash, hash->provider, hash->kind, FSP_TASK_DIGEST);
	return 1;
}

/* ---- SHA-1 of SSL 3.0 ---- */

#define SSL3_SECRET 48u
#define SSL3_PAD    40u

static void add_secret(struct fsp_hash *hash, const uint8_t secret[SSL3_SECRET], uint8_t with)
{
	uint8_t pad[SSL3_PAD];

	memset(pad, with, sizeof(pad));
	fsp_hash_update(hash, secret, SSL3_SECRET);
	fsp_hash_update(hash, pad, sizeof(pad));
}

/* What was hashed so far becomes the inner hash of a handshake's verification (RFC 6101, 5.6.8) */
static void add_master_secret(struct fsp_hash *hash, const uint8_t secret[SSL3_SECRET])
{
	uint8_t inner[FSP_HASH_SIZE_MAX];

	add_secret(hash, secret, 0x36);
	fsp_hash_final(hash, inner);
	init(hash, NULL);
	add_secret(hash, secret, 0x5c);
	fsp_hash_update(hash, inner, hash->kind->size);
	firesteel_wipe(inner, sizeof(inner));
}

static int set_ssl3(void *context, const OSSL_PARAM params[])
{
	const OSSL_PARAM *param = params ? OSSL_PARAM_locate_const(params,
								   OSSL_DIGEST_PARAM_SSL3_MS)
					 : NULL;

	if (!param || param->data_type != OSSL_PARAM_OCTET_STRING)
		return 1;
	if (!param->data || param->data_size != SSL3_SECRET)
		return 0;
	add_master_secret(context, param->data);
	return 1;
}

static int init_ssl3(void *context, const OSSL_PARAM params[])
{
	return init(context, NULL) && set_ssl3(context, params);
}

static const OSSL_PARAM *settable_ssl3(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_DIGEST_PARAM_SSL3_MS, NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

/* ---- messages ---- */

static int update(void *context, const unsigned char *in, size_t size)
{
	if (size > 0)
		fsp_hash_update(context, in, size);
	return 1;
}

static int final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct fsp_hash *hash = context;

	if (!fsp_fits(capacity, hash->kind->size))
		return 0;
	fsp_hash_final(hash, out);
	*out_size = hash->kind->size;
	return 1;
}

static const OSSL_PARAM *gettable(void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_BLOCK_SIZE, NULL),
		OSSL_PARAM_size_t(OSSL_DIGEST_PARAM_SIZE, NULL),
		OSSL_PARAM_int(OSSL_DIGEST_PARAM_XOF, NULL),
		OSSL_PARAM_int(OSSL_DIGEST_PARAM_ALGID_ABSENT, NULL),
		OSSL_PARAM_END,
	};

	(void)provider;
	return params;
}

static int describe(OSSL_PARAM params[], const struct fsp_hash_kind *kind)
{
	const struct {
		const char *key;
		size_t value;
	} sizes[] = {
		{ OSSL_DIGEST_PARAM_BLOCK_SIZE, kind->block },
		{ OSSL_DIGEST_PARAM_SIZE, kind->size },
		{ OSSL_DIGEST_PARAM_XOF, 0 },
		{ OSSL_DIGEST_PARAM_ALGID_ABSENT, 1 },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		OSSL_PARAM *param = OSSL_PARAM_locate(params, sizes[i].key);

		if (param && !OSSL_PARAM_set_size_t(param, sizes[i].value))
			return fsp_failed(PROV_R_FAILED_TO_SET_PARAMETER);
	}
	return 1;
}

#define FUNCTION(number, function) { OSSL_FUNC_DIGEST_##number, (void (*)(void))(function) }

#define DIGEST(id, ID, init, ...)                                         \
	static void *new_##id(void *provider)                             \
	{                                                                 \
		return new(provider, &fsp_hash_kinds[FIRESTEEL_##ID]);    \
	}                                                                 \
	static int get_##id(OSSL_PARAM params[])                          \
	{                                                                 \
		return describe(params, &fsp_hash_kinds[FIRESTEEL_##ID]); \
	}                                                                 \
	const OSSL_DISPATCH fsp_##id[] = {                                \
		FUNCTION(NEWCTX, new_##id),                               \
		FUNCTION(FREECTX, free_hash),                             \
		FUNCTION(DUPCTX, dup_hash),                               \
		FUNCTION(INIT, init),                                     \
		FUNCTION(UPDATE, update),                                 \
		FUNCTION(FINAL, final),                                   \
		FUNCTION(GET_PARAMS, get_##id),                           \
		FUNCTION(GETTABLE_PARAMS, gettable),                      \
		__VA_ARGS__,                                              \
	}

#define END { 0, NULL }

DIGEST(sha1, SHA1, init_ssl3, FUNCTION(SET_CTX_PARAMS, set_ssl3),
       FUNCTION(SETTABLE_CTX_PARAMS, settable_ssl3), END);
DIGEST(sha224, SHA224, init, END);
DIGEST(sha256, SHA256, init, END);
DIGEST(sha384, SHA384, init, END);
DIGEST(sha512, SHA512, init, END);
