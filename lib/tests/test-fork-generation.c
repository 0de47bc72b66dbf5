/* SPDX-License-Identifier: Apache-2.0 */
/* The number that tells a process from those that it was forked from, however it was made. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fork.h"
#include "unit.h"

/* ---- ways to make a child ---- */

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

/* In a user namespace, too, so that everybody may */
static pid_t by_namespace(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL,
			      NULL);
}

static const struct {
	const char *name;
	pid_t (*make)(void);
} ways[] = {
	{ "fork()", fork },
	{ "_Fork()", _Fork },
	{ "clone()", by_clone },
	{ "clone() into a PID namespace", by_namespace },
};

static int end_of(pid_t pid)
{
	int status = -1;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

/* ---- the number ---- */

/* 0: those of this process, of `before` and of a child's child all differ */
static int line_of_descent(uint64_t before)
{
	uint64_t now = fs_fork_generation();
	int status = 1;
	pid_t pid;

	if (now == before || now == 0 || now != fs_fork_generation())
		return 1;
	pid = by_clone();
	if (pid == 0) {
		uint64_t last = fs_fork_generation();

		_exit(last == now || last == before || last == 0);
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

static void each_child_has_another(void **state)
{
	uint64_t before = fs_fork_generation();

	(void)state;
	assert_true(before != 0);
	for (unsigned i = 0; i < COUNT(ways); i++) {
		pid_t pid = ways[i].make();

		if (pid == 0)
			_exit(line_of_descent(before));
		/* where namespaces are forbidden nothing is said of them */
		if (pid < 0 && ways[i].make == by_namespace && errno == EPERM) {
			print_message("no namespaces here: not tried\n");
			continue;
		}
		if (end_of(pid) != 0)
			fail_msg("a child by %s", ways[i].name);
	}
	assert_int_equal(fs_fork_generation(), before);
}

static volatile uint64_t seen;

static int look(void *unused)
{
	(void)unused;
	seen = fs_fork_generation();
	return 0;
}

/* By clone(), as ThreadSanitizer makes a fork() of vfork() */
static void a_child_in_the_same_memory_has_the_same(void **state)
{
	static _Alignas(16) char stack[65536];
	uint64_t before = fs_fork_generation();
	pid_t pid = clone(look, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);

	(void)state;
	assert_int_equal(end_of(pid), 0);
	assert_int_equal(seen, before);
	assert_int_equal(fs_fork_generation(), before);
}

/* ---- many at once ---- */

#define THREADS 8u

static pthread_barrier_t together;

static void *ask(void *opaque)
{
	uint64_t *found = opaque;

	pthread_barrier_wait(&together);
	*found = fs_fork_generation();
	return NULL;
}

/* 0: they are told the same */
static int ask_from_threads(void)
{
	pthread_t threads[THREADS];
	uint64_t found[THREADS];
	int error = 0;

	pthread_barrier_init(&together, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, ask, &found[i]);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < THREADS; i++)
		error |= found[i] != found[0] || found[i] != fs_fork_generation();
	pthread_barrier_destroy(&together);
	return error;
}

static void threads_that_are_first_agree(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(ask_from_threads());
		assert_int_equal(end_of(pid), 0);
	}
}

/* ---- state of one process ---- */

static void state_is_made_once_in_each_process(void **state)
{
	fs_fork_mark mark = 0;
	pid_t pid;

	(void)state;
	assert_false(fs_fork_is_made(&mark));
	assert_true(fs_fork_enter(&mark));
	/* a child that is made in the middle begins anew */
	pid = fork();
	if (pid == 0) {
		bool anew = fs_fork_enter(&mark);

		fs_fork_made(&mark);
		_exit(!anew || fs_fork_enter(&mark) || !fs_fork_is_made(&mark));
	}
	assert_int_equal(end_of(pid), 0);
	fs_fork_made(&mark);
	assert_true(fs_fork_is_made(&mark));
	assert_false(fs_fork_enter(&mark));
}

/* ---- a kernel that clears no pages ---- */

static void forget_madvise(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { COUNT(filter), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	assert_int_equal(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* First of all, as what is found once stays so */
static void without_the_kernels_help_ids_tell(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		forget_madvise();
		if (fs_fork_generation() != (uint64_t)getpid())
			_exit(1);
		_exit(line_of_descent(0));
	}
	assert_int_equal(end_of(pid), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_the_kernels_help_ids_tell),
		cmocka_unit_test(each_child_has_another),
		cmocka_unit_test(a_child_in_the_same_memory_has_the_same),
		cmocka_unit_test(threads_that_are_first_agree),
		cmocka_unit_test(state_is_made_once_in_each_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
