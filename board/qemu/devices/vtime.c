/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of a board, see vtime.h.
 *
 * Upstream jumps over idle time on whichever thread finds the CPUs asleep.  A
 * timer that is armed meanwhile can then be skipped, and host timing leaks
 * in.  Here the vCPU thread alone moves virtual time, so that a board is a
 * function of its inputs.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-table.h"
#include "hw/firesteel/vtime.h"
#include "hw/firesteel/vtime-cpu.h"
#include "hw/firesteel/vtime-order.h"

#define RATE_MIN 1000000ULL

/*
 * A thousand instructions a nanosecond: what a budget of INT32_MAX ns and
 * years of virtual time hold is then far from the end of 64 bits.
 */
#define RATE_MAX 1000000000000ULL

bool vtime_set_rate(uint64_t rate, bool conflict, Error **errp)
{
    if (conflict) {
        error_setg(errp, "-icount rate=N goes with sleep=off and nothing else");
        return false;
    }
    if (rate < RATE_MIN || rate > RATE_MAX) {
        error_setg(errp,
                   "-icount rate=%" PRIu64 ": allowed are %llu to %llu "
                   "instructions per virtual second",
                   rate, RATE_MIN, RATE_MAX);
        return false;
    }
    vtime_rate_set(rate);
    return true;
}

bool vtime_count_cycles(const char *table, Error **errp)
{
    vtime_rate_refine(CYCLES_UNITS);
    return cycles_set_up(table, errp);
}

void vtime_stall(int64_t ns)
{
    VTimeCpu *clock = vtime_cpu(current_cpu);

    assert(vtime_has_rate() && ns >= 0);
    vtime_cpu_pass(clock, &clock->stalled_ns, clock->time_ns + ns);
    cpu_exit(current_cpu); /* timers may be due now */
}

void vtime_set_user_mode(bool user)
{
    VTimeCpu *clock = vtime_cpu(current_cpu);

    if (!vtime_has_rate() || user == clock->user) {
        return;
    }
    icount_update(current_cpu);
    vtime_cpu_set_user(clock, user);
}

VTimeReading vtime_read_cpu(unsigned i)
{
    VTimeCpu clock = vtime_order_clock(i);

    return (VTimeReading) {
        .time_ns = clock.time_ns,
        .instructions = clock.instructions,
        .idle_ns = clock.idle_ns,
        .stalled_ns = clock.stalled_ns,
        .waited_ns = clock.waited_ns,
        .user_ns = vtime_cpu_user(&clock),
        .cycle_units = cycles_on ? clock.work : 0,
    };
}

unsigned vtime_cpus_of_board(void)
{
    return vtime_cpu_count;
}

VTimeReading vtime_read(void)
{
    VTimeReading sum = { .time_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) };
    unsigned i;

    for (i = 0; i < vtime_cpu_count; i++) {
        VTimeReading cpu = vtime_read_cpu(i);

        sum.instructions += cpu.instructions;
        sum.idle_ns += cpu.idle_ns;
        sum.stalled_ns += cpu.stalled_ns;
        sum.waited_ns += cpu.waited_ns;
        sum.user_ns += cpu.user_ns;
        sum.cycle_units += cpu.cycle_units;
    }
    return sum;
}
