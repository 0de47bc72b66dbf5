/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: submitted, waited for by their descriptor, finished, dropped. */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static struct firesteel *device;

static bool is_readable(int fd, int ms)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	return poll(&one, 1, ms) == 1 && one.revents & POLLIN;
}

static void a_job_becomes_readable_and_stays_so(void **state)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	struct firesteel_job *job;

	(void)state;
	assert_int_equal(firesteel_submit(device, &request, &job), FIRESTEEL_OK);
	memset(&request, 0xff, sizeof(request)); /* it was copied */
	assert_true(is_readable(firesteel_job_fd(job), 10000));
	assert_true(is_readable(firesteel_job_fd(job), 0));
	assert_int_equal(firesteel_job_wait(job), FIRESTEEL_OK);
	assert_int_equal(firesteel_job_done(job), 1);
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	unit_check_modexp(result);
}

static void jobs_share_a_descriptor_of_the_callers(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t count;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		uint8_t result[64];
		struct firesteel_request request = unit_modexp(result);
		struct firesteel_job *job;

		assert_int_equal(firesteel_submit_fd(device, &request, fd, &job), FIRESTEEL_OK);
		assert_int_equal(firesteel_job_fd(job), fd);
		assert_true(is_readable(fd, 10000));
		assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
		unit_check_modexp(result);
		assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
		assert_false(is_readable(fd, 0));
	}
	assert_int_equal(close(fd), 0);
}

static void many_jobs_at_once(void **state)
{
	static uint8_t results[100][64], bytes[100][64];
	struct firesteel_job *jobs[200];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct firesteel_request modexp = unit_modexp(results[i]);
		struct firesteel_request cbc = unit_cbc(bytes[i], sizeof(bytes[i]));

		assert_int_equal(firesteel_submit(device, &modexp, &jobs[i]), FIRESTEEL_OK);
		assert_int_equal(firesteel_submit(device, &cbc, &jobs[100 + i]), FIRESTEEL_OK);
	}
	for (unsigned i = 200; i-- > 0;)
		assert_int_equal(firesteel_job_finish(jobs[i]), FIRESTEEL_OK);
	for (unsigned i = 0; i < 100; i++) {
		unit_check_modexp(results[i]);
		assert_memory_equal(bytes[i], bytes[0], sizeof(bytes[0]));
	}
}

/* After it is freed nothing is written any more */
static void a_job_may_be_dropped_at_any_time(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		uint8_t results[3][64];
		struct firesteel_job *jobs[3];

		for (unsigned j = 0; j < COUNT(jobs); j++) {
			struct firesteel_request request = unit_modexp(results[j]);

			assert_int_equal(firesteel_submit(device, &request, &jobs[j]),
					 FIRESTEEL_OK);
		}
		for (unsigned j = COUNT(jobs); j-- > 0;)
			assert_int_equal(firesteel_job_free(jobs[j]), FIRESTEEL_OK);
		memset(results, 0, sizeof(results));
	}
}

static void a_wrong_request_is_told_at_once(void **state)
{
	struct firesteel_request request = { .operation = FIRESTEEL_MODEXP };
	struct firesteel_job *job = (struct firesteel_job *)1;

	(void)state;
	assert_int_equal(firesteel_submit(device, &request, &job), FIRESTEEL_ERROR_INVALID);
	assert_null(job);
	assert_int_equal(firesteel_submit(device, &request, NULL), FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_submit_fd(device, &request, -1, &job), FIRESTEEL_ERROR_INVALID);
}

/* A child cannot wait for its parent's job, but may submit its own */
static int child(struct firesteel_job *inherited)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	struct firesteel_job *own;

	if (firesteel_job_fd(inherited) != FIRESTEEL_ERROR_FORKED ||
	    firesteel_job_done(inherited) != FIRESTEEL_ERROR_FORKED ||
	    firesteel_job_wait(inherited) != FIRESTEEL_ERROR_FORKED ||
	    firesteel_job_finish(inherited) != FIRESTEEL_ERROR_FORKED)
		return 1;
	if (firesteel_submit(device, &request, &own) != FIRESTEEL_OK ||
	    firesteel_job_finish(own) != FIRESTEEL_OK)
		return 2;
	firesteel_close(device);
	return 0;
}

static void jobs_belong_to_their_process(void **state)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	struct firesteel_job *job;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(firesteel_submit(device, &request, &job), FIRESTEEL_OK);
	pid = fork();
	if (pid == 0)
		_exit(child(job));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	unit_check_modexp(result);
}

static void descriptors_are_not_left_open(void **state)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	struct firesteel_job *job;
	int before = dup(0), after;

	(void)state;
	close(before);
	assert_int_equal(firesteel_submit(device, &request, &job), FIRESTEEL_OK);
	assert_int_equal(fcntl(firesteel_job_fd(job), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	after = dup(0);
	assert_int_equal(after, before);
	close(after);
}

static int set_up(void **state)
{
	(void)state;
	device = unit_open("model:hash=on,pk_multipliers=256");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	firesteel_close(device);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_becomes_readable_and_stays_so),
		cmocka_unit_test(jobs_share_a_descriptor_of_the_callers),
		cmocka_unit_test(many_jobs_at_once),
		cmocka_unit_test(a_job_may_be_dropped_at_any_time),
		cmocka_unit_test(a_wrong_request_is_told_at_once),
		cmocka_unit_test(jobs_belong_to_their_process),
		cmocka_unit_test(descriptors_are_not_left_open),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
