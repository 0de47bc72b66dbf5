/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Tests that each have a bus of their own, to be found in `*state`. */
#ifndef SILEX_TESTS_BUS_TEST_H
#define SILEX_TESTS_BUS_TEST_H

#include "bus.h"
#include "unit.h"

static inline int bus_set_up(void **state)
{
	*state = bus_open(NULL);
	return 0;
}

static inline int bus_tear_down(void **state)
{
	bus_close(*state);
	return 0;
}

/* `set_up` opens the bus: bus_set_up() does so with the defaults */
#define BUS_TEST(set_up, name) cmocka_unit_test_setup_teardown(name, set_up, bus_tear_down)

#endif
