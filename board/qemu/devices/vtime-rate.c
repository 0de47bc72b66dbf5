/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rate of virtual time, see vtime-rate.h. */
#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "hw/firesteel/vtime-rate.h"

static struct {
    uint64_t ns;            /* ns / insns: the reduced ratio of the rate */
    uint64_t insns;         /* 0: no rate */
} rate;

bool vtime_has_rate(void)
{
    return rate.insns;
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

void vtime_rate_set(uint64_t units)
{
    uint64_t divisor = greatest_common_divisor(NANOSECONDS_PER_SECOND, units);

    rate.ns = NANOSECONDS_PER_SECOND / divisor;
    rate.insns = units / divisor;
}

void vtime_rate_refine(uint64_t factor)
{
    vtime_rate_set(rate.insns * (NANOSECONDS_PER_SECOND / rate.ns) * factor);
}

/*
 * @a * @b / @c over 128 bits, rounded; upstream's factors have 32 bits.  Nearly
 * always 64 bits hold the product, whose division takes the host less.
 */
static uint64_t scaled(uint64_t a, uint64_t b, uint64_t c, bool round_up)
{
    uint64_t low, high, rest;

    mulu64(&low, &high, a, b);
    if (likely(!high)) {
        return low / c + (round_up && low % c);
    }
    rest = divu128(&low, &high, c);
    return low + (round_up && rest);
}

int64_t vtime_insns_to_ns(int64_t insns)
{
    return scaled(insns, rate.ns, rate.insns, false);
}

int64_t vtime_ns_to_insns(int64_t ns)
{
    return scaled(ns, rate.insns, rate.ns, true);
}
