/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The class of an instruction of 32-bit ARM. */
#ifndef FIRESTEEL_CYCLES_ARM_CLASS_H
#define FIRESTEEL_CYCLES_ARM_CLASS_H

#include "hw/firesteel/cycles-arm-set.h"
#include "hw/firesteel/cycles-classes.h"

/* What @insn costs, without what follows from its neighbours */
CyclesCost cycles_arm_class(uint32_t insn, CyclesArmSet set);

#endif
