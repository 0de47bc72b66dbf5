// SPDX-License-Identifier: GPL-2.0-or-later
/* Ciphers without authentication: ECB, CBC, CTR, CBC with ciphertext stealing, XTS. */
#include <crypto/internal/skcipher.h>
#include <crypto/scatterwalk.h>
#include <crypto/xts.h>
#include <linux/module.h>

#include "request.h"
#include "silex/ba411.h"

struct skcipher_context {
	struct firesteel_context common;
	struct crypto_skcipher *fallback;
};

struct skcipher_state {
	bool decrypt;
	u8 last[FIRESTEEL_BLOCK]; /* CBC, decrypting: the next IV, which output may replace */
	struct skcipher_request fallback; /* the last: longer than it looks */
};

static struct firesteel_algorithm *algorithm_of(struct crypto_skcipher *transform)
{
	return container_of(crypto_skcipher_alg(transform), struct firesteel_algorithm,
			    api.skcipher);
}

/* ---- software ---- */

static int run_fallback(struct skcipher_request *request)
{
	struct crypto_skcipher *transform = crypto_skcipher_reqtfm(request);
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct skcipher_state *state = skcipher_request_ctx(request);
	struct skcipher_request *fallback = &state->fallback;

	skcipher_request_set_tfm(fallback, context->fallback);
	skcipher_request_set_callback(fallback, request->base.flags, request->base.complete,
				      request->base.data);
	skcipher_request_set_crypt(fallback, request->src, request->dst, request->cryptlen,
				   request->iv);
	return state->decrypt ? crypto_skcipher_decrypt(fallback)
			      : crypto_skcipher_encrypt(fallback);
}

/* ---- IV ---- */

/* Adds to the 128-bit counter, which is big-endian */
static void counter_add(u8 *counter, unsigned int blocks)
{
	unsigned int i = FIRESTEEL_BLOCK;

	while (blocks && i--) {
		blocks += counter[i];
		counter[i] = blocks;
		blocks >>= 8;
	}
}

/* Whether the core's counter, which may be narrower, goes the same way as one of 128 bits */
static bool counter_fits(const struct firesteel_device *device, const u8 *counter,
			 unsigned int blocks)
{
	unsigned int bits = device->counter_bits;

	if (bits >= 128)
		return true;
	if (bits < 32)
		return false;
	return (u64)get_unaligned_be32(counter + 12) + blocks <= U32_MAX;
}

static void keep_last(struct skcipher_request *request, struct skcipher_state *state)
{
	scatterwalk_map_and_copy(state->last, request->src, request->cryptlen - FIRESTEEL_BLOCK,
				 FIRESTEEL_BLOCK, 0);
}

static bool steals(const struct firesteel_algorithm *algorithm)
{
	return algorithm->need.aes_caps & SILEX_AES_CAPS_CTS;
}

/* Whether the last block of ciphertext is the next request's IV */
static bool chains(const struct firesteel_algorithm *algorithm)
{
	return algorithm->mode == SILEX_AES_MODE_CBC && !steals(algorithm);
}

/* What a chain of requests goes on with */
static void next_iv(struct skcipher_request *request, const struct firesteel_algorithm *algorithm)
{
	struct skcipher_state *state = skcipher_request_ctx(request);

	if (algorithm->mode == SILEX_AES_MODE_CTR)
		counter_add(request->iv, DIV_ROUND_UP(request->cryptlen, FIRESTEEL_BLOCK));
	if (!chains(algorithm))
		return;
	if (state->decrypt)
		memcpy(request->iv, state->last, FIRESTEEL_BLOCK);
	else
		scatterwalk_map_and_copy(request->iv, request->dst,
					 request->cryptlen - FIRESTEEL_BLOCK, FIRESTEEL_BLOCK, 0);
}

/* ---- the core ---- */

static bool has_iv(u32 mode)
{
	return mode != SILEX_AES_MODE_ECB;
}

static bool build(struct skcipher_request *request, struct firesteel_context *context,
		  struct firesteel_job *job, bool decrypt)
{
	unsigned int size = request->cryptlen;
	u32 mode = context->algorithm->mode;

	if (mode == SILEX_AES_MODE_CTR &&
	    !counter_fits(context->device, request->iv, DIV_ROUND_UP(size, FIRESTEEL_BLOCK)))
		return false;
	if (!firesteel_job_map(job, request->src, size, request->dst, size))
		return false;
	firesteel_request_configure(context, job, decrypt);
	if (has_iv(mode)) {
		memcpy(job->arena->iv, request->iv, FIRESTEEL_BLOCK);
		firesteel_job_fetch_arena(job, iv, FIRESTEEL_BLOCK,
					  FIRESTEEL_AES_CONFIG(SILEX_AES_IV));
	}
	firesteel_job_fetch_list(job, 0, size, SILEX_ENGINE_AES);
	firesteel_job_fetch_end(job, size, FIRESTEEL_BLOCK, SILEX_ENGINE_AES | SILEX_TAG_LAST);
	firesteel_job_push_list(job, 0, size);
	firesteel_job_push_discard(job, firesteel_padding(size, FIRESTEEL_BLOCK));
	if (firesteel_job_close(job))
		return true;
	firesteel_job_unmap(job);
	return false;
}

static int finish(struct firesteel_job *job, enum firesteel_fault fault)
{
	struct skcipher_request *request = container_of(job->request, struct skcipher_request,
							base);
	struct skcipher_context *context = crypto_skcipher_ctx(crypto_skcipher_reqtfm(request));

	if (!firesteel_request_ended(&context->common, job, fault))
		return firesteel_fallback_result(run_fallback(request));
	firesteel_queue_give(job);
	next_iv(request, context->common.algorithm);
	return 0;
}

/* 0: go on; 1: there is nothing to do */
static int check(const struct skcipher_request *request,
		 const struct firesteel_algorithm *algorithm)
{
	unsigned int size = request->cryptlen;
	const struct skcipher_alg *api = &algorithm->api.skcipher;

	if (steals(algorithm))
		return size < FIRESTEEL_BLOCK ? -EINVAL : 0;
	if (!size)
		return 1;
	return size % api->base.cra_blocksize ? -EINVAL : 0;
}

/* The core steals only where the last block is not full; cts() always exchanges the last two */
static bool does_not_steal(const struct firesteel_algorithm *algorithm, unsigned int size)
{
	return algorithm->mode == SILEX_AES_MODE_CBC && steals(algorithm) &&
	       size > FIRESTEEL_BLOCK && size % FIRESTEEL_BLOCK == 0;
}

static int run(struct skcipher_request *request, bool decrypt)
{
	struct crypto_skcipher *transform = crypto_skcipher_reqtfm(request);
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct skcipher_state *state = skcipher_request_ctx(request);
	struct firesteel_algorithm *algorithm = context->common.algorithm;
	unsigned int size = request->cryptlen;
	struct firesteel_job *job;
	int err = check(request, algorithm);

	if (err)
		return err < 0 ? err : 0;
	state->decrypt = decrypt;
	job = firesteel_request_begin(&context->common, size);
	if (!job)
		return run_fallback(request);
	if (does_not_steal(algorithm, size) || !build(request, &context->common, job, decrypt)) {
		firesteel_request_cancel(&context->common, job, size);
		return run_fallback(request);
	}
	if (decrypt && chains(algorithm))
		keep_last(request, state);
	job->request = &request->base;
	job->finish = finish;
	job->bytes = size;
	return firesteel_queue_submit(job, true);
}

static int encrypt(struct skcipher_request *request)
{
	return run(request, false);
}

static int decrypt(struct skcipher_request *request)
{
	return run(request, true);
}

/* ---- transforms ---- */

static int set_key(struct crypto_skcipher *transform, const u8 *key, unsigned int size)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct firesteel_context *common = &context->common;
	bool xts = common->algorithm->mode == SILEX_AES_MODE_XTS;
	unsigned int each = xts ? size / 2 : size;
	int err = xts ? xts_verify_key(transform, key, size) : 0;

	if (err)
		return err;
	if ((each != 16 && each != 24 && each != 32) || (xts && size % 2))
		return -EINVAL;
	crypto_skcipher_clear_flags(context->fallback, CRYPTO_TFM_REQ_MASK);
	crypto_skcipher_set_flags(context->fallback,
				  crypto_skcipher_get_flags(transform) & CRYPTO_TFM_REQ_MASK);
	err = crypto_skcipher_setkey(context->fallback, key, size);
	if (err)
		return err;
	common->key_size = each;
	memcpy(common->key, key, each);
	if (xts)
		memcpy(common->key2, key + each, each);
	return 0;
}

static int open_transform(struct crypto_skcipher *transform)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);
	struct firesteel_algorithm *algorithm = algorithm_of(transform);

	context->fallback = crypto_alloc_skcipher(firesteel_algorithm_name(algorithm), 0,
						  CRYPTO_ALG_NEED_FALLBACK);
	if (IS_ERR(context->fallback))
		return PTR_ERR(context->fallback);
	crypto_skcipher_set_reqsize(transform, sizeof(struct skcipher_state) +
						       crypto_skcipher_reqsize(context->fallback));
	firesteel_context_open(&context->common, algorithm);
	return 0;
}

static void close_transform(struct crypto_skcipher *transform)
{
	struct skcipher_context *context = crypto_skcipher_ctx(transform);

	crypto_free_skcipher(context->fallback);
	firesteel_context_close(&context->common);
}

#define AES_KEYS (SILEX_AES_CAPS_KEY_128 | SILEX_AES_CAPS_KEY_192 | SILEX_AES_CAPS_KEY_256)

/* `caps`: what the core must have besides AES with keys of all sizes */
#define SKCIPHER(api_name, driver, mode_bit, caps, block, iv, least_key, most_key) \
	{                                                                                     \
		.kind = FIRESTEEL_SKCIPHER,                                                   \
		.need = { .presence = SILEX_PRESENCE_AES,                                     \
			  .aes_caps = AES_KEYS | (mode_bit) >> 8 | (caps) },                  \
		.mode = mode_bit,                                                             \
		.api.skcipher = {                                                             \
			.base = {                                                             \
				.cra_name = api_name,                                         \
				.cra_driver_name = driver "-firesteel",                       \
				.cra_priority = FIRESTEEL_PRIORITY,                           \
				.cra_flags = FIRESTEEL_FLAGS,                                 \
				.cra_blocksize = block,                                       \
				.cra_ctxsize = sizeof(struct skcipher_context),               \
				.cra_module = THIS_MODULE,                                    \
			},                                                                    \
			.min_keysize = least_key,                                             \
			.max_keysize = most_key,                                              \
			.ivsize = iv,                                                         \
			.chunksize = FIRESTEEL_BLOCK,                                         \
			.walksize = FIRESTEEL_BLOCK,                                          \
			.setkey = set_key,                                                    \
			.encrypt = encrypt,                                                   \
			.decrypt = decrypt,                                                   \
			.init = open_transform,                                               \
			.exit = close_transform,                                              \
		},                                                                            \
	}

struct firesteel_algorithm firesteel_skciphers[] = {
	SKCIPHER("ecb(aes)", "ecb-aes", SILEX_AES_MODE_ECB, 0, 16, 0, 16, 32),
	SKCIPHER("cbc(aes)", "cbc-aes", SILEX_AES_MODE_CBC, 0, 16, 16, 16, 32),
	SKCIPHER("ctr(aes)", "ctr-aes", SILEX_AES_MODE_CTR, 0, 1, 16, 16, 32),
	SKCIPHER("cts(cbc(aes))", "cts-cbc-aes", SILEX_AES_MODE_CBC, SILEX_AES_CAPS_CTS, 16, 16, 16,
		 32),
	SKCIPHER("xts(aes)", "xts-aes", SILEX_AES_MODE_XTS, SILEX_AES_CAPS_CTS, 16, 16, 32, 64),
};

const unsigned int firesteel_skcipher_count = ARRAY_SIZE(firesteel_skciphers);
