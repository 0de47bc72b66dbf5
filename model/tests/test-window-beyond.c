/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Offsets that no host should pass on: beyond the window there is nothing, and no register comes
 * round again. */
#include "../../silex/soc.h"
#include "bus.h"
#include "unit.h"

#define LONG_AGO_NS 1000000000u
#define WORDS       (SILEX_WINDOW_SIZE / 4)

static void read_window(struct bus *bus, uint32_t words[WORDS])
{
	for (uint32_t i = 0; i < WORDS; i++)
		words[i] = bus->read(bus, 4 * i);
}

static void expect_nothing(struct bus *bus, uint32_t offset)
{
	if (bus->read(bus, offset) != 0)
		fail_msg("%08x reads %08x", offset, bus->read(bus, offset));
	bus->write(bus, offset, 0xffffffff);
}

static void nothing_is_beyond_the_window(void **state)
{
	static uint32_t before[WORDS], after[WORDS];
	struct bus *bus = bus_open("hash=on,pk_max_bytes=1024");

	(void)state;
	bus->pass(bus, LONG_AGO_NS);
	read_window(bus, before);
	for (uint32_t offset = SILEX_WINDOW_SIZE; offset < 3 * SILEX_WINDOW_SIZE; offset++)
		expect_nothing(bus, offset);
	for (unsigned bit = 17; bit < 32; bit++)
		for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE; offset += 4)
			expect_nothing(bus, (1u << bit) + offset);
	for (uint32_t below = 1; below <= SILEX_WINDOW_SIZE; below++)
		expect_nothing(bus, 0u - below);
	bus->pass(bus, LONG_AGO_NS);
	read_window(bus, after);
	assert_memory_equal(after, before, sizeof(after));
	assert_int_equal(bus->counter(bus, "cm_starts"), 0);
	assert_int_equal(bus->counter(bus, "cm_resets"), 0);
	assert_int_equal(bus->counter(bus, "pk_operations"), 0);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_beyond_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
