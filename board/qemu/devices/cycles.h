/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cost model: the board's clock counts cycles of a processor instead of
 * instructions.
 *
 * Each instruction costs what its class costs; misses of modelled caches
 * (cycles-cache.h) and exceptions cost more.  The unit is an eighth of a
 * cycle.  All of it is switched on by "-icount rate=HERTZ,cycles=TABLE";
 * without that option a board counts instructions.
 *
 * A block of translated code is charged as a whole when it is entered, and
 * gives back what it has not executed when an exception cuts it short.  The CPU
 * looks for a deadline where blocks begin, so blocks end at places that the
 * guest's code alone determines: at its branches, at its accesses to devices,
 * and at each CYCLES_BLOCK_BYTES of its addresses.  What an execution costs,
 * and when it is interrupted, then follows from the guest alone: not from the
 * translator's buffer, nor from whatever else makes it cut a block.
 */
#ifndef FIRESTEEL_CYCLES_H
#define FIRESTEEL_CYCLES_H

#include "hw/core/cpu.h"
#include "hw/firesteel/cycles-classes.h"

#define CYCLES_UNITS 8 /* of a cycle */
#define CYCLES_BLOCK_BYTES 128

/* Instructions that no grant leaves room for */
#define CYCLES_UNLIMITED (INT64_C(1) << 40)

/* Is there a table?  Does not change once the CPU runs. */
extern bool cycles_on;

/* Are instructions counted by class, too? */
extern bool cycles_counted;

/* Does the table have what only 64-bit ARM knows? */
extern bool cycles_a64;

/* Units */
extern uint16_t cycles_weight[CYCLES_CLASS_COUNT];

/* Events; instructions, if they are counted */
extern uint64_t cycles_count[CYCLES_CLASS_COUNT];

/* The name of a class in the table */
const char *cycles_name(unsigned class);

/* Units since power-on, without those of the CPU's current run */
int64_t cycles_total(void);

/* Let the CPU run for @units from now on, then look for the deadline */
void cycles_grant(CPUState *cpu, int64_t units);

/* Move what the CPU has spent of its grant to the total; how much that was */
int64_t cycles_settle(CPUState *cpu);

/* From now on snapshots have the sums */
void cycles_keep(void);

/* The grant is spent, and the CPU is where a block of the guest's begins */
static inline bool cycles_over(const CPUState *cpu)
{
    return cycles_on && cpu->neg.cycles_left < 0;
}

/* An event has come */
static inline void cycles_charge(CPUState *cpu, unsigned event)
{
    cycles_count[event]++;
    cpu->neg.cycles_left -= cycles_weight[event];
}

/* The CPU takes an exception: what follows begins a block */
static inline void cycles_exception(CPUState *cpu)
{
    if (cycles_on) {
        cpu->neg.cycles_inside = false;
        cycles_charge(cpu, CYCLES_EXCEPTION);
    }
}

#endif
