/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA411E: registers, and how a message is cut into blocks. */
#include "aes.h"

#include <stdlib.h>
#include <string.h>

#include "../silex/message.h"
#include "aes-modes.h"
#include "smaller.h"
#include "wipe.h"

#define BLOCK SILEX_AES_BLOCK

static const struct silex_aes_mode *const modes[] = {
	&silex_aes_ecb, &silex_aes_cbc, &silex_aes_ctr, &silex_aes_cfb,  &silex_aes_ofb,
	&silex_aes_ccm, &silex_aes_gcm, &silex_aes_xts, &silex_aes_cmac,
};

/* ---- registers ---- */

/* Wipes the message with its keys */
static void cleanse(struct silex_aes *aes)
{
	if (aes->mode == &silex_aes_gcm)
		silex_wipe(&aes->gcm, sizeof(aes->gcm));
	silex_wipe(&aes->ccm, sizeof(aes->ccm));
	silex_wipe(&aes->cmac, sizeof(aes->cmac));
	silex_aes_key_wipe(&aes->key);
	silex_aes_key_wipe(&aes->key2);
	silex_wipe(aes->iv, sizeof(aes->iv));
	silex_wipe(aes->context2, sizeof(aes->context2));
	silex_wipe(aes->part, sizeof(aes->part));
	silex_wipe(aes->header, sizeof(aes->header));
	aes->mode = NULL;
	aes->word = 0;
	aes->begun = false;
	aes->ready = false;
	aes->part_used = 0;
	aes->header_used = 0;
	aes->spoil = false;
}

static void set_word(struct silex_aes *aes, const uint8_t *bytes, size_t size)
{
	cleanse(aes);
	for (size_t i = 0; i < silex_smaller(size, sizeof(aes->word)); i++)
		aes->word |= (uint32_t)bytes[i] << (8 * i);
}

/* Copies what of `bytes`, which belong at `offset`, lies in a register of `length` at `start`;
 * returns how far the register is filled then, or 0 if nothing was written to it */
static size_t fill(uint8_t *reg, unsigned start, size_t length, unsigned offset,
		   const uint8_t *bytes, size_t size)
{
	size_t begin = offset > start ? offset - start : 0;
	size_t skip = start > offset ? start - offset : 0;
	size_t count;

	if (begin >= length || skip >= size)
		return 0;
	count = silex_smaller(length - begin, size - skip);
	memcpy(reg + begin, bytes + skip, count);
	return begin + count;
}

static void fill_key(struct silex_aes *aes, struct silex_aes_key *key, unsigned start,
		     unsigned offset, const uint8_t *bytes, size_t size)
{
	size_t end = fill(key->bytes, start, sizeof(key->bytes), offset, bytes, size);

	if (end == 0)
		return;
	key->size = end;
	key->can_encrypt = false;
	key->can_decrypt = false;
	aes->work->key = true;
}

static void fill_registers(struct silex_aes *aes, unsigned offset, const uint8_t *bytes,
			   size_t size)
{
	fill_key(aes, &aes->key, SILEX_AES_KEY, offset, bytes, size);
	fill(aes->iv, SILEX_AES_IV, sizeof(aes->iv), offset, bytes, size);
	fill(aes->context2, SILEX_AES_CONTEXT2, sizeof(aes->context2), offset, bytes, size);
	fill_key(aes, &aes->key2, SILEX_AES_KEY2, offset, bytes, size);
}

/* ---- the message's start ---- */

static bool keys_fit(struct silex_aes *aes)
{
	if (aes->config->aes_key_size_bits) {
		aes->key.size = silex_aes_key_size(aes->word);
		aes->key2.size = aes->key.size;
	}
	if (!silex_aes_is_key_size(aes->key.size) ||
	    !(aes->config->aes_caps & silex_aes_key_capability(aes->key.size)))
		return false;
	return aes->mode != &silex_aes_xts || silex_aes_loads(aes) ||
	       aes->key2.size == aes->key.size;
}

static const struct silex_aes_mode *find_mode(const struct silex_aes *aes)
{
	uint32_t bits = aes->word & SILEX_AES_MODE_MASK;

	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i]->bit == bits && aes->config->aes_caps & 1u << i)
			return modes[i];
	return NULL;
}

/* What the mode does with key and IV alone can be done before data come */
static void prepare(struct silex_aes *aes)
{
	uint64_t before = aes->work->cycles, taken;

	aes->mode->begin(aes);
	taken = aes->work->cycles - before;
	aes->work->cycles = before;
	aes->work->setup_cycles += taken;
}

/*
 * With the first data.  Assumption: a mode or key size that the core does not have makes it take
 * data and give nothing.
 */
static bool begin(struct silex_aes *aes)
{
	if (aes->begun)
		return aes->ready;
	aes->begun = true;
	aes->mode = find_mode(aes);
	aes->ready = aes->mode && keys_fit(aes);
	if (aes->ready)
		prepare(aes);
	return aes->ready;
}

/* ---- associated data ---- */

static void pad_header(struct silex_aes *aes)
{
	if (aes->header_used == 0)
		return;
	memset(aes->header + aes->header_used, 0, BLOCK - aes->header_used);
	aes->mode->header(aes, aes->header, BLOCK);
	aes->header_used = 0;
}

/* It comes out again as it is */
static size_t take_header(struct silex_aes *aes, const uint8_t *input, size_t size, uint8_t *output)
{
	const uint8_t *next = input;
	size_t left = size;

	if (!aes->mode->header)
		return 0;
	if (aes->header_used > 0) {
		size_t count = silex_smaller(BLOCK - aes->header_used, left);

		memcpy(aes->header + aes->header_used, next, count);
		aes->header_used += count;
		next += count;
		left -= count;
		if (aes->header_used == BLOCK)
			pad_header(aes);
	}
	if (left >= BLOCK) {
		aes->mode->header(aes, next, left - left % BLOCK);
		next += left - left % BLOCK;
		left %= BLOCK;
	}
	memcpy(aes->header + aes->header_used, next, left);
	aes->header_used += left;
	memmove(output, input, size);
	return size;
}

static size_t end_header(struct silex_aes *aes, uint8_t *output)
{
	size_t padding = aes->header_used > 0 ? BLOCK - aes->header_used : 0;

	pad_header(aes);
	memset(output, 0, padding);
	return padding;
}

/* ---- payload ---- */

static bool has_trailer(const struct silex_aes *aes)
{
	if (silex_aes_saves(aes))
		return false;
	return aes->mode == &silex_aes_gcm ||
	       (aes->mode == &silex_aes_ccm && silex_aes_decrypts(aes) && aes->ccm.tag > 0);
}

static bool may_use_cts(const struct silex_aes *aes)
{
	return aes->mode->cts && aes->config->aes_caps & SILEX_AES_CAPS_CTS;
}

static size_t give_blocks(struct silex_aes *aes, uint8_t *output, const uint8_t *input, size_t size)
{
	if (size == 0)
		return 0;
	aes->mode->blocks(aes, output, input, size);
	aes->statistics->aes_bytes += size;
	return aes->mode->silent ? 0 : size;
}

/*
 * `input` follows what waits in aes->part.  A block is held back where it can turn out to be a
 * trailer, or the last full block of ciphertext stealing.  Works in place if `output` lies as far
 * before `input` as there are bytes in aes->part.
 */
static size_t take_payload(struct silex_aes *aes, const uint8_t *input, size_t size,
			   uint8_t *output)
{
	size_t kept = has_trailer(aes) || may_use_cts(aes) ? BLOCK : 0;
	size_t total = aes->part_used + size;
	size_t now = total > kept ? (total - kept) / BLOCK * BLOCK : 0;
	size_t filled = silex_smaller((BLOCK - aes->part_used % BLOCK) % BLOCK, size);
	size_t first, given;

	memcpy(aes->part + aes->part_used, input, filled);
	aes->part_used += filled;
	first = silex_smaller(aes->part_used, now);
	given = give_blocks(aes, output, aes->part, first);
	aes->part_used -= first;
	memmove(aes->part, aes->part + first, aes->part_used);
	input += filled;
	size -= filled;
	given += give_blocks(aes, output + given, input, now - first);
	input += now - first;
	size -= now - first;
	memcpy(aes->part + aes->part_used, input, size);
	aes->part_used += size;
	return given;
}

/* Bytes that are no full block */
static size_t give_rest(struct silex_aes *aes, uint8_t *output, const uint8_t *input, size_t size)
{
	uint8_t block[BLOCK] = { 0 };

	if (size == 0)
		return 0;
	memset(output, 0, BLOCK);
	memcpy(block, input, size);
	if (aes->mode->rest)
		aes->mode->rest(aes, output, block, size);
	else
		aes->mode->blocks(aes, output, block, BLOCK);
	silex_wipe(block, sizeof(block));
	aes->statistics->aes_bytes += size;
	return aes->mode->silent ? 0 : BLOCK;
}

static size_t steal(struct silex_aes *aes, uint8_t *output)
{
	size_t rest = aes->part_used - BLOCK;

	memset(output, 0, SILEX_AES_PART_SIZE);
	aes->mode->steal(aes, output, aes->part, rest);
	aes->statistics->aes_bytes += aes->part_used;
	aes->part_used = 0;
	return SILEX_AES_PART_SIZE;
}

/* All that waits is payload */
static size_t flush(struct silex_aes *aes, uint8_t *output)
{
	size_t whole = aes->part_used / BLOCK * BLOCK;
	size_t given = give_blocks(aes, output, aes->part, whole);

	given += give_rest(aes, output + given, aes->part + whole, aes->part_used - whole);
	aes->part_used = 0;
	return given;
}

/* ---- the message's end ---- */

/* What waits is the trailer; what is too much for it is payload, what is missing is zeros */
static size_t take_trailer(struct silex_aes *aes, uint8_t *trailer, uint8_t *output)
{
	size_t given = 0;

	if (aes->part_used > BLOCK) {
		given = give_blocks(aes, output, aes->part, BLOCK);
		aes->part_used -= BLOCK;
		memmove(aes->part, aes->part + BLOCK, aes->part_used);
	}
	memcpy(trailer, aes->part, aes->part_used);
	aes->part_used = 0;
	return given;
}

static size_t give_tag(struct silex_aes *aes, const uint8_t *trailer, uint8_t *output)
{
	size_t size = aes->mode->tag(aes, output, trailer);
	size_t bits = 8 * (aes->mode == &silex_aes_ccm ? aes->ccm.tag : size);

	if (aes->spoil && bits > 0)
		output[aes->spoil_bit % bits / 8] ^= (uint8_t)(1u << (aes->spoil_bit % 8));
	return size;
}

static size_t end_message(struct silex_aes *aes, uint8_t *output)
{
	uint8_t trailer[BLOCK] = { 0 };
	size_t given;

	if (has_trailer(aes))
		given = take_trailer(aes, trailer, output);
	else if (may_use_cts(aes) && aes->part_used > BLOCK && aes->part_used < 2 * BLOCK)
		given = steal(aes, output);
	else
		given = flush(aes, output);
	if (silex_aes_saves(aes))
		given += aes->mode->save(aes, output + given);
	else if (aes->mode->tag)
		given += give_tag(aes, trailer, output + given);
	aes->statistics->aes_jobs++;
	return given;
}

/* ---- the engine ---- */

static bool present(const struct silex_config *config)
{
	return config->aes;
}

static void *create(const struct silex_config *config, struct silex_work *work,
		    struct silex_statistics *statistics)
{
	struct silex_aes *aes = calloc(1, sizeof(*aes));

	if (!aes)
		return NULL;
	aes->config = config;
	aes->work = work;
	aes->statistics = statistics;
	return aes;
}

static void destroy(void *engine)
{
	if (!engine)
		return;
	silex_wipe(engine, sizeof(struct silex_aes));
	free(engine);
}

static void reset(void *engine)
{
	cleanse(engine);
}

/* A tag comes out of GCM, CCM and CMAC at the end, a context of a message that is to go on */
static bool asks_for_tag(uint32_t word)
{
	return word & (SILEX_AES_MODE_CCM | SILEX_AES_MODE_GCM | SILEX_AES_MODE_CMAC) &&
	       !(word & SILEX_AES_CONTEXT_SAVE);
}

static bool configure(void *engine, unsigned offset, const uint8_t *bytes, size_t size)
{
	struct silex_aes *aes = engine;

	if (offset == SILEX_AES_CONFIG)
		set_word(aes, bytes, size);
	if (!aes->begun) /* a message on its way keeps what it began with */
		fill_registers(aes, offset, bytes, size);
	return offset == SILEX_AES_CONFIG && size >= sizeof(aes->word) && asks_for_tag(aes->word);
}

static size_t data(void *engine, unsigned type, const uint8_t *input, size_t size, uint8_t *output)
{
	struct silex_aes *aes = engine;

	if (!begin(aes) || size == 0)
		return 0;
	if (type == SILEX_AES_HEADER)
		return take_header(aes, input, size, output);
	if (type != SILEX_AES_PAYLOAD)
		return 0;
	pad_header(aes);
	return take_payload(aes, input, size, output);
}

static size_t end(void *engine, unsigned type, bool last, uint8_t *output)
{
	struct silex_aes *aes = engine;
	size_t given = 0;

	if (begin(aes)) {
		if (type == SILEX_AES_HEADER)
			given = end_header(aes, output);
		else if (type == SILEX_AES_PAYLOAD && !last)
			given = flush(aes, output);
		pad_header(aes);
		if (last)
			given += end_message(aes, output + given);
	}
	if (last)
		cleanse(aes);
	return given;
}

static size_t pending(const void *engine, unsigned type)
{
	const struct silex_aes *aes = engine;

	return type == SILEX_AES_PAYLOAD ? aes->part_used : 0;
}

static bool ends_message(unsigned type)
{
	(void)type;
	return true;
}

static void spoil_tag(void *engine, unsigned bit)
{
	struct silex_aes *aes = engine;

	aes->spoil = true;
	aes->spoil_bit = bit;
}

const struct silex_engine_ops silex_aes_engine = {
	.number = SILEX_ENGINE_AES,
	.unit = SILEX_AES_BLOCK,
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
