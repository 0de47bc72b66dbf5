/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long instructions of 64-bit ARM make those behind them wait, on a
 * processor that issues two a cycle, in order.
 */
#ifndef FIRESTEEL_CYCLES_A64_WAIT_H
#define FIRESTEEL_CYCLES_A64_WAIT_H

#include "hw/firesteel/cycles-classes.h"

/* As many instructions as issue while the slowest result is awaited */
#define CYCLES_A64_WINDOW 12

/*
 * What the first of @count instructions in a row costs, one at the least and
 * CYCLES_A64_WINDOW at the most: its class, and what waiting for it adds.  It
 * does not depend on what is before it, so a row may begin anywhere.
 */
CyclesCost cycles_a64_cost(const uint32_t *insns, unsigned count);

/* Can instructions behind @insn be another's? */
bool cycles_a64_ends_row(uint32_t insn);

#endif
