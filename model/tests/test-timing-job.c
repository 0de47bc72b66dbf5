/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What of a job follows what, in cycles, with the defaults: START 10, a request 30, a descriptor 2
 * beats, 8 bytes a beat, a block of AES-256 15, its key 15, status 10.
 *
 *                10      42      74      108     140     172
 *   descriptors  START───word────key─────IV──────payload
 *   what they              └──word──┐
 *   point at                      └──key────┐
 *                                         └──IV─────┐
 *                                                 └──payload
 */
#include "../../silex/ba413.h"
#include "../silex-model.h"
#include "aes-request.h"
#include "unit.h"

#define CYCLE_NS 10u
#define BYPASS   (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define PAYLOAD  172u /* the payload's first block has come */
#define END      42u /* after the last block: 2 beats, memory's answer, status */

static const struct aes_request block = { SILEX_AES_MODE_CBC, 32, SILEX_AES_BLOCK, 0 };

/* Cycles until the lists are done */
static uint64_t run(struct bus *bus)
{
	uint64_t begin = bus->now(bus);

	driver_start(bus, SILEX_CM_START_BOTH);
	while (driver_status(bus) & SILEX_CM_STATUS_BUSY)
		bus->pass(bus, CYCLE_NS);
	return (bus->now(bus) - begin) / CYCLE_NS;
}

/* ---- the prologue ---- */

static void the_engine_waits_for_key_iv_and_data(void **state)
{
	(void)state;
	assert_int_equal(aes_request_cycles(NULL, &block), PAYLOAD + 15 + END);
}

/* With memory that answers at once the key is still being expanded when the data are there */
static void a_key_takes_its_time_if_nothing_hides_it(void **state)
{
	(void)state;
	assert_int_equal(
		aes_request_cycles("dma_latency_cycles=0,start_cycles=0,end_cycles=0", &block),
		8 + 15 + 15 + 2);
}

static void each_key_size_has_its_blocks(void **state)
{
	const struct aes_request aes128 = { SILEX_AES_MODE_CTR, 16, 1600, 0 };
	const struct aes_request aes192 = { SILEX_AES_MODE_CTR, 24, 1600, 0 };

	(void)state;
	/* a shorter key comes sooner: the descriptor after it is what the next one waits for */
	assert_int_equal(aes_request_cycles(NULL, &aes128), PAYLOAD - 2 + 100 * 11 + END);
	assert_int_equal(aes_request_cycles(NULL, &aes192), PAYLOAD - 1 + 100 * 13 + END);
}

/* ---- many descriptors ---- */

static void descriptors_hide_behind_data(void **state)
{
	struct aes_request request = { SILEX_AES_MODE_CBC, 32, 16384, 0 };
	uint64_t whole = aes_request_cycles(NULL, &request);

	(void)state;
	assert_int_equal(whole, PAYLOAD + 1024 * 15 + END);
	request.piece = 4096;
	assert_int_equal(aes_request_cycles(NULL, &request), whole);
	request.piece = 512;
	assert_int_equal(aes_request_cycles(NULL, &request), whole);
}

/* Of little data each descriptor takes its request longer than the engine takes for them */
static void descriptors_of_little_data_cost_their_latency(void **state)
{
	const struct aes_request request = { SILEX_AES_MODE_CTR, 32, 64 * 16, 16 };

	(void)state;
	assert_int_equal(aes_request_cycles(NULL, &request), PAYLOAD + 63 * 32 + 15 + END);
}

static void a_serial_fetcher_pays_for_each_descriptor(void **state)
{
	struct aes_request request = { SILEX_AES_MODE_CTR, 32, 16384, 0 };
	uint64_t whole = aes_request_cycles("fetcher=serial", &request);

	(void)state;
	request.piece = 4096;
	/* a descriptor, what it points at, its first block */
	assert_int_equal(aes_request_cycles("fetcher=serial", &request), whole + 3 * (32 + 30 + 2));
}

/* ---- the slowest of fetcher, engine and pusher ---- */

/* A bus of a byte: 16 cycles a block, when AES-128 takes 11 */
static void a_slow_bus_sets_the_pace(void **state)
{
	const struct aes_request request = { SILEX_AES_MODE_CTR, 16, 1600, 0 };

	(void)state;
	assert_int_equal(aes_request_cycles("dma_bytes_per_beat=1", &request),
			 10 + 4 * (30 + 16) + 30 + 1600 + 11 + 16 + 30 + 10);
}

/* A word at a time to its destination: 2 cycles and a request each, 4 for a block of 15 */
static void a_slow_pusher_sets_the_pace(void **state)
{
	enum { WORDS = 100 };
	const struct item fetch[] = { { INPUT, 4 * WORDS | SILEX_LEN_REALIGN, BYPASS } };
	struct item push[WORDS];
	struct bus *bus = bus_open(NULL);

	(void)state;
	for (unsigned i = 0; i < WORDS; i++)
		push[i] = (struct item){ OUTPUT + 4 * i, 4, 0 };
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, WORDS);
	driver_prepare(bus);
	assert_int_equal(run(bus), 10 + WORDS * 32 + 1 + 30 + 10);
	bus_close(bus);
}

static void what_is_discarded_takes_no_writing(void **state)
{
	const struct item fetch[] = { { INPUT, 4096 | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { 0, 4096 | SILEX_LEN_DISCARD, 0 } };
	struct bus *bus = bus_open(NULL);

	(void)state;
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	assert_int_equal(run(bus), 10 + 32 + 30 + 512 + 10);
	bus_close(bus);
}

/* ---- engines with more to do ---- */

static void config(struct item *item, uint32_t engine, unsigned offset, uint32_t place,
		   uint32_t size)
{
	*item = (struct item){ place, size | SILEX_LEN_REALIGN,
			       engine | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(offset) };
}

/*
 * 64 bytes and the trailer: the last block waits until the trailer has come, whose block is hashed
 * then.  What the tag is made of is ready before the data.
 */
static void gcm_has_a_block_more(void **state)
{
	const uint32_t word = SILEX_AES_MODE_GCM | SILEX_AES_KEY_256;
	const struct item push[] = { { OUTPUT, 64, 0 }, { OUTPUT + 64, 16, 0 } };
	struct bus *bus = bus_open(NULL);
	struct item fetch[5];

	(void)state;
	bus->memory_write(bus, bus->memory_base + ITEMS, &word, sizeof(word));
	config(&fetch[0], SILEX_ENGINE_AES, SILEX_AES_CONFIG, ITEMS, 4);
	config(&fetch[1], SILEX_ENGINE_AES, SILEX_AES_KEY, ITEMS + 0x40, 32);
	config(&fetch[2], SILEX_ENGINE_AES, SILEX_AES_IV, ITEMS + 0x80, 12);
	fetch[3] = (struct item){ INPUT, 64 | SILEX_LEN_REALIGN, SILEX_ENGINE_AES };
	fetch[4] = (struct item){ INPUT + 64, 16 | SILEX_LEN_REALIGN,
				  SILEX_ENGINE_AES | SILEX_TAG_LAST };
	driver_list(bus, FETCH_LIST, fetch, 5);
	driver_list(bus, PUSH_LIST, push, 2);
	driver_prepare(bus);
	assert_int_equal(run(bus), PAYLOAD + 5 * 15 + END);
	bus_close(bus);
}

/* Its padding is a block of its own; 32 bytes of digest are 4 beats */
static void a_hash_ends_with_its_padding(void **state)
{
	const uint32_t word = SILEX_HASH_ALG_SHA256 | SILEX_HASH_PAD | SILEX_HASH_FINAL;
	const struct item push[] = { { OUTPUT, 32, 0 } };
	struct bus *bus = bus_open("hash=on");
	struct item fetch[2];

	(void)state;
	bus->memory_write(bus, bus->memory_base + ITEMS, &word, sizeof(word));
	config(&fetch[0], SILEX_ENGINE_HASH, SILEX_HASH_CONFIG, ITEMS, 4);
	fetch[1] = (struct item){ INPUT, 64 | SILEX_LEN_REALIGN,
				  SILEX_ENGINE_HASH | SILEX_TAG_LAST };
	driver_list(bus, FETCH_LIST, fetch, 2);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	assert_int_equal(run(bus), 10 + 32 + 32 + 30 + 8 + 2 * 65 + 4 + 30 + 10);
	bus_close(bus);
}

/* ---- registers in place of lists ---- */

static uint64_t direct(uint32_t flags)
{
	struct bus *bus = bus_open(NULL);
	uint64_t cycles;

	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + INPUT);
	bus->write(bus, SILEX_CM_FETCH_LEN, 64 | SILEX_LEN_REALIGN | flags);
	bus->write(bus, SILEX_CM_FETCH_TAG, BYPASS);
	bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + OUTPUT);
	bus->write(bus, SILEX_CM_PUSH_LEN, 64);
	cycles = run(bus);
	bus_close(bus);
	return cycles;
}

static void registers_take_no_reading(void **state)
{
	(void)state;
	assert_int_equal(direct(0), 10 + 30 + 64 / 8 + 1 + 30 + 10);
	assert_int_equal(direct(SILEX_LEN_ZERO_PAD), 10 + 64 / 8 + 1 + 30 + 10);
}

/* ---- one job after another, and none ---- */

/* The second job's descriptors are read while the first ends, and its end is told in its time */
static void each_job_of_a_list_ends_in_its_time(void **state)
{
	const struct aes_request both[] = { block, block };
	struct bus *bus = bus_open(NULL);
	uint64_t first, begin;

	(void)state;
	aes_request_prepare(bus, both, 2);
	bus->write(bus, SILEX_CM_INT_EN, SILEX_CM_INT_PUSH_BLOCK_END);
	begin = bus->now(bus);
	first = aes_request_run(bus);
	assert_int_equal(first, PAYLOAD + 15 + END);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_BUSY);
	bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	driver_interrupt(bus, CYCLE_NS);
	assert_false(driver_status(bus) & SILEX_CM_STATUS_BUSY);
	/* word, key, IV and payload from where the first one's payload had come */
	assert_int_equal((bus->now(bus) - begin) / CYCLE_NS,
			 PAYLOAD + 32 + 34 + 32 + 32 + 15 + END);
	bus_close(bus);
}

/* Not in steps whose ends and beginnings add up */
static void a_long_job_takes_its_blocks(void **state)
{
	const struct aes_request request = { SILEX_AES_MODE_CBC, 32, 3 << 20, 0 };

	(void)state;
	assert_int_equal(aes_request_cycles(NULL, &request), PAYLOAD + (3 << 16) * 15 + END);
}

static void expect_copies_as_fast(const char *configuration, const struct aes_request *request)
{
	struct bus *bus = bus_open(configuration);
	uint64_t cycles;

	aes_request_prepare(bus, request, 1);
	bus->mapped = !bus->mapped;
	cycles = aes_request_run(bus);
	bus_close(bus);
	assert_int_equal(cycles, aes_request_cycles(configuration, request));
}

static void a_copy_of_the_data_makes_no_difference(void **state)
{
	static const uint32_t modes[] = { SILEX_AES_MODE_CBC, SILEX_AES_MODE_CTR };
	static const uint32_t sizes[] = { 16, 4096, 16000, 2 << 20 };

	(void)state;
	for (unsigned i = 0; i < 2 * 4; i++) {
		const struct aes_request request = { modes[i % 2], 24, sizes[i / 2],
						     sizes[i / 2] > 4096 ? 10016 : 0 };

		expect_copies_as_fast(NULL, &request);
		expect_copies_as_fast("fetcher=serial", &request);
		expect_copies_as_fast("dma_bytes_per_beat=1", &request);
	}
}

static void a_reset_leaves_nothing_of_the_time(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	aes_request_prepare(bus, &block, 1);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, 100 * CYCLE_NS);
	driver_recover(bus);
	for (unsigned i = 0; i < 2; i++) {
		aes_request_prepare(bus, &block, 1);
		assert_int_equal(aes_request_run(bus), PAYLOAD + 15 + END);
	}
	bus_close(bus);
}

/* The payload is not there: memory answers that, and nothing is written */
static void a_bus_error_comes_when_memory_answers(void **state)
{
	const struct item fetch[] = { { NOWHERE, 64 | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, 64, 0 } };
	struct bus *bus = bus_open(NULL);
	uint64_t begin = bus->now(bus);

	(void)state;
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	driver_interrupt(bus, CYCLE_NS);
	assert_true(driver_raw(bus) & SILEX_CM_INT_FETCH_ERROR);
	assert_int_equal(bus->now(bus) - begin, CYCLE_NS * (10 + 32 + 30 + 10));
	bus_close(bus);
}

/* The fetcher fills the FIFO; what follows begins when the pusher is started */
static void a_pusher_that_comes_late_takes_what_waits(void **state)
{
	const struct item fetch[] = { { INPUT, 128 | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, 128, 0 } };
	struct bus *bus = bus_open(NULL);

	(void)state;
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_FETCH);
	bus->pass(bus, 100000);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_FETCH_BUSY);
	assert_int_equal(bus->counter(bus, "cm_busy_ns"), CYCLE_NS * (10 + 32 + 30 + 8 + 10));
	driver_start(bus, SILEX_CM_START_PUSH);
	bus->pass(bus, 100000);
	assert_int_equal(driver_status(bus) & SILEX_CM_STATUS_BUSY, 0);
	assert_int_equal(bus->counter(bus, "cm_busy_ns"),
			 CYCLE_NS * (10 + 32 + 30 + 8 + 10 + 10 + 32 + 16 + 30 + 10));
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_engine_waits_for_key_iv_and_data),
		cmocka_unit_test(a_key_takes_its_time_if_nothing_hides_it),
		cmocka_unit_test(each_key_size_has_its_blocks),
		cmocka_unit_test(descriptors_hide_behind_data),
		cmocka_unit_test(descriptors_of_little_data_cost_their_latency),
		cmocka_unit_test(a_serial_fetcher_pays_for_each_descriptor),
		cmocka_unit_test(a_slow_bus_sets_the_pace),
		cmocka_unit_test(a_slow_pusher_sets_the_pace),
		cmocka_unit_test(what_is_discarded_takes_no_writing),
		cmocka_unit_test(gcm_has_a_block_more),
		cmocka_unit_test(a_hash_ends_with_its_padding),
		cmocka_unit_test(registers_take_no_reading),
		cmocka_unit_test(each_job_of_a_list_ends_in_its_time),
		cmocka_unit_test(a_long_job_takes_its_blocks),
		cmocka_unit_test(a_copy_of_the_data_makes_no_difference),
		cmocka_unit_test(a_reset_leaves_nothing_of_the_time),
		cmocka_unit_test(a_bus_error_comes_when_memory_answers),
		cmocka_unit_test(a_pusher_that_comes_late_takes_what_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
