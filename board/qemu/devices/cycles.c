/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cost model: its sums, see cycles.h. */
#include "qemu/osdep.h"
#include "migration/vmstate.h"
#include "hw/firesteel/cycles.h"

bool cycles_on, cycles_counted, cycles_a64;
uint16_t cycles_weight[CYCLES_CLASS_COUNT];
uint64_t cycles_count[CYCLES_CLASS_COUNT];

static struct Sums {
    int64_t total, granted;
    uint32_t classes;
    uint64_t *count;
} sums = { .classes = CYCLES_CLASS_COUNT, .count = cycles_count };

static const VMStateField fields[] = {
    VMSTATE_INT64(total, struct Sums),
    VMSTATE_VARRAY_UINT32(count, struct Sums, classes, 0, vmstate_info_uint64,
                          uint64_t),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription vmstate = {
    .name = "firesteel-cycles",
    .fields = fields,
};

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
    return qatomic_read_i64(&sums.total);
}

void cycles_grant(CPUState *cpu, int64_t units)
{
    sums.granted = units;
    cpu->neg.cycles_left = units - 1; /* negative once all are spent */
}

int64_t cycles_settle(CPUState *cpu)
{
    int64_t left = cpu->neg.cycles_left + 1, spent = sums.granted - left;

    qatomic_set_i64(&sums.total, sums.total + spent);
    sums.granted = left;
    return spent;
}

void cycles_keep(void)
{
    vmstate_register(NULL, 0, &vmstate, &sums);
}
