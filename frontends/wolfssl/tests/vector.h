/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Files of vectors: words in a line, most of them bytes in hexadecimal. */
#ifndef FSW_TESTS_VECTOR_H
#define FSW_TESTS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VECTOR_WORDS   10u
#define VECTOR_LARGEST 65536u

struct vector {
	char *word[VECTOR_WORDS]; /* NULL behind the last one */
	uint8_t *bytes[VECTOR_WORDS]; /* of words that are bytes; "-" is none */
	size_t size[VECTOR_WORDS];
};

/* Ends the program with file and line unless it holds */
#define VECTOR_CHECK(condition) vector_check(condition, #condition)
void vector_check(bool holds, const char *condition);

/* Calls `run` with each line of a file; how often it said that it tried the line */
unsigned vectors_run(const char *path, bool (*run)(const struct vector *vector));

/* Bytes with zeros in front, or without some, to a size; false: there are others */
bool vector_pad(const struct vector *vector, unsigned word, uint8_t *out, size_t size);

#endif
