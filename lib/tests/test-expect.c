/* SPDX-License-Identifier: Apache-2.0 */
/* What is expected of operations that take as long as predicted, longer, or only sometimes longer. */
#include "../clock.h"
#include "../expect.h"
#include "unit.h"
#include "virtual-clock.h"

#define BUSY 10u /* so many times as long as the core needs */

static struct fs_expectations expectations;

static int begin(void **state)
{
	(void)state;
	fs_expect_begin(&expectations, 4);
	return 0;
}

static struct fs_prediction predict(void)
{
	return fs_expect_message(&expectations, false, FIRESTEEL_CBC, 64);
}

/* What the caller would choose by */
static uint64_t undisturbed(void)
{
	struct fs_prediction prediction = predict();

	return fs_expect_undisturbed(&expectations, &prediction);
}

/* One that takes so many times what the formulas give */
static void learn(unsigned times)
{
	struct fs_prediction prediction = predict();
	uint64_t from = virtual_ns;

	virtual_ns += times * prediction.plain;
	fs_expect_learn(&expectations, &prediction, from, virtual_ns);
}

/* Other threads have the processor, but the caller gets it at once now and then */
static void a_busy_processor_does_not_count_against_the_core(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++)
		learn(i % 16 ? BUSY : 1);
	assert_true(predict().ns > 4 * predict().plain);
	learn(1);
	assert_in_range(undisturbed(), predict().plain - 10, predict().plain + 10);
	assert_in_range(fs_expect_recent(&expectations, 1), predict().plain, 5 * predict().plain);
}

/* It learns this within some operations, and forgets it with the first that is faster */
static void a_slow_core_is_said_to_be_slow(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 100; i++)
		learn(BUSY);
	assert_true(undisturbed() > (BUSY - 1) * predict().plain);
	learn(2);
	assert_in_range(undisturbed(), 2 * predict().plain - 10, 2 * predict().plain + 10);
}

/* Nobody measures a kind that is left to software: so it is tried again, and seldom enough */
static void what_was_slow_gets_another_try(void **state)
{
	uint64_t slow;

	(void)state;
	for (unsigned i = 0; i < 100; i++)
		learn(BUSY);
	slow = undisturbed();
	virtual_ns += FS_SECOND / 2;
	assert_int_equal(undisturbed(), slow);
	virtual_ns += FS_SECOND;
	assert_in_range(undisturbed(), 1, predict().plain);
	learn(BUSY);
	assert_true(undisturbed() > (BUSY - 1) * predict().plain);
}

/* An operation of seconds is not tried each second */
static void a_long_one_waits_longer(void **state)
{
	struct fs_prediction prediction;
	const unsigned seconds = 3;
	uint64_t from;

	(void)state;
	for (unsigned i = 0; i < 400; i++) {
		prediction = predict();
		from = virtual_ns;
		virtual_ns += seconds * FS_SECOND;
		fs_expect_learn(&expectations, &prediction, from, virtual_ns);
	}
	virtual_ns += 100 * seconds * FS_SECOND;
	assert_true(undisturbed() > FS_SECOND);
	virtual_ns += 100 * seconds * FS_SECOND;
	assert_in_range(undisturbed(), 1, predict().plain);
}

/* The first time of all may be disturbed */
static void one_long_time_is_not_believed(void **state)
{
	(void)state;
	learn(1000);
	assert_true(undisturbed() < 2 * predict().plain);
}

/* By an exponent of an eighth of the bits a power takes about an eighth of the time, and by one of which
 * nothing is known as long as by one that is as long as the numbers */
static void a_power_takes_as_long_as_its_exponent(void **state)
{
	const struct fs_step power = { .operands = 4, .powers = 1 };
	const uint64_t whole = fs_expect_step(&expectations, &power, false, 256, 0).plain;
	const uint64_t eighth = fs_expect_step(&expectations, &power, false, 256, 256).plain;
	const uint64_t least = fs_expect_step(&expectations, &power, false, 256, 17).plain;

	(void)state;
	assert_int_equal(fs_expect_step(&expectations, &power, false, 256, 2048).plain, whole);
	assert_in_range(eighth, whole / 9, whole / 7);
	assert_in_range(least, whole / 120, whole / 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_busy_processor_does_not_count_against_the_core, begin),
		cmocka_unit_test_setup(a_slow_core_is_said_to_be_slow, begin),
		cmocka_unit_test_setup(what_was_slow_gets_another_try, begin),
		cmocka_unit_test_setup(a_long_one_waits_longer, begin),
		cmocka_unit_test_setup(one_long_time_is_not_believed, begin),
		cmocka_unit_test_setup(a_power_takes_as_long_as_its_exponent, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
