/* SPDX-License-Identifier: Apache-2.0 */
/* The words of published vectors (vectors.h). */
#ifndef SELFTEST_WORDS_H
#define SELFTEST_WORDS_H

#include <stdbool.h>

#include "../include/firesteel/types.h"

#define VECTOR_WORDS  12u
#define VECTOR_LINE   4096u
#define VECTOR_NUMBER 512u

struct vector {
	char line[VECTOR_LINE];
	const char *word[VECTOR_WORDS];
	unsigned words;
};

/* The next vector of that name from line `*at` on, which then is the line behind it */
bool vector_next(const char *name, unsigned *at, struct vector *vector);

/* A word as bytes in `bytes`, which is VECTOR_NUMBER long; if the number of digits is odd, the
 * first digit is a byte */
struct firesteel_bytes vector_bytes(const struct vector *vector, unsigned word,
				    uint8_t bytes[VECTOR_NUMBER]);

/* The words of a vector of the public-key engine as numbers */
#define VECTOR_VALUES 8u

struct values {
	size_t size; /* of operands, bytes */
	bool good; /* the engine must accept */
	struct firesteel_bytes of[VECTOR_VALUES];
	uint8_t bytes[VECTOR_VALUES][VECTOR_NUMBER];
};

/* The next vector of that name with operands of so many bytes, or of any (0), as of vector_next() */
bool vector_values(const char *name, size_t size, unsigned *at, struct values *values);

#endif
