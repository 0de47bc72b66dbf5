/* SPDX-License-Identifier: Apache-2.0 */
/* A request of every kind, with the answer that a core without faults gives. */
#ifndef FS_TESTS_AIMED_CASES_H
#define FS_TESTS_AIMED_CASES_H

#include <stdbool.h>

#include "unit.h"

#define AIMED_CASES_MAX 32u
#define AIMED_OUT_SIZE  128u

struct aimed_case {
	const char *name;
	struct firesteel_request request; /* writes to aimed_out */
	int answer; /* FIRESTEEL_OK, SIGNATURE or REFUSED */
	uint8_t out[AIMED_OUT_SIZE]; /* with that answer */
};

/* Where requests write; before each it is filled by aimed_clear() */
extern uint8_t aimed_out[AIMED_OUT_SIZE];

void aimed_clear(void);
bool aimed_is_clear(void);

/* Fills the array by a core without faults and returns how many there are */
size_t aimed_cases(struct aimed_case cases[AIMED_CASES_MAX]);

#endif
