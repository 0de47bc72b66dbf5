/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks of a board's CPUs in virtual time.  Each has one of its own, and
 * at every instant (in ns since power-on)
 *
 *     time = work / rate + idle + stalled + waited
 *
 * holds for it to the nanosecond.  Which CPU runs, and so how far the clocks
 * are apart, is up to vtime-order.h.
 */
#ifndef FIRESTEEL_VTIME_CPU_H
#define FIRESTEEL_VTIME_CPU_H

#include "hw/core/cpu.h"
#include "hw/firesteel/cycles-cache.h"

#define VTIME_CPUS_MAX CYCLES_CPUS_MAX

typedef struct VTimeCpu {
    CPUState *cpu;
    int64_t time_ns;        /* the sum, kept as it is asked for so often */
    int64_t work;           /* executed: instructions, or units of cycles.h */
    int64_t instructions;
    int64_t idle_ns;        /* it waited for an interrupt */
    int64_t stalled_ns;     /* slow registers cost it this */
    int64_t waited_ns;      /* it waited for an event: WFE */
    int64_t user_ns;        /* in user mode, until it was entered last */
    int64_t user_since;
    bool user;
} VTimeCpu;

/* By the CPUs' index */
extern VTimeCpu vtime_cpus[VTIME_CPUS_MAX];
extern unsigned vtime_cpu_count;

/* A CPU has been made */
void vtime_cpu_add(CPUState *cpu);

/* Are there several CPUs, in virtual time?  Known before any of them runs. */
static inline bool vtime_several(void)
{
    return vtime_cpu_count > 1;
}

static inline VTimeCpu *vtime_cpu(const CPUState *cpu)
{
    return &vtime_cpus[cpu->cpu_index];
}

/*
 * The CPU has executed so many instructions since this was said last: fewer
 * than none if the last of them is taken back
 */
void vtime_cpu_executed(CPUState *cpu, int64_t instructions);

/* Time goes on to @until, unless it is past it; for @sum, one of the clock's */
void vtime_cpu_pass(VTimeCpu *clock, int64_t *sum, int64_t until);

/* The CPU enters or leaves user mode now */
void vtime_cpu_set_user(VTimeCpu *clock, bool user);

/* Time in user mode until now */
int64_t vtime_cpu_user(const VTimeCpu *clock);

#endif
