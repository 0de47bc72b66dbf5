// SPDX-License-Identifier: GPL-2.0-or-later
/* Ciphers without authentication: ECB, CBC, CTR, CBC with ciphertext stealing, XTS. */
#include <crypto/aes.h>
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>

#include "request.h"
#include "trial.h"
#include "verify.h"

struct skcipher_context {
	struct firesteel_context common;
	struct crypto_skcipher *fallback;
	struct firesteel_verifier verifier;
};

struct skcipher_state {
	struct firesteel_ticket ticket; /* the first */
	bool decrypt;
	u8 last[SILEX_AES_BLOCK]; /* CBC, decrypting: the next IV, which output may replace */
	struct skcipher_request fallback; /* the last: of variable length */
};

static struct firesteel_algorithm *skcipher_algorithm_of(struct crypto_skcipher *transform)
{
	return container_of(crypto_skcipher_alg(transform), struct firesteel_algorithm,
			    api.skcipher);
}

/* ---- software ---- */

static int skcipher_software(struct crypto_async_request *base)
{
	struct skcipher_request *request = skcipher_request_cast(base);
	struct skcipher_context *context = firesteel_request_context(base);
	struct skcipher_state *state = skcipher_request_ctx(request);
	struct skcipher_request *fallback = &state->fallback;

	skcipher_request_set_tfm(fallback, context->fallback);
	skcipher_request_set_callback(fallback, firesteel_fallback_flags(base),
				      firesteel_request_software_ended, base);
	skcipher_request_set_crypt(fallback, request->src, request->dst, request->cryptlen,
				   request->iv);
	return state->decrypt ? crypto_skcipher_decrypt(fallback)
			      : crypto_skcipher_encrypt(fallback);
}

/* ---- IV ---- */

/* Adds to the 128-bit counter, which is big-endian */
static void skcipher_counter_add(u8 *counter, unsigned int blocks)
{
	unsigned int i = SILEX_AES_BLOCK;

	while (blocks && i--) {
		blocks += counter[i];
		counter[i] = blocks;
		blocks >>= 8;
	}
}

/* Whether the core's counter, which may be narrower, counts like one of 128 bits here */
static bool skcipher_counter_fits(const struct firesteel_device *device, const u8 *counter,
				  unsigned int blocks)
{
	unsigned int bits = device->counter_bits;

	if (bits >= 128)
		return true;
	if (bits < 32)
		return false;
	return (u64)get_unaligned_be32(counter + 12) + blocks <= U32_MAX;
}

/* The last block of a list of `size` bytes, which mostly lies in one piece */
static void skcipher_last_block(struct scatterlist *list, unsigned int size, u8 *block)
{
	unsigned int skip = size - SILEX_AES_BLOCK;
	struct scatterlist *entry = list;

	while (skip >= entry->length) {
		skip -= entry->length;
		entry = sg_next(entry);
	}
	if (entry->length - skip >= SILEX_AES_BLOCK && !firesteel_is_in_high_memory(entry))
		memcpy(block, (u8 *)sg_virt(entry) + skip, SILEX_AES_BLOCK);
	else
		scatterwalk_map_and_copy(block, list, size - SILEX_AES_BLOCK, SILEX_AES_BLOCK, 0);
}

static bool skcipher_uses_cts(const struct firesteel_algorithm *algorithm)
{
	return algorithm->need.aes_caps & SILEX_AES_CAPS_CTS;
}

/* Whether the last block of ciphertext is the next request's IV */
static bool skcipher_chains(const struct firesteel_algorithm *algorithm)
{
	return algorithm->mode == SILEX_AES_MODE_CBC && !skcipher_uses_cts(algorithm);
}

/* The state from which the next request of a chain continues */
static void skcipher_next_iv(struct skcipher_request *request,
			     const struct firesteel_algorithm *algorithm)
{
	struct skcipher_state *state = skcipher_request_ctx(request);

	if (algorithm->mode == SILEX_AES_MODE_CTR)
		skcipher_counter_add(request->iv, DIV_ROUND_UP(request->cryptlen, SILEX_AES_BLOCK));
	if (!skcipher_chains(algorithm))
		return;
	if (state->decrypt)
		memcpy(request->iv, state->last, SILEX_AES_BLOCK);
	else
		skcipher_last_block(request->dst, request->cryptlen, request->iv);
}

/* ---- the core ---- */

static bool skcipher_has_iv(u32 mode)
{
	return mode != SILEX_AES_MODE_ECB;
}

/* The core exchanges the last two blocks only if the last is not full; cts() always does */
static bool skcipher_core_omits_swap(const struct firesteel_algorithm *algorithm, unsigned int size)
{
	return algorithm->mode == SILEX_AES_MODE_CBC && skcipher_uses_cts(algorithm) &&
	       size > SILEX_AES_BLOCK && size % SILEX_AES_BLOCK == 0;
}

static bool skcipher_is_for_core(const struct skcipher_request *request,
				 const struct firesteel_context *context)
{
	unsigned int size = request->cryptlen;

	if (context->algorithm->mode == SILEX_AES_MODE_CTR)
		return skcipher_counter_fits(context->device, request->iv,
					     DIV_ROUND_UP(size, SILEX_AES_BLOCK));
	return !skcipher_core_omits_swap(context->algorithm, size);
}

static enum firesteel_outcome skcipher_build(struct crypto_async_request *base,
					     struct firesteel_cmd *cmd)
{
	struct skcipher_request *request = skcipher_request_cast(base);
	struct skcipher_context *whole = firesteel_request_context(base);
	struct firesteel_context *context = &whole->common;
	struct skcipher_state *state = skcipher_request_ctx(request);
	unsigned int size = request->cryptlen;
	const u8 *iv;
	u32 word;

	cmd->verified = firesteel_verifier_is_due(&whole->verifier);
	/* to verify is to decrypt the copy */
	cmd->ciphertext = state->decrypt && !cmd->verified;
	if (!skcipher_is_for_core(request, context))
		return FIRESTEEL_NOT_FOR_CORE;
	/* before it is the core's */
	if (state->decrypt && skcipher_chains(context->algorithm))
		skcipher_last_block(request->src, size, state->last);
	if (!firesteel_cmd_map(cmd, request->src, size, request->dst, size))
		return FIRESTEEL_NOT_FOR_CORE;
	word = firesteel_context_aes_word(context, state->decrypt);
	iv = skcipher_has_iv(context->algorithm->mode) ? request->iv : NULL;
	firesteel_cmd_cipher(cmd, word, context->key_size, iv, 0, size);
	return firesteel_cmd_close(cmd) ? FIRESTEEL_GOOD : FIRESTEEL_NOT_FOR_CORE;
}

static enum firesteel_outcome skcipher_finish(struct crypto_async_request *base,
					      struct firesteel_cmd *cmd)
{
	struct skcipher_request *request = skcipher_request_cast(base);
	struct skcipher_context *context = firesteel_request_context(base);
	struct skcipher_state *state = skcipher_request_ctx(request);
	bool wrong = cmd->verified &&
		     !firesteel_verifier_check(&context->verifier, cmd, state->decrypt);

	skcipher_next_iv(request, context->common.algorithm);
	return wrong ? FIRESTEEL_WAS_WRONG : FIRESTEEL_GOOD;
}

static unsigned int skcipher_bytes(struct crypto_async_request *base)
{
	return skcipher_request_cast(base)->cryptlen;
}

/* 0: go on; 1: there is nothing to do */
static int skcipher_check(const struct skcipher_request *request,
			  const struct firesteel_algorithm *algorithm)
{
	unsigned int size = request->cryptlen;
	const struct skcipher_alg *api = &algorithm->api.skcipher;

	if (skcipher_uses_cts(algorithm))
		return size < SILEX_AES_BLOCK ? -EINVAL : 0;
	if (!size)
		return 1;
	return size % api->base.cra_blocksize ? -EINVAL : 0;
}

static int skcipher_do_nothing(struct crypto_async_request *request)
{
	return 0;
}

static int skcipher_run(struct skcipher_request *request, bool decrypt)
{
	struct firesteel_context *context = firesteel_request_context(&request->base);
	struct skcipher_state *state = skcipher_request_ctx(request);
	int err = skcipher_check(request, context->algorithm);

	if (err < 0)
		return err;
	if (err)
		return firesteel_request_run_in_software(&request->base, skcipher_do_nothing);
	state->decrypt = decrypt;
	return firesteel_request_run(&request->base, request->cryptlen);
}

static int skcipher_encrypt(struct skcipher_request *request)
{
	return skcipher_run(request, false);
}

static int skcipher_decrypt(struct skcipher_request *request)
{
	return skcipher_run(request, true);
}

/* ---- transforms ---- */

static int skcipher_set_key(struct crypto_skcipher *transform, const u8 *key, unsigned int size)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct firesteel_context *common = &context->common;
	bool xts = common->algorithm->mode == SILEX_AES_MODE_XTS;
	int err = xts ? xts_verify_key(transform, key, size) : 0;

	if (err)
		return err;
	if (!firesteel_context_is_aes_key(common, size))
		return -EINVAL;
	crypto_skcipher_clear_flags(context->fallback, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(context->fallback,
				  crypto_skcipher_get_flags(transform) & CRYPTO_TFM_REQ_MASK);
	err = crypto_skcipher_setkey(context->fallback, key, size)
		      ?: firesteel_verifier_set_key(&context->verifier, key, size);
	if (err)
		return err;
	firesteel_context_clear(common);
	firesteel_context_set_aes(common, key, size);
	firesteel_context_keyed(common);
	return 0;
}

static int skcipher_open(struct crypto_skcipher *transform)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct firesteel_algorithm *algorithm = skcipher_algorithm_of(transform);
	int err;

	context->fallback = crypto_alloc_skcipher(firesteel_algorithm_name(algorithm), 0,
						  FIRESTEEL_FALLBACK_MASK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	err = firesteel_verifier_open(&context->verifier, firesteel_algorithm_name(algorithm));
	if (err)
		goto no_verifier;
	err = firesteel_context_open(&context->common, algorithm);
	if (err)
		goto no_context;
	crypto_skcipher_set_reqsize(transform, sizeof(struct skcipher_state) +
						       crypto_skcipher_reqsize(context->fallback));
	return 0;
no_context:
	firesteel_verifier_close(&context->verifier);
no_verifier:
	crypto_free_skcipher(context->fallback);
	return err;
}

static void skcipher_close(struct crypto_skcipher *transform)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);

	crypto_free_skcipher(context->fallback);
	firesteel_verifier_close(&context->verifier);
	firesteel_context_close(&context->common);
}

/* ---- a request to measure ---- */

static int skcipher_trial_open(struct firesteel_trial *trial)
{
	const struct skcipher_alg *api = &trial->algorithm->api.skcipher;

	trial->skcipher = crypto_alloc_skcipher(api->base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->skcipher))
		return PTR_ERR(trial->skcipher);
	trial->skcipher_request = skcipher_request_alloc(trial->skcipher, GFP_KERNEL);
	if (!trial->skcipher_request)
		return -ENOMEM;
	trial->context = crypto_skcipher_ctx(trial->skcipher);
	skcipher_request_set_callback(trial->skcipher_request, 0, trial->ended, trial);
	return crypto_skcipher_setkey(trial->skcipher, trial->key, api->max_keysize);
}

static int skcipher_trial_start(struct firesteel_trial *trial, unsigned int size)
{
	/* with ciphertext stealing, a size whose last block is not full */
	if (skcipher_uses_cts(trial->algorithm))
		size += 4;
	firesteel_trial_use(trial, size);
	skcipher_request_set_crypt(trial->skcipher_request, &trial->list, &trial->list, size,
				   trial->iv);
	return crypto_skcipher_encrypt(trial->skcipher_request);
}

static void skcipher_trial_close(struct firesteel_trial *trial)
{
	skcipher_request_free(trial->skcipher_request);
	if (!IS_ERR_OR_NULL(trial->skcipher))
		crypto_free_skcipher(trial->skcipher);
}

/* ---- the class ---- */

static struct crypto_alg *skcipher_api(struct firesteel_algorithm *algorithm)
{
	return &algorithm->api.skcipher.base;
}

static int skcipher_add(struct firesteel_algorithm *algorithm)
{
	struct skcipher_alg *api = &algorithm->api.skcipher;

	firesteel_algorithm_complete(&api->base, sizeof(struct skcipher_context));
	api->chunksize = SILEX_AES_BLOCK;
	api->walksize = SILEX_AES_BLOCK;
	api->setkey = skcipher_set_key;
	api->encrypt = skcipher_encrypt;
	api->decrypt = skcipher_decrypt;
	api->init = skcipher_open;
	api->exit = skcipher_close;
	return crypto_register_skcipher(api);
}

static void skcipher_remove(struct firesteel_algorithm *algorithm)
{
	crypto_unregister_skcipher(&algorithm->api.skcipher);
}

static const struct firesteel_class skcipher_class = {
	.api = skcipher_api,
	.add = skcipher_add,
	.remove = skcipher_remove,
	.state = offsetof(struct skcipher_request, __ctx) - offsetof(struct skcipher_request, base),
	.bytes = skcipher_bytes,
	.build = skcipher_build,
	.finish = skcipher_finish,
	.software = skcipher_software,
	.trial_open = skcipher_trial_open,
	.trial_start = skcipher_trial_start,
	.trial_close = skcipher_trial_close,
};

/* What skcipher_add() does not complete */
struct firesteel_algorithm firesteel_skciphers[] = {
	{
		.class = &skcipher_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_ECB >> 8,
		},
		.mode = SILEX_AES_MODE_ECB,
		.api.skcipher = {
			.base.cra_name = "ecb(aes)",
			.base.cra_driver_name = "ecb-aes-firesteel",
			.base.cra_blocksize = SILEX_AES_BLOCK,
			.min_keysize = AES_MIN_KEY_SIZE,
			.max_keysize = AES_MAX_KEY_SIZE,
		},
	},
	{
		.class = &skcipher_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8,
		},
		.mode = SILEX_AES_MODE_CBC,
		.is_reference = true,
		.api.skcipher = {
			.base.cra_name = "cbc(aes)",
			.base.cra_driver_name = "cbc-aes-firesteel",
			.base.cra_blocksize = SILEX_AES_BLOCK,
			.min_keysize = AES_MIN_KEY_SIZE,
			.max_keysize = AES_MAX_KEY_SIZE,
			.ivsize = SILEX_AES_BLOCK,
		},
	},
	{
		.class = &skcipher_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CTR >> 8,
		},
		.mode = SILEX_AES_MODE_CTR,
		.api.skcipher = {
			.base.cra_name = "ctr(aes)",
			.base.cra_driver_name = "ctr-aes-firesteel",
			.base.cra_blocksize = 1,
			.min_keysize = AES_MIN_KEY_SIZE,
			.max_keysize = AES_MAX_KEY_SIZE,
			.ivsize = SILEX_AES_BLOCK,
		},
	},
	{
		.class = &skcipher_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_CBC >> 8 |
				    SILEX_AES_CAPS_CTS,
		},
		.mode = SILEX_AES_MODE_CBC,
		.api.skcipher = {
			.base.cra_name = "cts(cbc(aes))",
			.base.cra_driver_name = "cts-cbc-aes-firesteel",
			.base.cra_blocksize = SILEX_AES_BLOCK,
			.min_keysize = AES_MIN_KEY_SIZE,
			.max_keysize = AES_MAX_KEY_SIZE,
			.ivsize = SILEX_AES_BLOCK,
		},
	},
	{
		.class = &skcipher_class,
		.need = {
			.presence = SILEX_PRESENCE_AES,
			.aes_caps = SILEX_AES_CAPS_KEYS | SILEX_AES_MODE_XTS >> 8 |
				    SILEX_AES_CAPS_CTS,
		},
		.mode = SILEX_AES_MODE_XTS,
		.api.skcipher = {
			.base.cra_name = "xts(aes)",
			.base.cra_driver_name = "xts-aes-firesteel",
			.base.cra_blocksize = SILEX_AES_BLOCK,
			.min_keysize = 2 * AES_MIN_KEY_SIZE,
			.max_keysize = 2 * AES_MAX_KEY_SIZE,
			.ivsize = SILEX_AES_BLOCK,
		},
	},
};

const unsigned int firesteel_skcipher_count = ARRAY_SIZE(firesteel_skciphers);
