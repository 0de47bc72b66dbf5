// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hashes and MACs: a message in one piece goes to the core.  Software computes a message that comes
 * in parts, because the core would have to return its state after each.
 */
#include <crypto/internal/hash.h>

#include "compat.h"
#include "request.h"
#include "trial.h"

/* More than the state of any fallback that is known: checked when a transform is opened */
#define STATE_SIZE 256u

struct ahash_context {
	struct firesteel_context common;
	struct crypto_ahash *fallback;
	bool keyed; /* there is a key that fits into an arena, or none is needed */
};

struct ahash_state {
	struct firesteel_ticket ticket; /* the first */
	bool fresh; /* no part of the message was passed yet */
	struct ahash_request fallback; /* the last: of variable length */
};

static struct firesteel_algorithm *ahash_algorithm_of(struct crypto_ahash *transform)
{
	return container_of(__crypto_ahash_alg(crypto_ahash_tfm(transform)->__crt_alg),
			    struct firesteel_algorithm, api.ahash);
}

static struct ahash_context *ahash_context_of(struct ahash_request *request)
{
	return crypto_ahash_ctx(crypto_ahash_reqtfm(request));
}

/* ---- software ---- */

static struct ahash_request *ahash_fallback_of(struct ahash_request *request)
{
	struct ahash_state *state = ahash_request_ctx(request);
	struct ahash_request *fallback = &state->fallback;

	ahash_request_set_tfm(fallback, ahash_context_of(request)->fallback);
	ahash_request_set_callback(fallback, firesteel_fallback_flags(&request->base),
				   firesteel_request_software_ended, &request->base);
	ahash_request_set_crypt(fallback, request->src, request->result, request->nbytes);
	return fallback;
}

static int ahash_software(struct crypto_async_request *base)
{
	return crypto_ahash_digest(ahash_fallback_of(ahash_request_cast(base)));
}

static int ahash_software_init(struct crypto_async_request *base)
{
	return crypto_ahash_init(ahash_fallback_of(ahash_request_cast(base)));
}

static int ahash_software_update(struct crypto_async_request *base)
{
	return crypto_ahash_update(ahash_fallback_of(ahash_request_cast(base)));
}

static int ahash_software_final(struct crypto_async_request *base)
{
	return crypto_ahash_final(ahash_fallback_of(ahash_request_cast(base)));
}

static int ahash_software_finup(struct crypto_async_request *base)
{
	return crypto_ahash_finup(ahash_fallback_of(ahash_request_cast(base)));
}

static void ahash_count_part(struct ahash_request *request)
{
	struct firesteel_algorithm *algorithm = ahash_context_of(request)->common.algorithm;
	struct ahash_state *state = ahash_request_ctx(request);

	firesteel_count(&algorithm->use, FIRESTEEL_SHAPE, request->nbytes);
	state->fresh = false;
}

static int ahash_init(struct ahash_request *request)
{
	struct ahash_state *state = ahash_request_ctx(request);

	state->fresh = true;
	return firesteel_request_run_in_software(&request->base, ahash_software_init);
}

static int ahash_update(struct ahash_request *request)
{
	ahash_count_part(request);
	return firesteel_request_run_in_software(&request->base, ahash_software_update);
}

static int ahash_final(struct ahash_request *request)
{
	return firesteel_request_run_in_software(&request->base, ahash_software_final);
}

/* The last part may be all of the message */
static int ahash_finup(struct ahash_request *request)
{
	struct ahash_state *state = ahash_request_ctx(request);

	if (state->fresh)
		return firesteel_request_run(&request->base, request->nbytes);
	ahash_count_part(request);
	return firesteel_request_run_in_software(&request->base, ahash_software_finup);
}

static int ahash_digest(struct ahash_request *request)
{
	return firesteel_request_run(&request->base, request->nbytes);
}

static int ahash_export_state(struct ahash_request *request, void *state)
{
	return crypto_ahash_export(ahash_fallback_of(request), state);
}

static int ahash_import_state(struct ahash_request *request, const void *data)
{
	struct ahash_state *state = ahash_request_ctx(request);

	state->fresh = false;
	return crypto_ahash_import(ahash_fallback_of(request), data);
}

/* ---- the core ---- */

static bool ahash_is_cmac(const struct firesteel_algorithm *algorithm)
{
	return algorithm->mode == SILEX_AES_MODE_CMAC;
}

static bool ahash_is_hmac(const struct firesteel_algorithm *algorithm)
{
	return algorithm->need.hash_caps & SILEX_HASH_CAPS_HMAC;
}

static void ahash_put_cmac(struct ahash_request *request, struct firesteel_cmd *cmd)
{
	const struct firesteel_context *context = &ahash_context_of(request)->common;

	firesteel_cmd_configure_aes(cmd, context->algorithm->mode, context->key_size);
	firesteel_cmd_fetch_list(cmd, 0, request->nbytes, SILEX_ENGINE_AES);
	firesteel_cmd_end_item(cmd, request->nbytes, SILEX_AES_BLOCK,
			       SILEX_ENGINE_AES | SILEX_TAG_LAST);
	firesteel_cmd_push_arena(cmd, tag, SILEX_AES_TAG);
}

static void ahash_put_hash(struct ahash_request *request, struct firesteel_cmd *cmd)
{
	struct firesteel_context *context = &ahash_context_of(request)->common;
	const struct firesteel_algorithm *algorithm = context->algorithm;

	firesteel_cmd_configure_hash(cmd, algorithm->mode, ahash_is_hmac(algorithm),
				     context->mac_key_size);
	firesteel_cmd_fetch_list(cmd, 0, request->nbytes, SILEX_ENGINE_HASH);
	firesteel_cmd_end_item(cmd, request->nbytes, SILEX_HASH_WORD,
			       SILEX_ENGINE_HASH | SILEX_TAG_LAST);
	firesteel_cmd_push_arena(cmd, digest, algorithm->api.ahash.halg.digestsize);
}

static enum firesteel_outcome ahash_build(struct crypto_async_request *base,
					  struct firesteel_cmd *cmd)
{
	struct ahash_request *request = ahash_request_cast(base);
	struct ahash_context *context = ahash_context_of(request);

	if (!context->keyed || !firesteel_cmd_map(cmd, request->src, request->nbytes, NULL, 0))
		return FIRESTEEL_NOT_FOR_CORE;
	if (ahash_is_cmac(context->common.algorithm))
		ahash_put_cmac(request, cmd);
	else
		ahash_put_hash(request, cmd);
	return firesteel_cmd_close(cmd) ? FIRESTEEL_GOOD : FIRESTEEL_NOT_FOR_CORE;
}

static enum firesteel_outcome ahash_finish(struct crypto_async_request *base,
					   struct firesteel_cmd *cmd)
{
	struct ahash_request *request = ahash_request_cast(base);
	const struct firesteel_algorithm *algorithm = ahash_context_of(request)->common.algorithm;

	firesteel_cmd_read(request->result,
			   ahash_is_cmac(algorithm) ? cmd->arena->tag : cmd->arena->digest,
			   algorithm->api.ahash.halg.digestsize);
	return FIRESTEEL_GOOD;
}

static unsigned int ahash_bytes(struct crypto_async_request *base)
{
	return ahash_request_cast(base)->nbytes;
}

/* ---- transforms ---- */

static int ahash_set_key(struct crypto_ahash *transform, const u8 *key, unsigned int size)
{
	struct ahash_context *context = crypto_ahash_ctx(transform);
	struct firesteel_context *common = &context->common;
	bool cmac = ahash_is_cmac(common->algorithm);
	int err;

	if (cmac && !silex_aes_is_key_size(size))
		return -EINVAL;
	err = crypto_ahash_setkey(context->fallback, key, size);
	if (err)
		return err;
	context->keyed = cmac || size <= sizeof(common->keys.mac);
	firesteel_context_clear(common);
	if (context->keyed) {
		memcpy(cmac ? common->keys.aes : common->keys.mac, key, size);
		*(cmac ? &common->key_size : &common->mac_key_size) = size;
	}
	firesteel_context_keyed(common);
	return 0;
}

static int ahash_open(struct crypto_ahash *transform)
{
	struct ahash_context *context = crypto_ahash_ctx(transform);
	struct firesteel_algorithm *algorithm = ahash_algorithm_of(transform);
	int err = -EINVAL;

	context->fallback = crypto_alloc_ahash(firesteel_algorithm_name(algorithm), 0,
					       FIRESTEEL_FALLBACK_MASK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	if (crypto_ahash_statesize(context->fallback) <= STATE_SIZE)
		err = firesteel_context_open(&context->common, algorithm);
	if (err) {
		crypto_free_ahash(context->fallback);
		return err;
	}
	crypto_ahash_set_reqsize(transform, sizeof(struct ahash_state) +
						    crypto_ahash_reqsize(context->fallback));
	context->keyed = !ahash_is_cmac(algorithm) && !ahash_is_hmac(algorithm);
	return 0;
}

static void ahash_close(struct crypto_ahash *transform)
{
	struct ahash_context *context = crypto_ahash_ctx(transform);

	crypto_free_ahash(context->fallback);
	firesteel_context_close(&context->common);
}

/* ---- a request to measure ---- */

static int ahash_trial_open(struct firesteel_trial *trial)
{
	const struct ahash_alg *api = &trial->algorithm->api.ahash;

	trial->ahash = crypto_alloc_ahash(api->halg.base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->ahash))
		return PTR_ERR(trial->ahash);
	trial->ahash_request = ahash_request_alloc(trial->ahash, GFP_KERNEL);
	if (!trial->ahash_request)
		return -ENOMEM;
	trial->context = crypto_ahash_ctx(trial->ahash);
	ahash_request_set_callback(trial->ahash_request, 0, trial->ended, trial);
	if (!(crypto_ahash_get_flags(trial->ahash) & CRYPTO_TFM_NEED_KEY))
		return 0;
	return crypto_ahash_setkey(trial->ahash, trial->key, 32);
}

static int ahash_trial_start(struct firesteel_trial *trial, unsigned int size)
{
	firesteel_trial_use(trial, size);
	ahash_request_set_crypt(trial->ahash_request, &trial->list, trial->digest, size);
	return crypto_ahash_digest(trial->ahash_request);
}

static void ahash_trial_close(struct firesteel_trial *trial)
{
	ahash_request_free(trial->ahash_request);
	if (!IS_ERR_OR_NULL(trial->ahash))
		crypto_free_ahash(trial->ahash);
}

/* ---- the class ---- */

static struct crypto_alg *ahash_api(struct firesteel_algorithm *algorithm)
{
	return &algorithm->api.ahash.halg.base;
}

static int ahash_add(struct firesteel_algorithm *algorithm)
{
	struct ahash_alg *api = &algorithm->api.ahash;

	firesteel_algorithm_complete(&api->halg.base, sizeof(struct ahash_context));
	if (ahash_is_cmac(algorithm)) {
		api->halg.base.cra_flags &= ~CRYPTO_ALG_NEED_FALLBACK;
		api->halg.base.cra_flags |= FIRESTEEL_OWN_FALLBACK;
	}
	api->halg.statesize = STATE_SIZE;
	api->init = ahash_init;
	api->update = ahash_update;
	api->final = ahash_final;
	api->finup = ahash_finup;
	api->digest = ahash_digest;
	api->export = ahash_export_state;
	api->import = ahash_import_state;
	api->init_tfm = ahash_open;
	api->exit_tfm = ahash_close;
	return crypto_register_ahash(api);
}

static void ahash_remove(struct firesteel_algorithm *algorithm)
{
	crypto_unregister_ahash(&algorithm->api.ahash);
}

static const struct firesteel_class ahash_class = {
	.api = ahash_api,
	.add = ahash_add,
	.remove = ahash_remove,
	.state = offsetof(struct ahash_request, __ctx) - offsetof(struct ahash_request, base),
	.bytes = ahash_bytes,
	.build = ahash_build,
	.finish = ahash_finish,
	.software = ahash_software,
	.trial_open = ahash_trial_open,
	.trial_start = ahash_trial_start,
	.trial_close = ahash_trial_close,
};

/* What ahash_add() does not complete */
struct firesteel_algorithm firesteel_ahashes[] = {
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA1,
		},
		.mode = SILEX_HASH_ALG_SHA1,
		.api.ahash = {
			.halg.digestsize = SHA1_DIGEST_SIZE,
			.halg.base.cra_name = "sha1",
			.halg.base.cra_driver_name = "sha1-firesteel",
			.halg.base.cra_blocksize = SHA1_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA224,
		},
		.mode = SILEX_HASH_ALG_SHA224,
		.api.ahash = {
			.halg.digestsize = SHA224_DIGEST_SIZE,
			.halg.base.cra_name = "sha224",
			.halg.base.cra_driver_name = "sha224-firesteel",
			.halg.base.cra_blocksize = SHA224_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA256,
		},
		.mode = SILEX_HASH_ALG_SHA256,
		.api.ahash = {
			.halg.digestsize = SHA256_DIGEST_SIZE,
			.halg.base.cra_name = "sha256",
			.halg.base.cra_driver_name = "sha256-firesteel",
			.halg.base.cra_blocksize = SHA256_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA384,
		},
		.mode = SILEX_HASH_ALG_SHA384,
		.api.ahash = {
			.halg.digestsize = SHA384_DIGEST_SIZE,
			.halg.base.cra_name = "sha384",
			.halg.base.cra_driver_name = "sha384-firesteel",
			.halg.base.cra_blocksize = SHA384_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA512,
		},
		.mode = SILEX_HASH_ALG_SHA512,
		.api.ahash = {
			.halg.digestsize = SHA512_DIGEST_SIZE,
			.halg.base.cra_name = "sha512",
			.halg.base.cra_driver_name = "sha512-firesteel",
			.halg.base.cra_blocksize = SHA512_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA1 |
				     SILEX_HASH_CAPS_HMAC,
		},
		.mode = SILEX_HASH_ALG_SHA1,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SHA1_DIGEST_SIZE,
			.halg.base.cra_name = "hmac(sha1)",
			.halg.base.cra_driver_name = "hmac-sha1-firesteel",
			.halg.base.cra_blocksize = SHA1_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA224 |
				     SILEX_HASH_CAPS_HMAC,
		},
		.mode = SILEX_HASH_ALG_SHA224,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SHA224_DIGEST_SIZE,
			.halg.base.cra_name = "hmac(sha224)",
			.halg.base.cra_driver_name = "hmac-sha224-firesteel",
			.halg.base.cra_blocksize = SHA224_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA256 |
				     SILEX_HASH_CAPS_HMAC,
		},
		.mode = SILEX_HASH_ALG_SHA256,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SHA256_DIGEST_SIZE,
			.halg.base.cra_name = "hmac(sha256)",
			.halg.base.cra_driver_name = "hmac-sha256-firesteel",
			.halg.base.cra_blocksize = SHA256_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA384 |
				     SILEX_HASH_CAPS_HMAC,
		},
		.mode = SILEX_HASH_ALG_SHA384,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SHA384_DIGEST_SIZE,
			.halg.base.cra_name = "hmac(sha384)",
			.halg.base.cra_driver_name = "hmac-sha384-firesteel",
			.halg.base.cra_blocksize = SHA384_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_HASH,
			.hash_caps = SILEX_HASH_CAPS_PAD | SILEX_HASH_ALG_SHA512 |
				     SILEX_HASH_CAPS_HMAC,
		},
		.mode = SILEX_HASH_ALG_SHA512,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SHA512_DIGEST_SIZE,
			.halg.base.cra_name = "hmac(sha512)",
			.halg.base.cra_driver_name = "hmac-sha512-firesteel",
			.halg.base.cra_blocksize = SHA512_BLOCK_SIZE,
		},
	},
	{
		.class = &ahash_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CMAC >> 8,
		},
		.mode = SILEX_AES_MODE_CMAC,
		.api.ahash = {
			.setkey = ahash_set_key,
			.halg.digestsize = SILEX_AES_TAG,
			.halg.base.cra_name = "cmac(aes)",
			.halg.base.cra_driver_name = "cmac-aes-firesteel",
			.halg.base.cra_blocksize = SILEX_AES_BLOCK,
		},
	},
};

const unsigned int firesteel_ahash_count = ARRAY_SIZE(firesteel_ahashes);
