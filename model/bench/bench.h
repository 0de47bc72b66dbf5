/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * The model's speed against the libraries that it rests on, called directly: each comparison
 * times both in turns within one run and prints their ratio.
 */
#ifndef SILEX_BENCH_H
#define SILEX_BENCH_H

#include <stdint.h>

/* The same work done `count` times, by the model or directly */
typedef void (*bench_work)(void *state, unsigned count);

struct comparison {
	const char *name;
	double wanted; /* least ratio of the model's speed to the direct one's; 0: none is set */
	bench_work model;
	bench_work direct;
	void *state;
};

/* Prints a line; returns 0, or 1 when the ratio is less than wanted */
int bench_compare(const struct comparison *comparison);

/* The model under test: zero-time, with 1 MiB of memory that it may map */
#define BENCH_MEMORY_BASE 0x100000u
#define BENCH_MEMORY_SIZE 0x100000u
extern uint8_t bench_memory[BENCH_MEMORY_SIZE];
struct silex_model *bench_model(void);

/* The comparisons of a kind; each returns how many missed what is wanted */
int bench_symmetric(void);
int bench_public_key(void);

#endif
