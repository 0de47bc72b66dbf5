/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Faults on demand: what a driver sees of each. */
#include <string.h>

#include "../../silex/ba411.h"
#include "../silex-model.h"
#include "driver.h"
#include "public-key.h"
#include "unit.h"

#define BOTH        (SILEX_CM_START_FETCH | SILEX_CM_START_PUSH)
#define BYPASS      (SILEX_ENGINE_BYPASS | SILEX_TAG_LAST)
#define JOB_BYTES   256u
#define JOBS        400u
#define PIECES      8u /* among as many descriptors a DMA error chooses */
#define PIECE       (JOB_BYTES / PIECES)
#define STRUCK_JOBS 200u
#define LONG_AGO_NS 1000000000u

/* ---- jobs of CryptoMaster ---- */

static void write_job(struct bus *bus)
{
	const struct item fetch[] = { { INPUT, JOB_BYTES | SILEX_LEN_REALIGN, BYPASS } };
	const struct item push[] = { { OUTPUT, JOB_BYTES, 0 } };

	driver_fill(bus, JOB_BYTES);
	driver_list(bus, FETCH_LIST, fetch, 1);
	driver_list(bus, PUSH_LIST, push, 1);
	driver_prepare(bus);
}

static struct bus *open_with(const char *faults)
{
	char configuration[256] = "hash=on,faults=";
	struct bus *bus = bus_open(strncat(configuration, faults, 200));

	write_job(bus);
	return bus;
}

static void run_well(struct bus *bus)
{
	uint8_t expected[JOB_BYTES];

	bus->memory_read(bus, bus->memory_base + INPUT, expected, JOB_BYTES);
	assert_int_equal(driver_run(bus), SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED);
	driver_expect(bus, OUTPUT, expected, JOB_BYTES);
}

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
	struct bus *bus = open_with("dma-error:nth=2");

	(void)state;
	run_well(bus);
	assert_true(driver_run(bus) & DRIVER_ERROR_BITS);
	driver_recover(bus);
	run_well(bus);
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
		struct bus *bus = open_with(faults[seed]);
		unsigned fetch_errors = 0, push_errors = 0, after[PIECES] = { 0 };

		for (unsigned i = 0; i < STRUCK_JOBS; i++) {
			uint32_t raw, error;

			write_pieces(bus);
			raw = driver_run(bus);
			error = raw & DRIVER_ERROR_BITS;
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
	struct bus *bus = open_with("dma-error:rate=1");

	(void)state;
	for (unsigned i = 0; i < STRUCK_JOBS; i++) {
		assert_true(driver_run(bus) & DRIVER_ERROR_BITS);
		driver_recover(bus);
	}
	bus_close(bus);
}

static void stuck_busy_ends_with_a_reset(void **state)
{
	struct bus *bus = open_with("stuck-busy:nth=2");

	(void)state;
	run_well(bus);
	driver_prepare(bus);
	driver_start(bus, BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_status(bus),
			 SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY);
	assert_int_equal(driver_raw(bus), 0);
	driver_recover(bus);
	run_well(bus);
	bus_close(bus);
}

static void a_lost_interrupt_leaves_a_job_that_is_done(void **state)
{
	struct bus *bus = open_with("lost-interrupt:nth=1");

	(void)state;
	driver_start(bus, BOTH);
	bus->pass(bus, LONG_AGO_NS);
	assert_int_equal(driver_raw(bus), 0);
	assert_int_equal(driver_status(bus), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(bits_that_differ(bus, INPUT, OUTPUT, JOB_BYTES), 0);
	run_well(bus);
	bus_close(bus);
}

static void a_spurious_interrupt_comes_while_busy(void **state)
{
	struct bus *bus = open_with("spurious-interrupt:nth=1");

	(void)state;
	driver_start(bus, BOTH);
	assert_int_equal(driver_raw(bus), SILEX_CM_INT_PUSH_STOPPED);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	assert_true(driver_status(bus) & SILEX_CM_STATUS_PUSH_BUSY);
	driver_wait(bus);
	run_well(bus);
	bus_close(bus);
}

/* ns from START until the interrupt */
static uint64_t job_ns(struct bus *bus)
{
	uint64_t begin;

	driver_prepare(bus);
	begin = bus->now(bus);
	driver_start(bus, BOTH);
	while (!bus->line(bus, SILEX_LINE_CM))
		bus->pass(bus, 10);
	return bus->now(bus) - begin;
}

static void late_takes_so_many_times_as_long(void **state)
{
	struct bus *bus = open_with("late:nth=2:factor=50");
	uint64_t ns = job_ns(bus);

	(void)state;
	assert_int_equal(job_ns(bus), 50 * ns);
	assert_int_equal(job_ns(bus), ns);
	bus_close(bus);
}

static void a_flipped_bit_is_one(void **state)
{
	struct bus *bus = open_with("flipped-bit:nth=2");

	(void)state;
	run_well(bus);
	driver_run(bus);
	assert_int_equal(bits_that_differ(bus, INPUT, OUTPUT, JOB_BYTES), 1);
	run_well(bus);
	bus_close(bus);
}

static void cores_that_are_gone_read_all_ones(void **state)
{
	struct bus *bus = open_with("gone:nth=2");

	(void)state;
	run_well(bus);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	driver_prepare(bus);
	driver_start(bus, BOTH);
	assert_int_equal(driver_status(bus), 0xffffffff);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->pass(bus, LONG_AGO_NS);
	for (uint32_t offset = 0; offset < SILEX_WINDOW_SIZE; offset += 256)
		assert_int_equal(bus->read(bus, offset), 0xffffffff);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

/* ---- the time of a fault ---- */

#define FROM_TO ":from=1000:until=2000" /* ms */
#define MS_NS   1000000u

static void wait_until(struct bus *bus, uint64_t ms)
{
	assert_true(bus->now(bus) < ms * MS_NS);
	bus->pass(bus, ms * MS_NS - bus->now(bus));
}

static void a_fault_strikes_in_its_time_alone(void **state)
{
	struct bus *bus = open_with("late:nth=2:factor=50" FROM_TO);
	uint64_t ns = job_ns(bus);

	(void)state;
	assert_int_equal(job_ns(bus), ns);
	wait_until(bus, 1000);
	assert_int_equal(job_ns(bus), ns); /* the first that counts */
	assert_int_equal(job_ns(bus), 50 * ns);
	bus_close(bus);

	bus = open_with("late:rate=1:factor=50" FROM_TO);
	wait_until(bus, 1999);
	assert_int_equal(job_ns(bus), 50 * ns);
	wait_until(bus, 2000);
	assert_int_equal(job_ns(bus), ns);
	bus_close(bus);
}

static void cores_that_were_gone_are_as_after_power_on(void **state)
{
	struct bus *bus = open_with("gone:rate=1" FROM_TO);

	(void)state;
	run_well(bus);
	wait_until(bus, 1000);
	driver_prepare(bus);
	driver_start(bus, BOTH);
	assert_int_equal(driver_status(bus), 0xffffffff);
	wait_until(bus, 1999);
	assert_int_equal(driver_status(bus), 0xffffffff);
	wait_until(bus, 2000);
	assert_int_equal(driver_status(bus), 0);
	assert_int_equal(bus->read(bus, SILEX_CM_FETCH_ADDR), 0);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	write_job(bus);
	run_well(bus);
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
	struct bus *bus = open_with("wrong-tag:nth=2");
	uint8_t right[48];

	(void)state;
	run_well(bus); /* makes no tag and does not count */
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
	struct bus *bus = open_with(faults);

	for (unsigned i = 0; i < JOBS; i++) {
		uint64_t begin = bus->now(bus);

		driver_prepare(bus);
		driver_start(bus, BOTH);
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

#define SIZE 64u

/* Starts 5 + 7 modulo 101 */
static void pk_add(struct pk *pk)
{
	pk_begin(pk, SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, SIZE, false);
	pk_put_small(pk, SILEX_PK_SLOT_N, 101);
	pk_put_small(pk, SILEX_PK_SLOT_A, 5);
	pk_put_small(pk, SILEX_PK_SLOT_B, 7);
	pk_start(pk);
}

static void pk_add_well(struct pk *pk)
{
	pk_add(pk);
	pk->bus->pass(pk->bus, LONG_AGO_NS);
	assert_true(pk->bus->line(pk->bus, SILEX_LINE_PK));
	assert_int_equal(pk_status(pk), SILEX_PK_STATUS_IRQ);
	pk_expect_small(pk, SILEX_PK_SLOT_C, 12);
}

static void public_key_gets_stuck(void **state)
{
	struct bus *bus = open_with("stuck-busy:nth=2");
	struct pk pk = { .bus = bus };

	(void)state;
	pk_add_well(&pk);
	pk_add(&pk);
	bus->pass(bus, LONG_AGO_NS);
	assert_true(pk_is_busy(&pk));
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

static void public_key_loses_an_interrupt(void **state)
{
	struct bus *bus = open_with("lost-interrupt:nth=1");
	struct pk pk = { .bus = bus };

	(void)state;
	pk_add(&pk);
	bus->pass(bus, LONG_AGO_NS);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	assert_int_equal(pk_status(&pk), 0);
	pk_expect_small(&pk, SILEX_PK_SLOT_C, 12);
	pk_add_well(&pk);
	bus_close(bus);
}

static void public_key_interrupts_too_early(void **state)
{
	struct bus *bus = open_with("spurious-interrupt:nth=1");
	struct pk pk = { .bus = bus };

	(void)state;
	pk_add(&pk);
	assert_true(bus->line(bus, SILEX_LINE_PK));
	assert_true(pk_is_busy(&pk));
	bus->pass(bus, LONG_AGO_NS);
	pk_add_well(&pk);
	bus_close(bus);
}

static void public_key_gives_a_wrong_result(void **state)
{
	struct bus *bus = open_with("flipped-bit:nth=1");
	struct pk pk = { .bus = bus };
	BIGNUM *found;
	uint8_t bytes[SIZE];
	unsigned bits = 0;

	(void)state;
	pk_add(&pk);
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

	pk_add(pk);
	begin = bus->now(bus);
	while (pk_is_busy(pk))
		bus->pass(bus, 10);
	return bus->now(bus) - begin;
}

static void public_key_is_late(void **state)
{
	struct bus *bus = open_with("late:nth=2:factor=20");
	struct pk pk = { .bus = bus };
	uint64_t ns = pk_ns(&pk);

	(void)state;
	assert_int_equal(pk_ns(&pk), 20 * ns);
	assert_int_equal(pk_ns(&pk), ns);
	bus_close(bus);
}

static void public_key_takes_all_cores_with_it(void **state)
{
	struct bus *bus = open_with("gone:nth=2");
	struct pk pk = { .bus = bus };

	(void)state;
	run_well(bus);
	assert_true(bus->line(bus, SILEX_LINE_CM));
	pk_add(&pk);
	assert_false(bus->line(bus, SILEX_LINE_CM));
	assert_int_equal(pk_status(&pk), 0xffffffff);
	assert_int_equal(driver_status(bus), 0xffffffff);
	assert_int_equal(bus->read(bus, SILEX_PRESENCE), 0xffffffff);
	bus->pass(bus, LONG_AGO_NS);
	assert_false(bus->line(bus, SILEX_LINE_PK));
	bus_close(bus);
}

/* ---- a window that comes back ---- */

/* As by a reset between two accesses: nothing reads ones, but what was there is lost */
static void cores_are_reset_in_an_operation(void **state)
{
	struct bus *bus = open_with("gone:rate=1:for=1");
	struct pk pk = { .bus = bus };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		pk_add(&pk);
		bus->pass(bus, 1);
		assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_BUSY); /* clears its memory */
		bus->pass(bus, LONG_AGO_NS);
		assert_int_equal(pk_status(&pk), 0);
		assert_int_equal(bus->read(bus, PK(SILEX_PK_COMMAND)), SILEX_PK_OP_CLEAR_MEMORY);
		pk_begin(&pk, SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, SIZE, false);
		pk_expect_small(&pk, SILEX_PK_SLOT_C, 0);
	}
	bus_close(bus);
}

#define WITHIN_NS 100000u

/* Each time is struck once; most operations have ended before, as one takes a tenth of that time */
static void cores_go_while_an_operation_runs_or_later(void **state)
{
	struct bus *bus = open_with("gone:rate=1:within=100000:for=50");
	struct pk pk = { .bus = bus };
	unsigned ended = 0, seen = 0;

	(void)state;
	for (unsigned i = 0; i < STRUCK_JOBS; i++) {
		uint32_t status = 0, all = 0;
		uint64_t begin;

		pk_add(&pk);
		assert_int_not_equal(pk_status(&pk), 0xffffffff);
		for (begin = bus->now(bus); bus->now(bus) < begin + WITHIN_NS;) {
			bus->pass(bus, 50);
			status = pk_status(&pk);
			seen += status == 0xffffffff;
			all |= status == 0xffffffff ? 0 : status;
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
	struct bus *bus = open_with("gone:accesses=20:for=1");
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
		cmocka_unit_test(a_dma_error_is_a_bus_error),
		cmocka_unit_test(dma_errors_strike_both_sides_anywhere),
		cmocka_unit_test(dma_errors_strike_short_jobs_too),
		cmocka_unit_test(stuck_busy_ends_with_a_reset),
		cmocka_unit_test(a_lost_interrupt_leaves_a_job_that_is_done),
		cmocka_unit_test(a_spurious_interrupt_comes_while_busy),
		cmocka_unit_test(late_takes_so_many_times_as_long),
		cmocka_unit_test(a_flipped_bit_is_one),
		cmocka_unit_test(cores_that_are_gone_read_all_ones),
		cmocka_unit_test(a_fault_strikes_in_its_time_alone),
		cmocka_unit_test(cores_that_were_gone_are_as_after_power_on),
		cmocka_unit_test(a_wrong_tag_is_wrong_in_one_bit),
		cmocka_unit_test(a_rate_strikes_at_random_and_repeats_itself),
		cmocka_unit_test(one_fault_does_not_move_another),
		cmocka_unit_test(public_key_gets_stuck),
		cmocka_unit_test(public_key_loses_an_interrupt),
		cmocka_unit_test(public_key_interrupts_too_early),
		cmocka_unit_test(public_key_gives_a_wrong_result),
		cmocka_unit_test(public_key_is_late),
		cmocka_unit_test(public_key_takes_all_cores_with_it),
		cmocka_unit_test(cores_are_reset_in_an_operation),
		cmocka_unit_test(cores_go_while_an_operation_runs_or_later),
		cmocka_unit_test(cores_go_after_an_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
