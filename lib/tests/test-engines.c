/* SPDX-License-Identifier: Apache-2.0 */
/* Several public-key cores of one device: work spreads, and one that fails takes nothing with it. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../device.h"
#include "unit.h"

#define JOBS 32u

/* How often each core was waited for: once an operation */
static unsigned operations(struct firesteel *device, unsigned number)
{
	struct fs_statistics *statistics = &device->engine[number]->statistics;

	return (unsigned)(atomic_load(&statistics->spun) + atomic_load(&statistics->slept));
}

/* So many exponentiations at once, all of which must end well */
static void exponentiate(struct firesteel *device, unsigned count)
{
	struct firesteel_job *jobs[JOBS];
	uint8_t results[JOBS][64];

	for (unsigned i = 0; i < count; i++) {
		const struct firesteel_request request = unit_modexp(results[i]);

		assert_int_equal(firesteel_submit(device, &request, &jobs[i]), FIRESTEEL_OK);
	}
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(firesteel_job_finish(jobs[i]), FIRESTEEL_OK);
		unit_check_modexp(results[i]);
	}
}

static unsigned engines_of(struct firesteel *device)
{
	struct firesteel_capabilities has;

	firesteel_capabilities(device, &has);
	return has.engines;
}

static void a_device_has_as_many_as_there_are(void **state)
{
	struct firesteel *one = unit_open("model:zero=on");
	struct firesteel *four = unit_open("model:zero=on,engines=4");
	struct firesteel *none = unit_open("model:zero=on,pk=off");

	(void)state;
	assert_int_equal(engines_of(one), 1);
	assert_int_equal(engines_of(four), 4);
	assert_int_equal(engines_of(none), 0);
	firesteel_close(one);
	firesteel_close(four);
	firesteel_close(none);
}

static void a_wrong_number_is_told(void **state)
{
	static const char *const wrong[] = { "model:engines=0", "model:engines=17",
					     "model:engines=two" };
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;

	(void)state;
	for (unsigned i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(firesteel_open(wrong[i], &device, message),
				 FIRESTEEL_ERROR_INVALID);
		assert_non_null(strstr(message, "allowed is 1 to 16"));
	}
}

/* An operation takes some ten ms here, and the host next to nothing.  How evenly four share is a
 * matter of when the host lets this program look; boards tell how much they do.
 */
static void four_share_the_work_of_one(void **state)
{
	struct firesteel *one = unit_open("model:clock_hz=1000000");
	struct firesteel *four = unit_open("model:clock_hz=1000000,engines=4");
	uint64_t total = 0;

	(void)state;
	exponentiate(one, 16);
	exponentiate(four, 16);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(operations(four, i) > 0);
		total += operations(four, i);
	}
	assert_int_equal(total / 16, operations(one, 0) / 16);
	firesteel_close(one);
	firesteel_close(four);
}

/* Who waits has no use for a second core */
static void one_request_at_a_time_stays_with_the_first(void **state)
{
	struct firesteel *device = unit_open("model:zero=on,engines=2");

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		exponentiate(device, 1);
	assert_true(operations(device, 0) > 0);
	assert_int_equal(operations(device, 1), 0);
	firesteel_close(device);
}

static void options_are_those_of_all(void **state)
{
	struct firesteel *device = unit_open("model:zero=on,engines=3");

	(void)state;
	assert_int_equal(firesteel_set(device, "completion", "poll", NULL), FIRESTEEL_OK);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(atomic_load(&device->engine[i]->completion), FIRESTEEL_POLL);
	firesteel_close(device);
}

/* ---- cores that fail ---- */

static void one_that_fails_takes_nothing_with_it(void **state)
{
	static const char *const faults[] = { "gone:nth=9", "stuck-busy:nth=9",
					      "lost-interrupt:rate=2",
					      "late:nth=9:factor=1000000" };

	(void)state;
	for (unsigned i = 0; i < COUNT(faults); i++) {
		char name[100];
		struct firesteel *device;
		struct firesteel_statistics statistics;

		snprintf(name, sizeof(name), "model:clock_hz=10000000,engines=4,2:faults=%s",
			 faults[i]);
		device = unit_open(name);
		assert_int_equal(firesteel_set(device, "timeout_ms", "50", NULL), FIRESTEEL_OK);
		for (unsigned round = 0; round < 4; round++)
			exponentiate(device, JOBS);
		firesteel_statistics(device, &statistics);
		assert_int_equal(statistics.operations[FIRESTEEL_MODEXP], 4 * JOBS);
		assert_int_equal(statistics.errors[FIRESTEEL_MODEXP], 0);
		firesteel_close(device);
	}
}

static void when_all_fail_it_is_said(void **state)
{
	struct firesteel *device = unit_open("model:zero=on,engines=3,faults=gone:nth=4");
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);

	(void)state;
	unit_run(device, &request, FIRESTEEL_ERROR_GONE);
	assert_int_equal(firesteel_expect_ns(device, &request), FIRESTEEL_ERROR_GONE);
	assert_int_equal(firesteel_queue_ns(device, FIRESTEEL_MODEXP), FIRESTEEL_ERROR_GONE);
	firesteel_close(device);
}

static void one_that_answers_wrongly_is_left_out(void **state)
{
	struct firesteel *device = unit_open("model:zero=on,engines=3,1:faults=flipped-bit:rate=1");

	(void)state;
	assert_int_equal(engines_of(device), 2);
	exponentiate(device, JOBS);
	firesteel_close(device);
}

static const uint8_t secret[32] = { [31] = 9 }, digest[32] = { 1 };

static struct firesteel_request signature(uint8_t x[32], uint8_t y[32], uint8_t r[32],
					  uint8_t s[32])
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ecdsa_sign = { .curve = { .name = FIRESTEEL_P256 },
				.secret = BYTES(secret),
				.digest = BYTES(digest),
				.public_x = { x, 32 },
				.public_y = { y, 32 },
				.r = { r, 32 },
				.s = { s, 32 } },
	};
}

static void find_public(struct firesteel *device, uint8_t x[32], uint8_t y[32])
{
	struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { .curve = { .name = FIRESTEEL_P256 },
			       .secret = BYTES(secret),
			       .x = { x, 32 },
			       .y = { y, 32 } },
	};

	unit_run(device, &request, FIRESTEEL_OK);
}

/* The three operations that it is timed with, the public key, and then the signature that is wrong */
static void one_that_computes_wrongly_is_not_used_again(void **state)
{
	struct firesteel *device = unit_open(
		"model:zero=on,cryptomaster=off,aes=off,hash=off,engines=2,0:faults=flipped-bit:nth=5");
	uint8_t x[32], y[32], r[32], s[32];
	struct firesteel_request request = signature(x, y, r, s);
	struct firesteel_statistics statistics;
	unsigned before;

	(void)state;
	find_public(device, x, y);
	before = operations(device, 1);
	assert_int_equal(before, 0);
	unit_run(device, &request, FIRESTEEL_OK);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.checks_failed, 1);
	assert_true(operations(device, 1) > before);
	before = operations(device, 0);
	exponentiate(device, JOBS);
	assert_int_equal(operations(device, 0), before);
	firesteel_close(device);
}

/* A key whose parts do not fit is no core's fault */
static void a_wrong_key_blames_no_core(void **state)
{
	struct firesteel *device = unit_open("model:zero=on,engines=4");
	uint8_t x[32], y[32], r[32], s[32];
	struct firesteel_request request = signature(x, y, r, s);

	(void)state;
	find_public(device, x, y);
	y[31] ^= 1;
	unit_run(device, &request, FIRESTEEL_ERROR_CHECK);
	for (unsigned i = 0; i < 4; i++)
		assert_false(atomic_load(&device->engine[i]->health[FS_PK].wrong));
	firesteel_close(device);
}

/* ---- children ---- */

static void a_child_has_all_of_them(void **state)
{
	struct firesteel *device = unit_open("model:clock_hz=1000000,engines=3");
	int status;
	pid_t pid;

	(void)state;
	exponentiate(device, 6);
	pid = fork();
	if (pid == 0) {
		exponentiate(device, 6);
		for (unsigned i = 0; i < 3; i++)
			if (operations(device, i) == 0)
				_exit(1);
		firesteel_close(device);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_device_has_as_many_as_there_are),
		cmocka_unit_test(a_wrong_number_is_told),
		cmocka_unit_test(four_share_the_work_of_one),
		cmocka_unit_test(one_request_at_a_time_stays_with_the_first),
		cmocka_unit_test(options_are_those_of_all),
		cmocka_unit_test(one_that_fails_takes_nothing_with_it),
		cmocka_unit_test(when_all_fail_it_is_said),
		cmocka_unit_test(one_that_answers_wrongly_is_left_out),
		cmocka_unit_test(one_that_computes_wrongly_is_not_used_again),
		cmocka_unit_test(a_wrong_key_blames_no_core),
		cmocka_unit_test(a_child_has_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
