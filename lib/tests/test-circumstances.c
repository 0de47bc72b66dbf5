/* SPDX-License-Identifier: Apache-2.0 */
/* What programs do to a process in which a device is open, and go on with the device. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../clock.h"
#include "../device.h"
#include "unit.h"

#define TIMED "model:hash=on,pk_multipliers=16"

/* 0: both cores do their work */
static int use(struct firesteel *device)
{
	uint8_t result[64], bytes[64] = { 0 };
	struct firesteel_request modexp = unit_modexp(result), cbc = unit_cbc(bytes, 64);
	int error = firesteel_run(device, &modexp);

	if (!error)
		unit_check_modexp(result);
	return error ? error : firesteel_run(device, &cbc);
}

static void expect_well(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* In a child, which may do to itself what it likes; it has the device open, and may have used it */
static void in_child(int (*act)(struct firesteel *device))
{
	for (unsigned used = 0; used < 2; used++) {
		struct firesteel *device = unit_open(TIMED);
		pid_t pid = fork();

		if (pid == 0)
			_exit((used && use(device)) || act(device) || use(device));
		expect_well(pid);
		assert_int_equal(use(device), 0);
		firesteel_close(device);
	}
}

/* ---- descriptors, users, roots, memory ---- */

static int close_all(struct firesteel *device)
{
	(void)device;
	return close_range(3, ~0u, 0);
}

static void descriptors_are_closed_as_daemons_do(void **state)
{
	(void)state;
	in_child(close_all);
}

static int drop_rights(struct firesteel *device)
{
	(void)device;
	/* without them there is nothing to drop */
	return geteuid() == 0 && (chroot("/proc/self/fdinfo") || setgid(65534) || setuid(65534));
}

static void user_and_root_change(void **state)
{
	(void)state;
	in_child(drop_rights);
}

static int limit_memory(struct firesteel *device)
{
	struct rlimit limit = { 0, 0 };

	/* what is mapped stays; nothing more comes */
	return use(device) || setrlimit(RLIMIT_AS, &limit);
}

static void memory_runs_out_after_the_first_use(void **state)
{
	struct firesteel *device = unit_open(TIMED);
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(limit_memory(device) || use(device));
	expect_well(pid);
	/* a child that can map nothing says so, and its parent goes on */
	pid = fork();
	if (pid == 0) {
		struct rlimit limit = { 0, 0 };
		int error;

		setrlimit(RLIMIT_AS, &limit);
		error = use(device);
		_exit(error > 0 || error == FIRESTEEL_ERROR_FAULT);
	}
	expect_well(pid);
	assert_int_equal(use(device), 0);
	firesteel_close(device);
}

/* A full /dev/shm is no matter: what processes share lies in memory without a name */
static void nothing_lies_in_shared_memory_files(void **state)
{
	struct firesteel *device = unit_open(TIMED);
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];

	(void)state;
	assert_int_equal(use(device), 0);
	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		assert_null(strstr(line, "/dev/shm/"));
	fclose(maps);
	firesteel_close(device);
}

/* ---- sandboxes ---- */

/* What is left to a process that only serves: no file, no ioctl(), no mmap() */
static int forbid_most(struct firesteel *device)
{
	static const unsigned allowed[] = {
		SYS_read, SYS_write,      SYS_ppoll,         SYS_futex,
		SYS_exit, SYS_exit_group, SYS_clock_gettime, SYS_clock_nanosleep,
		SYS_brk,  SYS_munmap,     SYS_madvise,
	};
	struct sock_filter filter[2 * COUNT(allowed) + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	const struct sock_fprog program = { COUNT(filter), filter };
	unsigned at = 1;

	if (use(device))
		return 1;
	for (unsigned i = 0; i < COUNT(allowed); i++) {
		filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i],
							    0, 1);
		filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	filter[at] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void a_sandbox_closes_after_the_first_use(void **state)
{
	(void)state;
	in_child(forbid_most);
}

/* ---- ends ---- */

static void *keep_busy(void *device)
{
	for (;;)
		use(device);
	return NULL;
}

/* Threads in the library while exit() runs destructors */
static void threads_are_busy_at_exit(void **state)
{
	struct firesteel *device = unit_open(TIMED);

	(void)state;
	for (unsigned round = 0; round < 5; round++) {
		pid_t pid = fork();

		if (pid == 0) {
			pthread_t thread;

			for (unsigned i = 0; i < 3; i++)
				if (pthread_create(&thread, NULL, keep_busy, device))
					_exit(1);
			usleep(20000);
			exit(0);
		}
		expect_well(pid);
	}
	assert_int_equal(use(device), 0);
	firesteel_close(device);
}

static void a_child_of_vfork_only_executes(void **state)
{
	struct firesteel *device = unit_open(TIMED);
	pid_t pid;

	(void)state;
	assert_int_equal(use(device), 0);
	pid = vfork();
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(use(device), 0);
	expect_well(pid);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_closed_as_daemons_do),
		cmocka_unit_test(user_and_root_change),
		cmocka_unit_test(memory_runs_out_after_the_first_use),
		cmocka_unit_test(nothing_lies_in_shared_memory_files),
		cmocka_unit_test(a_sandbox_closes_after_the_first_use),
		cmocka_unit_test(threads_are_busy_at_exit),
		cmocka_unit_test(a_child_of_vfork_only_executes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
