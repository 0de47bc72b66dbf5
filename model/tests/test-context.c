/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Messages in two pieces: what is saved after the first and loaded before the second gives what
 * the whole message gives. */
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "hashes.h"
#include "message.h"
#include "unit.h"

#define BLOCK      SILEX_AES_BLOCK
#define BLOCKS     6u
#define TAIL_BYTES 7u /* of a last block that is not full */
#define SIZE       (BLOCKS * BLOCK + TAIL_BYTES)

static struct bus *bus;
static struct dice dice;
static uint8_t input[2 * SIZE], expected[2 * SIZE], found[2 * SIZE];

/* ---- AES ---- */

/* A piece of a message */
struct part {
	uint32_t flags; /* SILEX_AES_CONTEXT_* */
	const uint8_t *iv; /* or context */
	size_t iv_size;
	bool header;
	size_t from;
	size_t size;
};

static void put_header(struct jobs *jobs, const struct message *message)
{
	uint8_t b0[BLOCK];
	const bool ccm = message->mode == SILEX_AES_MODE_CCM;
	size_t size = ccm ? BLOCK : message->header_size;

	if (ccm) {
		assert_int_equal(silex_ccm_head(b0, 12, SILEX_AES_TAG, 0, message->size), BLOCK);
		memcpy(b0 + 1, message->iv, 12);
	}
	jobs_data(jobs, SILEX_ENGINE_AES | SILEX_TAG_TYPE(SILEX_AES_HEADER),
		  ccm ? b0 : message->header, size, BLOCK);
	jobs_discard(jobs, size + silex_padding(size, BLOCK));
}

/* GCM: the lengths; CCM, decrypting: the tag that came with the message */
static void put_trailer(struct jobs *jobs, const struct message *message)
{
	uint8_t trailer[BLOCK] = { 0 };

	if (message->mode == SILEX_AES_MODE_CCM)
		memcpy(trailer, message->received, BLOCK);
	else
		silex_gcm_trailer(trailer, message->header_size, message->size);
	jobs_data(jobs, SILEX_ENGINE_AES | SILEX_TAG_LAST, trailer, BLOCK, BLOCK);
}

/* Runs one piece; `tail` gets the context or tag */
static void run_part(const struct message *message, const struct part *part, uint8_t *tail,
		     size_t tail_size)
{
	static struct jobs jobs;
	const bool saves = part->flags & SILEX_AES_CONTEXT_SAVE;
	const bool trailer = !saves && (message->mode == SILEX_AES_MODE_GCM ||
					(message->mode == SILEX_AES_MODE_CCM && message->decrypt));
	size_t keys = message->mode == SILEX_AES_MODE_XTS ? 2 : 1;
	struct pieces output = { 0 }, end = { 0 };

	jobs_begin(&jobs, bus, &dice);
	jobs_word(&jobs, SILEX_ENGINE_AES,
		  message->mode | part->flags | (message->decrypt ? SILEX_AES_DECRYPT : 0));
	jobs_config(&jobs, SILEX_ENGINE_AES, SILEX_AES_KEY, message->key, message->key_size / keys);
	if (part->iv_size > 0)
		jobs_config(&jobs, SILEX_ENGINE_AES, SILEX_AES_IV, part->iv, part->iv_size);
	if (keys == 2 && !(part->flags & SILEX_AES_CONTEXT_LOAD))
		jobs_config(&jobs, SILEX_ENGINE_AES, SILEX_AES_KEY2, message->key + 32, 32);
	if (part->header)
		put_header(&jobs, message);
	jobs_data(&jobs, SILEX_ENGINE_AES | (trailer ? 0 : SILEX_TAG_LAST), input + part->from,
		  part->size, BLOCK);
	if (message_has_payload(message)) {
		output = jobs_output(&jobs, part->size);
		jobs_discard(&jobs, silex_padding(part->size, BLOCK));
	}
	if (trailer)
		put_trailer(&jobs, message);
	if (tail_size > 0)
		end = jobs_output(&jobs, tail_size);
	assert_int_equal(jobs_run(&jobs) & SILEX_CM_INT_ERRORS, 0);
	jobs_gather(&jobs, &output, found + part->from);
	jobs_gather(&jobs, &end, tail);
}

static size_t context_size(const struct message *message)
{
	return message->mode == SILEX_AES_MODE_GCM || message->mode == SILEX_AES_MODE_CCM
		       ? SILEX_AES_AEAD_CONTEXT
		       : SILEX_AES_CONTEXT;
}

static void run_in_two(const struct message *message, size_t first)
{
	uint8_t context[SILEX_AES_AEAD_CONTEXT], tag[SILEX_AES_TAG];
	const bool aead = context_size(message) == SILEX_AES_AEAD_CONTEXT;
	const struct part begin = {
		.flags = SILEX_AES_CONTEXT_SAVE,
		.iv = message->iv,
		.iv_size = message->mode == SILEX_AES_MODE_CCM ? 0 : message->iv_size,
		.header = aead,
		.size = first,
	};
	const struct part rest = {
		.flags = SILEX_AES_CONTEXT_LOAD,
		.iv = context,
		.iv_size = context_size(message),
		.from = first,
		.size = message->size - first,
	};

	run_part(message, &begin, context, context_size(message));
	run_part(message, &rest, tag, message_tail(message));
	if (message_has_payload(message))
		assert_memory_equal(found, message->expected, message->size);
	assert_memory_equal(tag, message->tag, message_tail(message));
}

static void run_mode(uint32_t mode, size_t size, size_t iv_size)
{
	struct message message = {
		.mode = mode,
		.key_size = mode == SILEX_AES_MODE_XTS ? 64 : 32,
		.iv_size = iv_size,
		.tag_size = 16,
		.input = input,
		.size = size,
		.expected = expected,
	};

	message.header_size = mode == SILEX_AES_MODE_GCM ? 21 : 0;
	for (unsigned decrypt = 0; decrypt < 2; decrypt++) {
		if (decrypt && mode == SILEX_AES_MODE_CMAC)
			continue;
		message.decrypt = decrypt;
		dice_fill(&dice, input, size);
		dice_fill(&dice, message.key, message.key_size);
		dice_fill(&dice, message.iv, message.iv_size);
		dice_fill(&dice, message.header, message.header_size);
		message_compute(&message);
		for (size_t first = BLOCK; first + BLOCK <= size; first += BLOCK)
			run_in_two(&message, first);
	}
}

static void block_modes_go_on(void **state)
{
	(void)state;
	run_mode(SILEX_AES_MODE_ECB, BLOCKS * BLOCK, 0);
	run_mode(SILEX_AES_MODE_CBC, BLOCKS * BLOCK, 16);
	run_mode(SILEX_AES_MODE_XTS, BLOCKS * BLOCK, 16);
}

static void stealing_goes_on(void **state)
{
	(void)state;
	run_mode(SILEX_AES_MODE_CBC, SIZE, 16);
	run_mode(SILEX_AES_MODE_XTS, SIZE, 16);
}

static void stream_modes_go_on(void **state)
{
	(void)state;
	run_mode(SILEX_AES_MODE_CTR, SIZE, 16);
	run_mode(SILEX_AES_MODE_CFB, SIZE, 16);
	run_mode(SILEX_AES_MODE_OFB, SIZE, 16);
}

static void authenticated_modes_go_on(void **state)
{
	(void)state;
	run_mode(SILEX_AES_MODE_GCM, SIZE, 12);
	run_mode(SILEX_AES_MODE_GCM, BLOCKS * BLOCK, 12);
	run_mode(SILEX_AES_MODE_CCM, SIZE, 12);
	run_mode(SILEX_AES_MODE_CMAC, SIZE, 0);
	run_mode(SILEX_AES_MODE_CMAC, BLOCKS * BLOCK, 0);
}

/* ---- hash ---- */

static void run_hash(const struct hash *hash, uint32_t flags, const uint8_t *state,
		     const uint8_t *bytes, size_t size, uint8_t *output, size_t output_size)
{
	static struct jobs jobs;
	struct pieces end;

	jobs_begin(&jobs, bus, &dice);
	jobs_word(&jobs, SILEX_ENGINE_HASH, hash->algorithm | flags);
	if (state)
		jobs_data(&jobs,
			  SILEX_ENGINE_HASH | SILEX_TAG_LAST |
				  SILEX_TAG_TYPE(SILEX_HASH_DATA_STATE),
			  state, hash->state, SILEX_HASH_WORD);
	jobs_data(&jobs, SILEX_ENGINE_HASH | SILEX_TAG_LAST, bytes, size, SILEX_HASH_WORD);
	end = jobs_output(&jobs, output_size);
	assert_int_equal(jobs_run(&jobs) & SILEX_CM_INT_ERRORS, 0);
	jobs_gather(&jobs, &end, output);
}

static void run_algorithm(const struct hash *hash)
{
	uint8_t bytes[1024], state[SILEX_HASH_STATE_SHA512], digest[MESSAGE_TAG];
	struct message message = { .mode = hash->algorithm, .hash = true, .input = bytes };

	for (size_t size = hash->block; size < 5 * hash->block; size += 37) {
		for (size_t first = hash->block; first <= size; first += hash->block) {
			size_t rest;

			dice_fill(&dice, bytes, size);
			message.size = size;
			message_compute(&message);
			rest = hash_pad(hash, bytes, size, 0) - first;
			run_hash(hash, 0, NULL, bytes, first, state, hash->state);
			run_hash(hash, SILEX_HASH_FINAL, state, bytes + first, rest, digest,
				 message_tail(&message));
			assert_memory_equal(digest, message.tag, message_tail(&message));
		}
	}
}

static void hashes_go_on(void **state)
{
	(void)state;
	for (unsigned i = 0; i < HASHES; i++)
		run_algorithm(&hashes[i]);
}

static int set_up(void **state)
{
	(void)state;
	bus = bus_open("hash=on,zero=on");
	dice_begin(&dice, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	bus_close(bus);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(block_modes_go_on),  cmocka_unit_test(stealing_goes_on),
		cmocka_unit_test(stream_modes_go_on), cmocka_unit_test(authenticated_modes_go_on),
		cmocka_unit_test(hashes_go_on),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
