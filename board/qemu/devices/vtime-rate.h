/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rate of virtual time: how many instructions, or units of cycles.h, a CPU
 * executes in a virtual second.
 */
#ifndef FIRESTEEL_VTIME_RATE_H
#define FIRESTEEL_VTIME_RATE_H

/* Was "-icount rate=N" given? */
bool vtime_has_rate(void);

/* Set the rate to @units per virtual second */
void vtime_rate_set(uint64_t units);

/* Count units that are @factor times as small */
void vtime_rate_refine(uint64_t factor);

/*
 * Nanoseconds that @insns instructions (units of cycles.h) take, rounded down
 */
int64_t vtime_insns_to_ns(int64_t insns);

/*
 * The least number of instructions (units) that takes at least @ns nanoseconds
 */
int64_t vtime_ns_to_insns(int64_t ns);

#endif
