/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* How long jobs take: the formula, and what a driver sees of it. */
#include "../silex-model.h"
#include "driver.h"
#include "unit.h"

#define BYPASS      (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define LONG_AGO_NS 1000000000u

static struct silex_timing defaults(void)
{
	struct silex_timing timing;

	silex_timing_default(&timing);
	return timing;
}

static void the_slowest_of_the_three_counts(void **state)
{
	const struct silex_timing timing = defaults();
	struct silex_work work = { .starts = 1, .engine_cycles = 5000 };
	const uint64_t ends = timing.start_cycles + timing.end_cycles;

	(void)state;
	assert_int_equal(silex_job_cycles(&timing, &work), ends + 5000);
	work.fetch_bytes = 5000 * 8;
	assert_int_equal(silex_job_cycles(&timing, &work), ends + 5000);
	work.fetch_bytes++;
	assert_int_equal(silex_job_cycles(&timing, &work), ends + 5001);
	work.push_descriptors = 100; /* two requests of 30 cycles each */
	assert_int_equal(silex_job_cycles(&timing, &work), ends + 6000);
	work.starts = 0;
	assert_int_equal(silex_job_cycles(&timing, &work), timing.end_cycles + 6000);
}

static void cycles_become_nanoseconds(void **state)
{
	struct silex_timing timing = defaults();

	(void)state;
	assert_int_equal(silex_cycles_ns(&timing, 1), 10);
	timing.clock_hz = 300000000;
	assert_int_equal(silex_cycles_ns(&timing, 1), 4);
	assert_int_equal(silex_cycles_ns(&timing, 300000000ull * 100000), 100000ull * 1000000000);
	timing.zero = true;
	assert_int_equal(silex_cycles_ns(&timing, 1000), 0);
}

/* ns of a job that copies */
static uint64_t copy_ns(struct bus *bus, uint32_t size)
{
	const struct item fetch[] = { { INPUT, size | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, size, 0 } };
	uint64_t begin;

	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	begin = bus->now(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	while (!bus->line(bus, SILEX_LINE_CM))
		bus->pass(bus, 1);
	return bus->now(bus) - begin;
}

static void a_job_takes_what_the_formula_says(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	/* 10 + 10 cycles at the ends, 2 requests of 30, 2 beats of a descriptor, the data */
	assert_int_equal(copy_ns(bus, 64), 10 * (20 + 60 + 2 + 64 / 8));
	assert_int_equal(copy_ns(bus, 4096), 10 * (20 + 60 + 2 + 4096 / 8));
	bus_close(bus);
}

static void constants_can_be_chosen(void **state)
{
	struct bus *bus = bus_open("clock_hz=200000000,dma_bytes_per_beat=4,"
				   "dma_latency_cycles=5,start_cycles=1,end_cycles=2");

	(void)state;
	assert_int_equal(copy_ns(bus, 64), 5 * (3 + 10 + 4 + 64 / 4));
	bus_close(bus);
}

static void in_zero_time_a_job_is_done_at_once(void **state)
{
	struct bus *bus = bus_open("zero=on");

	(void)state;
	assert_int_equal(copy_ns(bus, 4096), 0);
	assert_int_equal(driver_status(bus), 0);
	assert_int_equal(copy_ns(bus, 4096), 0);
	bus_close(bus);
}

/* A host that calls the model too late sees no old state: any access carries it on first */
static void an_access_sees_what_is_due(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	copy_ns(bus, 64);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->oversleep(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus), 0);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->oversleep(bus, LONG_AGO_NS);
	bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_raw(bus), 0);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slowest_of_the_three_counts),
		cmocka_unit_test(cycles_become_nanoseconds),
		cmocka_unit_test(a_job_takes_what_the_formula_says),
		cmocka_unit_test(constants_can_be_chosen),
		cmocka_unit_test(in_zero_time_a_job_is_done_at_once),
		cmocka_unit_test(an_access_sees_what_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
