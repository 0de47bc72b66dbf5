/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which a board's CPUs run, on the one thread that they have.
 *
 * The thread runs the CPU that is behind all others, until it is a quantum
 * ahead of the next one, or until the board's next timer is due.  A CPU that is
 * alone runs from timer to timer.  The board's clock is that of the CPU which is
 * behind all others; while all of them sleep, it goes on to the next timer.
 *
 * A CPU that accesses a device or reads a counter of time first lets all others
 * come up: the instruction is taken back, and executed again when they have.  So
 * devices and counters see what CPUs do in the order of virtual time.  What
 * CPUs tell each other through memory alone is at most a quantum early or late,
 * and so is an interrupt at a CPU that is ahead of its sender.
 *
 * A turn ends where virtual time says, whatever else makes a CPU leave the loop:
 * so the order follows from the guest alone.
 *
 * With a seed the order varies, so that a race of the guest shows under some
 * seed, each time.  Any CPU may run that is less than a quantum ahead of the one
 * that is behind all others, for as long as it stays so or shorter; the seed's
 * sequence of numbers chooses.  All else holds: clocks are apart by at most the
 * quantum, and accesses to devices wait until all others have come up.  Until
 * the guest is ready the order is the usual one, so that all seeds can start from
 * one snapshot.
 */
#ifndef FIRESTEEL_VTIME_ORDER_H
#define FIRESTEEL_VTIME_ORDER_H

#include "hw/core/cpu.h"
#include "hw/firesteel/vtime-cpu.h"

#define VTIME_QUANTUM 2000 /* ns */

/* Set the quantum, in ns, and the seed of the order; 0: the order does not vary */
bool vtime_order_set(uint64_t quantum, uint64_t seed, Error **errp);

/*
 * The guest is ready, or was when it was saved: with a seed the order varies
 * from now on
 */
void vtime_order_vary(void);

/* The clock of the CPU that runs, or the board's */
int64_t vtime_now(void);

/* The clock of the CPU @i at vtime_now(), until which it may have slept */
VTimeCpu vtime_order_clock(unsigned i);

/* ---- for the thread of the CPUs ---- */

typedef enum {
    VTIME_RUN,
    VTIME_TIMERS, /* timers are due */
    VTIME_WAIT, /* nothing happens in virtual time */
} VTimeNext;

/*
 * What comes next; for VTIME_RUN, which CPU, and how many instructions it may
 * execute.  With the BQL.
 */
VTimeNext vtime_order_next(CPUState **cpu, int64_t *budget);

/*
 * The CPU has left the loop.  True if it is another one's turn and nothing else
 * is to be done before: then @cpu and @budget are the next ones.
 */
bool vtime_order_left(CPUState **cpu, int64_t *budget);

/* ---- for what CPUs do ---- */

/*
 * The CPU is about to access a device or to read a counter, in code that was
 * called from @retaddr: does not return unless all others have come up
 */
void vtime_order_access(CPUState *cpu, uintptr_t retaddr);

/* The CPU has got an interrupt */
void vtime_order_interrupt(CPUState *cpu);

/* The CPU waits for an event, if there are others that could send it */
void vtime_order_wait_for_event(CPUState *cpu);

/* The CPU that runs sends an event to all others */
void vtime_order_send_event(void);

/* Power-off or a reset has been asked for: all clocks stand still */
void vtime_order_end(void);

#endif
