/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What power-on and a soft reset forget: registers, operands, keys, data on their way, time. */
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "driver.h"
#include "memory-search.h"
#include "numbers.h"
#include "public-key.h"
#include "unit.h"

#define REALIGN     SILEX_LEN_REALIGN
#define LAST        SILEX_TAG_LAST
#define BYPASS      SILEX_ENGINE_BYPASS
#define LONG_AGO_NS 1000000000u
#define WORDS       (SILEX_WINDOW_SIZE / 4)
#define NEEDLE      32u

/* Freed memory stays as it was left, so that a search finds what was left in it */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_free_fill_size=0";
}

static struct dice dice;
static uint8_t masked[NEEDLE]; /* a secret */

/* ---- secrets ---- */

static void invent_secret(void)
{
	dice_fill(&dice, masked, NEEDLE);
	/* a search for a byte that is as common as 0 takes several times as long */
	masked[0] = masked[NEEDLE - 1] = SEARCH_MASK ^ 0xd3;
	assert_int_equal(memory_search(masked, NEEDLE), 0);
}

/* Byte by byte, so that it is in one piece only where it is written */
static void write_secret(struct bus *bus, uint32_t place)
{
	for (unsigned i = 0; i < NEEDLE; i++) {
		uint8_t byte = masked[i] ^ SEARCH_MASK;

		bus->memory_write(bus, bus->memory_base + place + i, &byte, 1);
	}
}

static void erase(struct bus *bus, uint32_t place)
{
	const uint8_t nothing[NEEDLE] = { 0 };

	bus->memory_write(bus, bus->memory_base + place, nothing, NEEDLE);
}

/* ---- the two kinds of reset ---- */

static void power_on(struct bus *bus)
{
	bus->reset(bus);
}

static void (*const resets[])(struct bus *bus) = { power_on, driver_recover };

#define RESETS (sizeof(resets) / sizeof(*resets))

/* ---- registers ---- */

static void read_window(struct bus *bus, uint32_t words[WORDS])
{
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = bus->read(bus, 4 * i);
}

static void write_copy(struct bus *bus, uint32_t size)
{
	const struct item fetch[] = { { INPUT, size | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, size, 0 } };

	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
}

/* Interrupts that wait, and in every word that can be written something else than 0 */
static void use_window(struct bus *bus)
{
	struct pk pk = { .bus = bus };

	write_copy(bus, 64);
	driver_run(bus);
	pk_begin(&pk, SILEX_PK_OP_MODINV_ODD, 64, false);
	pk_put_small(&pk, SILEX_PK_SLOT_N, 15);
	pk_run(&pk);
	for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE; offset += 4)
		if (offset != SILEX_CM_START && offset != SILEX_CM_INT_STAT_CLR &&
		    offset != PK(SILEX_PK_CONTROL))
			bus->write(bus, offset, 0x6c6c6c6c);
	bus->write(bus, SILEX_CM_INT_EN, SILEX_CM_INT_ALL);
}

static void power_on_makes_a_window_new(void **state)
{
	static const uint32_t written[] = {
		SILEX_CM_FETCH_ADDR,     SILEX_CM_FETCH_ADDR_HI, SILEX_CM_FETCH_LEN,
		SILEX_CM_FETCH_TAG,      SILEX_CM_PUSH_ADDR,     SILEX_CM_PUSH_ADDR_HI,
		SILEX_CM_PUSH_LEN,       SILEX_CM_INT_EN,        SILEX_CM_INT_STAT_RAW,
		SILEX_CM_INT_STAT,       SILEX_CM_CONFIG,        PK(SILEX_PK_POINTERS),
		PK(SILEX_PK_COMMAND),    PK(SILEX_PK_STATUS),    PK(SILEX_PK_TIMER),
		SILEX_PK_RAM_BASE + 516,
	};
	static uint32_t at_once[WORDS], later[WORDS], words[WORDS];
	struct bus *bus = bus_open("hash=on,address64=on");

	(void)state;
	read_window(bus, at_once);
	bus->pass(bus, LONG_AGO_NS);
	read_window(bus, later);
	bus->write(bus, SILEX_CM_FETCH_ADDR_HI, 0);
	bus_close(bus);

	bus = bus_open("hash=on,address64=on");
	bus->pass(bus, LONG_AGO_NS);
	use_window(bus);
	read_window(bus, words);
	for (unsigned i = 0; i < sizeof(written) / sizeof(*written); i++)
		if (words[written[i] / 4] == later[written[i] / 4])
			fail_msg("%04x has not changed", written[i]);
	assert_true(bus->line(bus, SILEX_LINE_CM) && bus->line(bus, SILEX_LINE_PK));
	bus->reset(bus);
	assert_false(bus->line(bus, SILEX_LINE_CM) || bus->line(bus, SILEX_LINE_PK));
	read_window(bus, words);
	assert_memory_equal(words, at_once, sizeof(words));
	bus->pass(bus, LONG_AGO_NS);
	read_window(bus, words);
	assert_memory_equal(words, later, sizeof(words));
	bus_close(bus);
}

/* ---- public key ---- */

static void power_on_wipes_operands(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, NULL);
	invent_secret();
	pk_begin(&pk, SILEX_PK_OP_MODADD, NEEDLE, false);
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		for (unsigned i = 0; i < NEEDLE / 4; i++)
			pk_put_word(&pk, slot, i,
				    (masked[4 * i] | (uint32_t)masked[4 * i + 1] << 8 |
				     (uint32_t)masked[4 * i + 2] << 16 |
				     (uint32_t)masked[4 * i + 3] << 24) ^
					    0x01010101 * SEARCH_MASK);
	assert_int_equal(memory_search(masked, NEEDLE), SILEX_PK_SLOTS);
	pk.bus->reset(pk.bus);
	assert_int_equal(memory_search(masked, NEEDLE), 0);
	assert_true(pk_is_busy(&pk));
	pk_wait(&pk);
	for (uint32_t at = 0; at < SILEX_PK_RAM_SIZE; at += 4)
		assert_int_equal(pk.bus->read(pk.bus, SILEX_PK_RAM_BASE + at), 0);
	pk_close(&pk);
}

static void start_addition(struct pk *pk)
{
	pk_begin(pk, SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, 64, false);
	pk_put_small(pk, SILEX_PK_SLOT_N, 101);
	pk_put_small(pk, SILEX_PK_SLOT_A, 5);
	pk_put_small(pk, SILEX_PK_SLOT_B, 7);
	pk_start(pk);
}

/* One that runs, and one that would for ever */
static void power_on_ends_an_operation(void **state)
{
	static const char *const faults[] = { NULL, "faults=stuck-busy:nth=1" };
	struct pk pk;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		pk_open(&pk, faults[i]);
		start_addition(&pk);
		pk.bus->pass(pk.bus, 100);
		pk.bus->reset(pk.bus);
		assert_false(pk.bus->line(pk.bus, SILEX_LINE_PK));
		assert_int_equal(pk_wait(&pk), SILEX_PK_STATUS_IRQ); /* it has cleared its memory */
		assert_int_equal(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)), 16 * 512 / 8);
		pk_begin(&pk, SILEX_PK_OP_MODADD, 64, false);
		pk_expect_small(&pk, SILEX_PK_SLOT_A, 0);
		pk_expect_small(&pk, SILEX_PK_SLOT_C, 0);
		start_addition(&pk);
		assert_int_equal(pk_wait(&pk), SILEX_PK_STATUS_IRQ);
		pk_expect_small(&pk, SILEX_PK_SLOT_C, 12);
		pk_close(&pk);
	}
}

static void a_soft_reset_is_none_of_public_key(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, NULL);
	start_addition(&pk);
	driver_recover(pk.bus);
	assert_true(pk_is_busy(&pk));
	assert_int_equal(pk_wait(&pk), SILEX_PK_STATUS_IRQ);
	pk_expect_small(&pk, SILEX_PK_SLOT_C, 12);
	pk_close(&pk);
}

/* ---- symmetric engines ---- */

/* A message that has its key and its first bytes, and does not end */
static void begin_message(struct bus *bus, uint32_t engine, uint32_t word)
{
	const bool hash = engine == SILEX_ENGINE_HASH;
	const uint32_t config = engine | SILEX_TAG_CONFIG;
	const uint8_t bytes[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16) };
	const struct item fetch[] = {
		{ ITEMS, 4 | REALIGN, config },
		{ ITEMS + 16, NEEDLE | REALIGN,
		  hash ? engine | LAST | SILEX_TAG_TYPE(SILEX_HASH_DATA_KEY)
		       : config | SILEX_TAG_OFFSET(SILEX_AES_KEY) },
		{ INPUT, 16 | REALIGN, engine },
	};
	const struct item push[] = { { OUTPUT, 16, 0 } };

	bus->memory_write(bus, bus->memory_base + ITEMS, bytes, sizeof(bytes));
	write_secret(bus, ITEMS + 16);
	driver_list(bus, FETCH_LIST, fetch, 3);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	erase(bus, ITEMS + 16);
}

/* What comes out when the message goes on to its end, as if nothing had been; bytes */
static size_t go_on(struct bus *bus, uint32_t engine)
{
	const struct item fetch[] = { { INPUT, 16 | REALIGN, engine | LAST } };
	const struct item push[] = { { OUTPUT, 64, 0 } };
	uint8_t output[64];
	size_t size = 0;

	memset(output, 0, sizeof(output));
	bus->memory_write(bus, bus->memory_base + OUTPUT, output, sizeof(output));
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	bus->memory_read(bus, bus->memory_base + OUTPUT, output, sizeof(output));
	for (size_t i = 0; i < sizeof(output); i++)
		if (output[i])
			size = i + 1;
	return size;
}

static void a_reset_forgets_keys(void **state)
{
	static const struct {
		uint32_t engine;
		uint32_t word;
	} messages[] = {
		{ SILEX_ENGINE_AES, SILEX_AES_MODE_ECB | SILEX_AES_KEY_256 },
		{ SILEX_ENGINE_AES, SILEX_AES_MODE_CTR | SILEX_AES_KEY_256 },
		{ SILEX_ENGINE_HASH,
		  SILEX_HASH_ALG_SHA256 | SILEX_HASH_HMAC | SILEX_HASH_PAD | SILEX_HASH_FINAL },
	};

	struct bus *bus = bus_open("hash=on");

	(void)state;
	invent_secret();
	driver_fill(bus, 64);
	for (unsigned i = 0; i < sizeof(messages) / sizeof(*messages); i++) {
		for (unsigned k = 0; k < RESETS; k++) {
			begin_message(bus, messages[i].engine, messages[i].word);
			assert_true(go_on(bus, messages[i].engine) >
				    0); /* were it not for a reset */
			driver_recover(bus);
			begin_message(bus, messages[i].engine, messages[i].word);
			resets[k](bus);
			assert_int_equal(memory_search(masked, NEEDLE), 0);
			assert_int_equal(go_on(bus, messages[i].engine), 0);
			driver_recover(bus);
		}
	}
	bus_close(bus);
}

/* The search would have found a key in the engine */
static void a_key_stays_until_a_reset(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	invent_secret();
	begin_message(bus, SILEX_ENGINE_AES, SILEX_AES_MODE_ECB | SILEX_AES_KEY_256);
	assert_true(memory_search(masked, NEEDLE) > 0);
	bus_close(bus);
	assert_int_equal(memory_search(masked, NEEDLE), 0);
}

/* ---- data on their way ---- */

/* The fetcher goes on until the FIFO has the secret, which no pusher takes */
static void fill_fifo(struct bus *bus)
{
	const struct item fetch[] = { { ITEMS, NEEDLE | REALIGN, BYPASS } };

	write_secret(bus, ITEMS);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_FETCH);
	bus->pass(bus, LONG_AGO_NS);
	erase(bus, ITEMS);
	assert_true(SILEX_CM_STATUS_PUSH_FIFO(driver_status(bus)) > 0);
	assert_int_equal(memory_search(masked, NEEDLE), 1);
}

static void what_waits_for_the_pusher_is_forgotten(void **state)
{
	struct bus *bus = bus_open(NULL);
	uint8_t expected[64];

	(void)state;
	invent_secret();
	driver_fill(bus, 64);
	bus->memory_read(bus, bus->memory_base + INPUT, expected, 64);
	for (unsigned k = 0; k < RESETS; k++) {
		fill_fifo(bus);
		resets[k](bus);
		assert_int_equal(memory_search(masked, NEEDLE), 0);
		assert_int_equal(driver_status(bus), 0);
		write_copy(bus, 64);
		assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
		driver_expect(bus, OUTPUT, expected, 64);
	}
	fill_fifo(bus);
	bus_close(bus);
	assert_int_equal(memory_search(masked, NEEDLE), 0);
}

/* ---- the next job ---- */

static uint64_t copy_ns(struct bus *bus)
{
	write_copy(bus, 64);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_interrupt(bus, 10);
}

/* Of a job that it ends, were it late, stuck or neither: no time, no interrupts */
static void a_reset_leaves_nothing_to_the_next_job(void **state)
{
	static const char *const faults[] = { NULL, "faults=late:nth=2:factor=100",
					      "faults=stuck-busy:nth=2" };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		for (unsigned k = 0; k < RESETS; k++) {
			struct bus *bus = bus_open(faults[i]);
			uint64_t ns = copy_ns(bus);

			write_copy(bus, 65536 | SILEX_LEN_IRQ);
			driver_prepare(bus);
			driver_start(bus, SILEX_CM_START_BOTH);
			bus->pass(bus, 1000);
			resets[k](bus);
			assert_int_equal(driver_status(bus), 0);
			assert_int_equal(copy_ns(bus), ns);
			assert_int_equal(driver_raw(bus),
					 SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED);
			bus_close(bus);
		}
	}
}

/* What comes after it is another job, which the fault counts */
static void a_reset_ends_a_message_without_end(void **state)
{
	const struct item fetch[] = { { INPUT, 64 | REALIGN, BYPASS } };

	(void)state;
	for (unsigned k = 0; k < RESETS; k++) {
		struct bus *bus = bus_open("faults=stuck-busy:nth=2");

		write_copy(bus, 64);
		driver_list(bus, FETCH_LIST, fetch, 1);
		assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
		resets[k](bus);
		write_copy(bus, 64);
		driver_prepare(bus);
		driver_start(bus, SILEX_CM_START_BOTH);
		bus->pass(bus, LONG_AGO_NS);
		assert_int_equal(driver_status(bus),
				 SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY);
		bus_close(bus);
	}
}

/* Power-on in a soft reset ends that */
static void power_on_ends_a_soft_reset(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	assert_int_equal(driver_status(bus), SILEX_CM_STATUS_RESET_BUSY);
	bus->reset(bus);
	assert_int_equal(driver_status(bus), 0);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(power_on_makes_a_window_new),
		cmocka_unit_test(power_on_wipes_operands),
		cmocka_unit_test(power_on_ends_an_operation),
		cmocka_unit_test(a_soft_reset_is_none_of_public_key),
		cmocka_unit_test(a_reset_forgets_keys),
		cmocka_unit_test(a_key_stays_until_a_reset),
		cmocka_unit_test(what_waits_for_the_pusher_is_forgotten),
		cmocka_unit_test(a_reset_leaves_nothing_to_the_next_job),
		cmocka_unit_test(a_reset_ends_a_message_without_end),
		cmocka_unit_test(power_on_ends_a_soft_reset),
	};

	dice_begin(&dice, dice_seed());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
