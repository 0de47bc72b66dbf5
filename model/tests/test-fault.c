/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Faults on demand: what a driver sees of each. */
#include "../../silex/ba411.h"
#include "../silex-model.h"
#include "driver.h"
#include "fault-job.h"
#include "public-key.h"
#include "unit.h"

#define JOBS   400u
#define PIECES 8u /* among as many descriptors a DMA error chooses */
#define PIECE  (JOB_BYTES / PIECES)

/* ---- jobs of CryptoMaster ---- */

static unsigned bits_that_differ(struct bus *bus, uint32_t a, uint32_t b, size_t size)
{
	uint8_t first[JOB_BYTES], second[JOB_BYTES];
	unsigned bits = 0;

	assert_true(size <= JOB_BYTES);
	bus->memory_read(bus, bus->memory_base + a, first, size);
	bus->memory_read(bus, bus->memory_base + b, second, size);
	for (size_t i = 0; i < size; i++)
		bits += (unsigned)__builtin_popcount(first[i] ^ second[i]);
	return bits;
}

static void a_dma_error_is_a_bus_error(void **state)
{
	struct bus *bus = fault_job_open("dma-error:nth=2");

	(void)state;
	fault_job_run_well(bus);
	assert_true(driver_run(bus) & SILEX_CM_INT_ERRORS);
	driver_recover(bus);
	fault_job_run_well(bus);
	bus_close(bus);
}

/* A job of PIECES pieces, each a descriptor on either side; what lies where its output goes is at
 * no place what comes there */
static void write_pieces(struct bus *bus)
{
	struct item fetch[PIECES], push[PIECES];
	uint8_t other[JOB_BYTES];

	for (uint32_t i = 0; i < PIECES; i++) {
		bool last = i + 1 == PIECES;

		fetch[i] = (struct item){ INPUT + i * PIECE, PIECE | (last ? SILEX_LEN_REALIGN : 0),
					  SILEX_ENGINE_BYPASS | (last ? SILEX_TAG_LAST : 0) };
		push[i] = (struct item){ OUTPUT + i * PIECE, PIECE, 0 };
	}
	driver_list(bus, FETCH_LIST, fetch, PIECES);
	driver_list(bus, PUSH_LIST, push, PIECES);
	bus->memory_read(bus, bus->memory_base + INPUT, other, JOB_BYTES);
	for (unsigned i = 0; i < JOB_BYTES; i++)
		other[i] = (uint8_t)~other[i];
	bus->memory_write(bus, bus->memory_base + OUTPUT, other, JOB_BYTES);
}

/* Pieces that have come out before an error */
static unsigned pieces_out(struct bus *bus)
{
	uint8_t output[JOB_BYTES], expected[JOB_BYTES];
	size_t bytes = 0;

	bus->memory_read(bus, bus->memory_base + INPUT, expected, JOB_BYTES);
	bus->memory_read(bus, bus->memory_base + OUTPUT, output, JOB_BYTES);
	while (bytes < JOB_BYTES && output[bytes] == expected[bytes])
		bytes++;
	assert_int_equal(bytes % PIECE, 0);
	return (unsigned)(bytes / PIECE);
}

static void dma_errors_strike_both_sides_anywhere(void **state)
{
	static const char *const faults[] = { "dma-error:rate=1,seed=1", "dma-error:rate=1,seed=2",
					      "dma-error:rate=1,seed=99" };

	(void)state;
	for (unsigned seed = 0; seed < 3; seed++) {
		struct bus *bus = fault_job_open(faults[seed]);
		unsigned fetch_errors = 0, push_errors = 0, after[PIECES] = { 0 };

		for (unsigned i = 0; i < STRUCK_JOBS; i++) {
			uint32_t raw, error;

			write_pieces(bus);
			raw = driver_run(bus);
			error = raw & SILEX_CM_INT_ERRORS;
			assert_false(raw & ~error);
			fetch_errors += error == SILEX_CM_INT_FETCH_ERROR;
			push_errors += error == SILEX_CM_INT_PUSH_ERROR;
			if (error == SILEX_CM_INT_FETCH_ERROR)
				after[pieces_out(bus)]++;
			driver_recover(bus);
		}
		assert_int_equal(fetch_errors + push_errors, STRUCK_JOBS);
		assert_in_range(fetch_errors, STRUCK_JOBS / 3, STRUCK_JOBS * 2 / 3);
		for (unsigned i = 0; i < PIECES; i++)
			assert_true(after[i] > 0);
		bus_close(bus);
	}
}

/* However few descriptors it has */
static void dma_errors_strike_short_jobs_too(void **state)
{
	struct bus *bus = fault_job_open("dma-error:rate=1");

	(void)state;
	for (unsigned i = 0; i < STRUCK_JOBS; i++) {
		assert_true(driver_run(bus) & SILEX_CM_INT_ERRORS);
		driver_recover(bus);
	}
	bus_close(bus);
}

static void stuck_busy_ends_with_a_reset(void **state)
{
	struct bus *bus = fault_job_open("stuck-busy:nth=2");

	(void)state;
	fault_job_run_well(bus);
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus),
			 SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY);
	assert_int_equal(driver_raw(bus), 0);
	driver_recover(bus);
	fault_job_run_well(bus);
	bus_close(bus);
}

static void a_lost_interrupt_leaves_a_job_that_is_done(void **state)
{
	struct bus *bus = fault_job_open("lost-interrupt:nth=1");

	(void)state;
	driver_start(bus, SILEX_CM_START_BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_raw(bus), 0);
	assert_int_equal(driver_status(bus), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(bits_that_differ(bus, INPUT, OUTPUT, JOB_BYTES), 0);
	fault_job_run_well(bus);
	bus_close(bus);
}

static void a_spurious_interrupt_comes_while_busy(void **state)
{
	struct bus *bus = fault_job_open("spurious-interrupt:nth=1");

	(void)state;
	driver_start(bus, SILEX_CM_START_BOTH);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_PUSH_STOPPED);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	assert_true(driver_status(bus) & SILEX_CM_STATUS_PUSH_BUSY);
	driver_wait(bus);
	fault_job_run_well(bus);
	bus_close(bus);
}

/* ns from START until the interrupt */
static uint64_t job_ns(struct bus *bus)
{
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_interrupt(bus, 10);
}

static void late_takes_so_many_times_as_long(void **state)
{
	struct bus *bus = fault_job_open("late:nth=2:factor=50");
	uint64_t ns = job_ns(bus);

	(void)state;
	assert_int_equal(job_ns(bus), 50 * ns);
	assert_int_equal(job_ns(bus), ns);
	bus_close(bus);
}

static void a_flipped_bit_is_one(void **state)
{
	struct bus *bus = fault_job_open("flipped-bit:nth=2");

	(void)state;
	fault_job_run_well(bus);
	driver_run(bus);
	assert_int_equal(bits_that_differ(bus, INPUT, OUTPUT, JOB_BYTES), 1);
	fault_job_run_well(bus);
	bus_close(bus);
}

/* ---- the time of a fault ---- */

static void a_fault_strikes_in_its_time_alone(void **state)
{
	struct bus *bus = fault_job_open("late:nth=2:factor=50" FROM_TO);
	uint64_t ns = job_ns(bus);

	(void)state;
	assert_int_equal(job_ns(bus), ns);
	fault_wait_until(bus, 1000);
	assert_int_equal(job_ns(bus), ns); /* the first that counts */
	assert_int_equal(job_ns(bus), 50 * ns);
	bus_close(bus);

	bus = fault_job_open("late:rate=1:factor=50" FROM_TO);
	fault_wait_until(bus, 1999);
	assert_int_equal(job_ns(bus), 50 * ns);
	fault_wait_until(bus, 2000);
	assert_int_equal(job_ns(bus), ns);
	bus_close(bus);
}

/* ---- tags ---- */

static void write_gcm(struct bus *bus)
{
	const uint32_t aes = SILEX_ENGINE_AES, config = aes | SILEX_TAG_CONFIG;
	const uint8_t word[4] = { 0, SILEX_AES_MODE_GCM >> 8, 0, 0 };
	const struct item fetch[] = {
		{ ITEMS, 4 | SILEX_LEN_REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_CONFIG) },
		{ INPUT, 16 | SILEX_LEN_REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_KEY) },
		{ INPUT, 12 | SILEX_LEN_REALIGN, config | SILEX_TAG_OFFSET(SILEX_AES_IV) },
		{ INPUT, 32 | SILEX_LEN_REALIGN, aes },
		{ INPUT, 16 | SILEX_LEN_REALIGN, aes | SILEX_TAG_LAST },
	};
	const struct item push[] = { { OUTPUT, 48, 0 } };

	bus->memory_write(bus, bus->memory_base + ITEMS, word, sizeof(word));
	driver_list(bus, FETCH_LIST, fetch, 5);
	driver_list(bus, PUSH_LIST, push, 1);
}

static void a_wrong_tag_is_wrong_in_one_bit(void **state)
{
	struct bus *bus = fault_job_open("wrong-tag:nth=2");
	uint8_t right[48];

	(void)state;
	fault_job_run_well(bus); /* makes no tag and does not count */
	write_gcm(bus);
	driver_run(bus);
	bus->memory_read(bus, bus->memory_base + OUTPUT, right, sizeof(right));
	bus->memory_write(bus, bus->memory_base + OUTPUT + 64, right, sizeof(right));
	driver_run(bus);
	assert_int_equal(bits_that_differ(bus, OUTPUT, OUTPUT + 64, 32), 0);
	assert_int_equal(bits_that_differ(bus, OUTPUT + 32, OUTPUT + 96, 16), 1);
	driver_run(bus);
	driver_expect(bus, OUTPUT, right, sizeof(right));
	bus_close(bus);
}

/* ---- rates ---- */

/* Which of many jobs were late */
static void late_jobs(const char *faults, bool struck[JOBS])
{
	struct bus *bus = fault_job_open(faults);

	for (unsigned i = 0; i < JOBS; i++) {
		uint64_t begin = bus->now(bus);

		driver_prepare(bus);
		driver_start(bus, SILEX_CM_START_BOTH);
		bus->pass(bus, 20000);
		struck[i] = driver_status(bus) != 0;
		while (driver_status(bus))
			bus->pass(bus, 20000);
		assert_true(bus->now(bus) > begin);
	}
	bus_close(bus);
}

static void a_rate_strikes_at_random_and_repeats_itself(void **state)
{
	bool first[JOBS], again[JOBS], other[JOBS];
	unsigned count = 0;

	(void)state;
	late_jobs("late:rate=4,seed=1", first);
	late_jobs("late:rate=4,seed=1", again);
	late_jobs("late:rate=4,seed=2", other);
	for (unsigned i = 0; i < JOBS; i++)
		count += first[i];
	assert_in_range(count, JOBS / 4 - JOBS / 16, JOBS / 4 + JOBS / 16);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
}

static void one_fault_does_not_move_another(void **state)
{
	bool alone[JOBS], beside[JOBS];

	(void)state;
	late_jobs("late:rate=4,seed=1", alone);
	late_jobs("flipped-bit:rate=2;late:rate=4;lost-interrupt:rate=3,seed=1", beside);
	assert_memory_equal(alone, beside, sizeof(alone));
}

/* ---- public key ---- */

static void pk_add_well(struct pk *pk)
{
	fault_pk_add(pk);
	pk->bus->pass(pk->bus, LONG_AGO_NS);
	assert_true(pk->bus->line(pk->bus, SILEX_LINE_PK));
	assert_int_equal(pk_status(pk), SILEX_PK_STATUS_IRQ);
	pk_expect_small(pk, SILEX_PK_SLOT_C, 12);
}

static void public_key_gets_stuck(void **state)
{
	struct bus *bus = fault_job_open("stuck-busy:nth=2");
	struct pk pk = { .bus = bus };

	(void)state;
	pk_add_well(&pk);
	fault_pk_add(&pk);
	bus->pass(bus, LONG_AGO_NS);
	assert_true(pk_is_busy(&pk));
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

static void public_key_loses_an_interrupt(void **state)
{
	struct bus *bus = fault_job_open("lost-interrupt:nth=1");
	struct pk pk = { .bus = bus };

	(void)state;
	fault_pk_add(&pk);
	bus->pass(bus, LONG_AGO_NS);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	assert_int_equal(pk_status(&pk), 0);
	pk_expect_small(&pk, SILEX_PK_SLOT_C, 12);
	pk_add_well(&pk);
	bus_close(bus);
}

static void public_key_interrupts_too_early(void **state)
{
	struct bus *bus = fault_job_open("spurious-interrupt:nth=1");
	struct pk pk = { .bus = bus };

	(void)state;
	fault_pk_add(&pk);
	assert_true(bus->line(bus, SILEX_LINE_PK));
	assert_true(pk_is_busy(&pk));
	bus->pass(bus, LONG_AGO_NS);
	pk_add_well(&pk);
	bus_close(bus);
}

static void public_key_gives_a_wrong_result(void **state)
{
	struct bus *bus = fault_job_open("flipped-bit:nth=1");
	struct pk pk = { .bus = bus };
	BIGNUM *found;
	uint8_t bytes[SIZE];
	unsigned bits = 0;

	(void)state;
	fault_pk_add(&pk);
	bus->pass(bus, LONG_AGO_NS);
	found = pk_get(&pk, SILEX_PK_SLOT_C);
	BN_bn2binpad(found, bytes, SIZE);
	BN_free(found);
	bytes[SIZE - 1] ^= 12;
	for (unsigned i = 0; i < SIZE; i++)
		bits += (unsigned)__builtin_popcount(bytes[i]);
	assert_int_equal(bits, 1);
	pk_add_well(&pk);
	bus_close(bus);
}

static uint64_t pk_ns(struct pk *pk)
{
	struct bus *bus = pk->bus;
	uint64_t begin;

	fault_pk_add(pk);
	begin = bus->now(bus);
	while (pk_is_busy(pk))
		bus->pass(bus, 10);
	return bus->now(bus) - begin;
}

static void public_key_is_late(void **state)
{
	struct bus *bus = fault_job_open("late:nth=2:factor=20");
	struct pk pk = { .bus = bus };
	uint64_t ns = pk_ns(&pk);

	(void)state;
	assert_int_equal(pk_ns(&pk), 20 * ns);
	assert_int_equal(pk_ns(&pk), ns);
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dma_error_is_a_bus_error),
		cmocka_unit_test(dma_errors_strike_both_sides_anywhere),
		cmocka_unit_test(dma_errors_strike_short_jobs_too),
		cmocka_unit_test(stuck_busy_ends_with_a_reset),
		cmocka_unit_test(a_lost_interrupt_leaves_a_job_that_is_done),
		cmocka_unit_test(a_spurious_interrupt_comes_while_busy),
		cmocka_unit_test(late_takes_so_many_times_as_long),
		cmocka_unit_test(a_flipped_bit_is_one),
		cmocka_unit_test(a_fault_strikes_in_its_time_alone),
		cmocka_unit_test(a_wrong_tag_is_wrong_in_one_bit),
		cmocka_unit_test(a_rate_strikes_at_random_and_repeats_itself),
		cmocka_unit_test(one_fault_does_not_move_another),
		cmocka_unit_test(public_key_gets_stuck),
		cmocka_unit_test(public_key_loses_an_interrupt),
		cmocka_unit_test(public_key_interrupts_too_early),
		cmocka_unit_test(public_key_gives_a_wrong_result),
		cmocka_unit_test(public_key_is_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
