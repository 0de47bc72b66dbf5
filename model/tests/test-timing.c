/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* How long jobs take, as a driver sees it; beside a prototype of the cores in RTL. */
#include <stdio.h>

#include "../silex-model.h"
#include "aes-request.h"
#include "page.h"
#include "unit.h"

#define BYPASS      (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define LONG_AGO_NS 1000000000u

static void cycles_become_nanoseconds(void **state)
{
	struct silex_timing timing;

	(void)state;
	silex_timing_default(&timing);
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

	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_interrupt(bus, 1);
}

static void a_job_takes_what_the_formula_says(void **state)
{
	struct bus *bus = bus_open(NULL);

	(void)state;
	/* 10 + 10 cycles at the ends; 30 each for a descriptor, the data and the answer to the last
	 * write; 2 beats of a descriptor, those of the data, and the last again, to memory */
	assert_int_equal(copy_ns(bus, 64), 10 * (20 + 90 + 2 + 64 / 8 + 1));
	assert_int_equal(copy_ns(bus, 4096), 10 * (20 + 90 + 2 + 4096 / 8 + 1));
	bus_close(bus);
}

static void constants_can_be_chosen(void **state)
{
	struct bus *bus = bus_open("clock_hz=200000000,dma_bytes_per_beat=4,"
				   "dma_latency_cycles=5,start_cycles=1,end_cycles=2");

	(void)state;
	assert_int_equal(copy_ns(bus, 64), 5 * (3 + 15 + 4 + 64 / 4 + 1));
	bus_close(bus);
}

/* ---- beside RTL ---- */

#define ROWS 5u

/* Cycles may differ by so many: a prototype has states that a model has not */
#define NEAR 4u

/*
 * A prototype in RTL of ours, not the vendor's, with the same registers: AES-256-CBC by the lists
 * of the driver, from START to the interrupt, one round a cycle, memory that answers after 30
 * cycles.  In cycles, with a fetcher that reads descriptors ahead and with one that does not.
 */
static const struct row {
	uint32_t bytes;
	uint64_t ahead;
	uint64_t serial;
} prototype[ROWS] = {
	{ 16, 230, 341 },     { 64, 275, 386 },        { 256, 455, 566 },
	{ 1408, 1535, 1646 }, { 16384, 15575, 15686 },
};

static uint64_t cbc_cycles(const char *configuration, uint32_t bytes)
{
	const struct aes_request request = { SILEX_AES_MODE_CBC, 32, bytes, 0 };

	return aes_request_cycles(configuration, &request);
}

static void expect_near(uint64_t found, uint64_t stated)
{
	if (found + NEAR < stated || stated + NEAR < found)
		fail_msg("%llu cycles are not near %llu", (unsigned long long)found,
			 (unsigned long long)stated);
}

static void jobs_take_as_long_as_in_rtl(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		const struct row *row = &prototype[i];
		uint64_t ahead = cbc_cycles(NULL, row->bytes);
		uint64_t serial = cbc_cycles("fetcher=serial", row->bytes);

		expect_near(ahead, row->ahead);
		expect_near(serial, row->serial);
		page_expect("cores.md", "| %u | %llu | %llu | %llu | %llu |", row->bytes,
			    (unsigned long long)row->ahead, (unsigned long long)ahead,
			    (unsigned long long)row->serial, (unsigned long long)serial);
	}
}

/* Six requests follow one another, nine without reading ahead: RTL has 6 and 9 latencies too */
static void latency_counts_once_for_each_request_in_turn(void **state)
{
	static const unsigned latencies[] = { 15, 30, 60, 120 };
	char words[80];

	(void)state;
	for (unsigned i = 0; i < sizeof(latencies) / sizeof(*latencies); i++) {
		unsigned latency = latencies[i];

		snprintf(words, sizeof(words), "dma_latency_cycles=%u", latency);
		expect_near(cbc_cycles(words, 16), 6 * latency + 50);
		snprintf(words, sizeof(words), "dma_latency_cycles=%u,fetcher=serial", latency);
		expect_near(cbc_cycles(words, 16), 9 * latency + 71);
	}
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
		cmocka_unit_test(cycles_become_nanoseconds),
		cmocka_unit_test(a_job_takes_what_the_formula_says),
		cmocka_unit_test(constants_can_be_chosen),
		cmocka_unit_test(jobs_take_as_long_as_in_rtl),
		cmocka_unit_test(latency_counts_once_for_each_request_in_turn),
		cmocka_unit_test(in_zero_time_a_job_is_done_at_once),
		cmocka_unit_test(an_access_sees_what_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
