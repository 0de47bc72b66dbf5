/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* CryptoMaster's direct mode, addresses of 64 bits, and two instances side by side. */
#include <string.h>

#include "../../silex/ba411.h"
#include "bus-test.h"
#include "driver.h"
#include "fips197.h"

#define LAST        SILEX_TAG_LAST
#define REALIGN     SILEX_LEN_REALIGN
#define BYPASS      SILEX_ENGINE_BYPASS
#define LONG_AGO_NS 100000000u

/* ---- direct mode ---- */

static void direct_mode_takes_an_item_at_a_time(void **state)
{
	struct bus *bus = *state;
	const uint32_t base = (uint32_t)bus->memory_base;
	const uint32_t config = SILEX_ENGINE_AES | SILEX_TAG_CONFIG;
	const struct item items[] = {
		{ ITEMS, 4 | REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_CONFIG) },
		{ ITEMS + 16, 16 | REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_KEY) },
		{ INPUT, 16 | REALIGN, SILEX_ENGINE_AES | LAST },
	};

	fips197_write(bus);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->write(bus, SILEX_CM_PUSH_ADDR, base + OUTPUT);
	bus->write(bus, SILEX_CM_PUSH_LEN, 16);
	driver_start(bus, SILEX_CM_START_PUSH);
	bus->pass(bus, LONG_AGO_NS);
	assert_true(driver_status(bus) & SILEX_CM_STATUS_PUSH_WAITING);
	for (unsigned i = 0; i < 3; i++) {
		bus->write(bus, SILEX_CM_FETCH_ADDR, base + items[i].offset);
		bus->write(bus, SILEX_CM_FETCH_LEN, items[i].length);
		bus->write(bus, SILEX_CM_FETCH_TAG, items[i].tag);
		driver_start(bus, SILEX_CM_START_FETCH);
		bus->pass(bus, LONG_AGO_NS);
		assert_false(driver_status(bus) & SILEX_CM_STATUS_FETCH_BUSY);
	}
	assert_int_equal(driver_status(bus), 0);
	driver_expect(bus, OUTPUT, fips197_cipher, sizeof(fips197_cipher));
}

static void direct_mode_makes_zeros(void **state)
{
	struct bus *bus = *state;
	const uint8_t zeros[24] = { 0 };

	driver_fill(bus, 64);
	bus->memory_write(bus, bus->memory_base + OUTPUT, "leftover from before....", 24);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + INPUT);
	bus->write(bus, SILEX_CM_FETCH_LEN, 24 | SILEX_LEN_ZERO_PAD);
	bus->write(bus, SILEX_CM_FETCH_TAG, BYPASS | LAST);
	bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + OUTPUT);
	bus->write(bus, SILEX_CM_PUSH_LEN, 24);
	driver_start(bus, SILEX_CM_START_BOTH);
	driver_wait(bus);
	driver_expect(bus, OUTPUT, zeros, sizeof(zeros));
}

/* ---- 64-bit addresses ---- */

/* Direct mode, 16 bytes past INPUT to OUTPUT; returns INT_STAT_RAW */
static uint32_t copy(struct bus *bus, uint32_t fetch_high, uint32_t push_high)
{
	driver_fill(bus, 64);
	driver_prepare(bus);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + INPUT + 16);
	bus->write(bus, SILEX_CM_FETCH_ADDR_HI, fetch_high);
	bus->write(bus, SILEX_CM_FETCH_LEN, 16 | REALIGN);
	bus->write(bus, SILEX_CM_FETCH_TAG, BYPASS | LAST);
	bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + OUTPUT);
	bus->write(bus, SILEX_CM_PUSH_ADDR_HI, push_high);
	bus->write(bus, SILEX_CM_PUSH_LEN, 16);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_wait(bus);
}

static void expect_copied(struct bus *bus)
{
	uint8_t bytes[16];

	bus->memory_read(bus, bus->memory_base + INPUT + 16, bytes, sizeof(bytes));
	driver_expect(bus, OUTPUT, bytes, sizeof(bytes));
}

static void high_words_count_on_a_64_bit_host(void **state)
{
	struct bus *bus = bus_open("address64=on");

	(void)state;
	assert_int_equal(copy(bus, 0, 0) & SILEX_CM_INT_ERRORS, 0);
	expect_copied(bus);
	assert_int_equal(copy(bus, 0x100, 0) & SILEX_CM_INT_ERRORS, SILEX_CM_INT_FETCH_ERROR);
	assert_int_equal(bus->read(bus, SILEX_CM_FETCH_ADDR_HI), 0x100);
	driver_recover(bus);
	assert_int_equal(copy(bus, 0, 0x100) & SILEX_CM_INT_ERRORS, SILEX_CM_INT_PUSH_ERROR);
	driver_recover(bus);
	assert_int_equal(copy(bus, 0, 0) & SILEX_CM_INT_ERRORS, 0);
	bus_close(bus);
}

static void a_32_bit_host_has_no_high_words(void **state)
{
	struct bus *bus = *state;

	assert_int_equal(copy(bus, 0x100, 0x100) & SILEX_CM_INT_ERRORS, 0);
	expect_copied(bus);
	assert_int_equal(bus->read(bus, SILEX_CM_FETCH_ADDR_HI), 0);
	assert_int_equal(bus->read(bus, SILEX_CM_PUSH_ADDR_HI), 0);
}

/* ---- two instances ---- */

/* Each keeps its own registers, message and lines; what one does is nothing to the other */
static void instances_do_not_meet(void **state)
{
	struct bus *first = *state, *second = bus_open(NULL);
	const struct item fetch[] = { { INPUT, 32 | REALIGN, BYPASS | LAST } };
	const struct item push[] = { { OUTPUT, 32, 0 } };

	driver_fill(first, 64);
	driver_list(first, FETCH_LIST, fetch, 1);
	driver_list(first, PUSH_LIST, push, 1);
	driver_prepare(first);
	driver_start(first, SILEX_CM_START_BOTH);
	assert_true(driver_status(first) & SILEX_CM_STATUS_FETCH_BUSY);
	assert_int_equal(driver_status(second), 0);
	assert_int_equal(second->read(second, SILEX_CM_FETCH_ADDR), 0);

	second->write(second, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	assert_true(driver_status(first) & SILEX_CM_STATUS_FETCH_BUSY);
	driver_wait(first);
	assert_true(first->line(first, SILEX_LINE_CM));
	assert_false(second->line(second, SILEX_LINE_CM));
	bus_close(second);
}

#define TEST(name) BUS_TEST(bus_set_up, name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(direct_mode_takes_an_item_at_a_time),
		TEST(direct_mode_makes_zeros),
		TEST(high_words_count_on_a_64_bit_host),
		TEST(a_32_bit_host_has_no_high_words),
		TEST(instances_do_not_meet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
