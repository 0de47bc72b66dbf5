/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA413: messages, states and HMAC keys; the arithmetic is nettle's. */
#include "hash.h"

#include <nettle/sha1.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>

#include "../silex/ba413.h"
#include "../silex/cryptomaster.h"
#include "../silex/soc.h"
#include "wipe.h"

#define LARGEST_BLOCK SHA512_BLOCK_SIZE
#define LARGEST_STATE SHA512_DIGEST_SIZE
#define INNER_PAD     0x36 /* FIPS 198-1 */
#define OUTER_PAD     0x5c
#define CONFIG_SIZE   4u

union context {
	struct sha1_ctx sha1;
	struct sha256_ctx sha256;
	struct sha512_ctx sha512;
};

/* An algorithm: nettle's functions, and its sizes in bytes */
struct algorithm {
	uint32_t bit; /* SILEX_HASH_ALG_* */
	size_t block;
	size_t length; /* of the message's length at the end of its padding */
	size_t digest;
	size_t state; /* chaining value */
	void (*init)(union context *context);
	void (*update)(union context *context, size_t size, const uint8_t *bytes);
	void (*finish)(union context *context, size_t size, uint8_t *digest);
	void (*load)(union context *context, const uint8_t *state);
	void (*save)(const union context *context, uint8_t *state);
};

struct silex_hash {
	const struct silex_config *config;
	struct silex_work *work;
	struct silex_statistics *statistics;

	uint8_t word[CONFIG_SIZE]; /* the configuration as it was written */
	const struct algorithm *algorithm; /* NULL: none that this core has */
	bool hmac;
	bool pad;
	bool final;

	union context context; /* of the message */
	size_t part; /* bytes of a block that is not full, in `context` */
	union context key_context; /* of a key that is longer than a block */
	uint8_t key[LARGEST_BLOCK]; /* as long as it is no longer; then its digest */
	size_t key_size; /* bytes that have come */
	bool keyed; /* the key is in `context` */
	uint8_t state[LARGEST_STATE]; /* to be loaded */
	size_t state_size; /* bytes that have come */
};

/* ---- algorithms ---- */

static void put32(uint8_t *bytes, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> (24 - 8 * i));
}

static uint32_t get32(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static void load32(uint32_t *words, const uint8_t *state, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		words[i] = get32(state + 4 * i);
}

static void save32(const uint32_t *words, uint8_t *state, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		put32(state + 4 * i, words[i]);
}

static void sha1_begin(union context *context)
{
	sha1_init(&context->sha1);
}

static void sha1_take(union context *context, size_t size, const uint8_t *bytes)
{
	sha1_update(&context->sha1, size, bytes);
}

static void sha1_end(union context *context, size_t size, uint8_t *digest)
{
	sha1_digest(&context->sha1, size, digest);
}

static void sha1_load(union context *context, const uint8_t *state)
{
	load32(context->sha1.state, state, 5);
}

static void sha1_save(const union context *context, uint8_t *state)
{
	save32(context->sha1.state, state, 5);
}

static void sha224_begin(union context *context)
{
	sha224_init(&context->sha256);
}

static void sha224_end(union context *context, size_t size, uint8_t *digest)
{
	sha224_digest(&context->sha256, size, digest);
}

static void sha256_begin(union context *context)
{
	sha256_init(&context->sha256);
}

static void sha256_take(union context *context, size_t size, const uint8_t *bytes)
{
	sha256_update(&context->sha256, size, bytes);
}

static void sha256_end(union context *context, size_t size, uint8_t *digest)
{
	sha256_digest(&context->sha256, size, digest);
}

static void sha256_load(union context *context, const uint8_t *state)
{
	load32(context->sha256.state, state, 8);
}

static void sha256_save(const union context *context, uint8_t *state)
{
	save32(context->sha256.state, state, 8);
}

static void sha384_begin(union context *context)
{
	sha384_init(&context->sha512);
}

static void sha384_end(union context *context, size_t size, uint8_t *digest)
{
	sha384_digest(&context->sha512, size, digest);
}

static void sha512_begin(union context *context)
{
	sha512_init(&context->sha512);
}

static void sha512_take(union context *context, size_t size, const uint8_t *bytes)
{
	sha512_update(&context->sha512, size, bytes);
}

static void sha512_end(union context *context, size_t size, uint8_t *digest)
{
	sha512_digest(&context->sha512, size, digest);
}

static void sha512_load(union context *context, const uint8_t *state)
{
	for (unsigned i = 0; i < 8; i++)
		context->sha512.state[i] = (uint64_t)get32(state + 8 * i) << 32 |
					   get32(state + 8 * i + 4);
}

static void sha512_save(const union context *context, uint8_t *state)
{
	for (unsigned i = 0; i < 8; i++) {
		put32(state + 8 * i, (uint32_t)(context->sha512.state[i] >> 32));
		put32(state + 8 * i + 4, (uint32_t)context->sha512.state[i]);
	}
}

static const struct algorithm algorithms[] = {
	{ SILEX_HASH_ALG_SHA1, 64, 8, 20, 20, sha1_begin, sha1_take, sha1_end, sha1_load,
	  sha1_save },
	{ SILEX_HASH_ALG_SHA224, 64, 8, 28, 32, sha224_begin, sha256_take, sha224_end, sha256_load,
	  sha256_save },
	{ SILEX_HASH_ALG_SHA256, 64, 8, 32, 32, sha256_begin, sha256_take, sha256_end, sha256_load,
	  sha256_save },
	{ SILEX_HASH_ALG_SHA384, 128, 16, 48, 64, sha384_begin, sha512_take, sha384_end,
	  sha512_load, sha512_save },
	{ SILEX_HASH_ALG_SHA512, 128, 16, 64, 64, sha512_begin, sha512_take, sha512_end,
	  sha512_load, sha512_save },
};

/* The algorithm that a configuration word asks for; NULL when this core does not have it */
static const struct algorithm *find(const struct silex_config *config, uint32_t word)
{
	const uint32_t bits = word & SILEX_HASH_ALG_MASK;

	if ((word & SILEX_HASH_HMAC && !(config->hash_caps & SILEX_HASH_CAPS_HMAC)) ||
	    (word & SILEX_HASH_PAD && !(config->hash_caps & SILEX_HASH_CAPS_PAD)))
		return NULL;
	for (unsigned i = 0; i < sizeof(algorithms) / sizeof(*algorithms); i++)
		if (algorithms[i].bit == bits && config->hash_caps & bits)
			return &algorithms[i];
	return NULL;
}

/* ---- time ---- */

static void count_blocks(struct silex_hash *hash, size_t blocks)
{
	const struct silex_timing *timing = &hash->config->timing;
	unsigned cycles = hash->algorithm->block == SHA512_BLOCK_SIZE   ? timing->sha512_cycles
			  : hash->algorithm->bit == SILEX_HASH_ALG_SHA1 ? timing->sha1_cycles
									: timing->sha256_cycles;

	if (blocks == 0)
		return;
	hash->work->cycles += blocks * cycles;
	hash->work->block_bytes = (unsigned)hash->algorithm->block;
	hash->work->block_cycles = cycles;
}

/* Blocks that `bytes` become with their padding */
static size_t padded_blocks(const struct algorithm *algorithm, size_t bytes)
{
	return (bytes + 1 + algorithm->length + algorithm->block - 1) / algorithm->block;
}

/* ---- message ---- */

/* Discards message and key.  What a union of contexts contains beyond the algorithm's own is zero. */
static void cleanse(struct silex_hash *hash)
{
	silex_wipe(&hash->context, sizeof(hash->context));
	silex_wipe(&hash->key_context, sizeof(hash->key_context));
	silex_wipe(hash->key, sizeof(hash->key));
	silex_wipe(hash->state, sizeof(hash->state));
	hash->part = 0;
	hash->key_size = 0;
	hash->keyed = false;
	hash->state_size = 0;
	hash->algorithm = NULL;
	hash->hmac = false;
	hash->pad = false;
	hash->final = false;
}

static void begin(struct silex_hash *hash)
{
	uint32_t word = hash->word[0] | (uint32_t)hash->word[1] << 8 |
			(uint32_t)hash->word[2] << 16 | (uint32_t)hash->word[3] << 24;

	cleanse(hash);
	hash->algorithm = find(hash->config, word);
	hash->hmac = word & SILEX_HASH_HMAC;
	hash->pad = word & SILEX_HASH_PAD;
	hash->final = word & SILEX_HASH_FINAL;
	if (!hash->algorithm)
		return;
	hash->algorithm->init(&hash->context);
	if (hash->hmac)
		hash->algorithm->init(&hash->key_context);
}

static void absorb(struct silex_hash *hash, const uint8_t *bytes, size_t size)
{
	hash->algorithm->update(&hash->context, size, bytes);
	count_blocks(hash, (hash->part + size) / hash->algorithm->block);
	hash->part = (hash->part + size) % hash->algorithm->block;
}

static void absorb_key_block(struct silex_hash *hash, union context *context, uint8_t pad)
{
	const size_t size = hash->algorithm->block;
	uint8_t block[LARGEST_BLOCK];

	for (size_t i = 0; i < size; i++)
		block[i] = hash->key[i] ^ pad;
	hash->algorithm->update(context, size, block);
	count_blocks(hash, 1);
	silex_wipe(block, sizeof(block));
}

/* The key is complete: the message begins with it */
static void begin_hmac(struct silex_hash *hash)
{
	const struct algorithm *algorithm = hash->algorithm;

	if (hash->key_size > algorithm->block) {
		silex_wipe(hash->key, sizeof(hash->key));
		algorithm->finish(&hash->key_context, algorithm->digest, hash->key);
		count_blocks(hash, padded_blocks(algorithm, hash->key_size));
	}
	silex_wipe(&hash->key_context, sizeof(hash->key_context));
	absorb_key_block(hash, &hash->context, INNER_PAD);
	hash->keyed = true;
}

static void absorb_key(struct silex_hash *hash, const uint8_t *bytes, size_t size)
{
	const size_t block = hash->algorithm->block;

	if (!hash->hmac || hash->keyed)
		return;
	if (hash->key_size < block) {
		size_t capacity = block - hash->key_size;

		memcpy(hash->key + hash->key_size, bytes, size < capacity ? size : capacity);
	}
	hash->algorithm->update(&hash->key_context, size, bytes);
	hash->key_size += size;
}

static void absorb_state(struct silex_hash *hash, const uint8_t *bytes, size_t size)
{
	size_t capacity = sizeof(hash->state) - hash->state_size;

	size = size < capacity ? size : capacity;
	memcpy(hash->state + hash->state_size, bytes, size);
	hash->state_size += size;
}

/* The state is complete; one that is too short changes nothing */
static void load_state(struct silex_hash *hash)
{
	if (hash->state_size >= hash->algorithm->state)
		hash->algorithm->load(&hash->context, hash->state);
	hash->state_size = 0;
}

static void take_message(struct silex_hash *hash, const uint8_t *bytes, size_t size)
{
	if (hash->hmac && !hash->keyed)
		begin_hmac(hash);
	absorb(hash, bytes, size);
	hash->statistics->hash_bytes += size;
}

/* ---- the end ---- */

/* The digest of what is in the context; without PAD the message has brought its padding */
static void finish(struct silex_hash *hash, uint8_t *digest)
{
	const struct algorithm *algorithm = hash->algorithm;
	uint8_t state[LARGEST_STATE];

	if (hash->pad) {
		algorithm->finish(&hash->context, algorithm->digest, digest);
		count_blocks(hash, padded_blocks(algorithm, hash->part));
		return;
	}
	algorithm->save(&hash->context, state);
	memcpy(digest, state, algorithm->digest);
	silex_wipe(state, sizeof(state));
}

static void finish_hmac(struct silex_hash *hash, uint8_t *digest)
{
	const struct algorithm *algorithm = hash->algorithm;

	finish(hash, digest);
	algorithm->init(&hash->context);
	absorb_key_block(hash, &hash->context, OUTER_PAD);
	algorithm->update(&hash->context, algorithm->digest, digest);
	algorithm->finish(&hash->context, algorithm->digest, digest);
	count_blocks(hash, padded_blocks(algorithm, algorithm->digest));
}

static size_t end_message(struct silex_hash *hash, uint8_t *output)
{
	const struct algorithm *algorithm = hash->algorithm;
	size_t size = hash->final ? algorithm->digest : algorithm->state;

	if (hash->hmac && !hash->keyed)
		begin_hmac(hash);
	if (!hash->final)
		algorithm->save(&hash->context, output);
	else if (hash->hmac)
		finish_hmac(hash, output);
	else
		finish(hash, output);
	hash->statistics->hash_jobs++;
	cleanse(hash);
	return size;
}

/* ---- the engine ---- */

static bool present(const struct silex_config *config)
{
	return config->hash;
}

static void *create(const struct silex_config *config, struct silex_work *work,
		    struct silex_statistics *statistics)
{
	struct silex_hash *hash = calloc(1, sizeof(*hash));

	if (!hash)
		return NULL;
	hash->config = config;
	hash->work = work;
	hash->statistics = statistics;
	return hash;
}

static void destroy(void *engine)
{
	if (!engine)
		return;
	silex_wipe(engine, sizeof(struct silex_hash));
	free(engine);
}

static void reset(void *engine)
{
	struct silex_hash *hash = engine;

	cleanse(hash);
	memset(hash->word, 0, sizeof(hash->word));
}

static bool configure(void *engine, unsigned offset, const uint8_t *bytes, size_t size)
{
	struct silex_hash *hash = engine;

	for (size_t i = 0; i < size && offset + i < CONFIG_SIZE; i++)
		hash->word[offset + i] = bytes[i];
	if (offset < CONFIG_SIZE)
		begin(hash);
	return false; /* what comes out is no tag */
}

static size_t data(void *engine, unsigned type, const uint8_t *input, size_t size, uint8_t *output)
{
	struct silex_hash *hash = engine;

	(void)output;
	if (!hash->algorithm)
		return 0;
	if (type == SILEX_HASH_DATA_MESSAGE)
		take_message(hash, input, size);
	else if (type == SILEX_HASH_DATA_STATE)
		absorb_state(hash, input, size);
	else if (type == SILEX_HASH_DATA_KEY)
		absorb_key(hash, input, size);
	return 0;
}

static size_t end(void *engine, unsigned type, bool last, uint8_t *output)
{
	struct silex_hash *hash = engine;

	if (!hash->algorithm || !last)
		return 0;
	if (type == SILEX_HASH_DATA_MESSAGE)
		return end_message(hash, output);
	if (type == SILEX_HASH_DATA_STATE)
		load_state(hash);
	else if (type == SILEX_HASH_DATA_KEY && hash->hmac && !hash->keyed)
		begin_hmac(hash);
	return 0;
}

static size_t pending(const void *engine, unsigned type)
{
	(void)engine;
	(void)type;
	return 0; /* what comes out lies nowhere in the input */
}

/* A state and an HMAC key end, too, and the message is still to come */
static bool ends_message(unsigned type)
{
	return type == SILEX_HASH_DATA_MESSAGE;
}

static void spoil_tag(void *engine, unsigned bit)
{
	(void)engine;
	(void)bit;
}

const struct silex_engine_ops silex_hash_engine = {
	.number = SILEX_ENGINE_HASH,
	.unit = SILEX_HASH_WORD,
	.present = present,
	.create = create,
	.destroy = destroy,
	.reset = reset,
	.configure = configure,
	.pending = pending,
	.data = data,
	.end = end,
	.ends_message = ends_message,
	.spoil_tag = spoil_tag,
};
