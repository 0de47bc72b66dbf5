/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers through which an instruction of 32-bit ARM depends on others.
 */
#ifndef FIRESTEEL_CYCLES_ARM_OPERANDS_H
#define FIRESTEEL_CYCLES_ARM_OPERANDS_H

#include "hw/firesteel/cycles-arm-set.h"

/*
 * Core registers of an instruction, as far as a successor may have to wait for
 * them
 */
typedef struct CyclesArmOperands {
    int result; /* the register it writes, -1: none, or several */
    uint16_t sources; /* a bit for each register it reads at its start */
} CyclesArmOperands;

CyclesArmOperands cycles_arm_operands(uint32_t insn, CyclesArmSet set);

#endif
