/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulator's translations of addresses (its TLB), by context.
 *
 * QEMU's TLB knows neither address space identifiers nor domains, so upstream
 * drops all translations when a guest changes either.  Linux on 32-bit ARM
 * changes its domains twice in each system call and wherever it copies from or
 * to a program.  On a board with virtual time the translations are put aside
 * instead, and taken up again when the guest is back in the same context.  A
 * processor may do the same: it keeps what it has translated until the guest
 * says that it must not.
 *
 * Each CPU has its own.  What the guest flushes is flushed in all contexts.  What a guest sees, and
 * what its clock says, does not depend on which translations are at hand.
 */
#ifndef FIRESTEEL_TLB_CONTEXTS_H
#define FIRESTEEL_TLB_CONTEXTS_H

#include "hw/core/cpu.h"

#define TLB_CONTEXTS_MAX 16 /* Linux has two or three a process */
#define TLB_CONTEXTS_CPUS 8 /* CPUs that keep any */

/*
 * Keep @count contexts besides the guest's current one ("-icount contexts=").
 * None: drop translations as upstream does, which shows that it is the same.
 */
bool tlb_contexts_set(uint64_t count, Error **errp);

/*
 * The guest leaves the context @from for @to.  They are named by the values of
 * the registers that tell contexts apart, which nothing else may change without
 * a flush.  @idxmap: the MMU modes whose translations depend on them.
 */
void tlb_contexts_change(CPUState *cpu, uint64_t from, uint64_t to,
                         uint16_t idxmap);

/* All that is put aside no longer holds */
void tlb_contexts_flush(CPUState *cpu);

/* The page at @address no longer is where what is put aside says */
void tlb_contexts_flush_page(CPUState *cpu, vaddr address);

#endif
