/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA and HMAC.  A whole message goes as it is and the core pads it, if it can; a message in pieces
 * goes as whole blocks, with the state loaded before and saved after, and is padded here.  An HMAC
 * in pieces is two hashes (FIPS 198-1), as the core cannot interrupt an HMAC.
 */
#include <string.h>

#include "../silex/ba413.h"
#include "message.h"
#include "operation.h"

#define BLOCK_MAX 128u
#define STATE_MAX SILEX_HASH_STATE_SHA512
#define HMAC_ONE  0x36u
#define HMAC_TWO  0x5cu

static const struct algorithm {
	uint32_t bit;
	size_t block, state, digest, length; /* bytes; the last: of the length in the padding */
} algorithms[FIRESTEEL_DIGESTS] = {
	[FIRESTEEL_SHA1] = { SILEX_HASH_ALG_SHA1, 64, SILEX_HASH_STATE_SHA1, 20, 8 },
	[FIRESTEEL_SHA224] = { SILEX_HASH_ALG_SHA224, 64, SILEX_HASH_STATE_SHA256, 28, 8 },
	[FIRESTEEL_SHA256] = { SILEX_HASH_ALG_SHA256, 64, SILEX_HASH_STATE_SHA256, 32, 8 },
	[FIRESTEEL_SHA384] = { SILEX_HASH_ALG_SHA384, 128, SILEX_HASH_STATE_SHA512, 48, 16 },
	[FIRESTEEL_SHA512] = { SILEX_HASH_ALG_SHA512, 128, SILEX_HASH_STATE_SHA512, 64, 16 },
};

/* A request in progress */
struct work {
	struct firesteel *device;
	struct fs_message message;
	const struct firesteel_hash *hash;
	const struct algorithm *algorithm;
	struct firesteel_hash_context context;
};

static int check(const struct firesteel_capabilities *has, const struct firesteel_request *request,
		 bool values)
{
	const struct firesteel_hash *hash = &request->hash;

	(void)values;
	if ((unsigned)hash->algorithm >= FIRESTEEL_DIGESTS || (hash->more && !hash->context))
		return FIRESTEEL_ERROR_INVALID;
	if (!hash->more &&
	    (hash->digest.size == 0 || hash->digest.size > algorithms[hash->algorithm].digest))
		return FIRESTEEL_ERROR_INVALID;
	return has->digests & 1u << hash->algorithm ? FIRESTEEL_OK : FIRESTEEL_ERROR_ABSENT;
}

/* ---- messages ---- */

/* Data from anywhere: copied to the slot unless the core reaches it; what is copied must fit */
static uint32_t stage(struct work *work, const uint8_t *bytes, size_t size)
{
	struct fs_dma_address found = work->message.slot.data;

	if (size == 0 || fs_pool_translate(work->device->pool, bytes, size, &found))
		return found.bus;
	memcpy(found.cpu, bytes, size);
	fs_count(&work->device->statistics.copied, size);
	return found.bus;
}

static int run_message(struct work *work, size_t size, uint8_t *output, size_t output_size)
{
	int error;

	fs_message_tail(&work->message, output_size);
	error = fs_message_run(&work->message, work->hash->algorithm, size);
	if (error)
		return error;
	memcpy(output, work->message.result, output_size);
	return fs_message_alive(&work->message);
}

static void add_state(struct work *work)
{
	struct fs_arena *arena = work->message.slot.arena;

	if (!work->context.begun)
		return;
	memcpy(arena->state, work->context.state, work->algorithm->state);
	fs_message_fetch(&work->message,
			 fs_message_part(&work->message, arena->state, work->algorithm->state),
			 work->algorithm->state, SILEX_TAG_TYPE(SILEX_HASH_DATA_STATE));
	fs_message_fetch_end(&work->message, work->algorithm->state, SILEX_HASH_WORD,
			     SILEX_TAG_TYPE(SILEX_HASH_DATA_STATE) | SILEX_TAG_LAST);
}

/* Whole blocks; the state that they lead to */
static int add_blocks(struct work *work, const uint8_t *bytes, size_t size)
{
	uint8_t state[STATE_MAX];
	int error;

	fs_message_clear(&work->message);
	fs_message_word(&work->message, work->algorithm->bit);
	add_state(work);
	fs_message_fetch(&work->message, stage(work, bytes, size), size, 0);
	fs_message_fetch_end(&work->message, size, SILEX_HASH_WORD, SILEX_TAG_LAST);
	error = run_message(work, size, state, work->algorithm->state);
	if (!error) {
		memcpy(work->context.state, state, work->algorithm->state);
		work->context.begun = true;
	}
	firesteel_wipe(state, sizeof(state));
	return error;
}

/* The rest and its padding: FIPS 180-4, 5.1 */
static int end_blocks(struct work *work, uint8_t *digest)
{
	const struct algorithm *algorithm = work->algorithm;
	size_t used = work->context.size % algorithm->block;
	uint8_t *padding = work->message.slot.arena->padding;
	size_t end = used + 1 + algorithm->length;

	end += silex_padding(end, (unsigned)algorithm->block);
	memcpy(padding, work->context.part, used);
	memset(padding + used, 0, end - used);
	padding[used] = 0x80;
	silex_put_be(padding + end - 8, 8, work->context.size << 3);
	fs_message_clear(&work->message);
	fs_message_word(&work->message, algorithm->bit | SILEX_HASH_FINAL);
	add_state(work);
	fs_message_fetch(&work->message, fs_message_part(&work->message, padding, end), end, 0);
	fs_message_fetch_end(&work->message, end, SILEX_HASH_WORD, SILEX_TAG_LAST);
	return run_message(work, end, digest, algorithm->digest);
}

/* All in one: padded by the core */
static int run_whole(struct work *work, const uint8_t *key, size_t key_size, uint8_t *digest)
{
	const uint32_t type = SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY);
	const struct firesteel_hash *hash = work->hash;
	struct fs_arena *arena = work->message.slot.arena;

	fs_message_clear(&work->message);
	fs_message_word(&work->message, work->algorithm->bit | SILEX_HASH_PAD | SILEX_HASH_FINAL |
						(hash->hmac ? SILEX_HASH_HMAC : 0));
	if (hash->hmac) {
		memcpy(arena->padding, key, key_size);
		fs_message_fetch(&work->message,
				 fs_message_part(&work->message, arena->padding, key_size),
				 key_size, type);
		fs_message_fetch_end(&work->message, key_size, SILEX_HASH_WORD,
				     type | SILEX_TAG_LAST);
	}
	fs_message_fetch(&work->message, stage(work, hash->in.data, hash->in.size), hash->in.size,
			 0);
	fs_message_fetch_end(&work->message, hash->in.size, SILEX_HASH_WORD, SILEX_TAG_LAST);
	return run_message(work, hash->in.size, digest, work->algorithm->digest);
}

/* ---- pieces ---- */

static int add_part(struct work *work, const uint8_t **bytes, size_t *size)
{
	struct firesteel_hash_context *context = &work->context;
	size_t block = work->algorithm->block, used = context->size % block;
	size_t now = *size < block - used ? *size : block - used;

	if (used == 0)
		return FIRESTEEL_OK;
	memcpy(context->part + used, *bytes, now);
	context->size += now;
	*bytes += now;
	*size -= now;
	return used + now == block ? add_blocks(work, context->part, block) : FIRESTEEL_OK;
}

static int add(struct work *work, const uint8_t *bytes, size_t size)
{
	size_t block = work->algorithm->block;
	size_t most = FS_DATA_SIZE / block * block;
	int error = size > 0 ? add_part(work, &bytes, &size) : FIRESTEEL_OK;

	while (!error && size >= block) {
		size_t now = (size < most ? size : most) / block * block;

		error = add_blocks(work, bytes, now);
		work->context.size += now;
		bytes += now;
		size -= now;
	}
	if (error || size == 0)
		return error;
	memcpy(work->context.part, bytes, size);
	work->context.size += size;
	return FIRESTEEL_OK;
}

static int hash_pieces(struct work *work, uint8_t *digest)
{
	int error = add(work, work->hash->in.data, work->hash->in.size);

	if (error || work->hash->more)
		return error;
	return end_blocks(work, digest);
}

/* ---- HMAC in pieces ---- */

/* A key that is longer than a block is hashed: FIPS 198-1, 4 */
static int shorten_key(struct work *work, uint8_t key[BLOCK_MAX], size_t *size)
{
	const struct firesteel_bytes given = work->hash->key;
	struct firesteel_hash_context kept;
	int error;

	memset(key, 0, BLOCK_MAX);
	*size = given.size;
	if (given.size <= work->algorithm->block) {
		if (given.size > 0)
			memcpy(key, given.data, given.size);
		return FIRESTEEL_OK;
	}
	kept = work->context;
	memset(&work->context, 0, sizeof(work->context));
	error = add(work, given.data, given.size);
	if (!error)
		error = end_blocks(work, key);
	work->context = kept;
	*size = work->algorithm->digest;
	firesteel_wipe(&kept, sizeof(kept));
	return error;
}

/* A new hash that begins with the padded key */
static int begin_pass(struct work *work, const uint8_t key[BLOCK_MAX], uint8_t pad)
{
	uint8_t bytes[BLOCK_MAX];
	int error;

	for (unsigned i = 0; i < BLOCK_MAX; i++)
		bytes[i] = key[i] ^ pad;
	memset(&work->context, 0, sizeof(work->context));
	error = add(work, bytes, work->algorithm->block);
	firesteel_wipe(bytes, sizeof(bytes));
	return error;
}

static int hmac_pieces(struct work *work, const uint8_t key[BLOCK_MAX], uint8_t *digest)
{
	uint8_t inner[STATE_MAX];
	int error = FIRESTEEL_OK;

	if (work->context.size == 0)
		error = begin_pass(work, key, HMAC_ONE);
	if (!error)
		error = hash_pieces(work, inner);
	if (error || work->hash->more)
		return error;
	error = begin_pass(work, key, HMAC_TWO);
	if (!error)
		error = add(work, inner, work->algorithm->digest);
	if (!error)
		error = end_blocks(work, digest);
	firesteel_wipe(inner, sizeof(inner));
	return error;
}

/* ---- a request ---- */

static bool is_whole(const struct work *work)
{
	const struct firesteel_hash *hash = work->hash;
	struct fs_dma_address ignored;

	return !hash->more && work->context.size == 0 &&
	       (!hash->hmac || work->device->capabilities.hmac) &&
	       (hash->in.size <= FS_DATA_SIZE ||
		(hash->in.size <= SILEX_LIST_BYTES_MAX &&
		 fs_pool_translate(work->device->pool, hash->in.data, hash->in.size, &ignored)));
}

static int run_hmac(struct work *work, uint8_t *digest)
{
	uint8_t key[BLOCK_MAX];
	size_t size;
	int error = shorten_key(work, key, &size);

	if (!error)
		error = is_whole(work) ? run_whole(work, key, size, digest)
				       : hmac_pieces(work, key, digest);
	firesteel_wipe(key, sizeof(key));
	return error;
}

static int digest_all(struct work *work, uint8_t *digest)
{
	if (work->hash->hmac)
		return run_hmac(work, digest);
	return is_whole(work) ? run_whole(work, NULL, 0, digest) : hash_pieces(work, digest);
}

/* A piece that fills no block needs no core */
static bool only_keeps(const struct work *work)
{
	const struct firesteel_hash *hash = work->hash;
	size_t used = work->context.size % work->algorithm->block;

	return hash->more && used + hash->in.size < work->algorithm->block &&
	       (!hash->hmac || work->context.size > 0);
}

static int run(struct firesteel *device, const struct firesteel_request *request)
{
	const struct firesteel_hash *hash = &request->hash;
	struct work work = {
		.device = device,
		.hash = hash,
		.algorithm = &algorithms[hash->algorithm],
	};
	uint8_t digest[STATE_MAX];
	int error;

	if (hash->context)
		work.context = *hash->context;
	if (only_keeps(&work)) {
		error = add(&work, hash->in.data, hash->in.size);
	} else {
		error = fs_message_begin(device, SILEX_ENGINE_HASH, &work.message);
		if (error)
			return error;
		error = digest_all(&work, digest);
		fs_message_end(&work.message);
	}
	if (!error && !hash->more)
		memcpy(hash->digest.data, digest, hash->digest.size);
	if (!error && hash->context)
		*hash->context = work.context;
	if (!error)
		fs_count(&device->statistics.bytes, hash->in.size);
	firesteel_wipe(digest, sizeof(digest));
	firesteel_wipe(&work.context, sizeof(work.context));
	return error;
}

static void estimate(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	fs_estimate_message(estimate, true, request->hash.algorithm, request->hash.in.size);
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_HASH,
		.core = FS_CM,
		.operands = FS_OPERANDS(FS_BYTES(hash.key), FS_BYTES(hash.in),
					FS_OUTPUT(hash.digest),
					FS_CONTEXT(hash.context, struct firesteel_hash_context)),
		.check = check,
		.run.cm = run,
		.estimate = estimate,
	},
};

const struct fs_family fs_hash_family = FS_FAMILY(operations);
