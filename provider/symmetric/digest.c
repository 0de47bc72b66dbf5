/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/digest.h"

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

#define DIGEST(id, ID)                                                    \
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
		{ 0, NULL },                                              \
	}

DIGEST(sha1, SHA1);
DIGEST(sha224, SHA224);
DIGEST(sha256, SHA256);
DIGEST(sha384, SHA384);
DIGEST(sha512, SHA512);
