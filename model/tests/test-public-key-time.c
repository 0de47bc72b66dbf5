/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* TIMER of BA414E tells the cycles for which the core was busy, whatever its clock. */
#include "public-key.h"
#include "unit.h"

#define NS_PER_SECOND 1000000000u

/* An operation by its operands' small values */
struct operation {
	uint32_t command;
	size_t size;
	bool little;
	unsigned operand[SILEX_PK_SLOTS];
};

static const struct operation addition = {
	SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, 64, false, { [0] = 101, [6] = 5, [8] = 7 }
};

static const struct operation clearing = { SILEX_PK_OP_CLEAR_MEMORY, 4, false, { 0 } };

static const struct operation operations[] = {
	{ SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2, 64, false, { [0] = 101, [6] = 5, [8] = 7 } },
	{ SILEX_PK_OP_MODADD, 64, false, { [0] = 101, [6] = 5, [8] = 7 } },
	{ SILEX_PK_OP_MODINV_ODD, 256, false, { [0] = 101, [8] = 7 } },
	{ SILEX_PK_OP_MODEXP, 128, false, { [0] = 101, [6] = 5, [8] = 65537 } },
	{ SILEX_PK_OP_MODEXP, 128, false, { [0] = 100 } }, /* fails */
	{ SILEX_PK_OP_RSA_CRT, 64, false, { [2] = 11, [3] = 13, [4] = 5, [10] = 7, [11] = 7 } },
	{ SILEX_PK_OP_ECDSA_SIGN | SILEX_PK_CURVE(SILEX_PK_CURVE_P256),
	  32,
	  false,
	  { [6] = 5, [7] = 6, [12] = 7 } },
	{ SILEX_PK_OP_X25519 | SILEX_PK_CURVE(SILEX_PK_CURVE_X25519),
	  32,
	  true,
	  { [6] = 9, [8] = 8 } },
	{ SILEX_PK_OP_CLEAR_MEMORY, 4, false, { 0 } },
	{ 0x50, 64, false, { 0 } }, /* is not implemented */
};

#define OPERATIONS (sizeof(operations) / sizeof(*operations))

static void prepare(struct pk *pk, const struct operation *operation)
{
	pk_begin(pk, operation->command, operation->size, operation->little);
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		pk_put_small(pk, slot, operation->operand[slot]);
}

/* TIMER after an operation */
static uint64_t cycles_of(struct pk *pk, const struct operation *operation)
{
	prepare(pk, operation);
	pk_start(pk);
	pk_wait(pk);
	return pk->bus->read(pk->bus, PK(SILEX_PK_TIMER));
}

/* Busy until then, to the nanosecond */
static void expect_busy_for(struct pk *pk, const struct operation *operation, uint64_t ns)
{
	prepare(pk, operation);
	assert_true(ns > 1);
	pk_start(pk);
	pk->bus->pass(pk->bus, ns - 1);
	if (!pk_is_busy(pk))
		fail_msg("opcode %02x is over before %llu ns",
			 operation->command & SILEX_PK_OPCODE_MASK, (unsigned long long)ns);
	assert_false(pk->bus->line(pk->bus, SILEX_LINE_PK));
	pk->bus->pass(pk->bus, 1);
	if (pk_is_busy(pk))
		fail_msg("opcode %02x is not over after %llu ns",
			 operation->command & SILEX_PK_OPCODE_MASK, (unsigned long long)ns);
	assert_true(pk->bus->line(pk->bus, SILEX_LINE_PK));
}

static void check_clock(const char *configuration, uint64_t clock_hz)
{
	struct pk pk;

	pk_open(&pk, configuration);
	for (unsigned i = 0; i < OPERATIONS; i++) {
		uint64_t cycles = cycles_of(&pk, &operations[i]);

		expect_busy_for(&pk, &operations[i],
				(cycles * NS_PER_SECOND + clock_hz - 1) / clock_hz);
		assert_int_equal(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)), cycles);
	}
	pk_close(&pk);
}

static void timer_is_the_time_of_being_busy(void **state)
{
	(void)state;
	check_clock(NULL, 100000000);
	check_clock("clock_hz=100000000,pk_multipliers=1", 100000000);
	check_clock("clock_hz=1000000", 1000000);
	check_clock("clock_hz=333000000", 333000000);
	check_clock("clock_hz=1000000000,pk_product_cycles=0", 1000000000);
}

/* 200 cycles, two words of 32 bits a cycle for 64 bytes, 16 products of 52 */
static void timer_tells_cycles(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, NULL);
	assert_int_equal(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)), 0);
	assert_int_equal(cycles_of(&pk, &addition), 200 + 2 * 16 + 16 * 52);
	assert_int_equal(cycles_of(&pk, &clearing), 200 + 16 * 512 / 8);
	pk.bus->reset(pk.bus);
	assert_int_equal(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)), 0);
	pk_close(&pk);
}

static void bit_0_of_timer_is_always_0(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, "pk_operation_cycles=201");
	for (unsigned i = 0; i < OPERATIONS; i++)
		assert_int_equal(cycles_of(&pk, &operations[i]) % 2, 0);
	pk.bus->write(pk.bus, PK(SILEX_PK_TIMER), 0xffffffff);
	assert_int_equal(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)), 0xfffffffe);
	pk_close(&pk);
}

static void timer_tells_lateness_too(void **state)
{
	struct pk pk;
	uint64_t cycles;

	(void)state;
	pk_open(&pk, "faults=late:nth=1:factor=7");
	cycles = cycles_of(&pk, &addition);
	assert_int_equal(cycles, 7 * cycles_of(&pk, &addition));
	pk_close(&pk);
}

/* No time passes, but the core has counted: a driver takes TIMER for a sign of life */
static void zero_time_has_cycles(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, "zero=on");
	for (unsigned i = 0; i < OPERATIONS; i++) {
		prepare(&pk, &operations[i]);
		pk_start(&pk);
		assert_true(pk.bus->line(pk.bus, SILEX_LINE_PK));
		assert_false(pk_is_busy(&pk));
		assert_true(pk.bus->read(pk.bus, PK(SILEX_PK_TIMER)) > 0);
	}
	assert_int_equal(pk.bus->now(pk.bus), 0);
	pk_close(&pk);
}

/* A host that calls the model too late sees no old state: any access carries it on first */
static void an_access_sees_what_is_due(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, NULL);
	prepare(&pk, &addition);
	pk_start(&pk);
	pk.bus->oversleep(pk.bus, NS_PER_SECOND);
	pk_expect_small(&pk, SILEX_PK_SLOT_C, 12);
	assert_true(pk.bus->line(pk.bus, SILEX_LINE_PK));
	pk_start(&pk);
	pk.bus->oversleep(pk.bus, NS_PER_SECOND);
	assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_IRQ);
	pk_start(&pk);
	pk.bus->oversleep(pk.bus, NS_PER_SECOND);
	pk_put_small(&pk, SILEX_PK_SLOT_A, 6);
	pk_start(&pk);
	pk.bus->oversleep(pk.bus, NS_PER_SECOND);
	pk_start(&pk);
	assert_int_equal(pk.bus->counter(pk.bus, "pk_operations"), 4);
	pk.bus->pass(pk.bus, NS_PER_SECOND);
	pk_expect_small(&pk, SILEX_PK_SLOT_C, 13);
	pk_close(&pk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timer_is_the_time_of_being_busy),
		cmocka_unit_test(timer_tells_cycles),
		cmocka_unit_test(bit_0_of_timer_is_always_0),
		cmocka_unit_test(timer_tells_lateness_too),
		cmocka_unit_test(zero_time_has_cycles),
		cmocka_unit_test(an_access_sees_what_is_due),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
