/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers through which an instruction of 64-bit ARM depends on others.
 */
#ifndef FIRESTEEL_CYCLES_A64_OPERANDS_H
#define FIRESTEEL_CYCLES_A64_OPERANDS_H

/*
 * Registers of an instruction, as far as a successor may have to wait for
 * them.  Results are -1 for none, or several; sources have a bit for each
 * register that is read at the start.
 */
typedef struct CyclesA64Operands {
    int result, vector_result;
    uint32_t sources, addresses, vector_sources;
} CyclesA64Operands;

CyclesA64Operands cycles_a64_operands(uint32_t insn);

#endif
