/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The class of an instruction of 64-bit ARM on the registers of NEON. */
#ifndef FIRESTEEL_CYCLES_A64_VECTOR_H
#define FIRESTEEL_CYCLES_A64_VECTOR_H

#include "hw/firesteel/cycles-classes.h"

/* The class of @insn, which calculates on vectors or floating point */
unsigned cycles_a64_vector_class(uint32_t insn);

#endif
