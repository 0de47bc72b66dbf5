/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all that the library does with the cores is what public drivers do: rules.h. */
#include <string.h>

#include "aimed-cases.h"
#include "rules.h"
#include "unit.h"

/* Enough that a factor that is only sometimes wrong is seen: of random ones half would be even */
#define ROUNDS 8u

static void check_all(size_t (*make)(struct firesteel *device,
				     struct aimed_case cases[AIMED_CASES_MAX]),
		      const char *options, unsigned flags)
{
	static struct aimed_case cases[AIMED_CASES_MAX];
	struct firesteel_statistics statistics;
	struct firesteel *device = unit_open(options);
	size_t count = make(device, cases);
	int error;

	assert_true(count > 0);
	rules_begin(device);
	for (size_t i = 0; i < ROUNDS * count; i++) {
		struct aimed_case *at = &cases[i % count];

		at->request.flags |= flags;
		if (aimed_run(device, at, &error) != AIMED_ANSWERED)
			fail_msg("%s: %s", at->name, firesteel_error_text(error));
	}
	rules_end();
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.retries, 0);
	assert_int_equal(statistics.faults, 0);
	firesteel_close(device);
}

static void public_key_operations_keep_the_rules(void **state)
{
	(void)state;
	check_all(aimed_cases, "model:zero=on", 0);
	assert_true(rules_operations >= ROUNDS * 30);
	check_all(aimed_cases, "model:zero=on,pk_max_bytes=1024", 0);
	assert_true(rules_operations >= ROUNDS * 30);
}

static void so_do_they_without_countermeasures(void **state)
{
	(void)state;
	check_all(aimed_cases, "model:zero=on", FIRESTEEL_UNPROTECTED);
	assert_true(rules_operations >= ROUNDS * 30);
}

/* Numbers that are shorter than a blinding factor */
static void short_operands_keep_the_rules(void **state)
{
	static const uint8_t modulus[3] = { 0xff, 0x00, 0x01 }, base[1] = { 3 },
			     exponent[2] = { 1, 1 };
	struct firesteel *device = unit_open("model:zero=on");
	uint8_t result[3];
	const struct firesteel_request request = {
		.operation = FIRESTEEL_MODEXP,
		.modexp = { BYTES(modulus), BYTES(base), BYTES(exponent), OUTPUT(result) },
	};

	(void)state;
	rules_begin(device);
	for (unsigned i = 0; i < ROUNDS; i++)
		unit_run(device, &request, FIRESTEEL_OK);
	rules_end();
	assert_int_equal(rules_operations, ROUNDS);
	firesteel_close(device);
}

static void messages_keep_the_rules(void **state)
{
	(void)state;
	check_all(aimed_messages, "model:zero=on", 0);
	assert_true(rules_messages >= ROUNDS * 25);
	check_all(aimed_messages, "model:zero=on,coherent=off", 0);
	assert_true(rules_messages >= ROUNDS * 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(public_key_operations_keep_the_rules),
		cmocka_unit_test(so_do_they_without_countermeasures),
		cmocka_unit_test(short_operands_keep_the_rules),
		cmocka_unit_test(messages_keep_the_rules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
