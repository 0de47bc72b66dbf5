/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets and losses of power aimed at a core while a program uses it: tasks of all kinds are done again and
 * again, and each answer is compared with software's.
 *
 * Time is virtual: it goes on when somebody looks at it, and skips the second for which the library leaves a
 * core alone that has failed.
 */
#ifndef FSP_TESTS_AIMED_RESETS_H
#define FSP_TESTS_AIMED_RESETS_H

#include "unit.h"

/* What became of a task */
struct aimed_tally {
	const char *name, *work; /* the latter as the statistics name it */
	unsigned done, wrong;
	unsigned long long core, failed; /* done by the core, and left to software by it */
};

/* A core and what is asked of it; tasks are numbered from 0 */
struct aimed_core {
	const char *options; /* of the model, without the faults */
	const char *aims[4]; /* how the model's faults choose what they strike */
	unsigned tasks;
	struct unit *unit; /* opened anew for each aim */
	struct aimed_tally *(*tally)(unsigned task);
	void (*prepare)(unsigned task); /* in a unit just opened: what software answers */
	bool (*right)(unsigned task); /* does it; whether it came out as by software */
	void (*release)(unsigned task); /* what was prepared; NULL: nothing to release */
};

/* Aims in all ways and prints all tallies; main()'s status: 0 if enough was tried and nothing wrong */
int aimed_resets(const struct aimed_core *core);

#endif
