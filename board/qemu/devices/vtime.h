/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of a board: what its CPU has executed, plus the time the CPU
 * slept, plus the time slow registers cost it.
 *
 * At every instant (in ns since power-on)
 *
 *     time = executed / rate + idle + stalled
 *
 * What is executed counts in instructions, or with a cost model (cycles.h) in
 * cycles: "-icount rate=N" is instructions per virtual second, "-icount
 * rate=N,cycles=TABLE" cycles.  Without these options QEMU behaves as
 * upstream.
 */
#ifndef FIRESTEEL_VTIME_H
#define FIRESTEEL_VTIME_H

/* One consistent reading of all clocks of the board */
typedef struct VTimeReading {
    int64_t time_ns;        /* virtual time since power-on */
    int64_t instructions;   /* executed since power-on */
    int64_t idle_ns;        /* the CPU waited for an interrupt */
    int64_t stalled_ns;     /* charged by vtime_stall() */
    int64_t user_ns;        /* in user mode (exception level 0) */
    int64_t cycle_units;    /* executed since power-on (cycles.h); 0 without a
                             * cost model */
} VTimeReading;

/* Was "-icount rate=N" given? */
bool vtime_has_rate(void);

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
 * Nanoseconds that @insns instructions (units of cycles.h) take, rounded down
 */
int64_t vtime_insns_to_ns(int64_t insns);

/*
 * The least number of instructions (units) that takes at least @ns nanoseconds
 */
int64_t vtime_ns_to_insns(int64_t ns);

/*
 * How many instructions the CPU may execute until @deadline ns from now, at
 * least: not the less for what it has executed of the current nanosecond.  0 if
 * it may execute none.  With a cost model the deadline is in vtime_grant().
 */
int64_t vtime_budget(int64_t deadline);

/* The CPU is about to run with what vtime_budget() has said last */
void vtime_grant(CPUState *cpu);

/*
 * The CPU is idle: jump to the next timer and count the jump as idle time.
 * False when there is nothing to jump to, or when the board is stopping.
 * On the vCPU thread with the BQL held.
 */
bool vtime_skip_idle(void);

/*
 * Let @ns of virtual time pass on the CPU for the register access that is being
 * handled.  In MMIO handlers only.
 */
void vtime_stall(int64_t ns);

/* The CPU enters or leaves user mode; called by the CPU model */
void vtime_set_user_mode(bool user);

/* Read all clocks at one instant */
VTimeReading vtime_read(void);

#endif
