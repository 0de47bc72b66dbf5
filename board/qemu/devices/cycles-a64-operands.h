/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers through which an instruction of 64-bit ARM depends on others.
 */
#ifndef FIRESTEEL_CYCLES_A64_OPERANDS_H
#define FIRESTEEL_CYCLES_A64_OPERANDS_H

/*
 * Registers of an instruction, as far as a successor may have to wait for
 * them: a bit for each that is written, and for each that is read at the start.
 */
typedef struct CyclesA64Operands {
    uint32_t results, vector_results;
    uint32_t sources, addresses, vector_sources;
} CyclesA64Operands;

CyclesA64Operands cycles_a64_operands(uint32_t insn);

#endif
