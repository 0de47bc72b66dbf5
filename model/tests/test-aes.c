/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA411E as CryptoMaster sees it: calls in any size, place and order, contexts, what is counted.
 * That it computes AES is the matter of test-random and answers-symmetric.
 */
#include <stdlib.h>
#include <string.h>

#include "../../silex/soc.h"
#include "aes-shape.h"

/* ---- any size and place ---- */

static void try_cuts(struct shape shape)
{
	uint8_t whole[STREAM], found[STREAM];
	size_t size;

	shape.first = shape.second = shape.payload;
	size = aes_run(&shape, whole);
	for (shape.first = 0; shape.first <= shape.payload; shape.first++) {
		for (shape.second = shape.first; shape.second <= shape.payload; shape.second++) {
			assert_int_equal(aes_run(&shape, found), size);
			assert_memory_equal(found, whole, size);
		}
	}
}

static void calls_may_be_cut_anywhere(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		struct shape shape = aes_shape(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0),
					       16);

		try_cuts(shape);
		shape.payload = 3 * BLOCK;
		try_cuts(shape);
		shape.word |= SILEX_AES_CONTEXT_SAVE;
		try_cuts(shape);
	}
}

/* Whole, cut within blocks and cut between them */
static void output_may_replace_input(void **state)
{
	static const size_t cuts[][2] = { { SIZE, SIZE }, { 1, 50 }, { 16, 48 }, { 33, 34 } };
	uint8_t apart[STREAM], found[STREAM];

	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		struct shape shape = aes_shape(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0),
					       32);
		size_t size = aes_run(&shape, apart);

		if (shape.word & SILEX_AES_MODE_CMAC)
			continue; /* nothing comes out in its place */
		shape.in_place = true;
		for (unsigned k = 0; k < sizeof(cuts) / sizeof(*cuts); k++) {
			shape.first = cuts[k][0];
			shape.second = cuts[k][1];
			assert_int_equal(aes_run(&shape, found), size);
			assert_memory_equal(found, apart, size);
		}
	}
}

/* ---- configuration items ---- */

static void items_may_be_joined_or_cut(void **state)
{
	struct shape shape = aes_shape(SILEX_AES_MODE_XTS, 32);
	uint8_t registers[128] = { 0 }, expected[STREAM], found[STREAM];
	size_t size = aes_run(&shape, expected);

	(void)state;
	registers[1] = SILEX_AES_MODE_XTS >> 8;
	memcpy(registers + SILEX_AES_KEY, aes_bytes, 32);
	memcpy(registers + SILEX_AES_IV, aes_bytes + 40, BLOCK);
	memcpy(registers + SILEX_AES_KEY2, aes_bytes + 80, 32);
	for (unsigned cut = 4; cut <= sizeof(registers); cut++) {
		aes_engine.ops->configure(aes_engine.state, 0, registers, cut);
		aes_engine.ops->configure(aes_engine.state, cut, registers + cut,
					  sizeof(registers) - cut);
		assert_int_equal(aes_put_data(&shape, found), size);
		assert_memory_equal(found, expected, size);
	}
}

/* ---- contexts ---- */

/* The rest of a message, from the context that `blocks` of its blocks have left */
static size_t go_on(const struct shape *shape, size_t blocks, const uint8_t *context,
		    uint8_t *output)
{
	const size_t done = blocks * BLOCK;
	size_t written;

	aes_put_word(shape->word | SILEX_AES_CONTEXT_LOAD);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY, aes_bytes, shape->key);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_IV, context, BLOCK);
	if (aes_is_tagged(shape->word))
		aes_engine.ops->configure(aes_engine.state, SILEX_AES_CONTEXT2, context + BLOCK,
					  BLOCK);
	written = aes_data(SILEX_AES_PAYLOAD, aes_bytes + 128 + done, shape->payload - done,
			   output);
	return written + aes_put_end(shape, output + written);
}

static void goes_on_after(const struct shape *shape, size_t blocks)
{
	struct shape begin = *shape;
	uint8_t whole[STREAM], found[STREAM], context[2 * BLOCK];
	size_t size = aes_run(shape, whole), written;

	begin.word |= SILEX_AES_CONTEXT_SAVE;
	begin.payload = begin.first = begin.second = blocks * BLOCK;
	written = aes_run(&begin, found) - (aes_is_tagged(begin.word) ? 2 : 1) * BLOCK;
	memcpy(context, found + written, sizeof(context));
	written += go_on(shape, blocks, context, found + written);
	assert_int_equal(written, size);
	assert_memory_equal(found, whole, size);
}

static void contexts_go_on_after_every_block(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		struct shape shape = aes_shape(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0),
					       24);

		/* a block stays that the rest can steal from */
		for (size_t blocks = 1; blocks < SIZE / BLOCK; blocks++)
			goes_on_after(&shape, blocks);
	}
}

/* ---- any order ---- */

static uint32_t random_number(void)
{
	static uint64_t seed = 20150601;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33);
}

/* Buffers that are as long as they must be: the sanitizer sees one byte more */
static void call_at_random(void)
{
	size_t size = random_number() % 70;
	uint8_t *input = calloc(1, size + 1);
	uint8_t *output = malloc(size + SILEX_ENGINE_PENDING);
	uint8_t tail[SILEX_ENGINE_TAIL];

	assert_non_null(input);
	assert_non_null(output);
	switch (random_number() % 6) {
	case 0:
		aes_put_word(aes_modes[random_number() % AES_MODES] | (random_number() & 0x3f));
		break;
	case 1:
		aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY, aes_bytes,
					  16 + 8 * (random_number() % 3));
		break;
	case 2:
		aes_engine.ops->configure(aes_engine.state, random_number() % 256, input, size);
		break;
	case 3:
		aes_end(random_number() % 4, random_number() % 4 == 0, tail);
		break;
	default:
		aes_data(random_number() % 4, input, size, output);
	}
	free(input);
	free(output);
}

static void any_order_of_calls_is_harmless(void **state)
{
	uint8_t expected[STREAM], found[STREAM];
	struct shape shape = aes_shape(SILEX_AES_MODE_GCM, 24);
	size_t size = aes_run(&shape, expected);

	(void)state;
	for (unsigned i = 0; i < 200000; i++)
		call_at_random();
	assert_int_equal(aes_run(&shape, found), size);
	assert_memory_equal(found, expected, size);
}

static void data_without_configuration_give_nothing(void **state)
{
	uint8_t output[STREAM];

	(void)state;
	assert_int_equal(aes_data(SILEX_AES_PAYLOAD, aes_bytes, SIZE, output), 0);
	assert_int_equal(aes_end(SILEX_AES_PAYLOAD, true, output), 0);
	assert_int_equal(aes_counted.aes_jobs, 0);
}

static void a_message_keeps_what_it_began_with(void **state)
{
	struct shape shape = aes_shape(SILEX_AES_MODE_CBC, 16);
	uint8_t expected[STREAM], found[STREAM];
	size_t size = aes_run(&shape, expected), written;

	(void)state;
	aes_put_registers(&shape);
	written = aes_data(SILEX_AES_PAYLOAD, aes_bytes + 128, 40, found);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY, aes_bytes + 99, 32);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_IV, aes_bytes + 99, BLOCK);
	written += aes_data(SILEX_AES_PAYLOAD, aes_bytes + 168, SIZE - 40, found + written);
	written += aes_end(SILEX_AES_PAYLOAD, true, found + written);
	assert_int_equal(written, size);
	assert_memory_equal(found, expected, size);
}

/* ---- what a core was built with ---- */

/* Then the last block is filled up with zeros and is one like any other */
static void without_stealing_blocks_are_padded(void **state)
{
	struct shape shape = aes_shape(SILEX_AES_MODE_CBC, 16);
	uint8_t found[STREAM], expected[STREAM], with[STREAM];

	(void)state;
	assert_int_equal(aes_run(&shape, with), 5 * BLOCK);
	aes_config.aes_caps &= ~SILEX_AES_CAPS_CTS;
	assert_int_equal(aes_run(&shape, found), 5 * BLOCK);
	assert_memory_not_equal(found, with, 5 * BLOCK);
	memset(aes_bytes + 128 + SIZE, 0, BLOCK);
	shape.payload = shape.first = shape.second = 5 * BLOCK;
	aes_run(&shape, expected);
	assert_memory_equal(found, expected, 5 * BLOCK);
}

static void add_one(uint8_t *block, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++) {
		block[15 - i / 8] ^= (uint8_t)(1u << (i % 8));
		if (block[15 - i / 8] >> (i % 8) & 1)
			return;
	}
}

/* Over payload of zeros: the stream is what ECB makes of the counter blocks */
static void count_from(unsigned bits, const uint8_t *first)
{
	struct shape stream = aes_shape(SILEX_AES_MODE_CTR, 16);
	struct shape counters = aes_shape(SILEX_AES_MODE_ECB, 16);
	uint8_t block[BLOCK], expected[STREAM], found[STREAM];

	stream.payload = stream.first = stream.second = 5 * BLOCK;
	counters.payload = counters.first = counters.second = 5 * BLOCK;
	memcpy(block, first, BLOCK);
	for (unsigned k = 0; k < 5; k++) {
		memcpy(aes_bytes + 128 + k * BLOCK, block, BLOCK);
		add_one(block, bits);
	}
	aes_run(&counters, expected);
	memcpy(aes_bytes + 40, first, BLOCK);
	memset(aes_bytes + 128, 0, 5 * BLOCK);
	aes_config.aes_counter_bits = bits;
	aes_run(&stream, found);
	assert_memory_equal(found, expected, 5 * BLOCK);
}

/* Two before the wrap, with zeros in front of the bits that count and with ones */
static void only_the_counters_bits_count(void **state)
{
	(void)state;
	for (unsigned bits = 1; bits <= 128; bits++) {
		uint8_t zeros[BLOCK] = { 0 }, ones[BLOCK];

		memset(ones, 0xff, BLOCK);
		ones[BLOCK - 1] = 0xfd;
		for (unsigned i = 0; i < bits; i++)
			zeros[15 - i / 8] |= (uint8_t)(ones[15 - i / 8] & 1u << (i % 8));
		count_from(bits, zeros);
		count_from(bits, ones);
	}
}

/* ---- what is counted ---- */

static uint64_t cycles_of(uint32_t word, unsigned key, size_t payload)
{
	struct shape shape = aes_shape(word, key);
	uint8_t output[STREAM];

	shape.payload = shape.first = shape.second = payload;
	aes_work_done.setup_cycles = aes_work_done.cycles = 0;
	aes_run(&shape, output);
	return aes_work_done.setup_cycles + aes_work_done.cycles;
}

static void time_is_counted_by_blocks_and_keys(void **state)
{
	const struct silex_timing *timing = &aes_config.timing;
	const unsigned key = timing->aes_key_cycles, block = timing->aes128_cycles;

	(void)state;
	assert_int_equal(cycles_of(SILEX_AES_MODE_ECB, 16, 4 * BLOCK), key + 4 * block);
	assert_int_equal(cycles_of(SILEX_AES_MODE_ECB, 24, 4 * BLOCK),
			 key + 4 * timing->aes192_cycles);
	assert_int_equal(cycles_of(SILEX_AES_MODE_CBC | SILEX_AES_DECRYPT, 32, 4 * BLOCK),
			 key + 4 * timing->aes256_cycles);
	assert_int_equal(cycles_of(SILEX_AES_MODE_CTR, 16, SIZE), key + 5 * block);
	assert_int_equal(cycles_of(SILEX_AES_MODE_XTS, 16, SIZE), 2 * key + 6 * block);
	assert_int_equal(cycles_of(SILEX_AES_MODE_CMAC, 16, 4 * BLOCK), key + 5 * block);
	/* the header's blocks once, payload twice, and the block of the tag */
	assert_int_equal(cycles_of(SILEX_AES_MODE_CCM, 16, SIZE), key + (3 + 10 + 1) * block);
	/* what the hash's key and the tag are made of, the header's blocks, payload, trailer */
	assert_int_equal(cycles_of(SILEX_AES_MODE_GCM, 16, SIZE), key + (2 + 3 + 5 + 1) * block);
}

/* What needs no data: an engine can do it before they come */
static uint64_t setup_of(uint32_t word)
{
	cycles_of(word, 16, SIZE);
	return aes_work_done.setup_cycles;
}

static void what_needs_no_data_is_told_apart(void **state)
{
	const struct silex_timing *timing = &aes_config.timing;
	const unsigned key = timing->aes_key_cycles, block = timing->aes128_cycles;

	(void)state;
	assert_int_equal(setup_of(SILEX_AES_MODE_ECB), key);
	assert_int_equal(setup_of(SILEX_AES_MODE_CBC | SILEX_AES_DECRYPT), key);
	assert_int_equal(setup_of(SILEX_AES_MODE_CCM), key);
	assert_int_equal(setup_of(SILEX_AES_MODE_XTS), 2 * key + block);
	assert_int_equal(setup_of(SILEX_AES_MODE_CMAC), key + block);
	assert_int_equal(setup_of(SILEX_AES_MODE_GCM), key + 2 * block);
}

static void a_key_is_told(void **state)
{
	static const uint8_t zeros[BLOCK];

	(void)state;
	aes_put_word(SILEX_AES_MODE_CBC);
	assert_false(aes_work_done.key);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_IV, zeros, BLOCK);
	assert_false(aes_work_done.key);
	aes_engine.ops->configure(aes_engine.state, SILEX_AES_KEY, zeros, BLOCK);
	assert_true(aes_work_done.key);
}

static void messages_and_payload_are_counted(void **state)
{
	uint8_t output[STREAM];

	(void)state;
	for (unsigned i = 0; i < 2 * AES_MODES; i++) {
		struct shape shape = aes_shape(aes_modes[i / 2] | (i % 2 ? SILEX_AES_DECRYPT : 0),
					       16);

		aes_run(&shape, output);
		assert_int_equal(aes_counted.aes_jobs, i + 1);
		assert_int_equal(aes_counted.aes_bytes, (i + 1) * SIZE);
	}
}

/* ---- the fault ---- */

static unsigned differing_bits(const uint8_t *a, const uint8_t *b, size_t size)
{
	unsigned count = 0;

	for (size_t i = 0; i < 8 * size; i++)
		count += (a[i / 8] ^ b[i / 8]) >> (i % 8) & 1;
	return count;
}

static void one_bit_of_one_tag_is_spoiled(void **state)
{
	static const uint32_t tagged[] = { SILEX_AES_MODE_CCM, SILEX_AES_MODE_GCM,
					   SILEX_AES_MODE_CMAC };
	uint8_t right[BLOCK], spoiled[BLOCK], output[STREAM];

	(void)state;
	for (unsigned i = 0; i < 3 * 128; i++) {
		struct shape shape = aes_shape(tagged[i / 128], 16);
		size_t size = aes_run(&shape, output);

		memcpy(right, output + size - BLOCK, BLOCK);
		aes_put_registers(&shape);
		aes_engine.ops->spoil_tag(aes_engine.state, i % 128);
		assert_int_equal(aes_put_data(&shape, output), size);
		memcpy(spoiled, output + size - BLOCK, BLOCK);
		assert_int_equal(differing_bits(right, spoiled, BLOCK), 1);
		aes_run(&shape, output);
		assert_memory_equal(output + size - BLOCK, right, BLOCK);
	}
}

static bool tells_of_tag(uint32_t word, unsigned offset, size_t size)
{
	const uint8_t item[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				  (uint8_t)(word >> 24) };

	return aes_engine.ops->configure(aes_engine.state, offset, item, size);
}

static void a_word_tells_whether_a_tag_will_come(void **state)
{
	(void)state;
	for (unsigned i = 0; i < AES_MODES; i++) {
		uint32_t word = aes_modes[i];
		bool tag = word == SILEX_AES_MODE_CCM || word == SILEX_AES_MODE_GCM ||
			   word == SILEX_AES_MODE_CMAC;

		assert_int_equal(tells_of_tag(word, SILEX_AES_CONFIG, 4), tag);
		assert_int_equal(tells_of_tag(word | SILEX_AES_CONTEXT_LOAD, SILEX_AES_CONFIG, 4),
				 tag);
		assert_false(tells_of_tag(word | SILEX_AES_CONTEXT_SAVE, SILEX_AES_CONFIG, 4));
		assert_false(tells_of_tag(word, SILEX_AES_CONFIG, 3));
		assert_false(tells_of_tag(word, SILEX_AES_KEY, 4));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		AES_TEST(calls_may_be_cut_anywhere),
		AES_TEST(output_may_replace_input),
		AES_TEST(items_may_be_joined_or_cut),
		AES_TEST(contexts_go_on_after_every_block),
		AES_TEST(any_order_of_calls_is_harmless),
		AES_TEST(data_without_configuration_give_nothing),
		AES_TEST(a_message_keeps_what_it_began_with),
		AES_TEST(without_stealing_blocks_are_padded),
		AES_TEST(only_the_counters_bits_count),
		AES_TEST(time_is_counted_by_blocks_and_keys),
		AES_TEST(what_needs_no_data_is_told_apart),
		AES_TEST(a_key_is_told),
		AES_TEST(messages_and_payload_are_counted),
		AES_TEST(one_bit_of_one_tag_is_spoiled),
		AES_TEST(a_word_tells_whether_a_tag_will_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
