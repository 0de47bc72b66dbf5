/* SPDX-License-Identifier: Apache-2.0 */
#include "check/run.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the program ---- */

/* How the program finds signals: as this one did */
struct signals {
	sigset_t mask;
	struct sigaction child;
};

/* In the child: the program, or why not into the pipe */
static void execute(char *const command[], const struct signals *before, int pipe)
{
	int error;

	sigaction(SIGCHLD, &before->child, NULL);
	sigprocmask(SIG_SETMASK, &before->mask, NULL);
	execvp(command[0], command);
	error = errno;
	if (write(pipe, &error, sizeof(error)) < 0)
		_exit(RUN_FAILED);
	_exit(RUN_NOT_BEGUN);
}

/* Its process, or -1 with errno */
static pid_t start(char *const command[], const struct signals *before)
{
	int ends[2], error = 0;
	ssize_t got;
	pid_t program;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	program = fork();
	if (program == 0)
		execute(command, before, ends[1]);
	close(ends[1]);
	/* The end, once the program has begun */
	do
		got = program > 0 ? read(ends[0], &error, sizeof(error)) : 0;
	while (got < 0 && errno == EINTR);
	close(ends[0]);
	if (got != sizeof(error))
		return program;
	waitpid(program, NULL, 0);
	errno = error;
	return -1;
}

/* ---- its end, and that of others ---- */

struct wait {
	pid_t program;
	int status; /* once it has ended */
	bool ended;
};

/* Takes those that have ended; false: there is none left */
static bool take_ended(struct wait *wait)
{
	pid_t child;
	int status;

	while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
		if (child != wait->program)
			continue;
		wait->ended = true;
		wait->status = WIFSIGNALED(status) ? RUN_BY_SIGNAL + WTERMSIG(status)
						   : WEXITSTATUS(status);
	}
	return child == 0;
}

static void wait_for_all(struct wait *wait, const sigset_t *signals)
{
	bool told = false;

	while (take_ended(wait)) {
		int signal;

		if (wait->ended && !told)
			warnx("the program has ended, and has left others running; interrupt to see "
			      "what was done until now");
		told = wait->ended;
		signal = sigwaitinfo(signals, NULL);
		if (signal < 0 || signal == SIGCHLD)
			continue;
		if (wait->ended)
			return;
		/* The terminal sends the other ones to all of its processes by itself */
		if (signal == SIGTERM || signal == SIGHUP)
			kill(wait->program, signal);
	}
}

int run(char *const command[])
{
	static const int taken[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	const struct sigaction usual = { .sa_handler = SIG_DFL };
	struct wait wait = { 0 };
	struct signals before;
	sigset_t signals;

	sigemptyset(&signals);
	for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		sigaddset(&signals, taken[i]);
	sigprocmask(SIG_BLOCK, &signals, &before.mask);
	/* where it is ignored, children vanish and say nothing */
	sigaction(SIGCHLD, &usual, &before.child);
	/* What a daemon leaves behind is ours to wait for */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	wait.program = start(command, &before);
	if (wait.program < 0) {
		int error = errno;

		warn("%s", command[0]);
		return error == ENOENT ? RUN_NOT_FOUND : RUN_NOT_BEGUN;
	}
	wait_for_all(&wait, &signals);
	return wait.status;
}
