/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program and waits for it and for all processes that it has started. */
#ifndef FSP_CHECK_RUN_H
#define FSP_CHECK_RUN_H

/* Statuses of this command, as of env(1) and the like */
#define RUN_FAILED    125 /* something else than the program went wrong */
#define RUN_NOT_BEGUN 126 /* the program cannot be executed */
#define RUN_NOT_FOUND 127 /* there is no such program */
#define RUN_BY_SIGNAL 128 /* and the signal's number: that ended the program */

/*
 * Returns the exit status that a shell would report.  If the program has not begun, it prints a
 * message and returns RUN_NOT_BEGUN or RUN_NOT_FOUND.
 *
 * SIGTERM and SIGHUP are passed to the program.  After its end, they and SIGINT end the wait for
 * the processes that it left running.
 */
int run(char *const command[]);

#endif
