/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that were compiled with the headers of another version of the library. */
#include <string.h>

#include "unit.h"

/* A request that a later version has made longer */
union later {
	struct firesteel_request request;
	uint8_t bytes[sizeof(struct firesteel_request) + 64];
};

static struct firesteel *device;

static int open_device(void **state)
{
	(void)state;
	device = unit_open("model");
	return 0;
}

static int close_device(void **state)
{
	(void)state;
	firesteel_close(device);
	return 0;
}

/* Behind a short request lies what must not be read: a member that it does not have */
static void an_older_request_has_zeros_for_what_it_lacks(void **state)
{
	uint8_t bytes[32] = { 1 }, expected[32] = { 1 };
	struct firesteel_request cbc = unit_cbc(expected, sizeof(expected));
	const size_t size = offsetof(struct firesteel_request, cipher.context);
	struct firesteel_job *job;

	(void)state;
	unit_run(device, &cbc, FIRESTEEL_OK);
	cbc = unit_cbc(bytes, sizeof(bytes));
	memset((uint8_t *)&cbc + size, 0xa5, sizeof(cbc) - size);
	assert_true(firesteel_expect_ns_sized(device, &cbc, size) > 0);
	assert_int_equal(firesteel_run_sized(device, &cbc, size), FIRESTEEL_OK);
	assert_memory_equal(bytes, expected, sizeof(bytes));

	memset(bytes, 0, sizeof(bytes));
	bytes[0] = 1;
	assert_int_equal(firesteel_submit_sized(device, &cbc, size, &job), FIRESTEEL_OK);
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	assert_memory_equal(bytes, expected, sizeof(bytes));
}

static void an_operand_that_is_not_there_is_missed(void **state)
{
	uint8_t result[64];
	const struct firesteel_request modexp = unit_modexp(result);
	const size_t size = offsetof(struct firesteel_request, modexp.result);

	(void)state;
	assert_int_equal(firesteel_run_sized(device, &modexp, size), FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_run_sized(device, &modexp, sizeof(int)),
			 FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_run_sized(device, &modexp, 0), FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_run_sized(device, NULL, size), FIRESTEEL_ERROR_INVALID);
}

static void a_newer_request_is_done_if_it_asks_for_nothing_new(void **state)
{
	union later later;
	struct firesteel_job *job;
	uint8_t result[64];
	size_t known;

	(void)state;
	memset(&later, 0, sizeof(later));
	later.request = unit_modexp(result);
	known = firesteel_request_size(FIRESTEEL_MODEXP);
	memset(later.bytes + known, 0, sizeof(later) - known);
	assert_int_equal(firesteel_run_sized(device, &later.request, sizeof(later)), FIRESTEEL_OK);
	unit_check_modexp(result);

	later.bytes[sizeof(later) - 1] = 1;
	assert_int_equal(firesteel_run_sized(device, &later.request, sizeof(later)),
			 FIRESTEEL_ERROR_NEWER);
	assert_int_equal(firesteel_expect_ns_sized(device, &later.request, sizeof(later)),
			 FIRESTEEL_ERROR_NEWER);
	assert_int_equal(firesteel_submit_sized(device, &later.request, sizeof(later), &job),
			 FIRESTEEL_ERROR_NEWER);
	assert_null(job);
	assert_int_equal(firesteel_submit_fd_sized(device, &later.request, sizeof(later), 0, &job),
			 FIRESTEEL_ERROR_NEWER);
	assert_int_equal(
		firesteel_submit_copy_sized(device, &later.request, sizeof(later), 0, &job),
		FIRESTEEL_ERROR_NEWER);
	assert_non_null(strstr(firesteel_error_text(FIRESTEEL_ERROR_NEWER), "version"));
}

/* Whatever compilers leave in the rest of a union */
static void only_the_operations_own_part_counts(void **state)
{
	struct firesteel_request modexp;
	uint8_t result[64];

	(void)state;
	memset(&modexp, 0xa5, sizeof(modexp));
	modexp.operation = FIRESTEEL_MODEXP;
	modexp.flags = 0;
	modexp.modexp = unit_modexp(result).modexp;
	unit_run(device, &modexp, FIRESTEEL_OK);
	unit_check_modexp(result);
}

static void what_only_a_later_version_knows_is_no_mistake(void **state)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);

	(void)state;
	request.flags = 1u << 30;
	unit_run(device, &request, FIRESTEEL_ERROR_NEWER);
	request = (struct firesteel_request){ .operation = FIRESTEEL_OPERATIONS };
	unit_run(device, &request, FIRESTEEL_ERROR_NEWER);
	request.operation = 0;
	unit_run(device, &request, FIRESTEEL_ERROR_INVALID);
}

static void output_is_cut_off_or_filled_up(void **state)
{
	struct {
		struct firesteel_capabilities has;
		uint8_t more[64];
	} later;
	struct {
		struct firesteel_statistics statistics;
		uint8_t more[64];
	} grown;
	const uint8_t none[64] = { 0 };
	const size_t old = offsetof(struct firesteel_capabilities, engines);

	(void)state;
	memset(&later, 0xa5, sizeof(later));
	firesteel_capabilities_sized(device, &later.has, sizeof(later));
	assert_int_equal(later.has.engines, 1);
	assert_memory_equal(later.more, none, sizeof(none));
	memset(&later, 0xa5, sizeof(later));
	firesteel_capabilities_sized(device, &later.has, old);
	assert_true(later.has.public_key);
	assert_int_equal(later.has.engines, 0xa5a5a5a5);

	memset(&grown, 0xa5, sizeof(grown));
	firesteel_statistics_sized(device, &grown.statistics, sizeof(grown));
	assert_true(grown.statistics.operations[FIRESTEEL_MODEXP] > 0);
	assert_memory_equal(grown.more, none, sizeof(none));
	memset(&grown, 0xa5, sizeof(grown));
	firesteel_statistics_sized(device, &grown.statistics, sizeof(uint64_t));
	assert_int_equal(grown.statistics.operations[0], 0);
	assert_int_equal(grown.statistics.operations[1], 0xa5a5a5a5a5a5a5a5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_older_request_has_zeros_for_what_it_lacks),
		cmocka_unit_test(an_operand_that_is_not_there_is_missed),
		cmocka_unit_test(a_newer_request_is_done_if_it_asks_for_nothing_new),
		cmocka_unit_test(only_the_operations_own_part_counts),
		cmocka_unit_test(output_is_cut_off_or_filled_up),
		cmocka_unit_test(what_only_a_later_version_knows_is_no_mistake),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
