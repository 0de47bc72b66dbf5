/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of a board: a fixed number of instructions per virtual second,
 * plus the time the CPU slept, plus the time slow registers cost it.
 *
 * At every instant (in ns since power-on)
 *
 *     time = instructions / rate + idle + stalled
 *
 * Virtual time counts instructions, not cycles: it knows no cache and no
 * pipeline.  All of it is switched on by "-icount rate=N"; without that option
 * QEMU behaves as upstream.
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
} VTimeReading;

/* Was "-icount rate=N" given? */
bool vtime_has_rate(void);

/*
 * Set the rate in instructions per virtual second, 10^6 to 10^12.
 * @conflict: another option of -icount was given, which is an error.
 */
bool vtime_set_rate(uint64_t rate, bool conflict, Error **errp);

/* Nanoseconds that @insns instructions take, rounded down */
int64_t vtime_insns_to_ns(int64_t insns);

/* The least number of instructions that takes at least @ns nanoseconds */
int64_t vtime_ns_to_insns(int64_t ns);

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
