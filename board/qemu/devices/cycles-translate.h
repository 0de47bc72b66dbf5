/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the translator does for the cost model (cycles.h): it adds up what a
 * block costs, cuts blocks where the guest's code says, and lets them look for
 * lines of code.
 *
 * Without a model it does nothing, and the translated code is upstream's.
 */
#ifndef FIRESTEEL_CYCLES_TRANSLATE_H
#define FIRESTEEL_CYCLES_TRANSLATE_H

#include "exec/translator.h"
#include "tcg/tcg-op-common.h"
#include "hw/firesteel/cycles-classes.h"

/*
 * The word of insn_start that has the block's cost up to the instruction in its
 * upper bits
 */
#define CYCLES_START_WORD 1
#define CYCLES_START_SHIFT 16

/*
 * A block begins: charge it, and let what makes it exit depend on the
 * deadline.  @count is the decrementer of instructions, which is negative when
 * the block must not run.
 */
void cycles_block_begin(DisasContextBase *db, TCGv_i32 count);

/* An instruction begins, its insn_start has just been emitted */
void cycles_instruction_begin(DisasContextBase *db);

/*
 * The instruction that is being translated costs that; the target's translator
 * says so, once
 */
void cycles_instruction_costs(DisasContextBase *db, CyclesCost cost);

/*
 * Does the block end behind the instruction that has been translated, wherever
 * it began?
 */
bool cycles_block_is_full(const DisasContextBase *db);

/* The block has been translated; @cut: it could have had more instructions */
void cycles_block_end(DisasContextBase *db, bool cut);

/*
 * The CPU has looked up @address, which has the translation @full with @flags
 * (TLB_...) and, if it is RAM, lies at @host: charge what is not at hand.
 */
void cycles_access(CPUState *cpu, vaddr address, const void *host,
                   const CPUTLBEntryFull *full, int flags, MMUAccessType type);

/*
 * Executed code is at @word of its insn_start: give back what @tb has not
 * executed, and clear our bits
 */
void cycles_restore(CPUState *cpu, const TranslationBlock *tb, uint64_t *word);

#endif
