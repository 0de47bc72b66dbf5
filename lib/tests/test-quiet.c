/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Short operations make no system call: a child forbids itself all but the end, then works.
 *
 * What the model allocates is taken from memory that the process has already: without that its own
 * system calls would be counted, too.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define ROUNDS 200u

/* A call that is not exit_group() kills the process */
static int forbid_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { COUNT(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int work(struct firesteel *device)
{
	static uint8_t text[1400], result[64], x[32], y[32], r[32], s[32], tag[16];
	static const uint8_t secret[32] = { [31] = 5 }, key[16] = { 1 }, iv[12] = { 2 };
	const struct firesteel_curve p256 = { FIRESTEEL_P256, NULL };
	const struct firesteel_request requests[] = {
		unit_modexp(result),
		unit_cbc(text, 1392),
		{ .operation = FIRESTEEL_CIPHER,
		  .cipher = { .mode = FIRESTEEL_GCM,
			      .key = BYTES(key),
			      .iv = BYTES(iv),
			      .in = BYTES(text),
			      .out = OUTPUT(text),
			      .tag = OUTPUT(tag) } },
		{ .operation = FIRESTEEL_HASH,
		  .hash = { .algorithm = FIRESTEEL_SHA256,
			    .hmac = true,
			    .key = BYTES(key),
			    .in = BYTES(text),
			    .digest = SPACE(result, 32) } },
		{ .operation = FIRESTEEL_EC_PUBLIC,
		  .ec_public = { p256, BYTES(secret), OUTPUT(x), OUTPUT(y) } },
		{ .operation = FIRESTEEL_ECDSA_SIGN,
		  .ecdsa_sign = { .curve = p256,
				  .secret = BYTES(secret),
				  .digest = BYTES(key),
				  .r = OUTPUT(r),
				  .s = OUTPUT(s) } },
		{ .operation = FIRESTEEL_X25519,
		  .x25519 = { .secret = BYTES(secret), .result = SPACE(result, 32) } },
	};
	int error = 0;

	for (unsigned i = 0; i < COUNT(requests); i++)
		error |= firesteel_run(device, &requests[i]);
	return error;
}

static int child(struct firesteel *device, bool first_use)
{
	struct firesteel_statistics statistics;

	/* memory that is free stays with the process */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	free(malloc(8 << 20));
	if (first_use && work(device))
		return 2;
	if (forbid_calls())
		return 3;
	for (unsigned i = 0; i < ROUNDS; i++)
		if (work(device))
			return 4;
	firesteel_statistics(device, &statistics);
	return statistics.slept ? 5 : 0;
}

static void short_operations_make_no_system_call(void **state)
{
	struct firesteel *device = unit_open("model");
	int status;
	pid_t pid;

	(void)state;
	/* on a machine that is busy an operation takes what it takes */
	assert_int_equal(firesteel_set(device, "completion", "poll", NULL), FIRESTEEL_OK);
	pid = fork();
	if (pid == 0)
		_exit(child(device, true));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	firesteel_close(device);
}

/* That the filter sees system calls: the first use after a fork maps memory */
static void the_first_one_after_a_fork_does(void **state)
{
	struct firesteel *device = unit_open("model");
	int status;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(child(device, false));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_operations_make_no_system_call),
		cmocka_unit_test(the_first_one_after_a_fork_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
