/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Checks that end the program, and numbers. */
#ifndef FSW_TESTS_CHECK_H
#define FSW_TESTS_CHECK_H

#include <stdbool.h>
#include <stddef.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Ends the program with place and condition unless it holds */
#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)
void check(bool holds, const char *condition, const char *file, int line);

/* Numbers that look random, the same each time and in each thread */
unsigned unit_random(unsigned below);
void unit_fill(void *bytes, size_t size);

#endif
