/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What public drivers do with the cores, as tables of accesses: written from facts, with no line of
 * theirs.  Each access is also given to the checker of rules, which these tables must keep.
 */
#ifndef SILEX_TESTS_CONFORMANCE_H
#define SILEX_TESTS_CONFORMANCE_H

#include "bus.h"
#include "rules.h"

/* A part, as its profile has it, with microcode if it wants one */
struct part {
	const char *profile;
	struct bus *bus;
	struct silex_rules rules;
	bool bytes; /* operand RAM takes bytes */
};

/* Calls `check` with each part in turn, then ends the test if a rule was broken */
void conformance_each(void (*check)(struct part *part));

uint32_t conformance_read(struct part *part, uint32_t offset);
void conformance_write(struct part *part, uint32_t offset, uint32_t value);

/* Bytes from hexadecimal digits; returns how many */
size_t conformance_hex(const char *digits, uint8_t *bytes, size_t size);

#endif
