/* SPDX-License-Identifier: Apache-2.0 */
/* Parents and children with one device, and what becomes of the lock when its owner dies. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../clock.h"
#include "../device.h"
#include "../pk.h"
#include "../pool.h"
#include "../share.h"
#include "unit.h"

#define CHILDREN 8u

/* 0 if a device does both kinds of work */
static int use(struct firesteel *device, unsigned rounds)
{
	static uint8_t answer[64], cbc_answer[256];
	uint8_t result[64];
	struct firesteel_request modexp = unit_modexp(answer), cbc = unit_cbc(cbc_answer, 256);

	memset(cbc_answer, 0, sizeof(cbc_answer));
	if (firesteel_run(device, &modexp) || firesteel_run(device, &cbc))
		return 1;
	for (unsigned i = 0; i < rounds; i++) {
		uint8_t bytes[256] = { 0 };

		modexp = unit_modexp(result);
		cbc = unit_cbc(bytes, sizeof(bytes));
		if (firesteel_run(device, &modexp) || memcmp(result, answer, sizeof(result)))
			return 2;
		if (firesteel_run(device, &cbc) || memcmp(bytes, cbc_answer, sizeof(bytes)))
			return 3;
	}
	unit_check_modexp(answer);
	return 0;
}

static void expect_exit(pid_t pid, int expected)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, expected);
}

static void children_go_on(void **state)
{
	struct firesteel *device = unit_open("model:hash=on,pk_multipliers=256");
	pid_t pids[CHILDREN];

	(void)state;
	firesteel_set(device, "timeout_ms", "60000", NULL);
	assert_int_equal(use(device, 2), 0);
	for (unsigned i = 0; i < CHILDREN; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			int error = use(device, 5);

			firesteel_close(device);
			_exit(error);
		}
	}
	assert_int_equal(use(device, 5), 0);
	for (unsigned i = 0; i < CHILDREN; i++)
		expect_exit(pids[i], 0);
	firesteel_close(device);
}

static void grandchildren_and_unused_children_too(void **state)
{
	struct firesteel *device = unit_open("model");
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		pid_t grandchild = fork();
		int status = 0;

		if (grandchild == 0)
			_exit(use(device, 1));
		waitpid(grandchild, &status, 0);
		firesteel_close(device); /* without having used it */
		_exit(status != 0);
	}
	expect_exit(pid, 0);
	assert_int_equal(use(device, 1), 0);
	firesteel_close(device);
}

/* ---- children that the C library does not know of ---- */

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static pid_t by_namespace(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL,
			      NULL);
}

/* 0: the public-key core serves it, with a slot of its own and other random numbers.  CryptoMaster does if
 * its locks would be given back. */
static int use_as(struct firesteel *device, bool known, unsigned slot, const uint8_t *drawn)
{
	uint8_t result[64], bytes[256] = { 0 }, own[8];
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 256);

	for (unsigned i = 0; i < 20; i++)
		if (firesteel_run(device, &modexp) || device->transport->slot == slot)
			return 1;
	unit_check_modexp(result);
	fs_random_get(&device->random, own, sizeof(own));
	if (memcmp(own, drawn, sizeof(own)) == 0)
		return 2;
	if (firesteel_run(device, &cbc) != (known ? FIRESTEEL_OK : FIRESTEEL_ERROR_BUSY))
		return 3;
	return !known && firesteel_retry(device) != FIRESTEEL_ERROR_BUSY ? 4 : 0;
}

static void children_made_in_any_way_go_on(void **state)
{
	static const struct {
		pid_t (*make)(void);
		bool known; /* to the C library */
	} ways[] = {
		{ fork, true }, { _Fork, true }, { by_clone, false }, { by_namespace, false }
	};
	struct firesteel *device = unit_open("model:hash=on");

	(void)state;
	firesteel_set(device, "timeout_ms", "20000", NULL);
	assert_int_equal(use(device, 1), 0);
	for (unsigned i = 0; i < COUNT(ways); i++) {
		struct fs_random random = device->random; /* what the child inherits */
		uint8_t drawn[8];
		pid_t pid = ways[i].make();

		if (pid < 0 && ways[i].make == by_namespace && errno == EPERM) {
			print_message("no namespaces here: not tried\n");
			continue;
		}
		fs_random_get(&random, drawn, sizeof(drawn));
		if (pid == 0)
			_exit(use_as(device, ways[i].known, device->transport->slot, drawn));
		assert_int_equal(use(device, 5), 0);
		expect_exit(pid, 0);
	}
	firesteel_close(device);
}

/* ---- fork while other threads are at work ---- */

struct busy {
	struct firesteel *device;
	int stop;
};

static void *keep_busy(void *opaque)
{
	struct busy *busy = opaque;

	while (!__atomic_load_n(&busy->stop, __ATOMIC_SEQ_CST)) {
		uint8_t result[64], bytes[64] = { 0 };
		struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 64);

		firesteel_run(busy->device, &modexp);
		firesteel_run(busy->device, &cbc);
	}
	return NULL;
}

static void a_child_of_a_busy_process_goes_on(void **state)
{
	struct busy busy = { unit_open("model:hash=on,pk_multipliers=256"), 0 };
	pthread_t threads[4];

	(void)state;
	firesteel_set(busy.device, "timeout_ms", "60000", NULL);
	for (unsigned i = 0; i < COUNT(threads); i++)
		pthread_create(&threads[i], NULL, keep_busy, &busy);
	for (unsigned i = 0; i < 10; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(use(busy.device, 3));
		expect_exit(pid, 0);
	}
	__atomic_store_n(&busy.stop, 1, __ATOMIC_SEQ_CST);
	for (unsigned i = 0; i < COUNT(threads); i++)
		pthread_join(threads[i], NULL);
	firesteel_close(busy.device);
}

/* ---- the owner dies ---- */

/* A child that has the core and says so; then it waits to be killed */
static pid_t start_owner(struct firesteel *device, int *owns)
{
	pid_t pid = fork();
	struct fs_pk pk;

	if (pid != 0)
		return pid;
	if (fs_device_enter(device) || fs_pk_acquire(device, &pk))
		_exit(1);
	__atomic_store_n(owns, 1, __ATOMIC_SEQ_CST);
	for (;;)
		pause();
}

static void the_lock_of_a_dead_owner_is_freed(void **state)
{
	struct firesteel *device = unit_open("model");
	int *owns = mmap(NULL, sizeof(*owns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	uint32_t before = fs_share_generation(device->transport);
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	pid_t pid;

	(void)state;
	pid = start_owner(device, owns);
	while (!__atomic_load_n(owns, __ATOMIC_SEQ_CST))
		usleep(1000);
	/* alive it keeps the core */
	assert_true(fs_share_before(device->transport) == 1);
	firesteel_set(device, "timeout_ms", "50", NULL);
	unit_run(device, &request, FIRESTEEL_ERROR_TIMEOUT);
	unit_run(device, &request, FIRESTEEL_ERROR_TIMEOUT);
	kill(pid, SIGKILL);
	expect_exit(pid, SIGKILL);
	firesteel_set(device, "timeout_ms", "2000", NULL);
	unit_run(device, &request, FIRESTEEL_OK);
	unit_check_modexp(result);
	assert_int_equal(fs_share_generation(device->transport), before + 1);
	assert_int_equal(fs_share_before(device->transport), 0);
	munmap(owns, sizeof(*owns));
	firesteel_close(device);
}

/* Whoever waits gets it, not only who comes later */
static void *run_one(void *opaque)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);

	return (void *)(intptr_t)firesteel_run(opaque, &request);
}

static void a_waiter_gets_the_lock_of_a_dead_owner(void **state)
{
	struct firesteel *device = unit_open("model");
	int *owns = mmap(NULL, sizeof(*owns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	pthread_t waiter;
	void *error;
	pid_t pid;

	(void)state;
	firesteel_set(device, "timeout_ms", "20000", NULL);
	pid = start_owner(device, owns);
	while (!__atomic_load_n(owns, __ATOMIC_SEQ_CST))
		usleep(1000);
	pthread_create(&waiter, NULL, run_one, device);
	usleep(50000);
	kill(pid, SIGKILL);
	expect_exit(pid, SIGKILL);
	pthread_join(waiter, &error);
	assert_int_equal((intptr_t)error, FIRESTEEL_OK);
	munmap(owns, sizeof(*owns));
	firesteel_close(device);
}

static struct fs_deadline never = { .at = UINT64_MAX / 2 };

/* A child that dies with CryptoMaster's lock leaves it to the others */
static void cryptomaster_outlives_its_owner(void **state)
{
	struct firesteel *device = unit_open("model");
	uint8_t bytes[64] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));
	struct firesteel_statistics statistics;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct fs_slot slot;
		bool died = false;

		if (fs_device_enter(device) || fs_pool_get(device->pool, &never, &slot) ||
		    fs_pool_lock(device->pool, &never, &died))
			_exit(1);
		_exit(0);
	}
	expect_exit(pid, 0);
	unit_run(device, &cbc, FIRESTEEL_OK);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.resets, 1);
	unit_run(device, &cbc, FIRESTEEL_OK);
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.resets, 1);
	firesteel_close(device);
}

/* What a child had in its slot when it died is wiped by the next one there, whatever that one uses.
 * The model's memory is a copy in the child, so the parent writes what the child would have left. */
static void secrets_do_not_outlive_their_owner(void **state)
{
	static const uint8_t secret[] = "a key that nobody wiped";
	struct firesteel *device = unit_open("model");
	struct fs_arena *arena = (void *)device->transport->dma; /* of the first slot */
	uint8_t bytes[64] = { 0 };
	struct firesteel_request cbc = unit_cbc(bytes, sizeof(bytes));
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct fs_slot slot;

		_exit(fs_device_enter(device) || fs_pool_get(device->pool, &never, &slot));
	}
	expect_exit(pid, 0);
	memcpy(arena->padding, secret, sizeof(secret));
	unit_run(device, &cbc, FIRESTEEL_OK);
	assert_null(memmem(device->transport->dma, device->transport->dma_size, secret,
			   sizeof(secret)));
	firesteel_close(device);
}

/* The interrupt that follows power-on, which nobody waits for, must not make them spin */
static void those_that_wait_in_a_child_sleep(void **state)
{
	struct firesteel *device = unit_open("model");
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		struct fs_transport *transport = device->transport;
		uint64_t begin;

		if (fs_device_enter(device))
			_exit(1);
		transport->ops->sleep(transport, FS_PK, 1);
		begin = fs_now();
		for (unsigned i = 0; i < 10; i++)
			transport->ops->sleep(transport, FS_PK, FS_MILLISECOND / 10);
		_exit(fs_now() - begin < FS_MILLISECOND);
	}
	expect_exit(pid, 0);
	firesteel_close(device);
}

/* 0: it has no slot, but CryptoMaster; later, when slots are free, it has one */
static int outlast(struct firesteel *device, int tried, int free)
{
	uint8_t result[64], bytes[64] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 64);
	uint64_t end;
	char byte;

	if (firesteel_run(device, &modexp) != FIRESTEEL_ERROR_BUSY)
		return 1;
	if (firesteel_run(device, &cbc) != FIRESTEEL_OK)
		return 2;
	(void)!write(tried, "", 1);
	(void)!read(free, &byte, 1);
	end = fs_now() + 10 * FS_SECOND;
	while (firesteel_run(device, &modexp) == FIRESTEEL_ERROR_BUSY && fs_now() < end)
		usleep(1000);
	return firesteel_run(device, &modexp) == FIRESTEEL_OK ? 0 : 3;
}

static void end_all(const pid_t *pids, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		kill(pids[i], SIGKILL);
		expect_exit(pids[i], SIGKILL);
	}
}

/* More processes than there are slots: the last one says so, and has one when another has ended */
static void who_finds_no_slot_tries_again(void **state)
{
	struct firesteel *device = unit_open("model:hash=on");
	pid_t pids[SILEX_SHARE_SLOTS - 1], late;
	int joined[2], tried[2], free[2];
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	char byte = 0;

	(void)state;
	assert_int_equal(pipe(joined) | pipe(tried) | pipe(free), 0);
	for (unsigned i = 0; i < COUNT(pids); i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			byte = (char)firesteel_run(device, &request);
			(void)!write(joined[1], &byte, 1);
			for (;;)
				pause();
		}
		assert_int_equal(read(joined[0], &byte, 1), 1);
		assert_int_equal(byte, FIRESTEEL_OK);
	}
	late = fork();
	if (late == 0)
		_exit(outlast(device, tried[1], free[0]));
	/* a child that fails says nothing more */
	close(tried[1]);
	(void)!read(tried[0], &byte, 1);
	end_all(pids, COUNT(pids));
	assert_int_equal(write(free[1], &byte, 1), 1);
	expect_exit(late, 0);
	unit_run(device, &request, FIRESTEEL_OK);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_go_on),
		cmocka_unit_test(grandchildren_and_unused_children_too),
		cmocka_unit_test(children_made_in_any_way_go_on),
		cmocka_unit_test(a_child_of_a_busy_process_goes_on),
		cmocka_unit_test(the_lock_of_a_dead_owner_is_freed),
		cmocka_unit_test(a_waiter_gets_the_lock_of_a_dead_owner),
		cmocka_unit_test(cryptomaster_outlives_its_owner),
		cmocka_unit_test(secrets_do_not_outlive_their_owner),
		cmocka_unit_test(those_that_wait_in_a_child_sleep),
		cmocka_unit_test(who_finds_no_slot_tries_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
