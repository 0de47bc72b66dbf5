/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The tables of docs/pk-timing.md, from the model's formula. */
#include <math.h>

#include "../pk-timing.h"
#include "../silex-model.h"
#include "unit.h"

#define SIZES 3u

static const unsigned key_bits[SIZES] = { 1024, 2048, 4096 };

/* published/published.csv: delhaye2015, table 5.1, hardware; ms */
static const double published[SIZES] = { 20.312, 39.965, 183.533 };

static double power_ms(unsigned multipliers, unsigned bits)
{
	struct silex_config config;

	silex_config_default(&config);
	config.pk_multipliers = multipliers;
	return (double)silex_pk_power_cycles(&config, bits / 8, bits) / 1e5;
}

static double crt_ms(unsigned multipliers, unsigned bits)
{
	return 2 * power_ms(multipliers, bits / 2);
}

/* What the core does for one connection */
static double connection_ms(unsigned multipliers, unsigned bits, bool server)
{
	return 2 * power_ms(multipliers, bits) + (server ? crt_ms(multipliers, bits) : 0);
}

static void expect(double found, double stated, double unit)
{
	if (fabs(found - stated) > unit / 2)
		fail_msg("%.4f is not %.4f", found, stated);
}

static void operations_take_what_the_table_says(void **state)
{
	static const struct {
		unsigned multipliers;
		double power[SIZES];
		double crt[SIZES];
	} rows[] = {
		{ 4, { 5.265, 40.490, 320.391 }, { 1.513, 10.530, 80.981 } },
		{ 16, { 1.502, 10.492, 80.836 }, { 0.565, 3.003, 20.985 } },
		{ 64, { 0.561, 2.993, 20.947 }, { 0.328, 1.122, 5.986 } },
	};

	(void)state;
	for (unsigned row = 0; row < sizeof(rows) / sizeof(*rows); row++) {
		for (unsigned i = 0; i < SIZES; i++) {
			expect(power_ms(rows[row].multipliers, key_bits[i]), rows[row].power[i],
			       0.001);
			expect(crt_ms(rows[row].multipliers, key_bits[i]), rows[row].crt[i], 0.001);
		}
	}
}

static double difference(unsigned multipliers, unsigned from, bool server)
{
	return connection_ms(multipliers, key_bits[from + 1], server) -
	       connection_ms(multipliers, key_bits[from], server);
}

static void connections_differ_as_the_table_says(void **state)
{
	(void)state;
	expect(published[1] - published[0], 19.7, 0.1);
	expect(published[2] - published[1], 143.6, 0.1);
	expect(difference(4, 0, true), 79.5, 0.1);
	expect(difference(4, 1, true), 630.3, 0.1);
	expect(difference(16, 0, true), 20.4, 0.1);
	expect(difference(16, 1, true), 158.7, 0.1);
	expect(difference(16, 0, false), 18.0, 0.1);
	expect(difference(16, 1, false), 140.7, 0.1);
	expect(difference(64, 0, true), 5.7, 0.1);
	expect(difference(64, 1, true), 40.8, 0.1);
}

static void the_default_is_the_number_that_fits_best(void **state)
{
	static const unsigned choices[] = { 1, 4, 16, 64, 256 };
	struct silex_config config;
	double best = INFINITY;
	unsigned chosen = 0;

	(void)state;
	for (unsigned i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		double off = fabs(log(difference(choices[i], 0, true) /
				      (published[1] - published[0]))) +
			     fabs(log(difference(choices[i], 1, true) /
				      (published[2] - published[1])));

		if (off < best) {
			best = off;
			chosen = choices[i];
		}
	}
	silex_config_default(&config);
	assert_int_equal(config.pk_multipliers, chosen);
}

static void the_published_rows_come_out(void **state)
{
	static const double stated[SIZES] = { 20.3, 40.7, 199.4 };

	(void)state;
	for (unsigned i = 0; i < SIZES; i++)
		expect(16.7 + connection_ms(16, key_bits[i], true), stated[i], 0.1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_take_what_the_table_says),
		cmocka_unit_test(connections_differ_as_the_table_says),
		cmocka_unit_test(the_default_is_the_number_that_fits_best),
		cmocka_unit_test(the_published_rows_come_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
