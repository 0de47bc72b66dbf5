/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HMAC (FIPS 198-1) of the hashes that the core has: a short message is collected until its end and is
 * one message of the core; what is longer, or not the core's, is two hashes of ours.
 *
 * A program may hand digest and key along with every message (OpenVPN does): what has not changed is
 * not looked up and not processed again.  So it pays to be here without a hash core too.
 *
 * Other digests, and the MAC of a TLS record with CBC, whose real length is secret, are the default
 * provider's: it has the code that hides the length.
 */
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/policy.h"
#include "symmetric/hash.h"
#include "symmetric/mac.h"

/* Messages that are collected: packets and records of TLS */
#define PENDING_MAX 16640u

static const struct fsp_mac_kind hmac_kind = { "HMAC", OSSL_MAC_PARAM_DIGEST, FSP_TASK_HMAC };

struct hmac {
	struct fsp_mac mac;
	const struct fsp_hash_kind *kind; /* NULL: software's */
	uint8_t *key;
	size_t key_size;
	bool keyed;
	size_t tls_size; /* 0, or a message is a record of TLS of so many bytes, whose real length is secret */
	bool pads_ready; /* precomputed from this digest and key: */
	struct fsp_hash inner, outer; /* after the key */
	struct fsp_hash now; /* the message */
	uint8_t *pending; /* what is not in `now` yet */
	size_t pending_size, pending_capacity;
	bool is_whole; /* all of the message is in `pending` */
	bool begun; /* the message, and it has not ended */
};

/* ---- contexts ---- */

static void *new_hmac(void *provider)
{
	return fsp_mac_new(provider, &hmac_kind, sizeof(struct hmac));
}

static void free_hmac(void *context)
{
	struct hmac *hmac = context;

	if (!hmac)
		return;
	fsp_mac_soft_end(&hmac->mac);
	fsp_cleanse(hmac->pending, hmac->pending_capacity);
	fsp_cleanse(hmac->key, hmac->key_size);
	fsp_cleanse(hmac, sizeof(*hmac));
}

static void *dup_hmac(void *context)
{
	const struct hmac *from = context;
	struct hmac *to = fsp_mac_dup(&from->mac, sizeof(*from));

	if (!to)
		return NULL;
	to->key = from->key ? OPENSSL_memdup(from->key, from->key_size + 1) : NULL;
	to->pending = from->pending ? OPENSSL_memdup(from->pending, from->pending_capacity) : NULL;
	if ((!from->key || to->key) && (!from->pending || to->pending))
		return to;
	free_hmac(to);
	return NULL;
}

/* ---- software ---- */

static bool soft_begin(struct hmac *hmac)
{
	const OSSL_PARAM tls_size = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE,
								&hmac->tls_size);

	fsp_mac_soft_end(&hmac->mac);
	return fsp_mac_soft_begin(&hmac->mac, hmac->key, hmac->key_size,
				  hmac->tls_size ? &tls_size : NULL);
}

/* ---- the key ---- */

/* In words: a handshake has a dozen keys, each for one message */
#define KEY_WORDS          (FSP_HASH_BLOCK_MAX / sizeof(uint64_t))
#define IN_ALL_BYTES(BYTE) ((BYTE) * UINT64_C(0x0101010101010101))

static void hash_pad(struct hmac *hmac, struct fsp_hash *hash, const uint64_t *key, uint64_t with)
{
	uint64_t pad[KEY_WORDS];

	for (size_t i = 0; i < hmac->kind->block / sizeof(*pad); i++)
		pad[i] = key[i] ^ with;
	fsp_hash_begin(hash, hmac->mac.provider, hmac->kind, FSP_TASK_HMAC);
	hmac->kind->update(hash, (const uint8_t *)pad, hmac->kind->block);
	firesteel_wipe(pad, sizeof(pad));
}

static void precompute_pads(struct hmac *hmac)
{
	uint64_t key[KEY_WORDS] = { 0 };

	if (hmac->key_size > hmac->kind->block) {
		fsp_hash_begin(&hmac->now, hmac->mac.provider, hmac->kind, FSP_TASK_HMAC);
		hmac->kind->update(&hmac->now, hmac->key, hmac->key_size);
		fsp_hash_final(&hmac->now, (uint8_t *)key);
	} else if (hmac->key_size > 0) {
		memcpy(key, hmac->key, hmac->key_size);
	}
	hash_pad(hmac, &hmac->inner, key, IN_ALL_BYTES(0x36));
	hash_pad(hmac, &hmac->outer, key, IN_ALL_BYTES(0x5c));
	firesteel_wipe(key, sizeof(key));
	hmac->pads_ready = true;
}

static bool copy_key(struct hmac *hmac, const uint8_t *key, size_t size)
{
	/* One byte more, so that an empty key is one too */
	uint8_t *copy = OPENSSL_zalloc(size + 1);

	if (!copy)
		return false;
	if (size > 0)
		memcpy(copy, key, size);
	fsp_cleanse(hmac->key, hmac->key_size);
	hmac->key = copy;
	hmac->key_size = size;
	hmac->keyed = true;
	hmac->pads_ready = false;
	return true;
}

/* ---- collecting a message ---- */

static bool can_collect(const struct hmac *hmac)
{
	const struct firesteel_capabilities *has = &hmac->mac.provider->capabilities;

	return has->hmac && has->digests & 1u << hmac->kind->digest &&
	       hmac->key_size <= hmac->kind->block;
}

/* false: it is too long, or there is no memory */
static bool collect(struct hmac *hmac, const uint8_t *in, size_t size)
{
	size_t wanted = hmac->pending_size + size;

	if (!hmac->is_whole || size > PENDING_MAX || wanted > PENDING_MAX)
		return false;
	if (wanted > hmac->pending_capacity) {
		size_t capacity = wanted < PENDING_MAX / 8 ? PENDING_MAX / 8 : PENDING_MAX;
		uint8_t *more = OPENSSL_clear_realloc(hmac->pending, hmac->pending_capacity,
						      capacity);

		if (!more)
			return false;
		hmac->pending = more;
		hmac->pending_capacity = capacity;
	}
	memcpy(hmac->pending + hmac->pending_size, in, size);
	hmac->pending_size = wanted;
	return true;
}

/* Nobody needs it any more, and it may be a secret: by the C library's memset(), as it is done with every
 * packet */
static void wipe_pending(struct hmac *hmac)
{
	if (hmac->pending_size > 0)
		firesteel_wipe(hmac->pending, hmac->pending_size);
	hmac->pending_size = 0;
}

/* As two hashes, then */
static void let_go(struct hmac *hmac)
{
	if (hmac->pending_size > 0)
		fsp_hash_update(&hmac->now, hmac->pending, hmac->pending_size);
	wipe_pending(hmac);
	hmac->is_whole = false;
}

/* On the core, if all of it was collected and that costs less.  Software has two blocks besides to hash:
 * the inner padding and the outer hash. */
static bool whole(struct hmac *hmac, uint8_t *out)
{
	size_t besides = hmac->mac.provider->settings.threshold[FSP_HMAC] == FSP_AUTO
				 ? 2 * hmac->kind->block
				 : 0;
	const struct firesteel_request request = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = hmac->kind->digest,
			  .hmac = true,
			  .key = { hmac->key, hmac->key_size },
			  .in = { hmac->pending, hmac->pending_size },
			  .digest = { out, hmac->kind->size } },
	};

	return hmac->is_whole && hmac->pending_size > 0 &&
	       fsp_policy_wants_size(hmac->mac.provider, FSP_TASK_HMAC,
				     hmac->pending_size + besides) &&
	       fsp_policy_run(hmac->mac.provider, FSP_TASK_HMAC, &request, hmac->pending_size) ==
		       FIRESTEEL_OK;
}

/* A message begins */
static int begin(struct hmac *hmac)
{
	fsp_mac_soft_end(&hmac->mac);
	if (!*hmac->mac.below)
		return fsp_failed(PROV_R_NO_KEY_SET);
	if (!hmac->keyed)
		return 1;
	if (!hmac->kind || hmac->tls_size)
		return soft_begin(hmac) || fsp_failed(PROV_R_INVALID_DIGEST);
	if (!hmac->pads_ready)
		precompute_pads(hmac);
	hmac->now = hmac->inner;
	wipe_pending(hmac);
	hmac->is_whole = can_collect(hmac);
	hmac->begun = true;
	return 1;
}

/* ---- parameters ---- */

static const OSSL_PARAM *settable_ctx(void *context, void *provider)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_DIGEST, NULL, 0),
		OSSL_PARAM_utf8_string(OSSL_MAC_PARAM_PROPERTIES, NULL, 0),
		OSSL_PARAM_octet_string(OSSL_MAC_PARAM_KEY, NULL, 0),
		OSSL_PARAM_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, NULL),
		OSSL_PARAM_END,
	};

	(void)context;
	(void)provider;
	return params;
}

/* By a usual name, as libcrypto writes it, without a look-up there; NULL: it may be an alias, or another
 * digest */
static const struct fsp_hash_kind *kind_named(const char *name)
{
	for (unsigned i = 0; i < FIRESTEEL_DIGESTS; i++) {
		const struct fsp_hash_kind *kind = &fsp_hash_kinds[i];

		if (strcmp(name, kind->name) == 0 || strcmp(name, kind->standard) == 0)
			return kind;
	}
	return NULL;
}

/* Whether there is such a digest; NULL for its kind: software's */
static bool find_kind(const struct hmac *hmac, const char *name, const struct fsp_hash_kind **kind)
{
	EVP_MD *digest;

	*kind = kind_named(name);
	if (*kind)
		return true;
	digest = EVP_MD_fetch(hmac->mac.provider->library, name, FSP_SOFTWARE);
	for (unsigned i = 0; digest && i < FIRESTEEL_DIGESTS && !*kind; i++)
		if (EVP_MD_is_a(digest, fsp_hash_kinds[i].name))
			*kind = &fsp_hash_kinds[i];
	EVP_MD_free(digest);
	return digest;
}

static bool take_digest(struct hmac *hmac, const OSSL_PARAM *param)
{
	const struct fsp_hash_kind *kind;
	char name[FSP_MAC_NAME];

	if (!param)
		return true;
	if (!fsp_mac_take_name(param, name))
		return fsp_failed(PROV_R_INVALID_DIGEST);
	if (strcmp(name, hmac->mac.below) == 0)
		return true;
	if (!find_kind(hmac, name, &kind))
		return fsp_failed(PROV_R_INVALID_DIGEST);
	memcpy(hmac->mac.below, name, sizeof(name));
	hmac->kind = kind;
	hmac->pads_ready = false;
	return true;
}

static bool same_key(const struct hmac *hmac, const uint8_t *key, size_t size)
{
	return hmac->keyed && hmac->key_size == size && CRYPTO_memcmp(hmac->key, key, size) == 0;
}

static bool take_key(struct hmac *hmac, const OSSL_PARAM *param)
{
	if (!param)
		return true;
	if (param->data_type != OSSL_PARAM_OCTET_STRING || (!param->data && param->data_size))
		return fsp_failed(PROV_R_INVALID_KEY);
	return same_key(hmac, param->data, param->data_size) ||
	       copy_key(hmac, param->data, param->data_size) || fsp_failed(PROV_R_INVALID_KEY);
}

static bool take_tls_size(struct hmac *hmac, const OSSL_PARAM *param)
{
	return !param || OSSL_PARAM_get_size_t(param, &hmac->tls_size);
}

static int set_ctx(void *context, const OSSL_PARAM params[])
{
	struct hmac *hmac = context;
	const OSSL_PARAM *digest, *key, *tls_size;

	if (!params)
		return 1;
	digest = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_DIGEST);
	key = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_KEY);
	tls_size = OSSL_PARAM_locate_const(params, OSSL_MAC_PARAM_TLS_DATA_SIZE);
	if (!take_digest(hmac, digest) || !take_key(hmac, key) || !take_tls_size(hmac, tls_size))
		return 0;
	return !(digest || key || tls_size) || !*hmac->mac.below || begin(hmac);
}

static int get_ctx(void *context, OSSL_PARAM params[])
{
	struct hmac *hmac = context;
	OSSL_PARAM *size = OSSL_PARAM_locate(params, OSSL_MAC_PARAM_SIZE);
	OSSL_PARAM *block = OSSL_PARAM_locate(params, OSSL_MAC_PARAM_BLOCK_SIZE);
	EVP_MD *digest;
	bool good;

	if (!size && !block)
		return 1;
	/* Asked for with every message: no time for a fetch */
	if (hmac->kind)
		return (!size || OSSL_PARAM_set_size_t(size, hmac->kind->size)) &&
		       (!block || OSSL_PARAM_set_size_t(block, hmac->kind->block));
	if (!*hmac->mac.below)
		return (!size || OSSL_PARAM_set_size_t(size, 0)) &&
		       (!block || OSSL_PARAM_set_size_t(block, 0));
	digest = EVP_MD_fetch(hmac->mac.provider->library, hmac->mac.below, FSP_SOFTWARE);
	good = digest && (!size || OSSL_PARAM_set_size_t(size, (size_t)EVP_MD_get_size(digest))) &&
	       (!block || OSSL_PARAM_set_size_t(block, (size_t)EVP_MD_get_block_size(digest)));
	EVP_MD_free(digest);
	return good;
}

/* ---- messages ---- */

static int init(void *context, const unsigned char *key, size_t size, const OSSL_PARAM params[])
{
	struct hmac *hmac = context;

	if (!set_ctx(hmac, params))
		return 0;
	if (!key)
		return hmac->keyed ? begin(hmac) : fsp_failed(PROV_R_NO_KEY_SET);
	return (same_key(hmac, key, size) || copy_key(hmac, key, size)) && begin(hmac);
}

/* Not after its end, nor after parameters of which some were refused */
static bool ready(const struct hmac *hmac)
{
	return (hmac->begun && hmac->kind && hmac->pads_ready) || fsp_failed(PROV_R_NO_KEY_SET);
}

static int update(void *context, const unsigned char *in, size_t size)
{
	struct hmac *hmac = context;

	if (hmac->mac.soft)
		return EVP_MAC_update(hmac->mac.soft, in, size);
	if (!ready(hmac))
		return 0;
	if (size == 0 || collect(hmac, in, size))
		return 1;
	let_go(hmac);
	fsp_hash_update(&hmac->now, in, size);
	return 1;
}

/* What was collected, after the rest, and the outer hash */
static void two_hashes(struct hmac *hmac, uint8_t *out)
{
	uint8_t inner[FSP_HASH_SIZE_MAX];

	/* The core has had its turn */
	if (hmac->pending_size > 0)
		hmac->kind->update(&hmac->now, hmac->pending, hmac->pending_size);
	fsp_hash_final(&hmac->now, inner);
	hmac->now = hmac->outer;
	hmac->kind->update(&hmac->now, inner, hmac->kind->size);
	fsp_hash_final(&hmac->now, out);
	firesteel_wipe(inner, sizeof(inner));
}

static int final(void *context, unsigned char *out, size_t *out_size, size_t capacity)
{
	struct hmac *hmac = context;

	if (hmac->mac.soft)
		return EVP_MAC_final(hmac->mac.soft, out, out_size, capacity);
	if (!ready(hmac) || !fsp_fits(capacity, hmac->kind->size))
		return 0;
	*out_size = hmac->kind->size;
	if (!whole(hmac, out))
		two_hashes(hmac, out);
	wipe_pending(hmac);
	hmac->begun = false;
	return 1;
}

const OSSL_DISPATCH fsp_hmac[] = {
	FSP_MAC_FUNCTION(NEWCTX, new_hmac),
	FSP_MAC_FUNCTION(FREECTX, free_hmac),
	FSP_MAC_FUNCTION(DUPCTX, dup_hmac),
	FSP_MAC_FUNCTION(INIT, init),
	FSP_MAC_FUNCTION(UPDATE, update),
	FSP_MAC_FUNCTION(FINAL, final),
	FSP_MAC_FUNCTION(GET_CTX_PARAMS, get_ctx),
	FSP_MAC_FUNCTION(SET_CTX_PARAMS, set_ctx),
	FSP_MAC_FUNCTION(GETTABLE_CTX_PARAMS, fsp_mac_gettable_ctx),
	FSP_MAC_FUNCTION(SETTABLE_CTX_PARAMS, settable_ctx),
	{ 0, NULL },
};
