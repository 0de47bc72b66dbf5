/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The formula of docs/pk-timing.md, computed here once more, and the tables that it gives. */
#include <math.h>
#include <string.h>

#include "../../silex/soc.h"
#include "../pk-timing.h"
#include "../silex-model.h"
#include "page.h"
#include "unit.h"

#define SIZES 3u
#define PAGE  "pk-timing.md"

/* Cycles until a row's digit is known, as in the prototype below */
#define ROW_CYCLES 9u

static const unsigned key_bits[SIZES] = { 1024, 2048, 4096 };

/* published/delhaye2015/figures.csv, table 5.1, hardware; ms */
static const double published[SIZES] = { 20.312, 39.965, 183.533 };

static const unsigned choices[] = { 1, 4, 16, 64, 256 };

#define CHOICES (sizeof(choices) / sizeof(*choices))

/* A core with so many multipliers and such rows */
static struct silex_config core(unsigned multipliers, unsigned row_cycles)
{
	struct silex_config config;

	silex_config_default(&config);
	config.pk_multipliers = multipliers;
	config.timing.pk_row_cycles = row_cycles;
	return config;
}

static double power_ms(const struct silex_config *config, unsigned bits)
{
	return (double)silex_pk_power_cycles(config, bits / 8, bits) / 1e5;
}

static double crt_ms(const struct silex_config *config, unsigned bits)
{
	return 2 * power_ms(config, bits / 2);
}

/* What the core does for one connection */
static double connection_ms(const struct silex_config *config, unsigned bits, bool server)
{
	return 2 * power_ms(config, bits) + (server ? crt_ms(config, bits) : 0);
}

static void operations_take_what_the_table_says(void **state)
{
	(void)state;
	for (unsigned m = 4; m <= 64; m *= 4) {
		const struct silex_config config = core(m, 0);

		page_expect(PAGE, "| %u | exponentiation | %.3f | %.3f | %.3f |", m,
			    power_ms(&config, 1024), power_ms(&config, 2048),
			    power_ms(&config, 4096));
		page_expect(PAGE, "| | RSA by CRT | %.3f | %.3f | %.3f |", crt_ms(&config, 1024),
			    crt_ms(&config, 2048), crt_ms(&config, 4096));
	}
}

static double difference(const struct silex_config *config, unsigned from, bool server)
{
	return connection_ms(config, key_bits[from + 1], server) -
	       connection_ms(config, key_bits[from], server);
}

/* A row of the table; the one that is chosen stands out */
static void expect_row(unsigned multipliers, bool server, const char *mark)
{
	const struct silex_config config = core(multipliers, 0);

	page_expect(PAGE, "| %s%u multipliers, %s%s | %s%.1f%s | %s%.1f%s |", mark, multipliers,
		    server ? "server" : "client", mark, mark, difference(&config, 0, server), mark,
		    mark, difference(&config, 1, server), mark);
}

static void connections_differ_as_the_table_says(void **state)
{
	(void)state;
	page_expect(PAGE, "| published | %.1f | %.1f |", published[1] - published[0],
		    published[2] - published[1]);
	expect_row(4, true, "");
	expect_row(16, true, "**");
	expect_row(16, false, "");
	expect_row(64, true, "");
}

/* How far the differences are from the published ones: the sum of both factors' logarithms */
static double distance(const struct silex_config *config)
{
	return fabs(log(difference(config, 0, true) / (published[1] - published[0]))) +
	       fabs(log(difference(config, 1, true) / (published[2] - published[1])));
}

static unsigned best_multipliers(unsigned row_cycles)
{
	double best = INFINITY;
	unsigned chosen = 0;

	for (unsigned i = 0; i < CHOICES; i++) {
		const struct silex_config config = core(choices[i], row_cycles);

		if (distance(&config) < best) {
			best = distance(&config);
			chosen = choices[i];
		}
	}
	return chosen;
}

static void the_default_is_the_number_that_fits_best(void **state)
{
	struct silex_config config;

	(void)state;
	silex_config_default(&config);
	assert_int_equal(config.timing.pk_row_cycles, 0);
	assert_int_equal(config.pk_multipliers, best_multipliers(0));
}

static void the_published_rows_come_out(void **state)
{
	const struct silex_config config = core(16, 0);

	(void)state;
	page_expect(
		PAGE,
		"%.1f, %.1f and %.1f ms for the three key sizes (published: %.1f, %.1f and %.1f).",
		16.7 + connection_ms(&config, 1024, true),
		16.7 + connection_ms(&config, 2048, true),
		16.7 + connection_ms(&config, 4096, true), published[0], published[1],
		published[2]);
}

/* ---- with a wait in each row ---- */

/* A product of 16 lanes in a prototype in RTL of ours, not the vendor's; cycles */
static const unsigned prototype[SIZES] = { 358, 838, 2310 };

static void a_wait_in_each_row_comes_near_to_rtl(void **state)
{
	const struct silex_config without = core(16, 0), with = core(16, ROW_CYCLES);

	(void)state;
	for (unsigned i = 0; i < SIZES; i++) {
		size_t size = key_bits[i] / 8;
		uint64_t fast = silex_pk_product_cycles(&without, size);
		uint64_t slow = silex_pk_product_cycles(&with, size);

		assert_true(fabs((double)slow / prototype[i] - 1) < 0.05);
		page_expect(PAGE, "| %u | %u | %u | %u |", key_bits[i], prototype[i],
			    (unsigned)fast, (unsigned)slow);
	}
}

/* No other number of rows' cycles comes nearer */
static void the_digit_is_known_after_as_many_cycles_as_fit_best(void **state)
{
	double best = INFINITY;
	unsigned chosen = 0;

	(void)state;
	for (unsigned cycles = 0; cycles < 2 * ROW_CYCLES; cycles++) {
		const struct silex_config config = core(16, cycles);
		double off = 0;

		for (unsigned i = 0; i < SIZES; i++)
			off += fabs(log((double)silex_pk_product_cycles(&config, key_bits[i] / 8) /
					prototype[i]));
		if (off < best) {
			best = off;
			chosen = cycles;
		}
	}
	assert_int_equal(chosen, ROW_CYCLES);
}

static void multipliers_that_wait_are_more(void **state)
{
	(void)state;
	for (unsigned i = 1; i < CHOICES; i++) {
		const struct silex_config fast = core(choices[i], 0);
		const struct silex_config slow = core(choices[i], ROW_CYCLES);

		page_expect(PAGE, "| %u | %.1f | %.1f | %.1f | %.1f |", choices[i],
			    difference(&fast, 0, true), difference(&fast, 1, true),
			    difference(&slow, 0, true), difference(&slow, 1, true));
	}
}

/* As rows wait for longer, another number fits best, and stays so for as long as in RTL */
static void the_number_depends_on_the_wait(void **state)
{
	unsigned least = best_multipliers(0), most = best_multipliers(ROW_CYCLES), change = 0;

	(void)state;
	while (best_multipliers(change) == least)
		change++;
	for (unsigned cycles = change; cycles <= ROW_CYCLES; cycles++)
		assert_int_equal(best_multipliers(cycles), most);
	page_expect(PAGE,
		    "If `pk_row_cycles` is %u or less, the published differences are matched best "
		    "by %u multipliers; if it is %u or more, by %u.",
		    change - 1, least, change, most);
}

/* ---- the formula, operation by operation ---- */

static uint64_t words(size_t size)
{
	return (size + 3) / 4;
}

static uint64_t rounded_up(uint64_t value, uint64_t by)
{
	return value / by + (value % by != 0);
}

/* Cycles of a row until its digit is known, in which the multipliers have nothing to do */
static uint64_t wait(uint64_t busy, unsigned row_cycles)
{
	return busy < row_cycles ? row_cycles - busy : 0;
}

static uint64_t product(size_t size, const struct silex_config *config)
{
	uint64_t s = words(size), m = config->pk_multipliers;

	return rounded_up(2 * s * s, m) + s * wait(rounded_up(s, m), config->timing.pk_row_cycles) +
	       20;
}

static uint64_t square(size_t size, const struct silex_config *config)
{
	uint64_t s = words(size), m = config->pk_multipliers;

	return rounded_up(3 * s * s, 2 * m) +
	       s * wait(rounded_up(s, 2 * m), config->timing.pk_row_cycles) + 20;
}

static uint64_t exponentiation(size_t size, const struct silex_config *config, uint64_t bits)
{
	uint64_t products = bits <= 64 ? bits / 2 : bits / 5 + 8;

	return bits * square(size, config) + products * product(size, config);
}

static uint64_t inverse(size_t size)
{
	return 16 * size * words(size);
}

#define R2      SILEX_PK_CALC_R2
#define KE      SILEX_PK_RAND_KE
#define P256    SILEX_PK_CURVE(SILEX_PK_CURVE_P256)
#define X25519  SILEX_PK_CURVE(SILEX_PK_CURVE_X25519)
#define ED25519 SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519)

/* An operation, and what its line of the formula has */
struct line {
	uint32_t command;
	size_t size;
	unsigned bits[SILEX_PK_SLOTS]; /* of the operands */
	uint64_t products;
	unsigned inverses;
	unsigned exponentiations;
	unsigned exponent; /* bits of each */
	bool half; /* they are of half the size */
	uint64_t cycles; /* besides */
};

#define OP(name, flags, n) SILEX_PK_OP_##name | (flags), n
#define BITS(...)          { __VA_ARGS__ }
#define NO_BITS            { 0 }

static const struct line lines[] = {
	{ OP(MODADD, 0, 66), NO_BITS, .cycles = 2 * 17 },
	{ OP(MODADD, R2, 66), NO_BITS, .products = 16, .cycles = 2 * 17 },
	{ OP(MODSUB, 0, 512), NO_BITS, .cycles = 2 * 128 },
	{ OP(MODMUL, 0, 256), NO_BITS, .products = 1 },
	{ OP(MODMUL, R2, 256), NO_BITS, .products = 17 },
	{ OP(MODMUL, R2 | KE, 256), NO_BITS, .products = 17 },
	{ OP(MUL, 0, 256), NO_BITS, .products = 1 },
	{ OP(REDUCE_ODD, 0, 64), NO_BITS, .products = 2 },
	{ OP(REDUCE_EVEN, 0, 64), NO_BITS, .products = 2 },
	{ OP(MODDIV, 0, 64), NO_BITS, .inverses = 1 },
	{ OP(MODINV_ODD, 0, 32), NO_BITS, .inverses = 1 },
	{ OP(MODINV_ODD, R2, 32), NO_BITS, .products = 16, .inverses = 1 },
	{ OP(MODINV_EVEN, 0, 512), NO_BITS, .inverses = 1 },
	{ OP(MODSQRT, 0, 32), NO_BITS, .products = 2, .exponentiations = 1, .exponent = 256 },

	/* an exponent counts as long as it is */
	{ OP(MODEXP, 0, 256), BITS([8] = 2048), .exponentiations = 1, .exponent = 2048 },
	{ OP(MODEXP, 0, 256), BITS([8] = 2041), .exponentiations = 1, .exponent = 2041 },
	{ OP(MODEXP, 0, 256), BITS([8] = 225), .exponentiations = 1, .exponent = 225 },
	{ OP(MODEXP, 0, 256), BITS([8] = 65), .exponentiations = 1, .exponent = 65 },
	{ OP(MODEXP, 0, 256), BITS([8] = 64), .exponentiations = 1, .exponent = 64 },
	{ OP(MODEXP, 0, 256), BITS([8] = 17), .exponentiations = 1, .exponent = 17 },
	{ OP(MODEXP, 0, 256), BITS([0] = 2048, [6] = 2048), .exponentiations = 1, .exponent = 0 },
	{ OP(MODEXP, R2, 256), BITS([8] = 17), .products = 16, .exponentiations = 1,
	  .exponent = 17 },
	{ OP(MODEXP, KE, 256), BITS([8] = 225), .exponentiations = 1, .exponent = 225 + 62 },
	{ OP(RSA_PUBLIC, R2, 128), BITS([8] = 17), .products = 16, .exponentiations = 1,
	  .exponent = 17 },
	{ OP(RSA_PRIVATE, 0, 128), BITS([6] = 1000), .exponentiations = 1, .exponent = 1000 },
	{ OP(RSA_PRIVATE, R2 | SILEX_PK_PROTECT_EXP, 128), BITS([6] = 1000), .products = 16,
	  .exponentiations = 1, .exponent = 1000 + 62 },
	{ OP(RSA_CRT, 0, 256), BITS([10] = 1000, [11] = 1000), .products = 4, .exponentiations = 2,
	  .exponent = 1000, .half = true },
	{ OP(RSA_CRT, 0, 256), BITS([10] = 1000, [11] = 800), .products = 4, .exponentiations = 2,
	  .exponent = 900, .half = true },
	{ OP(RSA_CRT, R2 | KE, 256), BITS([10] = 1000, [11] = 1000), .products = 4,
	  .exponentiations = 2, .exponent = 1000 + 62, .half = true },
	{ OP(RSA_KEYGEN, 0, 256), NO_BITS, .products = 2, .inverses = 2 },
	{ OP(RSA_CRT_PARAMS, 0, 256), NO_BITS, .products = 4, .inverses = 1 },
	{ OP(DSA_KEYGEN, 0, 128), BITS([6] = 160), .exponentiations = 1, .exponent = 160 },
	{ OP(DSA_SIGN, 0, 128), BITS([5] = 155, [2] = 160, [6] = 150), .products = 4, .inverses = 1,
	  .exponentiations = 1, .exponent = 155 },
	{ OP(DSA_VERIFY, 0, 128), BITS([2] = 160), .products = 4, .inverses = 1,
	  .exponentiations = 2, .exponent = 160 },
	{ OP(MILLER_RABIN, 0, 64), NO_BITS, .exponentiations = 1, .exponent = 512 },

	{ OP(ECC_DOUBLE, P256, 32), NO_BITS, .products = 16, .inverses = 1 },
	{ OP(ECC_ADD, 0, 66), NO_BITS, .products = 16, .inverses = 1 },
	{ OP(ECC_MUL, P256, 32), BITS([8] = 256), .products = 20 * 256 + 9, .inverses = 1 },
	{ OP(ECC_MUL, P256, 32), BITS([8] = 201), .products = 20 * 201 + 9, .inverses = 1 },
	{ OP(ECC_MUL, P256 | R2, 32), BITS([8] = 201), .products = 20 * 201 + 9, .inverses = 1 },
	{ OP(ECC_MUL, P256 | SILEX_PK_PROTECT_ECC, 32), BITS([8] = 256),
	  .products = 20 * (256 + 62) + 9, .inverses = 1 },
	{ OP(ECC_CHECK_AB, P256, 32), NO_BITS, .products = 5 },
	{ OP(ECC_CHECK_N, P256, 32), NO_BITS, .products = 5 },
	{ OP(ECC_CHECK_XY, P256, 32), NO_BITS, .products = 5 },
	{ OP(ECC_ON_CURVE, P256, 32), NO_BITS, .products = 5 },
	{ OP(ECC_DECOMPRESS, P256, 32), NO_BITS, .products = 2, .exponentiations = 1,
	  .exponent = 256 },
	{ OP(ECC_CHECK_ORDER, 0, 48), NO_BITS, .products = 20 * 384 + 9, .inverses = 1 },
	{ OP(ECDSA_CHECK_PARAMS, 0, 48), NO_BITS, .products = 20 * 384 + 9, .inverses = 1 },
	{ OP(ECDSA_SIGN, P256, 32), BITS([7] = 255, [6] = 250), .products = 20 * 255 + 9 + 4,
	  .inverses = 2 },
	{ OP(ECDSA_VERIFY, P256, 32), NO_BITS, .products = 17 * 256 + 13, .inverses = 2 },
	{ OP(X25519, X25519, 32), BITS([8] = 255), .products = 10 * 255 + 1, .inverses = 1 },
	{ OP(X25519, X25519, 32), BITS([8] = 100), .products = 10 * 100 + 1, .inverses = 1 },
	{ OP(EDDSA_BASE_MUL, ED25519, 32), BITS([8] = 9), .products = 17 * 256 + 4, .inverses = 1 },
	{ OP(EDWARDS_MUL, ED25519, 32), BITS([8] = 9), .products = 17 * 256 + 4, .inverses = 1 },
	{ OP(EDDSA_SIGN, ED25519, 32), NO_BITS, .products = 1 },
	{ OP(EDDSA_VERIFY, ED25519, 32), NO_BITS, .products = 2 + 8 * 256 + 9 * 192 + 4,
	  .inverses = 2, .exponentiations = 1, .exponent = 256 },

	/* refused at once */
	{ 0x50, 256, NO_BITS, .products = 0 },
	{ OP(MODEXP, SILEX_PK_FIELD_2M, 256), BITS([8] = 2048), .products = 0 },
	{ OP(MODEXP, R2, 520), BITS([8] = 2048), .products = 0 },
};

/* The operand as long as that, big-endian at the end of its slot: its lower bits do not count */
static void put_operand(uint8_t *ram, unsigned slot, unsigned bits)
{
	uint8_t *end = ram + (slot + 1) * SILEX_PK_STRIDE(512);

	if (bits > 0)
		end[-1 - (int)(bits - 1) / 8] = (uint8_t)(1u << (bits - 1) % 8);
}

static uint64_t found_cycles(const struct line *line, const struct silex_config *config)
{
	static uint8_t ram[SILEX_PK_RAM_SIZE];
	const struct silex_pk_operation operation = {
		.config = config,
		.ram = ram,
		.stride = SILEX_PK_STRIDE(512),
		.command = line->command | SILEX_PK_SIZE(line->size),
		.pointers = SILEX_PK_POINTER_A(SILEX_PK_SLOT_A) |
			    SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) |
			    SILEX_PK_POINTER_C(SILEX_PK_SLOT_C),
		.size = line->size,
	};

	memset(ram, 0, sizeof(ram));
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		put_operand(ram, slot, line->bits[slot]);
	return silex_pk_cycles(&operation);
}

static uint64_t stated_cycles(const struct line *line, const struct silex_config *config)
{
	size_t size = line->half ? line->size / 2 : line->size;
	uint64_t cycles = 200 + line->cycles;

	cycles += line->products * product(line->size, config);
	cycles += line->inverses * inverse(line->size);
	cycles += line->exponentiations * exponentiation(size, config, line->exponent);
	return cycles + cycles % 2;
}

static void expect_every_line(const struct silex_config *config)
{
	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		uint64_t found = found_cycles(&lines[i], config);
		uint64_t stated = stated_cycles(&lines[i], config);

		if (found != stated)
			fail_msg("line %u, COMMAND %08x, %u multipliers, rows of %u: "
				 "%llu cycles, not %llu",
				 i, lines[i].command, config->pk_multipliers,
				 config->timing.pk_row_cycles, (unsigned long long)found,
				 (unsigned long long)stated);
	}
}

static void every_operation_takes_what_the_formula_says(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CHOICES; i++) {
		const struct silex_config fast = core(choices[i], 0);
		const struct silex_config slow = core(choices[i], ROW_CYCLES);

		expect_every_line(&fast);
		expect_every_line(&slow);
	}
}

static void without_countermeasures_blinding_costs_nothing(void **state)
{
	const struct line line = { OP(RSA_PRIVATE, KE, 128), BITS([6] = 1000), .exponentiations = 1,
				   .exponent = 1000 };
	struct silex_config config;

	(void)state;
	silex_config_default(&config);
	config.pk_protection = false;
	assert_int_equal(found_cycles(&line, &config), stated_cycles(&line, &config));
}

static void clearing_takes_a_cycle_for_8_bytes(void **state)
{
	struct silex_config config;

	(void)state;
	silex_config_default(&config);
	assert_int_equal(silex_pk_clear_cycles(&config), 16 * 512 / 8);
	config.pk_max_bytes = 1024;
	assert_int_equal(silex_pk_clear_cycles(&config), 16 * 1024 / 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_operation_takes_what_the_formula_says),
		cmocka_unit_test(without_countermeasures_blinding_costs_nothing),
		cmocka_unit_test(clearing_takes_a_cycle_for_8_bytes),
		cmocka_unit_test(operations_take_what_the_table_says),
		cmocka_unit_test(connections_differ_as_the_table_says),
		cmocka_unit_test(the_default_is_the_number_that_fits_best),
		cmocka_unit_test(the_published_rows_come_out),
		cmocka_unit_test(a_wait_in_each_row_comes_near_to_rtl),
		cmocka_unit_test(the_digit_is_known_after_as_many_cycles_as_fit_best),
		cmocka_unit_test(multipliers_that_wait_are_more),
		cmocka_unit_test(the_number_depends_on_the_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
