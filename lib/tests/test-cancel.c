/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that were cancelled before they call the library: the first cancellation point anywhere
 * inside would end them there.  They return, and leave the device in order.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../clock.h"
#include "../device.h"
#include "../pk.h"
#include "../share.h"
#include "uio-files.h"
#include "unit.h"

#define SLOW "model:hash=on,pk_multipliers=1,coherent=off"

struct call {
	void (*make)(struct firesteel *device);
	struct firesteel *device;
	bool returned;
};

static void *be_cancelled(void *opaque)
{
	struct call *call = opaque;

	pthread_cancel(pthread_self());
	call->make(call->device);
	call->returned = true;
	pthread_testcancel();
	return NULL;
}

/* It returns, and only then the thread ends */
static void expect_return(void (*make)(struct firesteel *device), struct firesteel *device)
{
	struct call call = { make, device, false };
	pthread_t thread;
	void *result;

	assert_int_equal(pthread_create(&thread, NULL, be_cancelled, &call), 0);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_true(call.returned);
	assert_ptr_equal(result, PTHREAD_CANCELED);
}

/* ---- calls ---- */

/* The same thread waits for nothing that the other has left */
static void public_key(struct firesteel *device)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);

	firesteel_run(device, &request);
}

static void message(struct firesteel *device)
{
	static uint8_t bytes[32768];
	struct firesteel_request request = unit_cbc(bytes, sizeof(bytes));

	firesteel_run(device, &request);
}

static void jobs(struct firesteel *device)
{
	uint8_t result[64], bytes[64] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 64);
	struct firesteel_job *one, *two, *three;

	if (firesteel_submit(device, &modexp, &one) || firesteel_submit(device, &cbc, &two) ||
	    firesteel_submit(device, &modexp, &three))
		return;
	firesteel_job_wait(one);
	firesteel_job_finish(one);
	firesteel_job_finish(two);
	firesteel_job_free(three);
}

static void life(struct firesteel *device)
{
	struct firesteel *other;

	(void)device;
	if (firesteel_open(SLOW, &other, NULL) == FIRESTEEL_OK) {
		firesteel_retry(other);
		jobs(other);
		firesteel_close(other);
	}
}

/* ---- where they wait ---- */

static void expect_order(struct firesteel *device)
{
	uint8_t result[64], bytes[64] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 64);

	unit_run(device, &modexp, FIRESTEEL_OK);
	unit_check_modexp(result);
	unit_run(device, &cbc, FIRESTEEL_OK);
	assert_int_equal(fs_turn_length(&device->turn[FS_PK]), 0);
	assert_int_equal(fs_turn_length(&device->turn[FS_CM]), 0);
}

static void for_the_core(void **state)
{
	static const char *const completions[] = { "poll", "irq", "adaptive" };
	struct firesteel *device = unit_open(SLOW);

	(void)state;
	for (unsigned i = 0; i < COUNT(completions); i++) {
		firesteel_set(device, "completion", completions[i], NULL);
		expect_return(public_key, device);
		expect_return(message, device);
		expect_return(jobs, device);
		expect_order(device);
	}
	firesteel_close(device);
}

static void for_another_thread(void **state)
{
	struct firesteel *device = unit_open("model:hash=on,coherent=off");
	struct fs_pk pk;

	(void)state;
	firesteel_set(device, "timeout_ms", "20", NULL);
	assert_int_equal(fs_pk_acquire(device, &pk), FIRESTEEL_OK);
	expect_return(public_key, device);
	fs_pk_release(&pk);
	expect_order(device);
	firesteel_close(device);
}

static void for_another_process(void **state)
{
	struct firesteel *device = unit_open("model:hash=on");
	int ready[2];
	char byte;
	pid_t pid;

	(void)state;
	firesteel_set(device, "timeout_ms", "50", NULL);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct fs_pk pk;

		(void)!write(ready[1], "",
			     fs_device_enter(device) || fs_pk_acquire(device, &pk) ? 0 : 1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	expect_return(public_key, device);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	expect_order(device);
	firesteel_close(device);
}

static void while_a_device_begins_and_ends(void **state)
{
	(void)state;
	expect_return(life, NULL);
}

/* What a child does at its first request */
static void in_a_child(void **state)
{
	struct firesteel *device = unit_open("model:hash=on,instance=/tmp/firesteel-cancel");
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		expect_return(public_key, device);
		expect_return(message, device);
		expect_order(device);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	firesteel_close(device);
	unlink("/tmp/firesteel-cancel");
}

/* Files are in the place of devices: what is said to the kernel is written to them */
static void over_uio(void **state)
{
	struct firesteel *device;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	fake_cm("uio2", "0000:00:02.0");
	fake_results("uio2");
	device = fake_open("auto");
	firesteel_set(device, "completion", "irq", NULL);
	atomic_store(&device->health[FS_PK].faulty_until, 0);
	expect_return(public_key, device);
	expect_return(message, device);
	expect_return(jobs, device);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(for_the_core),
		cmocka_unit_test(for_another_thread),
		cmocka_unit_test(for_another_process),
		cmocka_unit_test(while_a_device_begins_and_ends),
		cmocka_unit_test(in_a_child),
		FAKE_TEST(over_uio),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
