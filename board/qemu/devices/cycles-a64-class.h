/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The class of an instruction of 64-bit ARM. */
#ifndef FIRESTEEL_CYCLES_A64_CLASS_H
#define FIRESTEEL_CYCLES_A64_CLASS_H

#include "hw/firesteel/cycles-classes.h"

/* What @insn costs, without what follows from its neighbours */
CyclesCost cycles_a64_class(uint32_t insn);

#endif
