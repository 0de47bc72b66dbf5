// SPDX-License-Identifier: Apache-2.0
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "uio.h"

static bool all_ok = true;

bool check(bool condition, const char *what)
{
	printf("%s %s\n", condition ? "ok" : "not ok", what);
	fflush(stdout);
	all_ok = all_ok && condition;
	return condition;
}

void must(bool condition, const char *what)
{
	if (condition)
		return;
	printf("not ok %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(2);
}

void mark(const char *path)
{
	FILE *file = fopen(path, "w");

	must(file != NULL, path);
	fclose(file);
}

pid_t start(bool (*run)(void *data), void *data)
{
	pid_t child = fork();

	must(child >= 0, "fork");
	if (child)
		return child;
	_exit(run(data) ? 0 : 1);
}

bool ended_well(pid_t child)
{
	int status = 0;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
}

int ended_by(pid_t child)
{
	int status = 0;

	return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void forbid_system_calls(void)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { .len = 4, .filter = instructions };

	must(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
	must(!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "seccomp");
}

_Noreturn void stay(void)
{
	for (;;)
		pause();
}

void sleep_ms(unsigned ms)
{
	struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	nanosleep(&time, NULL);
}

unsigned long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (unsigned long)time.tv_sec * 1000 + (unsigned long)time.tv_nsec / 1000000;
}

/* ---- the command line ---- */

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{ "maps", scenario_maps },           { "operation", scenario_operation },
	{ "once", scenario_once },           { "slots", scenario_slots },
	{ "turns", scenario_turns },         { "deaths", scenario_deaths },
	{ "chaos", scenario_chaos },         { "stuck", scenario_stuck },
	{ "message", scenario_message },     { "hold", scenario_hold },
	{ "away", scenario_away },           { "leave", scenario_leave },
	{ "find", scenario_find },           { "reset", scenario_reset },
	{ "told", scenario_told },           { "looks", scenario_looks },
	{ "results", scenario_results },     { "own", scenario_own },
	{ "powerless", scenario_powerless }, { "asleep", scenario_asleep },
};

static bool run(const char *name)
{
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		if (strcmp(scenarios[i].name, name))
			continue;
		scenarios[i].run();
		printf("ok %s has ended\n", name);
		return true;
	}
	return false;
}

int main(int count, char **names)
{
	for (int i = 1; i < count; i++) {
		if (run(names[i]))
			continue;
		fprintf(stderr, "uio: there is no scenario %s\n", names[i]);
		return 2;
	}
	return all_ok ? 0 : 1;
}
