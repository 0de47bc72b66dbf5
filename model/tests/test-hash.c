/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA413 behind its engine interface, without CryptoMaster: messages in any number of calls, what
 * is counted, what is refused. */
#include <string.h>

#include "../../silex/ba413.h"
#include "../../silex/soc.h"
#include "../hash.h"
#include "hashes.h"
#include "message.h"
#include "unit.h"

#define SHORT_MAX  300u
#define LARGE_MAX  70000u
#define ORDINARY   (SILEX_HASH_PAD | SILEX_HASH_FINAL)
#define WRONG_RUNS 20000u

/* An engine, and what it counts */
struct core {
	struct silex_config config;
	struct silex_work work;
	struct silex_statistics statistics;
	struct silex_engine engine;
};

static struct dice dice;
static uint8_t bytes[LARGE_MAX + 2 * HASH_BLOCK_MAX];

static void open_core(struct core *core)
{
	memset(core, 0, sizeof(*core));
	silex_config_default(&core->config);
	core->engine.ops = &silex_hash_engine;
	core->engine.state = silex_hash_engine.create(&core->config, &core->work,
						      &core->statistics);
	assert_non_null(core->engine.state);
}

static void close_core(struct core *core)
{
	core->engine.ops->destroy(core->engine.state);
}

/* ---- what CryptoMaster does ---- */

static void configure(struct core *core, uint32_t word)
{
	const uint8_t config[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
				    (uint8_t)(word >> 24) };

	core->engine.ops->configure(core->engine.state, SILEX_HASH_CONFIG, config, sizeof(config));
}

/* Gives data in calls of random sizes */
static void give(struct core *core, unsigned type, const uint8_t *data, size_t size)
{
	uint8_t output[SILEX_ENGINE_PENDING];

	while (size > 0) {
		size_t part = 1 + dice_roll(&dice, (uint32_t)size);

		assert_int_equal(
			core->engine.ops->data(core->engine.state, type, data, part, output), 0);
		data += part;
		size -= part;
	}
}

/* An item with LAST; returns how many bytes come out */
static size_t item(struct core *core, unsigned type, const uint8_t *data, size_t size,
		   uint8_t output[SILEX_ENGINE_TAIL])
{
	give(core, type, data, size);
	return core->engine.ops->end(core->engine.state, type, true, output);
}

static void expect_nothing(struct core *core, unsigned type, const uint8_t *data, size_t size)
{
	uint8_t output[SILEX_ENGINE_TAIL];

	assert_int_equal(item(core, type, data, size, output), 0);
}

static void expect(struct core *core, const uint8_t *data, size_t size, const uint8_t *expected,
		   size_t expected_size)
{
	uint8_t output[SILEX_ENGINE_TAIL];

	assert_int_equal(item(core, SILEX_HASH_DATA_MESSAGE, data, size, output), expected_size);
	assert_memory_equal(output, expected, expected_size);
}

/* ---- messages against libcrypto ---- */

/* Random bytes for a message and its key; libcrypto says what is right */
static void choose(struct message *message, const struct hash *hash, bool hmac, size_t key_size,
		   size_t size)
{
	*message = (struct message){
		.mode = hash->algorithm,
		.hash = true,
		.hmac = hmac,
		.key_size = key_size,
		.input = bytes,
		.size = size,
	};
	dice_fill(&dice, message->key, key_size);
	dice_fill(&dice, bytes, size);
	message_compute(message);
}

static void begin(struct core *core, const struct message *message, uint32_t flags)
{
	configure(core, message->mode | flags | (message->hmac ? SILEX_HASH_HMAC : 0));
	if (message->hmac)
		expect_nothing(core, SILEX_HASH_DATA_KEY, message->key, message->key_size);
}

static void run(struct core *core, const struct hash *hash, bool hmac, size_t key_size, size_t size)
{
	struct message message;

	choose(&message, hash, hmac, key_size, size);
	begin(core, &message, ORDINARY);
	expect(core, bytes, size, message.tag, hash->digest);
}

static void digests_are_right_at_all_lengths(void **state)
{
	static const size_t larger[] = { 1000, 4095, 4096, 65536, LARGE_MAX };
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < HASHES; i++) {
		for (size_t size = 0; size <= SHORT_MAX; size++)
			run(&core, &hashes[i], false, 0, size);
		for (unsigned j = 0; j < sizeof(larger) / sizeof(*larger); j++)
			run(&core, &hashes[i], false, 0, larger[j]);
	}
	close_core(&core);
}

static void hmacs_are_right_for_all_keys_and_lengths(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < HASHES; i++) {
		for (size_t size = 0; size <= SHORT_MAX; size++) {
			run(&core, &hashes[i], true, size, dice_roll(&dice, SHORT_MAX + 1));
			run(&core, &hashes[i], true, dice_roll(&dice, SHORT_MAX + 1), size);
		}
		run(&core, &hashes[i], true, SHORT_MAX, LARGE_MAX);
	}
	close_core(&core);
}

/* The state out after each block, and in before the next; the padding is the driver's */
static void run_block_by_block(struct core *core, const struct hash *hash, size_t size)
{
	uint8_t output[SILEX_ENGINE_TAIL], state[SILEX_HASH_STATE_SHA512];
	struct message message;
	size_t end;

	choose(&message, hash, false, 0, size);
	end = hash_pad(hash, bytes, size, 0);
	for (size_t from = 0; from < end; from += hash->block) {
		bool last = from + hash->block == end;

		configure(core, hash->algorithm | (last ? SILEX_HASH_FINAL : 0));
		if (from > 0)
			expect_nothing(core, SILEX_HASH_DATA_STATE, state, hash->state);
		assert_int_equal(
			item(core, SILEX_HASH_DATA_MESSAGE, bytes + from, hash->block, output),
			last ? hash->digest : hash->state);
		memcpy(state, output, hash->state);
	}
	assert_memory_equal(state, message.tag, hash->digest);
}

static void states_go_on_at_every_block(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < HASHES; i++)
		for (size_t size = 0; size < 4 * hashes[i].block; size++)
			run_block_by_block(&core, &hashes[i], size);
	close_core(&core);
}

static void hmac_messages_may_bring_their_padding(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < HASHES; i++)
		for (size_t size = 0; size <= SHORT_MAX; size++) {
			struct message message;
			size_t end;

			choose(&message, &hashes[i], true, 1 + size, size);
			/* the block of the key counts as part of the message */
			end = hash_pad(&hashes[i], bytes, hashes[i].block + size, hashes[i].block);
			begin(&core, &message, SILEX_HASH_FINAL);
			expect(&core, bytes, end, message.tag, hashes[i].digest);
		}
	close_core(&core);
}

/* Not of use to drivers, but the same each time: the state after the inner key and the message */
static void hmacs_that_are_not_final_give_the_inner_state(void **state)
{
	const struct hash *hash = &hashes[2];
	uint8_t output[SILEX_ENGINE_TAIL], padded[2 * HASH_BLOCK_MAX], inner[2 * HASH_BLOCK_MAX];
	struct message message, plain;
	struct core core;

	(void)state;
	open_core(&core);
	choose(&message, hash, true, hash->block, hash->block);
	begin(&core, &message, 0);
	assert_int_equal(item(&core, SILEX_HASH_DATA_MESSAGE, bytes, hash->block, output),
			 hash->state);
	for (size_t i = 0; i < hash->block; i++)
		inner[i] = message.key[i] ^ 0x36;
	memcpy(inner + hash->block, bytes, hash->block);
	plain = (struct message){
		.mode = hash->algorithm, .hash = true, .input = inner, .size = 2 * hash->block
	};
	message_compute(&plain);
	configure(&core, hash->algorithm | SILEX_HASH_FINAL);
	expect_nothing(&core, SILEX_HASH_DATA_STATE, output, hash->state);
	expect(&core, padded, hash_pad(hash, padded, plain.size, plain.size), plain.tag,
	       hash->digest);
	close_core(&core);
}

/* ---- counting ---- */

static unsigned block_cycles(const struct core *core, const struct hash *hash)
{
	return hash->block == HASH_BLOCK_MAX            ? core->config.timing.sha512_cycles
	       : hash->algorithm == SILEX_HASH_ALG_SHA1 ? core->config.timing.sha1_cycles
							: core->config.timing.sha256_cycles;
}

static size_t blocks(const struct hash *hash, size_t size)
{
	return hash_pad(hash, bytes, size, 0) / hash->block;
}

/* Inner and outer block of the key, the message, the inner digest; a long key itself */
static size_t hmac_blocks(const struct hash *hash, size_t key_size, size_t size)
{
	return 1 + blocks(hash, size) + blocks(hash, hash->block + hash->digest) +
	       (key_size > hash->block ? blocks(hash, key_size) : 0);
}

static void every_block_costs_its_cycles(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	core.config.timing.sha1_cycles = 1000;
	core.config.timing.sha256_cycles = 1001;
	core.config.timing.sha512_cycles = 1003;
	for (unsigned i = 0; i < HASHES; i++)
		for (size_t size = 0; size <= SHORT_MAX; size++) {
			const size_t cycles = block_cycles(&core, &hashes[i]);

			core.work.cycles = 0;
			run(&core, &hashes[i], false, 0, size);
			assert_int_equal(core.work.cycles, blocks(&hashes[i], size) * cycles);
			core.work.cycles = 0;
			run(&core, &hashes[i], true, size, size);
			assert_int_equal(core.work.cycles,
					 hmac_blocks(&hashes[i], size, size) * cycles);
		}
	close_core(&core);
}

static void messages_and_their_bytes_are_counted(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	run(&core, &hashes[0], false, 0, 100);
	run(&core, &hashes[4], true, 200, 11);
	assert_int_equal(core.statistics.hash_jobs, 2);
	assert_int_equal(core.statistics.hash_bytes, 111);
	close_core(&core);
}

/* ---- what is refused ---- */

static void refuse(uint32_t caps, uint32_t word)
{
	struct core core;

	open_core(&core);
	core.config.hash_caps = caps;
	configure(&core, word);
	expect_nothing(&core, SILEX_HASH_DATA_KEY, bytes, 20);
	expect_nothing(&core, SILEX_HASH_DATA_MESSAGE, bytes, 100);
	assert_int_equal(core.statistics.hash_jobs, 0);
	assert_int_equal(core.statistics.hash_bytes, 0);
	assert_int_equal(core.work.cycles, 0);
	close_core(&core);
}

static void a_core_does_only_what_its_capabilities_say(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < HASHES; i++) {
		const uint32_t all = core.config.hash_caps, word = hashes[i].algorithm | ORDINARY;

		refuse(all & ~hashes[i].algorithm, word);
		refuse(all & ~SILEX_HASH_CAPS_PAD, word);
		refuse(all & ~SILEX_HASH_CAPS_HMAC, word | SILEX_HASH_HMAC);
	}
	close_core(&core);
}

static void words_without_one_known_algorithm_do_nothing(void **state)
{
	const uint32_t all = SILEX_HASH_CAPS_ALGS | SILEX_HASH_CAPS_PAD | SILEX_HASH_CAPS_HMAC;

	(void)state;
	refuse(all, ORDINARY);
	refuse(all, SILEX_HASH_ALG_MD5 | ORDINARY);
	refuse(all, SILEX_HASH_ALG_SM3 | ORDINARY);
	refuse(all, SILEX_HASH_ALG_SHA1 | SILEX_HASH_ALG_SHA256 | ORDINARY);
}

/* ---- wrong orders ---- */

static void data_outside_of_a_message_do_nothing(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	expect_nothing(&core, SILEX_HASH_DATA_MESSAGE, bytes, 100);
	run(&core, &hashes[2], false, 0, 100);
	expect_nothing(&core, SILEX_HASH_DATA_MESSAGE, bytes, 100);
	configure(&core, SILEX_HASH_ALG_SHA256 | ORDINARY);
	core.engine.ops->reset(core.engine.state);
	expect_nothing(&core, SILEX_HASH_DATA_MESSAGE, bytes, 100);
	close_core(&core);
}

static void items_that_do_not_belong_are_left_out(void **state)
{
	struct message message;
	struct core core;

	(void)state;
	open_core(&core);
	choose(&message, &hashes[2], false, 0, 100);
	begin(&core, &message, ORDINARY);
	expect_nothing(&core, SILEX_HASH_DATA_KEY, bytes, 64);
	expect_nothing(&core, SILEX_HASH_DATA_STATE, bytes, SILEX_HASH_STATE_SHA256 - 1);
	expect_nothing(&core, SILEX_HASH_DATA_REFERENCE, bytes, 32);
	expect(&core, bytes, 100, message.tag, 32);

	choose(&message, &hashes[2], true, 20, 100);
	begin(&core, &message, ORDINARY);
	give(&core, SILEX_HASH_DATA_MESSAGE, bytes, 50);
	expect_nothing(&core, SILEX_HASH_DATA_KEY, bytes, 64);
	expect(&core, bytes + 50, 50, message.tag, 32);
	close_core(&core);
}

static void the_last_state_counts(void **state)
{
	uint8_t states[2][SILEX_ENGINE_TAIL], padded[2 * HASH_BLOCK_MAX];
	const struct hash *hash = &hashes[0];
	struct message message;
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < 2; i++) {
		choose(&message, hash, false, 0, hash->block);
		configure(&core, hash->algorithm);
		item(&core, SILEX_HASH_DATA_MESSAGE, bytes, hash->block, states[i]);
	}
	configure(&core, hash->algorithm | SILEX_HASH_FINAL);
	expect_nothing(&core, SILEX_HASH_DATA_STATE, states[0], hash->state);
	expect_nothing(&core, SILEX_HASH_DATA_STATE, states[1], hash->state);
	expect(&core, padded, hash_pad(hash, padded, hash->block, hash->block), message.tag,
	       hash->digest);
	close_core(&core);
}

static void wrong_step(struct core *core)
{
	uint8_t output[SILEX_ENGINE_TAIL];
	uint32_t word = dice_roll(&dice, 1u << 11);

	switch (dice_roll(&dice, 8)) {
	case 0:
		configure(core, word);
		break;
	case 1: /* one algorithm, most often */
		configure(core, (word & ~SILEX_HASH_ALG_MASK) | 1u << dice_roll(&dice, 7));
		break;
	case 2:
		core->engine.ops->configure(core->engine.state, dice_roll(&dice, 256), bytes,
					    dice_roll(&dice, SHORT_MAX));
		break;
	case 3:
		core->engine.ops->end(core->engine.state, dice_roll(&dice, 4), false, output);
		break;
	case 4:
		assert_true(core->engine.ops->end(core->engine.state, dice_roll(&dice, 4), true,
						  output) <= SILEX_HASH_STATE_SHA512);
		break;
	default:
		give(core, dice_roll(&dice, 4), bytes, dice_roll(&dice, SHORT_MAX));
	}
}

static void any_order_leaves_the_next_message_right(void **state)
{
	struct core core;

	(void)state;
	open_core(&core);
	for (unsigned i = 0; i < WRONG_RUNS; i++) {
		wrong_step(&core);
		if (i % 16 == 0)
			run(&core, &hashes[i / 16 % HASHES], i % 32 == 0, 70, 200);
	}
	close_core(&core);
}

static void only_a_message_s_data_end_it(void **state)
{
	(void)state;
	for (unsigned type = 0; type < 4; type++)
		assert_int_equal(silex_hash_engine.ends_message(type),
				 type == SILEX_HASH_DATA_MESSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_right_at_all_lengths),
		cmocka_unit_test(hmacs_are_right_for_all_keys_and_lengths),
		cmocka_unit_test(states_go_on_at_every_block),
		cmocka_unit_test(hmac_messages_may_bring_their_padding),
		cmocka_unit_test(hmacs_that_are_not_final_give_the_inner_state),
		cmocka_unit_test(every_block_costs_its_cycles),
		cmocka_unit_test(messages_and_their_bytes_are_counted),
		cmocka_unit_test(a_core_does_only_what_its_capabilities_say),
		cmocka_unit_test(words_without_one_known_algorithm_do_nothing),
		cmocka_unit_test(data_outside_of_a_message_do_nothing),
		cmocka_unit_test(items_that_do_not_belong_are_left_out),
		cmocka_unit_test(the_last_state_counts),
		cmocka_unit_test(any_order_leaves_the_next_message_right),
		cmocka_unit_test(only_a_message_s_data_end_it),
	};

	dice_begin(&dice, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
