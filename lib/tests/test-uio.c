/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cores by UIO, with files in the place of devices: what is found and how it is mapped, and
 * public-key cores that answer nonsense.  What the kernel does is tested on boards.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "../clock.h"
#include "../device.h"
#include "../uio-list.h"
#include "uio-files.h"
#include "unit.h"

/* ---- a core that ends its operations ---- */

static struct fs_transport_ops working;
static void (*plain_write)(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			   uint32_t value);

/* A reset in the middle of each operation */
static bool resets;

/* TIMER tells the cycles of an operation as soon as it is started */
static void working_write(struct fs_transport *transport, enum fs_core core, uint32_t offset,
			  uint32_t value)
{
	plain_write(transport, core, offset, value);
	if (core == FS_PK && offset == SILEX_PK_BASE + SILEX_PK_CONTROL &&
	    value & SILEX_PK_CONTROL_START)
		plain_write(transport, core, SILEX_PK_BASE + SILEX_PK_TIMER, 2);
	if (resets && core == FS_PK && offset == SILEX_PK_BASE + SILEX_PK_CONTROL) {
		plain_write(transport, core, SILEX_PK_BASE + SILEX_PK_COMMAND,
			    SILEX_PK_OP_CLEAR_MEMORY);
		plain_write(transport, core, SILEX_PK_BASE + SILEX_PK_POINTERS, 0);
	}
}

static unsigned given_up;
static void (*plain_give_up)(struct fs_transport *transport);

static void working_give_up(struct fs_transport *transport)
{
	(void)transport;
	given_up++;
}

/* What it was found to be when it was opened is forgotten */
static struct firesteel *open_working(const char *name)
{
	struct firesteel *device = fake_open(name);

	working = *device->transport->ops;
	plain_write = working.write;
	plain_give_up = working.give_up;
	working.write = working_write;
	working.give_up = working_give_up;
	given_up = 0;
	device->transport->ops = &working;
	atomic_store(&device->health[FS_PK].faulty_until, 0);
	return device;
}

/* ---- finding ---- */

static void expect_message(const char *name, int error, const char *part)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;

	assert_int_equal(firesteel_open(name, &device, message), error);
	assert_null(device);
	if (!strstr(message, part))
		fail_msg("\"%s\" does not say \"%s\"", message, part);
}

static void nothing_is_found_where_nothing_is(void **state)
{
	(void)state;
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "is the driver loaded");
	fs_uio_sysfs = "/nowhere";
	expect_message(NULL, FIRESTEEL_ERROR_ABSENT, "/nowhere");
	fs_uio_sysfs = fake_sysfs;
	expect_message("uio:0000:00:09.0", FIRESTEEL_ERROR_ABSENT, "0000:00:09.0");
}

static void windows_are_found_by_name(void **state)
{
	struct firesteel_capabilities has;
	struct firesteel *device;

	(void)state;
	fake_pk("uio3", "0000:00:02.0");
	fake_pk("uio10", "0000:00:03.0");
	fake_cm("uio4", "0000:00:03.0");
	fake_describe("uio0", "other", "0000:00:01.0");
	device = fake_open("uio:0000:00:03.0");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:03.0");
	assert_true(has.public_key && has.cryptomaster);
	assert_int_equal(has.operand_bytes, 512);
	assert_int_equal(has.curves, 1u << FIRESTEEL_P192 | 1u << FIRESTEEL_P256 |
					     1u << FIRESTEEL_P384 | 1u << FIRESTEEL_P521 |
					     1u << FIRESTEEL_CURVE25519);
	assert_true(has.pool_bytes > FAKE_BUFFER_SIZE / 2);
	firesteel_close(device);
	device = fake_open("uio:uio3");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:02.0");
	assert_true(has.public_key && !has.cryptomaster);
	firesteel_close(device);
	device = fake_open("auto");
	firesteel_capabilities(device, &has);
	assert_string_equal(has.name, "uio:0000:00:02.0");
	assert_true(has.public_key && has.cryptomaster);
	firesteel_close(device);
}

static void opened_twice_it_is_the_same(void **state)
{
	struct firesteel *one, *two;

	(void)state;
	fake_pk("uio3", "0000:00:02.0");
	one = fake_open("uio:uio3");
	two = fake_open("uio:uio3");
	assert_ptr_equal(one, two);
	expect_message("uio:0000:00:02.0", FIRESTEEL_ERROR_BUSY, "under another name");
	firesteel_close(one);
	expect_message("uio:0000:00:02.0", FIRESTEEL_ERROR_BUSY, "under another name");
	firesteel_close(two);
	one = fake_open("uio:0000:00:02.0");
	firesteel_close(one);
}

static void what_cannot_be_opened_is_told(void **state)
{
	struct fake fake = fake_pk("uio1", "0000:00:02.0");
	char path[256];

	(void)state;
	fake_join_error = EPERM;
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "uio1 (firesteel-pk)");
	fake_join_error = 0;
	fake.share->version = SILEX_SHARE_VERSION + 1;
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "uio1");
	fake.share->version = SILEX_SHARE_VERSION;
	fake_set(&fake, SILEX_PK_HWCONFIG, SILEX_GONE);
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "no core that this library knows");
	fake_set(&fake, SILEX_PK_HWCONFIG, 0);
	expect_message("auto", FIRESTEEL_ERROR_ABSENT, "no core that this library knows");
	snprintf(path, sizeof(path), "%s/uio1", fake_dev);
	assert_int_equal(unlink(path), 0);
	expect_message("auto", FIRESTEEL_ERROR_SYSTEM, "No such file");
}

/* ---- cores that lie ---- */

/* It says that it is done, and has done nothing */
static void a_core_that_does_nothing_is_caught_by_a_check(void **state)
{
	static const uint8_t secret[32] = { [31] = 7 }, x[32] = { 5 };
	struct firesteel *device;
	uint8_t r[32] = { 0 }, s[32];
	int error;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	error = firesteel_run(device, &(struct firesteel_request){
					      .operation = FIRESTEEL_ECDSA_SIGN,
					      .flags = FIRESTEEL_CHECK,
					      .ecdsa_sign = { .curve = { FIRESTEEL_P256, NULL },
							      .secret = BYTES(secret),
							      .digest = BYTES(x),
							      .public_x = BYTES(x),
							      .public_y = BYTES(x),
							      .r = OUTPUT(r),
							      .s = OUTPUT(s) },
				      });
	/* r = 0 is no signature */
	assert_int_equal(error, FIRESTEEL_ERROR_FAULT);
	assert_int_equal(r[0], 0);
	firesteel_close(device);
}

static void expect_modexp(struct firesteel *device, int expected)
{
	uint8_t result[64] = { 0 }, nothing[64] = { 0 };
	struct firesteel_request request = unit_modexp(result);

	unit_run(device, &request, expected);
	assert_memory_equal(result, nothing, sizeof(result));
}

/* Memory that keeps what is written to it: BUSY is never set, no error is ever told */
static void a_core_that_only_remembers_proves_nothing(void **state)
{
	static const uint8_t x[32] = { 5 }, signature[64] = { 6 };
	uint8_t one[64], two[64];
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	const struct firesteel_request requests[] = {
		unit_modexp(one),
		{ .operation = FIRESTEEL_ECDSA_VERIFY,
		  .ecdsa_verify = { p256, BYTES(x), BYTES(x), BYTES(x), BYTES(x), BYTES(x) } },
		{ .operation = FIRESTEEL_ED25519_VERIFY,
		  .ed25519_verify = { BYTES(x), BYTES(x), BYTES(signature) } },
		{ .operation = FIRESTEEL_ECDH,
		  .ecdh = { p256, BYTES(x), BYTES(x), BYTES(x), OUTPUT(one), OUTPUT(two) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(x), .result = SPACE(one, 32) } },
	};
	struct firesteel_statistics statistics;
	struct firesteel *device;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	device = fake_open("auto");
	for (unsigned i = 0; i < COUNT(requests); i++) {
		atomic_store(&device->health[FS_PK].faulty_until, 0);
		unit_run(device, &requests[i], FIRESTEEL_ERROR_FAULT);
	}
	firesteel_statistics(device, &statistics);
	assert_int_equal(statistics.unproven, COUNT(requests));
	firesteel_close(device);
}

static void a_status_is_not_believed_when_it_is_nonsense(void **state)
{
	static const struct {
		uint32_t status;
		int error;
	} cases[] = {
		{ SILEX_PK_STATUS_BUSY, FIRESTEEL_ERROR_FAULT },
		{ 1u << 20, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_COMPOSITE, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_EXPIRED, FIRESTEEL_ERROR_FAULT },
		{ SILEX_PK_STATUS_NOT_IMPLEMENTED, FIRESTEEL_ERROR_ABSENT },
		{ SILEX_PK_STATUS_NOT_INVERTIBLE, FIRESTEEL_ERROR_REFUSED },
		{ SILEX_GONE, FIRESTEEL_ERROR_GONE },
	};

	(void)state;
	for (unsigned i = 0; i < COUNT(cases); i++) {
		char name[] = "uio:uio0";
		struct firesteel *device;
		struct fake fake;

		name[7] = (char)('0' + i);
		fake = fake_pk(name + 4, "0000:00:02.0");
		device = open_working(name);
		fake_set(&fake, SILEX_PK_STATUS, cases[i].status);
		expect_modexp(device, cases[i].error);
		firesteel_close(device);
	}
}

/* A core that ends its operations and leaves zeros: no point, no shared secret */
static void a_point_of_zeros_is_refused(void **state)
{
	static const uint8_t bytes[32] = { [31] = 5 };
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	uint8_t x[32] = { 1 }, y[32] = { 2 };
	const struct firesteel_request requests[] = {
		{ .operation = FIRESTEEL_ECDH,
		  .ecdh = { p256, BYTES(bytes), BYTES(bytes), BYTES(bytes), OUTPUT(x),
			    OUTPUT(y) } },
		{ .operation = FIRESTEEL_EC_PUBLIC,
		  .ec_public = { p256, BYTES(bytes), OUTPUT(x), OUTPUT(y) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(bytes), .result = OUTPUT(x) } },
	};
	struct firesteel *device;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	for (unsigned i = 0; i < COUNT(requests); i++) {
		unit_run(device, &requests[i], FIRESTEEL_ERROR_REFUSED);
		assert_int_equal(x[0], 1);
		assert_int_equal(y[0], 2);
	}
	firesteel_close(device);
}

/* The kernel says so in the lock page, or takes the core away in the middle */
static void the_lock_page_tells_of_the_core(void **state)
{
	struct fake fake = fake_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");

	(void)state;
	fake.share->state = SILEX_SHARE_FAULT;
	expect_modexp(device, FIRESTEEL_ERROR_FAULT);
	fake.share->state = SILEX_SHARE_READY;
	expect_modexp(device, FIRESTEEL_OK);
	assert_int_equal(fake.share->owner, SILEX_SHARE_FREE);
	assert_int_equal(fake.share->slots[3].ticket, 0);
	/* another's: it is waited for, and the place in the queue given back */
	fake.share->owner = 12345;
	expect_modexp(device, FIRESTEEL_ERROR_TIMEOUT);
	assert_int_equal(fake.share->slots[3].ticket, 0);
	assert_int_equal(fake.share->slots[3].waits, SILEX_SHARE_NO);
	fake.share->owner = SILEX_SHARE_FREE;
	expect_modexp(device, FIRESTEEL_OK);
	fake.share->state = SILEX_SHARE_GONE;
	expect_modexp(device, FIRESTEEL_ERROR_GONE);
	fake.share->state = SILEX_SHARE_READY;
	expect_modexp(device, FIRESTEEL_ERROR_GONE); /* for good */
	firesteel_close(device);
}

/* The kernel is to tell all others, who would take its results for good */
static void a_core_that_was_reset_is_given_up(void **state)
{
	struct fake fake = fake_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");

	(void)state;
	/* a core that has only not begun is handed on as always */
	working.write = plain_write;
	expect_modexp(device, FIRESTEEL_ERROR_FAULT);
	assert_int_equal(fake.share->owner, SILEX_SHARE_FREE);
	assert_int_equal(given_up, 0);
	working.write = working_write;
	atomic_store(&device->health[FS_PK].faulty_until, 0);
	resets = true;
	expect_modexp(device, FIRESTEEL_ERROR_FAULT);
	resets = false;
	assert_int_equal(given_up, 1);
	assert_int_not_equal(fake.share->owner, SILEX_SHARE_FREE); /* the kernel takes it */
	assert_int_equal(fake.share->slots[3].ticket, 0);
	firesteel_close(device);
}

/* Whoever waits longest is next, unless it has left */
static void the_lock_is_handed_to_the_oldest(void **state)
{
	struct fake fake = fake_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");
	struct silex_share_slot *slots = fake.share->slots;

	(void)state;
	fake.share->next_ticket = 100;
	slots[0] = (struct silex_share_slot){ .ticket = 95, .waits = SILEX_SHARE_SPINS };
	slots[7] = (struct silex_share_slot){ .ticket = 91, .waits = SILEX_SHARE_SLEEPS };
	slots[9] = (struct silex_share_slot){ .ticket = 89, .waits = SILEX_SHARE_NO };
	expect_modexp(device, FIRESTEEL_OK);
	assert_int_equal(fake.share->owner, 91);
	slots[7].waits = slots[9].waits = slots[0].waits = SILEX_SHARE_NO;
	fake.share->owner = SILEX_SHARE_FREE;
	firesteel_close(device);
}

/* ---- children ---- */

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static int ended(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* 0: it has a slot besides those that its parent knows, and the core */
static int work_in_child(struct firesteel *device, unsigned parents)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	int error = firesteel_run(device, &request);
	return error || device->transport->slot == parents;
}

static void each_child_joins(void **state)
{
	pid_t (*const ways[])(void) = { fork, _Fork, by_clone };
	struct firesteel *device;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	device = open_working("auto");
	for (unsigned i = 0; i < COUNT(ways); i++) {
		unsigned slot = device->transport->slot;
		pid_t pid = ways[i]();

		if (pid == 0)
			_exit(work_in_child(device, slot));
		assert_int_equal(ended(pid), 0);
		assert_int_equal(device->transport->slot, slot);
		expect_modexp(device, FIRESTEEL_OK);
	}
	firesteel_close(device);
}

/* A daemon closes all and opens its log: nothing of ours goes there, and it has the core */
static int become_daemon(struct firesteel *device)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	FILE *log;
	int error;

	close_range(3, ~0u, 0);
	log = tmpfile();
	firesteel_set(device, "completion", "irq", NULL);
	error = firesteel_run(device, &request);
	return error || lseek(fileno(log), 0, SEEK_END) != 0;
}

static void daemons_close_descriptors(void **state)
{
	struct firesteel *device;
	struct fake fake;
	pid_t pid;

	(void)state;
	fake = fake_pk("uio1", "0000:00:02.0");
	fake.share->flags = SILEX_SHARE_INTERRUPT;
	for (unsigned used = 0; used < 2; used++) {
		device = open_working("auto");
		pid = fork();
		if (pid == 0)
			_exit((used && work_in_child(device, device->transport->slot)) ||
			      become_daemon(device));
		assert_int_equal(ended(pid), 0);
		firesteel_close(device);
	}
}

/* The kernel, which alone can take the lock of an owner that goes on, is told of a reset */
static void daemons_give_up_a_core_that_was_reset(void **state)
{
	const uint32_t word = SILEX_SHARE_GIVE_UP;
	struct fake fake = fake_pk("uio1", "0000:00:02.0");
	struct firesteel *device = open_working("auto");
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	pid_t pid;

	(void)state;
	working.give_up = plain_give_up;
	pid = fork();
	if (pid == 0) {
		close_range(3, ~0u, 0);
		resets = true;
		_exit(firesteel_run(device, &request) != FIRESTEEL_ERROR_FAULT);
	}
	assert_int_equal(ended(pid), 0);
	assert_non_null(memmem(fake.bytes, 0x1000, &word, sizeof(word)));
	firesteel_close(device);
}

static void another_name_is_taken_where_one_is_taken(void **state)
{
	struct firesteel *device;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	fake_join_error = EEXIST;
	device = open_working("auto");
	expect_modexp(device, FIRESTEEL_OK);
	firesteel_close(device);
}

/* 0: there is none, and when there is one again it is found */
static int wait_for_slot(struct firesteel *device)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);
	uint64_t end;

	if (firesteel_run(device, &request) != FIRESTEEL_ERROR_BUSY ||
	    firesteel_run(device, &request) != FIRESTEEL_ERROR_BUSY)
		return 1;
	fake_map_error = 0;
	end = fs_now() + 5 * FS_SECOND;
	while (firesteel_run(device, &request) == FIRESTEEL_ERROR_BUSY && fs_now() < end)
		usleep(1000);
	return firesteel_run(device, &request) != FIRESTEEL_OK;
}

/* 0: without a slot there is no public-key core, but there is CryptoMaster; with one there is */
static int wait_in_child(struct firesteel *device)
{
	uint8_t result[64];
	struct firesteel_request request = unit_modexp(result);

	fake_map_error = ENOSPC;
	return firesteel_run(device, &request) != FIRESTEEL_ERROR_BUSY ||
	       !device->transport->has[FS_CM] || wait_for_slot(device);
}

static void a_slot_is_tried_again(void **state)
{
	struct firesteel *device;
	pid_t pid;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	fake_cm("uio2", "0000:00:02.0");
	device = open_working("auto");
	pid = fork();
	if (pid == 0)
		_exit(wait_in_child(device));
	assert_int_equal(ended(pid), 0);
	firesteel_close(device);
}

/* It knows the core already, so that callers may plan for it; a child of such a process waits, too */
static void a_process_that_begins_without_a_slot_gets_one(void **state)
{
	struct firesteel_capabilities has;
	struct firesteel *device;
	pid_t pid;

	(void)state;
	fake_pk("uio1", "0000:00:02.0");
	for (unsigned messages = 0; messages < 2; messages++) {
		if (messages)
			fake_cm("uio2", "0000:00:02.0");
		fake_map_error = ENOSPC;
		device = open_working("auto");
		firesteel_capabilities(device, &has);
		assert_string_equal(has.name, "uio:0000:00:02.0");
		assert_true(has.public_key && has.cryptomaster == messages);
		assert_int_equal(has.operand_bytes, 512);
		assert_int_equal(has.engines, 1);
		pid = fork();
		if (pid == 0)
			_exit(wait_for_slot(device));
		assert_int_equal(ended(pid), 0);
		assert_int_equal(wait_for_slot(device), 0);
		firesteel_close(device);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE_TEST(nothing_is_found_where_nothing_is),
		FAKE_TEST(windows_are_found_by_name),
		FAKE_TEST(opened_twice_it_is_the_same),
		FAKE_TEST(what_cannot_be_opened_is_told),
		FAKE_TEST(a_core_that_does_nothing_is_caught_by_a_check),
		FAKE_TEST(a_core_that_only_remembers_proves_nothing),
		FAKE_TEST(a_status_is_not_believed_when_it_is_nonsense),
		FAKE_TEST(a_point_of_zeros_is_refused),
		FAKE_TEST(the_lock_page_tells_of_the_core),
		FAKE_TEST(a_core_that_was_reset_is_given_up),
		FAKE_TEST(the_lock_is_handed_to_the_oldest),
		FAKE_TEST(each_child_joins),
		FAKE_TEST(daemons_close_descriptors),
		FAKE_TEST(daemons_give_up_a_core_that_was_reset),
		FAKE_TEST(another_name_is_taken_where_one_is_taken),
		FAKE_TEST(a_slot_is_tried_again),
		FAKE_TEST(a_process_that_begins_without_a_slot_gets_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
