/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/policy.h"

/* ---- contexts ---- */

void *fsp_aead_new(void *provider, const struct fsp_cipher_kind *kind)
{
	struct fsp_aead *aead = OPENSSL_zalloc(sizeof(*aead));

	if (!aead)
		return NULL;
	aead->provider = provider;
	aead->kind = kind;
	aead->rows = kind->mode == FIRESTEEL_GCM ? fsp_gcm_rows : fsp_ccm_rows;
	/* As the default provider's: CCM begins with a nonce of 7 bytes and a tag of 12 */
	aead->iv_size = kind->mode == FIRESTEEL_CCM ? 7 : 12;
	aead->tag_size = kind->mode == FIRESTEEL_CCM ? 12 : FSP_TAG;
	return aead;
}

void fsp_aead_free(void *context)
{
	struct fsp_aead *aead = context;

	if (!aead)
		return;
	fsp_policy_small(aead->provider, aead->kind->task, &aead->small);
	fsp_soft_close(&aead->soft);
	fsp_cleanse(aead->aad, aead->aad_capacity);
	fsp_cleanse(aead->saved, aead->saved_capacity);
	fsp_cleanse(aead, sizeof(*aead));
}

void fsp_aead_set_direction(struct fsp_aead *aead, bool decrypt)
{
	if (decrypt == aead->decrypt)
		return;
	aead->decrypt = decrypt;
	aead->soft.keyed = false;
	/* A tag to compare with is none to return, nor the other way round */
	aead->has_tag = false;
	fsp_aead_step(aead, FSP_ON_DIRECTION);
}

bool fsp_aead_set_key(struct fsp_aead *aead, const uint8_t *key, size_t size)
{
	if (size != aead->kind->key_size)
		return fsp_failed(PROV_R_INVALID_KEY_LENGTH);
	memcpy(aead->key, key, size);
	aead->keyed = true;
	aead->soft.keyed = false;
	return fsp_aead_step(aead, FSP_ON_KEY);
}

static bool copy_bytes(uint8_t **to, const uint8_t *from, size_t capacity)
{
	*to = from ? OPENSSL_memdup(from, capacity) : NULL;
	return !from || *to;
}

void *fsp_aead_dup(void *context)
{
	const struct fsp_aead *from = context;
	struct fsp_aead *to = OPENSSL_memdup(from, sizeof(*from));
	bool good;

	if (!to)
		return NULL;
	to->small = 0;
	good = fsp_soft_dup(&to->soft);
	good &= copy_bytes(&to->aad, from->aad, from->aad_capacity);
	good &= copy_bytes(&to->saved, from->saved, from->saved_capacity);
	if (good)
		return to;
	fsp_aead_free(to);
	return NULL;
}

/* Not inline: its registers would be saved for each message */
__attribute__((noinline)) static bool grow(uint8_t **bytes, size_t *capacity, size_t used,
					   size_t wanted)
{
	uint8_t *more;

	wanted = (wanted + 255) / 256 * 256;
	more = OPENSSL_malloc(wanted);
	if (!more)
		return false;
	if (used > 0)
		memcpy(more, *bytes, used);
	fsp_cleanse(*bytes, *capacity);
	*bytes = more;
	*capacity = wanted;
	return true;
}

/* Room for so many bytes, of which the first `used` are kept; mostly it is there already */
static inline bool make_room(uint8_t **bytes, size_t *capacity, size_t used, size_t wanted)
{
	return wanted <= *capacity || grow(bytes, capacity, used, wanted);
}

/* ---- the core ---- */

/* A tag that is already set belongs to another message: OpenVPN sets it after the payload */
static bool tag_comes_later(const struct fsp_aead *aead)
{
	return aead->kind->mode == FIRESTEEL_GCM && aead->decrypt && !aead->tag_is_this;
}

static bool fit(const struct fsp_aead *aead, size_t size)
{
	if (size > FSP_PAYLOAD_MAX || aead->aad_size > FIRESTEEL_AAD_MAX)
		return false;
	if (tag_comes_later(aead))
		return aead->iv_size == FIRESTEEL_GCM_IV;
	if (aead->decrypt && !aead->has_tag)
		return false;
	if (aead->kind->mode == FIRESTEEL_GCM)
		return aead->iv_size == FIRESTEEL_GCM_IV && aead->tag_size >= FIRESTEEL_GCM_TAG_MIN;
	return true;
}

/* A packet of OpenSSH is a little longer than what the core takes at once */
static int run_parts(struct fsp_aead *aead, struct firesteel_request *request,
		     struct firesteel_cipher_context *context)
{
	struct firesteel_cipher *cipher = &request->cipher;
	int error = FIRESTEEL_OK;

	if (cipher->in.size > FIRESTEEL_WHOLE)
		cipher->context = context;
	for (size_t left = cipher->in.size; !error && left > 0; left -= cipher->in.size) {
		cipher->more = left > FIRESTEEL_WHOLE;
		cipher->in.size = cipher->more ? FIRESTEEL_WHOLE : left;
		cipher->out.size = cipher->in.size;
		error = fsp_policy_run(aead->provider, aead->kind->task, request, cipher->in.size);
		cipher->in.data += cipher->in.size;
		cipher->out.data += cipher->out.size;
		cipher->aad = (struct firesteel_bytes){ NULL, 0 };
	}
	firesteel_wipe(context, sizeof(*context));
	return error;
}

static int run(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	struct firesteel_cipher_context context = { .begun = false };
	struct firesteel_request request = {
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = aead->kind->mode,
			    .decrypt = aead->decrypt,
			    .key = { aead->key, aead->kind->key_size },
			    .iv = { aead->nonce, aead->iv_size },
			    .aad = { aead->aad, aead->aad_size },
			    .in = { in, size },
			    .out = { out, size },
			    .tag = { aead->tag, aead->decrypt ? 0 : aead->tag_size },
			    .expected = { aead->tag, aead->decrypt ? aead->tag_size : 0 },
			    .total = size },
	};

	if (tag_comes_later(aead)) {
		request.cipher.tag = (struct firesteel_output){ aead->computed, FSP_TAG };
		request.cipher.expected = (struct firesteel_bytes){ NULL, 0 };
	}
	return run_parts(aead, &request, &context);
}

bool fsp_aead_wanted(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	if (!fit(aead, size)) {
		fsp_policy_unfit(aead->provider, aead->kind->task);
		return false;
	}
	if (!make_room(&aead->saved, &aead->saved_capacity, 0, size))
		return false;
	memcpy(aead->saved, in, size);
	if (run(aead, out, in, size) != FIRESTEEL_OK) {
		if (in == out)
			memcpy(out, aead->saved, size);
		return false;
	}
	aead->saved_size = size;
	aead->has_tag = aead->has_tag || !aead->decrypt;
	aead->has_computed = tag_comes_later(aead);
	return fsp_aead_step(aead, FSP_ON_CORE);
}

bool fsp_aead_core_end(const struct fsp_aead *aead)
{
	return !aead->has_computed || CRYPTO_memcmp(aead->computed, aead->tag, aead->tag_size) == 0;
}

/* ---- software ---- */

/* With the nonce; NULL for the key keeps it */
static bool soft_init(struct fsp_aead *aead, const uint8_t *key)
{
	return fsp_soft_init(&aead->soft, aead->decrypt, key, aead->kind->key_size, aead->nonce,
			     aead->iv_size, NULL);
}

/* CCM needs everything before it begins, and sizes before the key */
static bool soft_ccm(struct fsp_aead *aead)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_size_t(OSSL_CIPHER_PARAM_AEAD_IVLEN, &aead->iv_size),
		/* Its length, and for decryption what to compare with */
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG,
					aead->decrypt ? aead->tag : NULL, aead->tag_size),
		OSSL_PARAM_END,
	};

	return fsp_soft_init(&aead->soft, aead->decrypt, NULL, 0, NULL, 0, params) &&
	       soft_init(aead, aead->key) &&
	       fsp_soft_update(&aead->soft, NULL, NULL, (size_t)aead->total);
}

static bool soft_gcm(struct fsp_aead *aead)
{
	aead->soft.keyed = soft_init(aead, aead->soft.keyed ? NULL : aead->key);
	return aead->soft.keyed;
}

/* What the core has done already */
static bool soft_again(struct fsp_aead *aead)
{
	uint8_t *scrap;
	bool good;

	if (aead->saved_size == 0)
		return true;
	scrap = OPENSSL_malloc(aead->saved_size);
	good = scrap && fsp_soft_update(&aead->soft, scrap, aead->saved, aead->saved_size);
	fsp_cleanse(scrap, aead->saved_size);
	aead->saved_size = 0;
	return good;
}

bool fsp_aead_soft_begin(struct fsp_aead *aead)
{
	bool good = fsp_soft_open(&aead->soft, aead->provider, aead->kind) &&
		    (aead->kind->mode == FIRESTEEL_CCM ? soft_ccm(aead) : soft_gcm(aead)) &&
		    (aead->aad_size == 0 ||
		     fsp_soft_update(&aead->soft, NULL, aead->aad, aead->aad_size)) &&
		    soft_again(aead);

	return (good && fsp_aead_step(aead, FSP_ON_SOFTWARE)) ||
	       fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
}

bool fsp_aead_soft_update(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size)
{
	return fsp_soft_update(&aead->soft, out, in, size) ||
	       fsp_failed(PROV_R_CIPHER_OPERATION_FAILED);
}

bool fsp_aead_no_tag(void)
{
	return OPENSSL_VERSION_MAJOR >= 4 && fsp_failed(PROV_R_TAG_NOT_SET);
}

bool fsp_aead_soft_end(struct fsp_aead *aead)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_octet_string(OSSL_CIPHER_PARAM_AEAD_TAG, aead->tag, aead->tag_size),
		OSSL_PARAM_END,
	};
	uint8_t nothing[FSP_BLOCK];
	size_t got;

	if (aead->decrypt && aead->kind->mode == FIRESTEEL_GCM &&
	    !aead->soft.software->set(aead->soft.context, params))
		return fsp_failed(PROV_R_TAG_NOT_SET);
	if (!aead->soft.software->final(aead->soft.context, nothing, &got, sizeof(nothing)))
		return false;
	if (aead->decrypt)
		return true;
	aead->has_tag = aead->soft.software->get(aead->soft.context, params);
	return aead->has_tag;
}

/* ---- associated data ---- */

bool fsp_aead_collect(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (size > FIRESTEEL_AAD_MAX - aead->aad_size ||
	    !make_room(&aead->aad, &aead->aad_capacity, aead->aad_size, aead->aad_size + size))
		return false;
	memcpy(aead->aad + aead->aad_size, in, size);
	aead->aad_size += size;
	return true;
}

static bool soft_aad(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	if (aead->state == FSP_OPEN)
		fsp_policy_unfit(aead->provider, aead->kind->task);
	if (aead->state != FSP_IN_SOFTWARE && !fsp_aead_soft_begin(aead))
		return false;
	return fsp_aead_soft_update(aead, NULL, in, size);
}

bool fsp_aead_aad(struct fsp_aead *aead, const uint8_t *in, size_t size)
{
	return (aead->state == FSP_OPEN && fsp_aead_collect(aead, in, size)) ||
	       soft_aad(aead, in, size);
}
