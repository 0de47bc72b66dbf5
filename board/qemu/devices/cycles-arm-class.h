/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The class of an instruction of 32-bit ARM, and the registers through which it depends on others. */
#ifndef FIRESTEEL_CYCLES_ARM_CLASS_H
#define FIRESTEEL_CYCLES_ARM_CLASS_H

#include "hw/firesteel/cycles-arm.h"

/* What @insn costs, without what follows from its neighbours */
CyclesCost cycles_arm_class(uint32_t insn, CyclesArmSet set);

/* Core registers of an instruction, as far as a successor may have to wait for them */
typedef struct CyclesArmOperands {
    int result; /* the register it writes, -1: none, or several */
    uint16_t sources; /* a bit for each register it reads at its start */
} CyclesArmOperands;

CyclesArmOperands cycles_arm_operands(uint32_t insn, CyclesArmSet set);

#endif
