/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request of every kind, with the answer that a sound core gives; and what came of one that was
 * struck.  For programs that are linked with all of the library and with nothing else.
 */
#ifndef FS_TESTS_AIMED_CASES_H
#define FS_TESTS_AIMED_CASES_H

#include <stdbool.h>

#include "operands.h"

#define AIMED_CASES_MAX 32u
#define AIMED_OUT_SIZE  128u

struct aimed_case {
	const char *name;
	struct firesteel_request request;
	int answer; /* FIRESTEEL_OK, SIGNATURE, TAG or REFUSED */
	uint8_t out[AIMED_OUT_SIZE]; /* with that answer */
};

/* Where requests write */
extern uint8_t aimed_out[AIMED_OUT_SIZE];

/* Fills the array by a device that is sound; returns how many there are, 0 if an answer was wrong.
 * Those of the public-key core, and those of CryptoMaster, without what the device says that it lacks. */
size_t aimed_cases(struct firesteel *device, struct aimed_case cases[AIMED_CASES_MAX]);
size_t aimed_messages(struct firesteel *device, struct aimed_case cases[AIMED_CASES_MAX]);

/* Learns what a sound device writes; false: it does not answer as the case has it */
bool aimed_try(struct firesteel *device, struct aimed_case *at);

enum aimed_outcome {
	AIMED_ANSWERED, /* with the right answer */
	AIMED_WITHHELD, /* with an error that means software, and nothing written */
	AIMED_WRONG,
};

/* Runs a request; `*error` is what it returned */
enum aimed_outcome aimed_run(struct firesteel *device, const struct aimed_case *at, int *error);

/* Makes the device as it was when it was opened: it leaves no core alone */
void aimed_recover(struct firesteel *device);

#endif
