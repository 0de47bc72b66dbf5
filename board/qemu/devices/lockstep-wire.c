/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "hw/firesteel/lockstep-wire.h"

#define MIN_FRAME 60 /* bytes, shorter ones are padded */
#define PREAMBLE_AND_FCS 12
#define INTERFRAME_GAP 12

static int64_t bytes_ns(const LockstepCable *cable, uint64_t bytes)
{
    return DIV_ROUND_UP(bytes * 8 * NANOSECONDS_PER_SECOND, cable->rate);
}

int64_t lockstep_frame_ns(const LockstepCable *cable, uint32_t length)
{
    return bytes_ns(cable, MAX(length, MIN_FRAME) + PREAMBLE_AND_FCS);
}

int64_t lockstep_gap_ns(const LockstepCable *cable)
{
    return bytes_ns(cable, INTERFRAME_GAP);
}

int64_t lockstep_reach_ns(const LockstepCable *cable)
{
    return lockstep_frame_ns(cable, MIN_FRAME) + cable->latency;
}
