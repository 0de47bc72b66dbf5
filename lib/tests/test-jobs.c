/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: submitted, waited for by their descriptor, finished, dropped. */
#include <errno.h>
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

static struct firesteel_job *submit_to(int fd, uint8_t result[64])
{
	struct firesteel_request request = unit_modexp(result);
	struct firesteel_job *job;

	assert_int_equal(firesteel_submit_fd(device, &request, fd, &job), FIRESTEEL_OK);
	return job;
}

static void jobs_share_a_descriptor_of_the_callers(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t count;

	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		uint8_t result[64];
		struct firesteel_job *job = submit_to(fd, result);

		assert_int_equal(firesteel_job_fd(job), fd);
		assert_true(is_readable(fd, 10000));
		assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
		unit_check_modexp(result);
		assert_int_equal(read(fd, &count, sizeof(count)), sizeof(count));
		assert_false(is_readable(fd, 0));
	}
	assert_int_equal(close(fd), 0);
}

/* Who has been told by the descriptor finds the job done */
static void a_job_that_is_told_of_is_done(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint64_t count;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		uint8_t result[64];
		struct firesteel_job *job = submit_to(fd, result);

		while (read(fd, &count, sizeof(count)) < 0)
			assert_int_equal(errno, EAGAIN);
		assert_int_equal(firesteel_job_done(job), 1);
		assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
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

/* ---- jobs that own what their request points at ---- */

static int eventfd_of_ours;

static struct firesteel_job *submit_copy(const struct firesteel_request *request)
{
	struct firesteel_job *job;

	assert_int_equal(firesteel_submit_copy(device, request, eventfd_of_ours, &job),
			 FIRESTEEL_OK);
	assert_int_equal(firesteel_job_wait(job), FIRESTEEL_OK);
	return job;
}

static struct firesteel_request gcm(uint8_t *bytes, size_t size, uint8_t tag[16], bool decrypt)
{
	static const uint8_t key[16] = { 1 }, iv[FIRESTEEL_GCM_IV] = { 2 };

	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_GCM,
			    .decrypt = decrypt,
			    .key = BYTES(key),
			    .iv = BYTES(iv),
			    .in = { bytes, size },
			    .out = { bytes, size },
			    .tag = { tag, decrypt ? 0 : 16 },
			    .expected = { tag, decrypt ? 16 : 0 } },
	};
}

/* Its operands are gone before it is done, its results come when it is finished */
static void a_copy_needs_no_memory_of_the_callers(void **state)
{
	uint8_t bytes[2][100] = { { 7 }, { 7 } }, tags[2][16] = { { 0 } }, before[100];
	struct firesteel_request whole = gcm(bytes[0], sizeof(bytes[0]), tags[0], false);
	struct firesteel_request copied = gcm(bytes[1], sizeof(bytes[1]), tags[1], false);
	uint8_t key[16] = { 1 };
	struct firesteel_job *job;

	(void)state;
	unit_run(device, &whole, FIRESTEEL_OK);
	copied.cipher.key = BYTES(key);
	assert_int_equal(firesteel_submit_copy(device, &copied, eventfd_of_ours, &job),
			 FIRESTEEL_OK);
	memset(key, 0xff, sizeof(key));
	memset(bytes[1], 0x55, sizeof(bytes[1]));
	memcpy(before, bytes[1], sizeof(before));
	assert_int_equal(firesteel_job_wait(job), FIRESTEEL_OK);
	assert_memory_equal(bytes[1], before, sizeof(before));
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	assert_memory_equal(bytes[1], bytes[0], sizeof(bytes[0]));
	assert_memory_equal(tags[1], tags[0], sizeof(tags[0]));
}

static void a_copy_that_is_given_up_writes_nothing(void **state)
{
	uint8_t result[64] = { 3 }, before[64] = { 3 };
	const struct firesteel_request request = unit_modexp(result);

	(void)state;
	assert_int_equal(firesteel_job_free(submit_copy(&request)), FIRESTEEL_OK);
	assert_memory_equal(result, before, sizeof(before));
}

static void a_copy_with_a_wrong_tag_gives_zeros(void **state)
{
	static const uint8_t zeros[100];
	uint8_t bytes[100] = { 7 }, tag[16];
	struct firesteel_request request = gcm(bytes, sizeof(bytes), tag, false);

	(void)state;
	unit_run(device, &request, FIRESTEEL_OK);
	request = gcm(bytes, sizeof(bytes), tag, true);
	tag[3] ^= 1;
	assert_int_equal(firesteel_job_finish(submit_copy(&request)), FIRESTEEL_ERROR_TAG);
	assert_memory_equal(bytes, zeros, sizeof(zeros));
}

static struct firesteel_request hash(const uint8_t *bytes, size_t size, uint8_t digest[32],
				     struct firesteel_hash_context *context, bool more)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = FIRESTEEL_SHA256,
			  .more = more,
			  .in = { bytes, size },
			  .digest = { digest, 32 },
			  .context = context },
	};
}

/* The context goes with the job and comes back; a digest that is not there yet is left alone */
static void copies_take_a_message_piece_by_piece(void **state)
{
	uint8_t bytes[300], digests[2][32], before[32];
	struct firesteel_hash_context context = { .begun = false };
	struct firesteel_request request = hash(bytes, sizeof(bytes), digests[0], NULL, false);

	(void)state;
	unit_fill(bytes, sizeof(bytes), 5);
	unit_run(device, &request, FIRESTEEL_OK);
	unit_fill(digests[1], sizeof(digests[1]), 6);
	memcpy(before, digests[1], sizeof(before));
	request = hash(bytes, 200, digests[1], &context, true);
	assert_int_equal(firesteel_job_finish(submit_copy(&request)), FIRESTEEL_OK);
	assert_int_equal(context.size, 200);
	assert_memory_equal(digests[1], before, sizeof(before));
	request = hash(bytes + 200, 100, digests[1], &context, false);
	assert_int_equal(firesteel_job_finish(submit_copy(&request)), FIRESTEEL_OK);
	assert_memory_equal(digests[1], digests[0], sizeof(digests[0]));
}

/* secp192k1, by its parameters: the copy owns each of them */
static void a_copy_owns_the_parameters_of_a_curve(void **state)
{
	static const char *const texts[6] = {
		"fffffffffffffffffffffffffffffffffffffffeffffee37",
		"000000000000000000000000000000000000000000000000",
		"000000000000000000000000000000000000000000000003",
		"db4ff10ec057e9ae26b07d0280b7f4341da5d1b1eae06c7d",
		"9b2f2f6d9c5628a7844163d015be86344082aa88d95e2f9d",
		"fffffffffffffffffffffffe26f2fc170f69466a74defd8d",
	};
	uint8_t numbers[6][24], secret[24] = { [23] = 9 }, x[2][24], y[2][24];
	struct firesteel_curve_parameters parameters = {
		BYTES(numbers[0]), BYTES(numbers[1]), BYTES(numbers[2]),
		BYTES(numbers[3]), BYTES(numbers[4]), BYTES(numbers[5]),
	};
	struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { .curve = { FIRESTEEL_CURVE_LOADED, &parameters },
			       .secret = BYTES(secret),
			       .x = OUTPUT(x[0]),
			       .y = OUTPUT(y[0]) },
	};
	struct firesteel_job *job;

	(void)state;
	for (unsigned i = 0; i < COUNT(texts); i++)
		unit_hex(texts[i], numbers[i], sizeof(numbers[i]));
	unit_run(device, &request, FIRESTEEL_OK);
	request.ec_public.x = OUTPUT(x[1]);
	request.ec_public.y = OUTPUT(y[1]);
	assert_int_equal(firesteel_submit_copy(device, &request, eventfd_of_ours, &job),
			 FIRESTEEL_OK);
	memset(numbers, 0, sizeof(numbers));
	memset(&parameters, 0, sizeof(parameters));
	assert_int_equal(firesteel_job_finish(job), FIRESTEEL_OK);
	assert_memory_equal(x[1], x[0], sizeof(x[0]));
	assert_memory_equal(y[1], y[0], sizeof(y[0]));
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
	assert_int_equal(firesteel_submit_copy(device, &request, -1, &job),
			 FIRESTEEL_ERROR_INVALID);
	assert_int_equal(firesteel_submit_copy(device, &request, eventfd_of_ours, &job),
			 FIRESTEEL_ERROR_INVALID);
	assert_null(job);
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
	eventfd_of_ours = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return eventfd_of_ours < 0;
}

static int tear_down(void **state)
{
	(void)state;
	firesteel_close(device);
	return close(eventfd_of_ours);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_job_becomes_readable_and_stays_so),
		cmocka_unit_test(jobs_share_a_descriptor_of_the_callers),
		cmocka_unit_test(a_job_that_is_told_of_is_done),
		cmocka_unit_test(many_jobs_at_once),
		cmocka_unit_test(a_job_may_be_dropped_at_any_time),
		cmocka_unit_test(a_copy_needs_no_memory_of_the_callers),
		cmocka_unit_test(a_copy_that_is_given_up_writes_nothing),
		cmocka_unit_test(a_copy_with_a_wrong_tag_gives_zeros),
		cmocka_unit_test(copies_take_a_message_piece_by_piece),
		cmocka_unit_test(a_copy_owns_the_parameters_of_a_curve),
		cmocka_unit_test(a_wrong_request_is_told_at_once),
		cmocka_unit_test(jobs_belong_to_their_process),
		cmocka_unit_test(descriptors_are_not_left_open),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
