/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Lists of jobs whose bytes lie about in memory: each item is cut at random places, each piece
 * put at a random alignment.
 */
#ifndef SILEX_TESTS_DESCRIPTORS_H
#define SILEX_TESTS_DESCRIPTORS_H

#include "dice.h"
#include "driver.h"

#define DESCRIPTORS_MAX 400u
#define PIECES_MAX      8u

/* Bytes that lie in pieces */
struct pieces {
	unsigned count;
	struct {
		uint32_t offset;
		uint32_t size;
	} piece[PIECES_MAX];
};

struct jobs {
	struct bus *bus;
	struct dice *dice;
	bool wide; /* descriptors of 64-bit hosts */
	bool split; /* at random places; else each item in one piece */
	uint32_t free; /* the first free offset in memory */
	struct item fetch[DESCRIPTORS_MAX];
	unsigned fetches;
	struct item push[DESCRIPTORS_MAX];
	unsigned pushes;
};

void jobs_begin(struct jobs *jobs, struct bus *bus, struct dice *dice);

/* Bytes for configuration registers */
void jobs_config(struct jobs *jobs, uint32_t engine, unsigned offset, const void *bytes,
		 size_t size);

/* The configuration word of an engine, which begins a message */
void jobs_word(struct jobs *jobs, uint32_t engine, uint32_t word);

/* A data item, filled up with invalid bytes to a multiple of `unit`, an empty one to one unit;
 * returns where its bytes lie */
struct pieces jobs_data(struct jobs *jobs, uint32_t tag, const void *bytes, size_t size,
			unsigned unit);

/* The next `size` bytes that come out; to other places, or to those of an item */
struct pieces jobs_output(struct jobs *jobs, size_t size);
void jobs_output_to(struct jobs *jobs, const struct pieces *pieces);
void jobs_discard(struct jobs *jobs, size_t size);

/* Writes the lists, starts them and waits; returns INT_STAT_RAW */
uint32_t jobs_run(struct jobs *jobs);

void jobs_gather(struct jobs *jobs, const struct pieces *pieces, void *bytes);

#endif
