/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The operations that public drivers start on BA414E, with the slots that each of them uses. */
#ifndef SILEX_TESTS_CONFORMANCE_OPERATIONS_H
#define SILEX_TESTS_CONFORMANCE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OPERANDS 10u
#define RESULTS  3u

struct operand {
	unsigned slot;
	const char *digits; /* of a number; NULL after the last operand */
};

struct operation {
	const char *source;
	const char *name;
	uint32_t command; /* without size and byte order */
	uint32_t pointers; /* 0: not written */
	size_t size;
	bool little;
	struct operand operand[OPERANDS];
	struct operand result[RESULTS];
	uint32_t errors;
};

extern const struct operation conformance_operations[];
extern const unsigned conformance_operation_count;

#endif
