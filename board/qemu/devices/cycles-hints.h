/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of the cost model's caches that translated code reads, see
 * cycles-cache.h.
 */
#ifndef FIRESTEEL_CYCLES_HINTS_H
#define FIRESTEEL_CYCLES_HINTS_H

#define CYCLES_LINE_BITS_LEAST 5

/* A line has 2^cycles_line_bits bytes; does not change once the CPU runs */
extern unsigned cycles_line_bits;

#define CYCLES_HINTS 4096 /* a power of two, not less than a page has lines */

/* Line X is in the first level if it stands at X % CYCLES_HINTS */
typedef struct CyclesHints {
    uint32_t fetched[CYCLES_HINTS]; /* lines of RAM */
    uint64_t accessed[CYCLES_HINTS]; /* virtual lines */
} CyclesHints;

#endif
