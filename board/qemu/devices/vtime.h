/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of a board: what its CPUs have executed, plus the time that they
 * slept, plus the time that slow registers cost them.
 *
 * What is executed counts in instructions, or with a cost model (cycles.h) in
 * cycles: "-icount rate=N" is instructions per virtual second, "-icount
 * rate=N,cycles=TABLE" cycles.  Without these options QEMU behaves as
 * upstream.
 *
 * Files: vtime-rate.c instructions and nanoseconds, vtime-cpu.c the clock of a
 * CPU, vtime-order.c which CPU runs, vtime.c what others ask.
 */
#ifndef FIRESTEEL_VTIME_H
#define FIRESTEEL_VTIME_H

#include "hw/firesteel/vtime-rate.h"

/* One consistent reading of a CPU's clock, or of all CPUs' together */
typedef struct VTimeReading {
    int64_t time_ns;        /* virtual time since power-on, not a sum */
    int64_t instructions;   /* executed since power-on */
    int64_t idle_ns;        /* the CPU waited for an interrupt */
    int64_t stalled_ns;     /* charged by vtime_stall() */
    int64_t waited_ns;      /* the CPU waited for an event of another one */
    int64_t user_ns;        /* in user mode (exception level 0) */
    int64_t cycle_units;    /* executed since power-on (cycles.h); 0 without a
                             * cost model */
} VTimeReading;

/*
 * Set the rate in instructions per virtual second, 10^6 to 10^12.
 * @conflict: another option of -icount was given, which is an error.
 */
bool vtime_set_rate(uint64_t rate, bool conflict, Error **errp);

/*
 * Let cycles count, by the cost model of @table, at the rate that has been set
 */
bool vtime_count_cycles(const char *table, Error **errp);

/*
 * Let @ns of virtual time pass on the CPU for the register access that is being
 * handled.  In MMIO handlers only.
 */
void vtime_stall(int64_t ns);

/* The CPU enters or leaves user mode; called by the CPU model */
void vtime_set_user_mode(bool user);

/* Read all clocks at one instant */
VTimeReading vtime_read(void);

/* The number of CPUs */
unsigned vtime_cpus_of_board(void);

/*
 * Read the clock of the CPU @i.  It is at most a quantum (vtime-order.h) ahead
 * of the board's.
 */
VTimeReading vtime_read_cpu(unsigned i);

#endif
