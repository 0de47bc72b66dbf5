// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CBC with HMAC, as IPsec has it: encrypt, then authenticate.
 *
 * With a hash core both are done by one chain of messages: encrypting, the hash reads what AES
 * has written.  That asks of CryptoMaster not to read a message's data before the output of the
 * one before it is in memory, which no public source tells: an assumption (docs/driver.md).
 * Without a hash core the processor computes the MAC: decrypting before the core begins, so that
 * it works while the core decrypts other packets, encrypting after the core has ended.
 */
#include <crypto/authenc.h>
#include <crypto/hash.h>
#include <crypto/internal/aead.h>
#include <crypto/scatterwalk.h>
#include <crypto/sha1.h>
#include <crypto/sha2.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>

#include "request.h"
#include "silex/ba411.h"
#include "silex/ba413.h"

#define HASH_KEY (SILEX_ENGINE_HASH | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY))

struct authenc_context {
	struct firesteel_context common;
	struct crypto_aead *fallback;
	struct crypto_ahash *mac; /* on the processor */
	bool hashes; /* the device has a hash core, and the key fits */
	unsigned int mac_key_size;
	u8 mac_key[sizeof_field(struct firesteel_arena, mac_key)];
};

struct authenc_state {
	bool decrypt;
	u8 digest[SHA512_DIGEST_SIZE];
	struct scatterlist payload[2];
	/* one of both, the last: longer than they look */
	union {
		struct aead_request fallback;
		struct ahash_request mac;
	};
};

struct firesteel_authenc_form {
	const char *mac;
	u32 hash; /* SILEX_HASH_ALG_* */
	unsigned int digest;
};

static struct firesteel_algorithm *algorithm_of(struct crypto_aead *transform)
{
	return container_of(crypto_aead_alg(transform), struct firesteel_algorithm, api.aead);
}

static struct authenc_context *context_of(struct aead_request *request)
{
	return crypto_aead_ctx(crypto_aead_reqtfm(request));
}

static unsigned int tag_size(struct aead_request *request)
{
	return crypto_aead_authsize(crypto_aead_reqtfm(request));
}

static unsigned int payload_size(struct aead_request *request, bool decrypt)
{
	return request->cryptlen - (decrypt ? tag_size(request) : 0);
}

/* ---- software ---- */

static int run_fallback(struct aead_request *request)
{
	struct authenc_state *state = aead_request_ctx(request);
	struct aead_request *fallback = &state->fallback;

	aead_request_set_tfm(fallback, context_of(request)->fallback);
	aead_request_set_callback(fallback, request->base.flags, request->base.complete,
				  request->base.data);
	aead_request_set_crypt(fallback, request->src, request->dst, request->cryptlen,
			       request->iv);
	aead_request_set_ad(fallback, request->assoclen);
	return state->decrypt ? crypto_aead_decrypt(fallback) : crypto_aead_encrypt(fallback);
}

/* The MAC of associated data, which are in the source, and of ciphertext */
static int compute_mac(struct aead_request *request, struct scatterlist *ciphertext)
{
	struct authenc_state *state = aead_request_ctx(request);
	unsigned int size = payload_size(request, state->decrypt);
	struct ahash_request *mac = &state->mac;

	ahash_request_set_tfm(mac, context_of(request)->mac);
	ahash_request_set_callback(mac, 0, NULL, NULL);
	if (request->src == ciphertext) {
		ahash_request_set_crypt(mac, ciphertext, state->digest, request->assoclen + size);
		return crypto_ahash_digest(mac);
	}
	ahash_request_set_crypt(mac, request->src, NULL, request->assoclen);
	if (crypto_ahash_init(mac) || crypto_ahash_update(mac))
		return -EINVAL;
	ciphertext = scatterwalk_ffwd(state->payload, ciphertext, request->assoclen);
	ahash_request_set_crypt(mac, ciphertext, state->digest, size);
	return crypto_ahash_finup(mac);
}

/* ---- putting a job together ---- */

static void put_cipher(struct aead_request *request, struct firesteel_job *job, bool decrypt)
{
	unsigned int size = payload_size(request, decrypt);

	firesteel_request_configure(&context_of(request)->common, job, decrypt);
	memcpy(job->arena->iv, request->iv, FIRESTEEL_BLOCK);
	firesteel_job_fetch_arena(job, iv, FIRESTEEL_BLOCK, FIRESTEEL_AES_CONFIG(SILEX_AES_IV));
	firesteel_job_fetch_list(job, request->assoclen, size, SILEX_ENGINE_AES);
	firesteel_job_fetch_end(job, size, FIRESTEEL_BLOCK, SILEX_ENGINE_AES | SILEX_TAG_LAST);
	firesteel_job_push_list(job, request->assoclen, size);
}

static void put_mac_key(struct authenc_context *context, struct firesteel_job *job)
{
	const struct firesteel_authenc_form *form = context->common.algorithm->authenc;
	struct firesteel_arena *arena = job->arena;

	arena->hash_word = cpu_to_le32(form->hash | SILEX_HASH_HMAC | SILEX_HASH_PAD |
				       SILEX_HASH_FINAL);
	memcpy(arena->mac_key, context->mac_key, context->mac_key_size);
	firesteel_job_fetch_arena(job, hash_word, sizeof(arena->hash_word),
				  SILEX_ENGINE_HASH | SILEX_TAG_CONFIG);
	if (context->mac_key_size)
		firesteel_job_fetch(job, job->address + offsetof(struct firesteel_arena, mac_key),
				    context->mac_key_size, 0, HASH_KEY);
	firesteel_job_fetch_end(job, context->mac_key_size, SILEX_HASH_WORD,
				HASH_KEY | SILEX_TAG_LAST);
}

/* Encrypting, the tag goes to its place; decrypting, it is looked at */
static void put_mac(struct aead_request *request, struct firesteel_job *job, bool decrypt)
{
	struct authenc_context *context = context_of(request);
	unsigned int digest = context->common.algorithm->authenc->digest;
	unsigned int size = payload_size(request, decrypt), tag = tag_size(request);

	put_mac_key(context, job);
	firesteel_job_fetch_list(job, 0, request->assoclen, SILEX_ENGINE_HASH);
	if (decrypt)
		firesteel_job_fetch_list(job, request->assoclen, size, SILEX_ENGINE_HASH);
	else
		firesteel_job_fetch_output(job, request->assoclen, size, SILEX_ENGINE_HASH);
	firesteel_job_fetch_end(job, request->assoclen + size, SILEX_HASH_WORD,
				SILEX_ENGINE_HASH | SILEX_TAG_LAST);
	if (decrypt) {
		firesteel_job_push_arena(job, digest, digest);
		return;
	}
	firesteel_job_push_list(job, request->assoclen + size, tag);
	firesteel_job_push_discard(job, digest - tag);
}

static bool build(struct aead_request *request, struct firesteel_job *job, bool decrypt)
{
	bool hashes = context_of(request)->hashes;
	unsigned int end = request->assoclen + payload_size(request, decrypt);

	if (!firesteel_job_map(job, request->src, end, request->dst,
			       end + (decrypt ? 0 : tag_size(request))))
		return false;
	if (hashes && decrypt)
		put_mac(request, job, decrypt);
	put_cipher(request, job, decrypt);
	if (hashes && !decrypt)
		put_mac(request, job, decrypt);
	if (firesteel_job_close(job))
		return true;
	firesteel_job_unmap(job);
	return false;
}

/* ---- requests ---- */

/* Whether a digest is the tag that came */
static bool is_authentic(struct aead_request *request, const u8 *digest)
{
	unsigned int end = request->assoclen + payload_size(request, true);
	u8 tag[SHA512_DIGEST_SIZE];

	scatterwalk_map_and_copy(tag, request->src, end, tag_size(request), 0);
	return !crypto_memneq(tag, digest, tag_size(request));
}

static int append_mac(struct aead_request *request)
{
	struct authenc_state *state = aead_request_ctx(request);
	int err = compute_mac(request, request->dst);

	if (!err)
		scatterwalk_map_and_copy(state->digest, request->dst,
					 request->assoclen + request->cryptlen, tag_size(request),
					 1);
	return err;
}

static int finish(struct firesteel_job *job, enum firesteel_fault fault)
{
	struct aead_request *request = container_of(job->request, struct aead_request, base);
	struct authenc_context *context = context_of(request);
	struct authenc_state *state = aead_request_ctx(request);
	int result = 0;

	if (!firesteel_request_ended(&context->common, job, fault))
		return firesteel_fallback_result(run_fallback(request));
	if (context->hashes && state->decrypt && !is_authentic(request, job->arena->digest))
		result = -EBADMSG;
	firesteel_queue_give(job);
	if (!context->hashes && !state->decrypt)
		result = append_mac(request);
	return result;
}

static int submit(struct aead_request *request, struct firesteel_job *job, bool decrypt)
{
	struct authenc_context *context = context_of(request);
	struct authenc_state *state = aead_request_ctx(request);
	int err;

	if (decrypt && !context->hashes) {
		err = compute_mac(request, request->src);
		if (!err && !is_authentic(request, state->digest))
			err = -EBADMSG;
		if (err) {
			firesteel_job_unmap(job);
			firesteel_queue_give(job);
			return err;
		}
	}
	job->request = &request->base;
	job->finish = finish;
	job->bytes = payload_size(request, decrypt) * (context->hashes ? 2 : 1);
	return firesteel_queue_submit(job, true);
}

static int run(struct aead_request *request, bool decrypt)
{
	struct authenc_context *context = context_of(request);
	struct authenc_state *state = aead_request_ctx(request);
	struct firesteel_job *job;
	unsigned int size;

	if (decrypt && request->cryptlen < tag_size(request))
		return -EINVAL;
	size = payload_size(request, decrypt);
	if (size % FIRESTEEL_BLOCK)
		return -EINVAL;
	state->decrypt = decrypt;
	job = firesteel_request_begin(&context->common, size);
	if (!job)
		return run_fallback(request);
	if (!size || !build(request, job, decrypt)) {
		firesteel_request_cancel(&context->common, job, size);
		return run_fallback(request);
	}
	return submit(request, job, decrypt);
}

static int encrypt(struct aead_request *request)
{
	return run(request, false);
}

static int decrypt(struct aead_request *request)
{
	return run(request, true);
}

/* ---- transforms ---- */

static bool has_hash_core(const struct authenc_context *context)
{
	const struct firesteel_device *device = context->common.device;
	u32 needed = SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC |
		     context->common.algorithm->authenc->hash;

	return device && device->presence & SILEX_PRESENCE_HASH &&
	       (device->hash_caps & needed) == needed;
}

static void keep_keys(struct authenc_context *context, const struct crypto_authenc_keys *keys)
{
	context->common.key_size = keys->enckeylen;
	memcpy(context->common.key, keys->enckey, keys->enckeylen);
	context->hashes = has_hash_core(context) && keys->authkeylen <= sizeof(context->mac_key);
	if (!context->hashes)
		return;
	context->mac_key_size = keys->authkeylen;
	memcpy(context->mac_key, keys->authkey, keys->authkeylen);
}

static int set_key(struct crypto_aead *transform, const u8 *key, unsigned int size)
{
	struct authenc_context *context = crypto_aead_ctx(transform);
	struct crypto_authenc_keys keys;
	int err = crypto_authenc_extractkeys(&keys, key, size);

	if (!err && keys.enckeylen != 16 && keys.enckeylen != 24 && keys.enckeylen != 32)
		err = -EINVAL;
	if (!err) {
		crypto_aead_clear_flags(context->fallback, CRYPTO_TFM_REQ_MASK);
		crypto_aead_set_flags(context->fallback,
				      crypto_aead_get_flags(transform) & CRYPTO_TFM_REQ_MASK);
		err = crypto_aead_setkey(context->fallback, key, size);
	}
	if (!err)
		err = crypto_ahash_setkey(context->mac, keys.authkey, keys.authkeylen);
	if (!err)
		keep_keys(context, &keys);
	memzero_explicit(&keys, sizeof(keys));
	return err;
}

static int set_tag_size(struct crypto_aead *transform, unsigned int size)
{
	struct authenc_context *context = crypto_aead_ctx(transform);

	return crypto_aead_setauthsize(context->fallback, size);
}

static int open_transform(struct crypto_aead *transform)
{
	struct authenc_context *context = crypto_aead_ctx(transform);
	struct firesteel_algorithm *algorithm = algorithm_of(transform);

	context->fallback = crypto_alloc_aead(firesteel_algorithm_name(algorithm), 0,
					      CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	context->mac = crypto_alloc_ahash(algorithm->authenc->mac, 0,
					  CRYPTO_ALG_NEED_FALLBACK | CRYPTO_ALG_ASYNC);
	if (IS_ERR(context->mac)) {
		crypto_free_aead(context->fallback);
		return PTR_ERR(context->mac);
	}
	crypto_aead_set_reqsize(transform, sizeof(struct authenc_state) +
						   max(crypto_aead_reqsize(context->fallback),
						       crypto_ahash_reqsize(context->mac)));
	firesteel_context_open(&context->common, algorithm);
	return 0;
}

static void close_transform(struct crypto_aead *transform)
{
	struct authenc_context *context = crypto_aead_ctx(transform);

	crypto_free_aead(context->fallback);
	crypto_free_ahash(context->mac);
	firesteel_context_close(&context->common);
	memzero_explicit(context->mac_key, sizeof(context->mac_key));
}

/* As RTA has them: rtattr with the length of the AES key, MAC key, AES key */
int firesteel_authenc_trial_key(struct crypto_aead *transform, const u8 *key)
{
	struct {
		struct rtattr attribute;
		__be32 aes;
		u8 keys[20 + 32];
	} __packed packed = {
		.attribute = { .rta_len = RTA_LENGTH(sizeof(__be32)),
			       .rta_type = CRYPTO_AUTHENC_KEYA_PARAM },
		.aes = cpu_to_be32(32),
	};

	memcpy(packed.keys, key, sizeof(packed.keys));
	return crypto_aead_setkey(transform, (u8 *)&packed, sizeof(packed));
}

#define AES_KEYS (SILEX_AES_CAPS_KEY_128 | SILEX_AES_CAPS_KEY_192 | SILEX_AES_CAPS_KEY_256)

#define AUTHENC(name, hash_bit, size) \
	{                                                                                     \
		.kind = FIRESTEEL_AEAD,                                                       \
		.need = { .presence = SILEX_PRESENCE_AES,                                     \
			  .aes_caps = AES_KEYS | SILEX_AES_MODE_CBC >> 8 },                   \
		.mode = SILEX_AES_MODE_CBC,                                                   \
		.authenc = &(const struct firesteel_authenc_form){ "hmac(" name ")", hash_bit, \
								   size },                    \
		.api.aead = {                                                                 \
			.base = {                                                             \
				.cra_name = "authenc(hmac(" name "),cbc(aes))",               \
				.cra_driver_name = "authenc-hmac-" name "-cbc-aes-firesteel", \
				.cra_priority = FIRESTEEL_PRIORITY,                           \
				.cra_flags = FIRESTEEL_FLAGS,                                 \
				.cra_blocksize = FIRESTEEL_BLOCK,                             \
				.cra_ctxsize = sizeof(struct authenc_context),                \
				.cra_module = THIS_MODULE,                                    \
			},                                                                    \
			.ivsize = FIRESTEEL_BLOCK,                                            \
			.maxauthsize = size,                                                  \
			.setkey = set_key,                                                    \
			.setauthsize = set_tag_size,                                          \
			.encrypt = encrypt,                                                   \
			.decrypt = decrypt,                                                   \
			.init = open_transform,                                               \
			.exit = close_transform,                                              \
		},                                                                            \
	}

struct firesteel_algorithm firesteel_authencs[] = {
	AUTHENC("sha1", SILEX_HASH_ALG_SHA1, SHA1_DIGEST_SIZE),
	AUTHENC("sha256", SILEX_HASH_ALG_SHA256, SHA256_DIGEST_SIZE),
	AUTHENC("sha384", SILEX_HASH_ALG_SHA384, SHA384_DIGEST_SIZE),
	AUTHENC("sha512", SILEX_HASH_ALG_SHA512, SHA512_DIGEST_SIZE),
};

const unsigned int firesteel_authenc_count = ARRAY_SIZE(firesteel_authencs);
