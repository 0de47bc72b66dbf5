/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What classes of the cost model (cycles.h) the instructions of 64-bit ARM are
 * of.
 */
#ifndef FIRESTEEL_CYCLES_A64_H
#define FIRESTEEL_CYCLES_A64_H

#include "hw/firesteel/cycles-translate.h"

/*
 * The translator has read @insn; db->pc_next is behind it.  Charges the
 * instruction, if there is a cost model.
 */
void cycles_a64_instruction(CPUArchState *env, DisasContextBase *db,
                            uint32_t insn);

/*
 * DC ZVA is about to clear the block at @address: charge what is not at hand,
 * as of a store.  @ra: where the translated code called.
 */
void cycles_a64_zero(CPUArchState *env, uint64_t address, int mmu_index,
                     uintptr_t ra);

#endif
