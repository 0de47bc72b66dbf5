/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time of a board, see vtime.h.
 *
 * Upstream jumps over idle time on whichever thread finds the CPU asleep.  A
 * timer that is armed meanwhile can then be skipped, and host timing leaks
 * in.  Here the vCPU thread alone moves virtual time, so that a board is a
 * function of its inputs.
 */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/seqlock.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "system/cpu-timers.h"
#include "system/cpu-timers-internal.h"
#include "migration/vmstate.h"
#include "system/runstate.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-table.h"
#include "hw/firesteel/vtime.h"

#define RATE_MIN 1000000ULL

/*
 * A thousand instructions a nanosecond: what a budget of INT32_MAX ns and
 * years of virtual time hold is then far from the end of 64 bits.
 */
#define RATE_MAX 1000000000000ULL

/* Instructions that no deadline leaves room for */
#define UNLIMITED (INT64_C(1) << 40)

typedef struct VTime {
    uint64_t ns;            /* ns / insns: the reduced ratio of the rate */
    uint64_t insns;         /* 0: no rate, all of this is off */
    int64_t idle_ns;
    int64_t stalled_ns;
    int64_t user_ns;
    int64_t user_since;
    int64_t budget; /* instructions or units, until the next deadline */
    bool user;
} VTime;

static VTime vtime;

static const VMStateField fields[] = {
    VMSTATE_INT64(idle_ns, VTime), VMSTATE_INT64(stalled_ns, VTime),
    VMSTATE_INT64(user_ns, VTime), VMSTATE_INT64(user_since, VTime),
    VMSTATE_BOOL(user, VTime),     VMSTATE_END_OF_LIST(),
};

static const VMStateDescription vmstate = {
    .name = "firesteel-vtime",
    .fields = fields,
};

bool vtime_has_rate(void)
{
    return vtime.insns;
}

static uint64_t greatest_common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

static void set_ratio(uint64_t rate)
{
    uint64_t divisor = greatest_common_divisor(NANOSECONDS_PER_SECOND, rate);

    vtime.ns = NANOSECONDS_PER_SECOND / divisor;
    vtime.insns = rate / divisor;
}

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
    set_ratio(rate);
    vmstate_register(NULL, 0, &vmstate, &vtime);
    return true;
}

bool vtime_count_cycles(const char *table, Error **errp)
{
    set_ratio(vtime.insns * (NANOSECONDS_PER_SECOND / vtime.ns) * CYCLES_UNITS);
    return cycles_set_up(table, errp);
}

/* @a * @b / @c over 128 bits, rounded; upstream's factors have 32 bits */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c, bool round_up)
{
    uint64_t low, high, rest;

    mulu64(&low, &high, a, b);
    rest = divu128(&low, &high, c);
    return low + (round_up && rest);
}

int64_t vtime_insns_to_ns(int64_t insns)
{
    return scaled(insns, vtime.ns, vtime.insns, false);
}

int64_t vtime_ns_to_insns(int64_t ns)
{
    return scaled(ns, vtime.insns, vtime.ns, true);
}

int64_t vtime_budget(int64_t deadline)
{
    int64_t executed = cycles_on ? cycles_total()
                                 : qatomic_read_i64(&timers_state.qemu_icount);

    vtime.budget = vtime_ns_to_insns(vtime_insns_to_ns(executed) + deadline) -
                   executed;
    if (cycles_on) {
        return vtime.budget > 0 ? UNLIMITED : 0;
    }
    return vtime.budget;
}

void vtime_grant(CPUState *cpu)
{
    if (cycles_on) {
        cycles_grant(cpu, vtime.budget);
    }
}

static void advance(int64_t ns)
{
    seqlock_write_lock(&timers_state.vm_clock_seqlock,
                       &timers_state.vm_clock_lock);
    qatomic_set_i64(&timers_state.qemu_icount_bias,
                    timers_state.qemu_icount_bias + ns);
    seqlock_write_unlock(&timers_state.vm_clock_seqlock,
                         &timers_state.vm_clock_lock);
}

bool vtime_skip_idle(void)
{
    int64_t deadline;

    /*
     * Once the guest has asked for power-off, its clock stands still: how
     * soon the main loop stops the machine is up to the host.  The same goes
     * for a CPU that has stopped to be saved.
     */
    if (!vtime_has_rate() || cpu_is_stopped(first_cpu) ||
        qemu_shutdown_requested_get() || qemu_reset_requested_get()) {
        return false;
    }
    deadline = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                          ~QEMU_TIMER_ATTR_EXTERNAL);
    if (deadline < 0) {
        return false;
    }
    advance(deadline);
    vtime.idle_ns += deadline;
    return true;
}

void vtime_stall(int64_t ns)
{
    assert(current_cpu && vtime_has_rate() && ns >= 0);
    advance(ns);
    vtime.stalled_ns += ns;
    cpu_exit(current_cpu); /* timers may be due now */
}

void vtime_set_user_mode(bool user)
{
    int64_t now;

    if (!vtime_has_rate() || user == vtime.user) {
        return;
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    if (vtime.user) {
        vtime.user_ns += now - vtime.user_since;
    }
    vtime.user = user;
    vtime.user_since = now;
}

VTimeReading vtime_read(void)
{
    VTimeReading reading = {
        .time_ns = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL),
        .instructions = icount_get_raw(),
        .idle_ns = vtime.idle_ns,
        .stalled_ns = vtime.stalled_ns,
        .user_ns = vtime.user_ns,
        .cycle_units = cycles_on ? cycles_total() : 0,
    };

    if (vtime.user) {
        reading.user_ns += reading.time_ns - vtime.user_since;
    }
    return reading;
}
