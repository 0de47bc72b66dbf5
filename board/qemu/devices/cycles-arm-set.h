/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instruction sets of 32-bit ARM. */
#ifndef FIRESTEEL_CYCLES_ARM_SET_H
#define FIRESTEEL_CYCLES_ARM_SET_H

typedef enum CyclesArmSet {
    CYCLES_A32, /* ARM: a word */
    CYCLES_T32, /* Thumb: two halfwords, the first in the upper half */
    CYCLES_T16 /* Thumb: a halfword */
} CyclesArmSet;

#endif
