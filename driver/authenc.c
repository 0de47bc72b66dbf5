// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CBC with HMAC, as IPsec has it, and XTS with HMAC, as disks have it: encrypt, then authenticate.
 *
 * With a hash core both are done by one chain of messages: encrypting, the hash reads what AES
 * has written.  That requires CryptoMaster not to read a message's data before the output of the
 * previous one is in memory, which no public source states: an assumption (docs/driver.md).
 * Without a hash core the processor computes the MAC: decrypting before the core begins, so that
 * it works while the core decrypts other packets, encrypting after the core has ended.
 */
#include <crypto/authenc.h>
#include <crypto/hash.h>
#include <crypto/internal/aead.h>
#include <crypto/scatterwalk.h>
#include <linux/rtnetlink.h>

#include "aead-common.h"
#include "compat.h"

struct authenc_context {
	struct firesteel_context common;
	struct crypto_aead *fallback;
	struct crypto_ahash *mac; /* on the processor; NULL: there is no MAC */
	bool hashes; /* the device has a hash core, and the key fits */
};

struct authenc_state {
	struct firesteel_ticket ticket; /* the first */
	bool decrypt;
	u8 digest[SHA512_DIGEST_SIZE]; /* computed, by the processor or by the core */
	u8 tag[SHA512_DIGEST_SIZE]; /* received */
	struct scatterlist payload[2];
	/* one of the two, the last: of variable length */
	union {
		struct aead_request fallback;
		struct ahash_request mac;
	};
};

struct firesteel_authenc_form {
	const char *mac; /* NULL: there is none */
	u32 hash; /* SILEX_HASH_ALG_* */
	unsigned int digest;
};

static struct firesteel_algorithm *authenc_algorithm_of(struct crypto_aead *transform)
{
	return container_of(crypto_aead_alg(transform), struct firesteel_algorithm, api.aead);
}

static struct authenc_context *authenc_context_of(struct aead_request *request)
{
	return crypto_aead_ctx(crypto_aead_reqtfm(request));
}

static unsigned int authenc_tag_size(struct aead_request *request)
{
	return crypto_aead_authsize(crypto_aead_reqtfm(request));
}

static unsigned int authenc_payload_size(struct aead_request *request, bool decrypt)
{
	return request->cryptlen - (decrypt ? authenc_tag_size(request) : 0);
}

/* ---- software ---- */

static int authenc_software(struct crypto_async_request *base)
{
	struct aead_request *request = aead_request_cast(base);
	struct authenc_state *state = aead_request_ctx(request);

	return firesteel_aead_software(request, authenc_context_of(request)->fallback,
				       &state->fallback, state->decrypt);
}

/* The MAC of associated data, which are in the source, and of ciphertext */
static int authenc_compute_mac(struct aead_request *request, struct scatterlist *ciphertext)
{
	struct authenc_state *state = aead_request_ctx(request);
	unsigned int size = authenc_payload_size(request, state->decrypt);
	struct ahash_request *mac = &state->mac;

	ahash_request_set_tfm(mac, authenc_context_of(request)->mac);
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

/* ---- building a command ---- */

static void authenc_put_cipher(struct aead_request *request, struct firesteel_cmd *cmd,
			       bool decrypt)
{
	const struct firesteel_context *context = &authenc_context_of(request)->common;

	firesteel_cmd_cipher(cmd, firesteel_context_aes_word(context, decrypt), context->key_size,
			     request->iv, request->assoclen,
			     authenc_payload_size(request, decrypt));
}

/* Encryption writes the tag to its place; decryption checks it */
static void authenc_put_mac(struct aead_request *request, struct firesteel_cmd *cmd, bool decrypt)
{
	struct authenc_context *context = authenc_context_of(request);
	const struct authenc_state *state = aead_request_ctx(request);
	unsigned int digest = context->common.algorithm->authenc->digest;
	unsigned int size = authenc_payload_size(request, decrypt), tag = authenc_tag_size(request);

	firesteel_cmd_configure_hash(cmd, context->common.algorithm->authenc->hash, true,
				     context->common.mac_key_size);
	firesteel_cmd_fetch_list(cmd, 0, request->assoclen, SILEX_ENGINE_HASH);
	if (decrypt)
		firesteel_cmd_fetch_list(cmd, request->assoclen, size, SILEX_ENGINE_HASH);
	else
		firesteel_cmd_fetch_output(cmd, request->assoclen, size, SILEX_ENGINE_HASH);
	firesteel_cmd_end_item(cmd, request->assoclen + size, SILEX_HASH_WORD,
			       SILEX_ENGINE_HASH | SILEX_TAG_LAST);
	if (decrypt) {
		firesteel_cmd_preset(cmd->arena->digest, state->tag, tag);
		firesteel_cmd_push_arena(cmd, digest, digest);
		return;
	}
	firesteel_cmd_push_list(cmd, request->assoclen + size, tag);
	firesteel_cmd_push_discard(cmd, digest - tag);
}

static bool authenc_put_all(struct aead_request *request, struct firesteel_cmd *cmd, bool decrypt)
{
	bool hashes = authenc_context_of(request)->hashes;

	if (hashes && decrypt)
		authenc_put_mac(request, cmd, decrypt);
	authenc_put_cipher(request, cmd, decrypt);
	if (hashes && !decrypt)
		authenc_put_mac(request, cmd, decrypt);
	return firesteel_cmd_close(cmd);
}

/* ---- requests ---- */

/* Whether the processor computes the MAC */
static bool authenc_is_mac_left(struct aead_request *request)
{
	const struct authenc_context *context = authenc_context_of(request);

	return context->mac && !context->hashes;
}

/* Bytes of the output behind the payload that the core writes */
static unsigned int authenc_written_tag(struct aead_request *request, bool decrypt)
{
	return authenc_context_of(request)->hashes && !decrypt ? authenc_tag_size(request) : 0;
}

static void authenc_keep_tag(struct aead_request *request)
{
	struct authenc_state *state = aead_request_ctx(request);
	unsigned int end = request->assoclen + authenc_payload_size(request, true);

	scatterwalk_map_and_copy(state->tag, request->src, end, authenc_tag_size(request), 0);
}

/* Whether a digest equals the received tag */
static bool authenc_is_authentic(struct aead_request *request, const u8 *digest)
{
	const struct authenc_state *state = aead_request_ctx(request);

	return !crypto_memneq(state->tag, digest, authenc_tag_size(request));
}

/* Where the MAC is left to the processor.  If it cannot be computed, software tells why. */
static enum firesteel_outcome authenc_check_mac(struct aead_request *request)
{
	struct authenc_state *state = aead_request_ctx(request);

	if (authenc_compute_mac(request, request->src))
		return FIRESTEEL_NOT_FOR_CORE;
	return authenc_is_authentic(request, state->digest) ? FIRESTEEL_GOOD
							    : FIRESTEEL_NOT_AUTHENTIC;
}

static enum firesteel_outcome authenc_append_mac(struct aead_request *request)
{
	struct authenc_state *state = aead_request_ctx(request);

	if (authenc_compute_mac(request, request->dst))
		return FIRESTEEL_NOT_FOR_CORE;
	scatterwalk_map_and_copy(state->digest, request->dst, request->assoclen + request->cryptlen,
				 authenc_tag_size(request), 1);
	return FIRESTEEL_GOOD;
}

static enum firesteel_outcome authenc_build(struct crypto_async_request *base,
					    struct firesteel_cmd *cmd)
{
	struct aead_request *request = aead_request_cast(base);
	struct authenc_state *state = aead_request_ctx(request);
	bool decrypt = state->decrypt;
	unsigned int size = authenc_payload_size(request, decrypt), end = request->assoclen + size;
	enum firesteel_outcome outcome = FIRESTEEL_GOOD;

	cmd->ciphertext = decrypt;
	if (decrypt)
		authenc_keep_tag(request);
	if (decrypt && authenc_is_mac_left(request))
		outcome = authenc_check_mac(request);
	if (outcome != FIRESTEEL_GOOD)
		return outcome;
	if (!size || !firesteel_cmd_map(cmd, request->src, end, request->dst,
					end + authenc_written_tag(request, decrypt)))
		return FIRESTEEL_NOT_FOR_CORE;
	if (authenc_context_of(request)->hashes)
		cmd->bytes *= 2;
	return authenc_put_all(request, cmd, decrypt) ? FIRESTEEL_GOOD : FIRESTEEL_NOT_FOR_CORE;
}

static enum firesteel_outcome authenc_finish(struct crypto_async_request *base,
					     struct firesteel_cmd *cmd)
{
	struct aead_request *request = aead_request_cast(base);
	struct authenc_state *state = aead_request_ctx(request);

	if (authenc_is_mac_left(request))
		return state->decrypt ? FIRESTEEL_GOOD : authenc_append_mac(request);
	if (!state->decrypt || !authenc_context_of(request)->hashes)
		return FIRESTEEL_GOOD;
	firesteel_cmd_read(state->digest, cmd->arena->digest, authenc_tag_size(request));
	return authenc_is_authentic(request, state->digest) ? FIRESTEEL_GOOD
							    : FIRESTEEL_NOT_AUTHENTIC;
}

static unsigned int authenc_bytes(struct crypto_async_request *base)
{
	struct aead_request *request = aead_request_cast(base);
	struct authenc_state *state = aead_request_ctx(request);

	return authenc_payload_size(request, state->decrypt);
}

/* XTS steals ciphertext for a last block that is not full */
static bool authenc_is_size(const struct firesteel_context *context, unsigned int size)
{
	if (context->algorithm->mode == SILEX_AES_MODE_XTS)
		return size >= SILEX_AES_BLOCK;
	return size % SILEX_AES_BLOCK == 0;
}

static int authenc_run(struct aead_request *request, bool decrypt)
{
	struct authenc_state *state = aead_request_ctx(request);
	unsigned int size = authenc_payload_size(request, decrypt);

	if (decrypt && request->cryptlen < authenc_tag_size(request))
		return -EINVAL;
	state->decrypt = decrypt;
	/* What is forged is that first, whatever its size */
	if (!authenc_is_size(&authenc_context_of(request)->common, size))
		return firesteel_request_run_in_software(&request->base, authenc_software);
	return firesteel_request_run(&request->base, size);
}

static int authenc_encrypt(struct aead_request *request)
{
	return authenc_run(request, false);
}

static int authenc_decrypt(struct aead_request *request)
{
	return authenc_run(request, true);
}

/* ---- transforms ---- */

static bool authenc_has_hash_core(const struct authenc_context *context)
{
	const struct firesteel_device *device = context->common.device;
	u32 needed = SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC |
		     context->common.algorithm->authenc->hash;

	return device && device->presence & SILEX_PRESENCE_HASH &&
	       (device->hash_caps & needed) == needed;
}

static void authenc_keep_keys(struct authenc_context *context,
			      const struct crypto_authenc_keys *keys)
{
	struct firesteel_context *common = &context->common;

	firesteel_context_clear(common);
	firesteel_context_set_aes(common, keys->enckey, keys->enckeylen);
	context->hashes = context->mac && authenc_has_hash_core(context) &&
			  keys->authkeylen <= sizeof(common->keys.mac);
	if (context->hashes) {
		common->mac_key_size = keys->authkeylen;
		memcpy(common->keys.mac, keys->authkey, keys->authkeylen);
	}
	firesteel_context_keyed(common);
}

static int authenc_set_key(struct crypto_aead *transform, const u8 *key, unsigned int size)
{
	struct authenc_context *context = crypto_aead_ctx(transform);
	struct crypto_authenc_keys keys;
	int err = crypto_authenc_extractkeys(&keys, key, size);

	if (!err && !firesteel_context_is_aes_key(&context->common, keys.enckeylen))
		err = -EINVAL;
	if (!err)
		err = firesteel_aead_set_fallback_key(transform, context->fallback, key, size);
	if (!err && context->mac)
		err = crypto_ahash_setkey(context->mac, keys.authkey, keys.authkeylen);
	if (!err)
		authenc_keep_keys(context, &keys);
	memzero_explicit(&keys, sizeof(keys));
	return err;
}

static int authenc_set_tag_size(struct crypto_aead *transform, unsigned int size)
{
	struct authenc_context *context = crypto_aead_ctx(transform);

	return crypto_aead_setauthsize(context->fallback, size);
}

static int authenc_open_mac(struct authenc_context *context, const char *name)
{
	if (!name)
		return 0;
	context->mac = crypto_alloc_ahash(name, 0, FIRESTEEL_FALLBACK_MASK | CRYPTO_ALG_ASYNC);
	return PTR_ERR_OR_ZERO(context->mac);
}

static int authenc_open(struct crypto_aead *transform)
{
	struct authenc_context *context = crypto_aead_ctx(transform);
	struct firesteel_algorithm *algorithm = authenc_algorithm_of(transform);
	unsigned int more;
	int err;

	context->fallback = crypto_alloc_aead(firesteel_algorithm_name(algorithm), 0,
					      FIRESTEEL_FALLBACK_MASK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	err = authenc_open_mac(context, algorithm->authenc->mac);
	if (err)
		goto no_mac;
	err = firesteel_context_open(&context->common, algorithm);
	if (err)
		goto no_context;
	more = crypto_aead_reqsize(context->fallback);
	if (context->mac)
		more = max(more, crypto_ahash_reqsize(context->mac));
	crypto_aead_set_reqsize(transform, sizeof(struct authenc_state) + more);
	return 0;
no_context:
	if (context->mac)
		crypto_free_ahash(context->mac);
no_mac:
	crypto_free_aead(context->fallback);
	return err;
}

static void authenc_close(struct crypto_aead *transform)
{
	struct authenc_context *context = crypto_aead_ctx(transform);

	crypto_free_aead(context->fallback);
	if (context->mac)
		crypto_free_ahash(context->mac);
	firesteel_context_close(&context->common);
}

/* ---- the class ---- */

/* In RTA format: rtattr with the length of the AES key, MAC key, AES key of `size` bytes */
static int authenc_set_trial_key(struct crypto_aead *transform, const u8 *key, unsigned int size)
{
	struct {
		struct rtattr attribute;
		__be32 aes_size;
		u8 mac[20];
		u8 aes[64];
	} __packed packed = {
		.attribute = { .rta_len = RTA_LENGTH(sizeof(__be32)),
			       .rta_type = CRYPTO_AUTHENC_KEYA_PARAM },
		.aes_size = cpu_to_be32(size),
	};

	memcpy(packed.mac, key, sizeof(packed.mac));
	memcpy(packed.aes, key, size);
	return crypto_aead_setkey(transform, (u8 *)&packed, offsetof(typeof(packed), aes) + size);
}

static int authenc_trial_open(struct firesteel_trial *trial)
{
	unsigned int size = trial->algorithm->mode == SILEX_AES_MODE_XTS ? 64 : 32;
	int err = firesteel_aead_trial_open(trial);

	return err ?: authenc_set_trial_key(trial->aead, trial->key, size);
}

static int authenc_add(struct firesteel_algorithm *algorithm)
{
	struct aead_alg *api = &algorithm->api.aead;

	firesteel_algorithm_complete(&api->base, sizeof(struct authenc_context));
	api->base.cra_blocksize = SILEX_AES_BLOCK;
	api->ivsize = SILEX_AES_BLOCK;
	api->setkey = authenc_set_key;
	api->setauthsize = authenc_set_tag_size;
	api->encrypt = authenc_encrypt;
	api->decrypt = authenc_decrypt;
	api->init = authenc_open;
	api->exit = authenc_close;
	return crypto_register_aead(api);
}

static const struct firesteel_class authenc_class = {
	.api = firesteel_aead_api,
	.add = authenc_add,
	.remove = firesteel_aead_remove,
	.state = FIRESTEEL_AEAD_STATE,
	.bytes = authenc_bytes,
	.build = authenc_build,
	.finish = authenc_finish,
	.software = authenc_software,
	.trial_open = authenc_trial_open,
	.trial_start = firesteel_aead_trial_start,
	.trial_close = firesteel_aead_trial_close,
};

static const struct firesteel_authenc_form with_nothing = {};

static const struct firesteel_authenc_form with_sha1 = {
	.mac = "hmac(sha1)",
	.hash = SILEX_HASH_ALG_SHA1,
	.digest = SHA1_DIGEST_SIZE,
};

static const struct firesteel_authenc_form with_sha256 = {
	.mac = "hmac(sha256)",
	.hash = SILEX_HASH_ALG_SHA256,
	.digest = SHA256_DIGEST_SIZE,
};

static const struct firesteel_authenc_form with_sha384 = {
	.mac = "hmac(sha384)",
	.hash = SILEX_HASH_ALG_SHA384,
	.digest = SHA384_DIGEST_SIZE,
};

static const struct firesteel_authenc_form with_sha512 = {
	.mac = "hmac(sha512)",
	.hash = SILEX_HASH_ALG_SHA512,
	.digest = SHA512_DIGEST_SIZE,
};

/* What authenc_add() does not complete */
struct firesteel_algorithm firesteel_authencs[] = {
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.authenc = &with_sha1,
		.api.aead = {
			.base.cra_name = "authenc(hmac(sha1),cbc(aes))",
			.base.cra_driver_name = "authenc-hmac-sha1-cbc-aes-firesteel",
			.maxauthsize = SHA1_DIGEST_SIZE,
		},
	},
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.authenc = &with_sha256,
		.api.aead = {
			.base.cra_name = "authenc(hmac(sha256),cbc(aes))",
			.base.cra_driver_name = "authenc-hmac-sha256-cbc-aes-firesteel",
			.maxauthsize = SHA256_DIGEST_SIZE,
		},
	},
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.authenc = &with_sha384,
		.api.aead = {
			.base.cra_name = "authenc(hmac(sha384),cbc(aes))",
			.base.cra_driver_name = "authenc-hmac-sha384-cbc-aes-firesteel",
			.maxauthsize = SHA384_DIGEST_SIZE,
		},
	},
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.authenc = &with_sha512,
		.api.aead = {
			.base.cra_name = "authenc(hmac(sha512),cbc(aes))",
			.base.cra_driver_name = "authenc-hmac-sha512-cbc-aes-firesteel",
			.maxauthsize = SHA512_DIGEST_SIZE,
		},
	},
	/* what IPsec uses for a cipher without a MAC */
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.authenc = &with_nothing,
		.api.aead = {
			.base.cra_name = "authenc(digest_null,cbc(aes))",
			.base.cra_driver_name = "authenc-null-cbc-aes-firesteel",
		},
	},
	/* what dm-crypt uses above dm-integrity */
	{
		.class = &authenc_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_XTS >> 8 |
				    SILEX_AES_CAPS_CTS,
		},
		.mode = SILEX_AES_MODE_XTS,
		.authenc = &with_sha256,
		.api.aead = {
			.base.cra_name = "authenc(hmac(sha256),xts(aes))",
			.base.cra_driver_name = "authenc-hmac-sha256-xts-aes-firesteel",
			.maxauthsize = SHA256_DIGEST_SIZE,
		},
	},
};

const unsigned int firesteel_authenc_count = ARRAY_SIZE(firesteel_authencs);
