/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cost model: its sums, see cycles.h. */
#include "qemu/osdep.h"
#include "hw/firesteel/cycles.h"

bool cycles_on, cycles_counted;
uint16_t cycles_weight[CYCLES_CLASS_COUNT];
uint64_t cycles_count[CYCLES_CLASS_COUNT];

static int64_t total, granted;

static const char *const names[] = {
#define X(NAME, name) name,
    CYCLES_CLASSES(X)
#undef X
};

const char *cycles_name(unsigned class)
{
    return names[class];
}

int64_t cycles_total(void)
{
    return qatomic_read_i64(&total);
}

void cycles_grant(CPUState *cpu, int64_t units)
{
    granted = units;
    cpu->neg.cycles_left = units - 1; /* negative once all are spent */
}

void cycles_settle(CPUState *cpu)
{
    int64_t left = cpu->neg.cycles_left + 1;

    qatomic_set_i64(&total, total + granted - left);
    granted = left;
}
