/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Cores that are gone, for good or for a time: what a driver sees. */
#include "driver.h"
#include "fault-job.h"
#include "public-key.h"
#include "unit.h"

static void cores_that_are_gone_read_all_ones(void **state)
{
	struct bus *bus = fault_job_open("gone:nth=2");

	(void)state;
	fault_job_run_well(bus);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_status(bus), SILEX_GONE);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->pass(bus, LONG_AGO_NS);
	for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE; offset += 256)
		assert_int_equal(bus->read(bus, offset), SILEX_GONE);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

static void cores_that_were_gone_are_as_after_power_on(void **state)
{
	struct bus *bus = fault_job_open("gone:rate=1" FROM_TO);

	(void)state;
	fault_job_run_well(bus);
	fault_wait_until(bus, 1000);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_status(bus), SILEX_GONE);
	fault_wait_until(bus, 1999);
	assert_int_equal(driver_status(bus), SILEX_GONE);
	fault_wait_until(bus, 2000);
	assert_int_equal(driver_status(bus), 0);
	assert_int_equal(bus->read(bus, SILEX_CM_FETCH_ADDR), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	fault_job_write(bus);
	fault_job_run_well(bus);
	bus_close(bus);
}

static void public_key_takes_all_cores_with_it(void **state)
{
	struct bus *bus = fault_job_open("gone:nth=2");
	struct pk pk = { .bus = bus };

	(void)state;
	fault_job_run_well(bus);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	fault_pk_add(&pk);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(pk_status(&pk), SILEX_GONE);
	assert_int_equal(driver_status(bus), SILEX_GONE);
	assert_int_equal(bus->read(bus, SILEX_PRESENCE), SILEX_GONE);
	bus->pass(bus, LONG_AGO_NS);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

/* ---- a window that comes back ---- */

/* As by a reset between two accesses: nothing reads ones, but what was there is lost */
static void cores_are_reset_in_an_operation(void **state)
{
	struct bus *bus = fault_job_open("gone:rate=1:for=1");
	struct pk pk = { .bus = bus };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		fault_pk_add(&pk);
		bus->pass(bus, 1);
		assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_BUSY); /* clears its memory */
		bus->pass(bus, LONG_AGO_NS);
		assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_IRQ); /* as after an addition */
		assert_int_equal(bus->read(bus, PK(SILEX_PK_COMMAND)), SILEX_PK_OP_CLEAR_MEMORY);
		pk_begin(&pk, SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, SIZE, false);
		pk_expect_small(&pk, SILEX_PK_SLOT_C, 0);
	}
	bus_close(bus);
}

#define WITHIN_NS 100000u

static bool is_addition(struct bus *bus)
{
	uint32_t command = bus->read(bus, PK(SILEX_PK_COMMAND));

	return (command & SILEX_PK_OPCODE_MASK) == SILEX_PK_OP_MODADD;
}

/* Each time is struck once; most operations have ended before, as one takes a tenth of that time */
static void cores_go_while_an_operation_runs_or_later(void **state)
{
	struct bus *bus = fault_job_open("gone:rate=1:within=100000:for=50");
	struct pk pk = { .bus = bus };
	unsigned ended = 0, seen = 0;

	(void)state;
	for (unsigned i = 0; i < STRUCK_JOBS; i++) {
		uint32_t status = 0, all = 0;
		uint64_t begin;

		fault_pk_add(&pk);
		assert_int_not_equal(pk_status(&pk), SILEX_GONE);
		for (begin = bus->now(bus); bus->now(bus) < begin + WITHIN_NS;) {
			bus->pass(bus, 50);
			status = pk_status(&pk);
			seen += status == SILEX_GONE;
			if (is_addition(bus)) /* else it is the interrupt after power-on */
				all |= status;
		}
		ended += (all & SILEX_PK_STATUS_IRQ) != 0;
		bus->pass(bus, LONG_AGO_NS);
		assert_int_equal(bus->read(bus, PK(SILEX_PK_COMMAND)), SILEX_PK_OP_CLEAR_MEMORY);
	}
	assert_in_range(seen, STRUCK_JOBS / 2, STRUCK_JOBS);
	assert_in_range(ended, STRUCK_JOBS / 2, STRUCK_JOBS - 1);
	bus_close(bus);
}

/* A register that has lost what was written to it tells of a reset in between */
static void cores_go_after_an_access(void **state)
{
	struct bus *bus = fault_job_open("gone:accesses=20:for=1");
	unsigned struck = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint32_t found;

		bus->write(bus, SILEX_CM_FETCH_ADDR, INPUT);
		bus->pass(bus, 1);
		found = bus->read(bus, SILEX_CM_FETCH_ADDR);
		assert_true(found == INPUT || found == 0);
		struck += found == 0;
		bus->pass(bus, 1);
	}
	assert_in_range(struck, 50, 200);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cores_that_are_gone_read_all_ones),
		cmocka_unit_test(cores_that_were_gone_are_as_after_power_on),
		cmocka_unit_test(public_key_takes_all_cores_with_it),
		cmocka_unit_test(cores_are_reset_in_an_operation),
		cmocka_unit_test(cores_go_while_an_operation_runs_or_later),
		cmocka_unit_test(cores_go_after_an_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
