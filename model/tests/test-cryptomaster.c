/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* CryptoMaster's registers and lists, as a driver uses them and as none should. */
#include <string.h>

#include "../../silex/ba411.h"
#include "bus-test.h"
#include "driver.h"
#include "fips197.h"

#define LAST        SILEX_TAG_LAST
#define REALIGN     SILEX_LEN_REALIGN
#define BYPASS      SILEX_ENGINE_BYPASS
#define LONG_AGO_NS 100000000u

/* What driver_fill() writes */
static void pattern(uint8_t *bytes, size_t from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)((from + i) * 7 + (from + i) / 251 + 1);
}

static void expect_copy(struct bus *bus, uint32_t place, size_t from, size_t size)
{
	uint8_t bytes[4096];

	pattern(bytes, from, size);
	driver_expect(bus, place, bytes, size);
}

/* A message of `size` bytes that passes through unchanged */
static void copy_job(struct bus *bus, uint32_t size)
{
	const struct item fetch[] = { { INPUT, size | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, size, 0 } };

	driver_fill(bus, size);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
}

/* ---- a job by the book ---- */

static void fips_job(struct bus *bus)
{
	const uint32_t config = SILEX_ENGINE_AES | SILEX_TAG_CONFIG;
	const struct item fetch[] = {
		{ ITEMS, 4 | REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_CONFIG) },
		{ ITEMS + 16, 16 | REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_KEY) },
		{ INPUT, 16 | REALIGN, SILEX_ENGINE_AES | LAST },
	};
	const struct item push[] = { { OUTPUT, 16, 0 } };

	fips197_write(bus);
	driver_list(bus, FETCH_LIST, fetch, 3);
	driver_list(bus, PUSH_LIST, push, 1);
}

static void a_job_ends_with_its_interrupt(void **state)
{
	struct bus *bus = *state;

	fips_job(bus);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_status(bus) & SILEX_CM_STATUS_BUSY,
			 SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY);
	assert_int_equal(driver_raw(bus), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	bus->pass(bus, LONG_AGO_NS);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(driver_status(bus), 0);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED);
	assert_int_equal(bus->read(bus, SILEX_CM_INT_STAT), SILEX_CM_INT_PUSH_STOPPED);
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
	bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_PUSH_STOPPED);
	assert_false(bus->line(bus, SILEX_LINE_CM));
}

static void a_job_can_be_polled(void **state)
{
	struct bus *bus = *state;

	fips_job(bus);
	driver_prepare(bus);
	bus->write(bus, SILEX_CM_INT_EN, 0);
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_wait(bus) & SILEX_CM_INT_ERRORS, 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
}

static void the_sides_may_start_one_after_the_other(void **state)
{
	struct bus *bus = *state;

	fips_job(bus);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_FETCH);
	driver_start(bus, SILEX_CM_START_PUSH);
	driver_wait(bus);
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
}

static void a_start_while_busy_changes_nothing(void **state)
{
	struct bus *bus = *state;

	fips_job(bus);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + NOWHERE);
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_wait(bus) & SILEX_CM_INT_ERRORS, 0);
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
}

/* ---- descriptors ---- */

static void fragments_are_joined_byte_by_byte(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 5, BYPASS },
				      { INPUT + 5, 1, BYPASS },
				      { INPUT + 6, 0, BYPASS },
				      { INPUT + 6, 26 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 3, 0 }, { OUTPUT + 3, 29, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 4);
	driver_list(bus, PUSH_LIST, push, 2);
	driver_run(bus);
	expect_copy(bus, OUTPUT, 0, 32);
}

static void realign_fills_up_the_word(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 5 | REALIGN, BYPASS },
				      { INPUT + 5, 4 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 12, 0 } };
	uint8_t expected[12] = { 0 };

	pattern(expected, 0, 5);
	pattern(expected + 8, 5, 4);
	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 2);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_run(bus);
	driver_expect(bus, OUTPUT, expected, sizeof(expected));
}

static void invalid_bytes_are_left_out(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16, BYPASS | SILEX_TAG_INVALID(11) },
				      { INPUT + 16, 8, BYPASS | SILEX_TAG_INVALID(31) },
				      { INPUT + 5, 4 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 9, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 3);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_run(bus);
	expect_copy(bus, OUTPUT, 0, 9);
}

static void discarded_bytes_need_no_address(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 32 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { NOWHERE, 10 | SILEX_LEN_DISCARD, 0 },
				     { OUTPUT, 12, 0 },
				     { NOWHERE, 10 | SILEX_LEN_DISCARD, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 3);
	assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
	expect_copy(bus, OUTPUT, 10, 12);
}

static void one_address_serves_all_words(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16 | SILEX_LEN_CONST_ADDR, BYPASS },
				      { INPUT, 24 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 16, 0 },
				     { OUTPUT + 16, 24 | SILEX_LEN_CONST_ADDR, 0 } };
	const uint8_t zeros[4] = { 0 };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 2);
	driver_list(bus, PUSH_LIST, push, 2);
	driver_run(bus);
	for (uint32_t at = 0; at < 16; at += 4)
		expect_copy(bus, OUTPUT + at, 0, 4);
	expect_copy(bus, OUTPUT + 16, 20, 4);
	driver_expect(bus, OUTPUT + 20, zeros, sizeof(zeros));
}

/* Five bytes: the last one lies over the first of the word, however they came */
static void a_word_at_one_address_keeps_its_phase(void **state)
{
	struct bus *bus = *state;
	const struct item whole[] = { { INPUT, 5 | REALIGN, BYPASS | LAST } };
	const struct item parts[] = { { INPUT, 2, BYPASS },
				      { INPUT + 2, 3 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 5 | SILEX_LEN_CONST_ADDR, 0 },
				     { OUTPUT + 8, 3 | SILEX_LEN_DISCARD, 0 } };
	uint8_t expected[4], input[5];

	for (unsigned cut = 0; cut < 2; cut++) {
		driver_fill(bus, 64);
		bus->memory_read(bus, bus->memory_base + INPUT, input, sizeof(input));
		memcpy(expected, input, 4);
		expected[0] = input[4];
		driver_list(bus, FETCH_LIST, cut ? parts : whole, cut ? 2 : 1);
		driver_list(bus, PUSH_LIST, push, 2);
		assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
		driver_expect(bus, OUTPUT, expected, sizeof(expected));
	}
}

static void descriptors_interrupt_when_asked(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16 | SILEX_LEN_IRQ, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 16, 0 } };
	const struct item push_irq[] = { { OUTPUT, 16 | SILEX_LEN_IRQ, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	assert_int_equal(driver_run(bus), SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED |
						  SILEX_CM_INT_FETCH_BLOCK_END);
	driver_list(bus, PUSH_LIST, push_irq, 1);
	assert_int_equal(driver_run(bus), SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED |
						  SILEX_CM_INT_FETCH_BLOCK_END |
						  SILEX_CM_INT_PUSH_BLOCK_END);
}

static void jobs_of_one_list_end_one_by_one(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 64 | REALIGN, BYPASS | LAST },
				      { INPUT + 64, 64 | REALIGN, BYPASS | LAST },
				      { INPUT + 128, 64 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 64 | SILEX_LEN_IRQ, 0 },
				     { OUTPUT + 64, 64 | SILEX_LEN_IRQ, 0 },
				     { OUTPUT + 128, 64 | SILEX_LEN_IRQ, 0 } };
	uint64_t ends[3];

	driver_fill(bus, 256);
	driver_list(bus, FETCH_LIST, fetch, 3);
	driver_list(bus, PUSH_LIST, push, 3);
	driver_prepare(bus);
	bus->write(bus, SILEX_CM_INT_SET, SILEX_CM_INT_PUSH_BLOCK_END);
	driver_start(bus, SILEX_CM_START_BOTH);
	for (unsigned i = 0; i < 3; i++) {
		driver_interrupt(bus, 10);
		ends[i] = bus->now(bus);
		expect_copy(bus, OUTPUT + 64 * i, 64 * i, 64);
		assert_int_equal(!(driver_raw(bus) & SILEX_CM_INT_PUSH_STOPPED), i < 2);
		bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	}
	assert_true(ends[0] < ends[1] && ends[1] < ends[2]);
	assert_int_equal(driver_status(bus), 0);
}

static void the_pusher_waits_for_what_is_missing(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16 | REALIGN, BYPASS | LAST } };
	const struct item more[] = { { INPUT + 16, 16 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 32, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_FETCH_STOPPED);
	assert_int_equal(driver_status(bus),
			 SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING);
	driver_list(bus, FETCH_LIST, more, 1);
	driver_start(bus, SILEX_CM_START_FETCH);
	driver_wait(bus);
	expect_copy(bus, OUTPUT, 0, 32);
}

static void the_fetcher_waits_for_room(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 32 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 12, 0 } };
	const struct item more[] = { { OUTPUT + 12, 20, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_true(driver_raw(bus) & SILEX_CM_INT_PUSH_STOPPED);
	assert_int_equal(SILEX_CM_STATUS_PUSH_FIFO(driver_status(bus)), 5);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_FETCH_NOT_EMPTY);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_FETCH_BUSY);
	driver_list(bus, PUSH_LIST, more, 1);
	driver_start(bus, SILEX_CM_START_PUSH);
	driver_wait(bus);
	expect_copy(bus, OUTPUT, 0, 32);
}

static void a_stop_ends_a_list_early(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16, BYPASS },
				      { INPUT + 16, 16 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 32, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 2);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG | SILEX_CM_CONFIG_FETCH_STOP);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_FETCH_STOPPED);
	expect_copy(bus, OUTPUT, 0, 16);
	assert_false(driver_status(bus) & SILEX_CM_STATUS_FETCH_BUSY);
}

static void long_messages_pass_whole(void **state)
{
	struct bus *bus = *state;
	const uint32_t size = 150000;
	const struct item fetch[] = { { INPUT, size | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 70001, 0 }, { OUTPUT + 70001, size - 70001, 0 } };

	driver_fill(bus, size);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 2);
	driver_run(bus);
	for (uint32_t at = 0; at + 4096 <= size; at += 4096)
		expect_copy(bus, OUTPUT + at, at, 4096);
	expect_copy(bus, OUTPUT + size - 1000, size - 1000, 1000);
}

static void input_and_output_may_be_the_same(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 2000 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { INPUT, 2000, 0 } };

	driver_fill(bus, 2000);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_run(bus);
	expect_copy(bus, INPUT, 0, 2000);
}

/* ---- what is not there ---- */

static void an_engine_that_is_not_there_gives_nothing(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { INPUT, 16 | REALIGN, SILEX_ENGINE_SM4 | SILEX_TAG_CONFIG },
				      { INPUT, 16 | REALIGN, SILEX_ENGINE_SM4 | LAST },
				      { INPUT, 16 | REALIGN, SILEX_ENGINE_HASH | LAST } };
	const struct item push[] = { { OUTPUT, 16, 0 } };

	driver_fill(bus, 64);
	driver_list(bus, FETCH_LIST, fetch, 3);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus),
			 SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING);
}

/* ---- bus errors ---- */

static void expect_error(struct bus *bus, uint32_t bit)
{
	uint32_t raw = driver_run(bus);

	assert_int_equal(raw & SILEX_CM_INT_ERRORS, bit);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	driver_recover(bus);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(bus->read(bus, SILEX_CM_INT_EN), 0);
	assert_int_equal(driver_raw(bus), 0);
	assert_int_equal(driver_status(bus), 0);
	/* and it works again */
	fips_job(bus);
	assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
}

static void data_out_of_reach_is_an_error_of_the_fetcher(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { NOWHERE, 16 | REALIGN, BYPASS | LAST } };

	copy_job(bus, 16);
	driver_list(bus, FETCH_LIST, fetch, 1);
	expect_error(bus, SILEX_CM_INT_FETCH_ERROR);
}

static void invalid_bytes_are_fetched_too(void **state)
{
	struct bus *bus = *state;
	const struct item fetch[] = { { NOWHERE, 16 | REALIGN,
					BYPASS | LAST | SILEX_TAG_INVALID(16) } };

	copy_job(bus, 16);
	driver_list(bus, FETCH_LIST, fetch, 1);
	expect_error(bus, SILEX_CM_INT_FETCH_ERROR);
}

static void output_out_of_reach_is_an_error_of_the_pusher(void **state)
{
	struct bus *bus = *state;
	const struct item push[] = { { NOWHERE, 16, 0 } };

	copy_job(bus, 16);
	driver_list(bus, PUSH_LIST, push, 1);
	expect_error(bus, SILEX_CM_INT_PUSH_ERROR);
}

static void a_list_that_leaves_memory_is_an_error(void **state)
{
	struct bus *bus = *state;
	const struct item item = { INPUT, 4, BYPASS };

	copy_job(bus, 16);
	driver_descriptor(bus, FETCH_LIST, &item, (uint32_t)bus->memory_base + NOWHERE);
	expect_error(bus, SILEX_CM_INT_FETCH_ERROR);
	copy_job(bus, 16);
	driver_descriptor(bus, PUSH_LIST, &item, (uint32_t)bus->memory_base + NOWHERE);
	expect_error(bus, SILEX_CM_INT_PUSH_ERROR);
}

static void a_ring_of_fetch_descriptors_ends_in_an_error(void **state)
{
	struct bus *bus = *state;
	const struct item item = { INPUT, 4, BYPASS };
	const struct item drop = { OUTPUT, (1u << 20) | SILEX_LEN_DISCARD, 0 };

	copy_job(bus, 16);
	driver_descriptor(bus, FETCH_LIST, &item, (uint32_t)bus->memory_base + FETCH_LIST);
	driver_descriptor(bus, PUSH_LIST, &drop, SILEX_NEXT_STOP);
	expect_error(bus, SILEX_CM_INT_FETCH_ERROR);
}

static void a_ring_of_empty_push_descriptors_ends_in_an_error(void **state)
{
	struct bus *bus = *state;
	const struct item item = { OUTPUT, 0, 0 };

	copy_job(bus, 16);
	driver_descriptor(bus, PUSH_LIST, &item, (uint32_t)bus->memory_base + PUSH_LIST);
	expect_error(bus, SILEX_CM_INT_PUSH_ERROR);
}

/* ---- soft reset and interrupts ---- */

static void a_soft_reset_stops_everything(void **state)
{
	struct bus *bus = *state;

	copy_job(bus, 1024);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_RESET_BUSY);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus), SILEX_CM_STATUS_RESET_BUSY);
	assert_int_equal(driver_raw(bus), 0);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	assert_int_equal(driver_status(bus), 0);
}

static void a_soft_reset_takes_time(void **state)
{
	struct bus *bus = *state;

	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	assert_int_equal(driver_status(bus), SILEX_CM_STATUS_RESET_BUSY);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus), 0);
}

static void interrupts_are_enabled_bit_by_bit(void **state)
{
	struct bus *bus = *state;

	copy_job(bus, 16);
	driver_run(bus);
	bus->write(bus, SILEX_CM_INT_EN, 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	bus->write(bus, SILEX_CM_INT_SET, SILEX_CM_INT_FETCH_STOPPED);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	bus->write(bus, SILEX_CM_INT_SET, SILEX_CM_INT_FETCH_ERROR);
	assert_int_equal(bus->read(bus, SILEX_CM_INT_EN),
			 SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_FETCH_ERROR);
	bus->write(bus, SILEX_CM_INT_CLR, SILEX_CM_INT_FETCH_STOPPED);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	bus->write(bus, SILEX_CM_INT_EN, 0xffffffff);
	assert_int_equal(bus->read(bus, SILEX_CM_INT_EN), SILEX_CM_INT_ALL);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	assert_int_equal(bus->read(bus, SILEX_CM_INT_STAT), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
}

#define TEST(name) BUS_TEST(bus_set_up, name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_job_ends_with_its_interrupt),
		TEST(a_job_can_be_polled),
		TEST(the_sides_may_start_one_after_the_other),
		TEST(a_start_while_busy_changes_nothing),
		TEST(fragments_are_joined_byte_by_byte),
		TEST(realign_fills_up_the_word),
		TEST(invalid_bytes_are_left_out),
		TEST(discarded_bytes_need_no_address),
		TEST(one_address_serves_all_words),
		TEST(a_word_at_one_address_keeps_its_phase),
		TEST(descriptors_interrupt_when_asked),
		TEST(jobs_of_one_list_end_one_by_one),
		TEST(the_pusher_waits_for_what_is_missing),
		TEST(the_fetcher_waits_for_room),
		TEST(a_stop_ends_a_list_early),
		TEST(long_messages_pass_whole),
		TEST(input_and_output_may_be_the_same),
		TEST(an_engine_that_is_not_there_gives_nothing),
		TEST(data_out_of_reach_is_an_error_of_the_fetcher),
		TEST(invalid_bytes_are_fetched_too),
		TEST(output_out_of_reach_is_an_error_of_the_pusher),
		TEST(a_list_that_leaves_memory_is_an_error),
		TEST(a_ring_of_fetch_descriptors_ends_in_an_error),
		TEST(a_ring_of_empty_push_descriptors_ends_in_an_error),
		TEST(a_soft_reset_stops_everything),
		TEST(a_soft_reset_takes_time),
		TEST(interrupts_are_enabled_bit_by_bit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
