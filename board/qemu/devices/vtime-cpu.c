/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of CPUs, see vtime-cpu.h. */
#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "qemu/error-report.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/vtime-cpu.h"
#include "hw/firesteel/vtime-rate.h"

VTimeCpu vtime_cpus[VTIME_CPUS_MAX];
unsigned vtime_cpu_count;

static void add_up(VTimeCpu *clock)
{
    clock->time_ns = vtime_insns_to_ns(clock->work) + clock->idle_ns +
                     clock->stalled_ns + clock->waited_ns;
}

static int loaded(void *opaque, int version)
{
    add_up(opaque);
    return 0;
}

static const VMStateField fields[] = {
    VMSTATE_INT64(work, VTimeCpu),
    VMSTATE_INT64(instructions, VTimeCpu),
    VMSTATE_INT64(idle_ns, VTimeCpu),
    VMSTATE_INT64(stalled_ns, VTimeCpu),
    VMSTATE_INT64(waited_ns, VTimeCpu),
    VMSTATE_INT64(user_ns, VTimeCpu),
    VMSTATE_INT64(user_since, VTimeCpu),
    VMSTATE_BOOL(user, VTimeCpu),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription vmstate = {
    .name = "firesteel-vtime-cpu",
    .post_load = loaded,
    .fields = fields,
};

void vtime_cpu_add(CPUState *cpu)
{
    if (!vtime_has_rate()) {
        return;
    }
    if (vtime_cpu_count == VTIME_CPUS_MAX) {
        error_report("-smp: in virtual time a board has at most %d CPUs",
                     VTIME_CPUS_MAX);
        exit(1);
    }
    assert(cpu->cpu_index == vtime_cpu_count);
    vtime_cpus[vtime_cpu_count] = (VTimeCpu) { .cpu = cpu };
    vmstate_register(NULL, vtime_cpu_count, &vmstate,
                     &vtime_cpus[vtime_cpu_count]);
    vtime_cpu_count++;
    if (cycles_on) {
        cycles_cache_add(cpu);
    }
}

void vtime_cpu_executed(CPUState *cpu, int64_t instructions)
{
    VTimeCpu *clock = vtime_cpu(cpu);

    clock->instructions += instructions;
    clock->work += cycles_on ? cycles_settle(cpu) : instructions;
    add_up(clock);
}

void vtime_cpu_pass(VTimeCpu *clock, int64_t *sum, int64_t until)
{
    int64_t ns = MAX(until - clock->time_ns, 0);

    *sum += ns;
    clock->time_ns += ns;
}

void vtime_cpu_set_user(VTimeCpu *clock, bool user)
{
    clock->user_ns = vtime_cpu_user(clock);
    clock->user_since = clock->time_ns;
    clock->user = user;
}

int64_t vtime_cpu_user(const VTimeCpu *clock)
{
    return clock->user_ns +
           (clock->user ? clock->time_ns - clock->user_since : 0);
}
