/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches of the cost model: which lines the processor has at hand.
 *
 * Each CPU has two first levels (code and data) and the translations of their
 * misses; one second level is for all.  A CPU that stores to a line has it alone
 * from then on, and a line that another one has comes from there.  Each set loses the line that it
 * has had longest, so a hit changes nothing, and code needs to look only at
 * lines that are not known to be there.
 *
 * Lines are known by CPUState.neg.cycles: one hint a slot, of a line that is in
 * the first level and, if it has data, in that of no other CPU.  A hint may be lost at any time; that costs the host a look,
 * and the board nothing.  So what is charged does not depend on the emulator's
 * own translations.
 *
 * Not modelled: prefetching of data, branch prediction, write-back of changed
 * lines, the invalidation of translations, and a line that an unaligned access
 * only ends in.
 */
#ifndef FIRESTEEL_CYCLES_CACHE_H
#define FIRESTEEL_CYCLES_CACHE_H

#include "hw/core/cpu.h"
#include "exec/mmu-access-type.h"

#define CYCLES_CPUS_MAX 8

/*
 * Set an entry of the table: "fetch-sets", "fetch-ways", "data-sets",
 * "data-ways", "level-2-sets", "level-2-ways", "translation-sets",
 * "translation-ways".  All are powers of two.  "line-bytes" may be left out,
 * and is 32 then; without "stride-lines", misses are foreseen of the next line
 * alone.
 */
bool cycles_cache_set(const char *name, uint64_t value, Error **errp);

/* All entries have been set: make the second level, empty */
bool cycles_cache_set_up(Error **errp);

/* A CPU has been made: make what it has of its own, empty */
void cycles_cache_add(CPUState *cpu);

/*
 * The CPU fetches from the line of code @line (its address in RAM / line size),
 * on a page of 2^@page_bits bytes
 */
void cycles_cache_fetch(CPUState *cpu, uint32_t line, unsigned page_bits);

/*
 * The CPU accesses @address, which lies at @host in our memory, on a page of
 * 2^@page_bits bytes.  @uncached: the guest has this page not cached.
 */
void cycles_cache_access(CPUState *cpu, vaddr address, const void *host,
                         unsigned page_bits, bool uncached, MMUAccessType type);

/*
 * The emulator's translations have changed: addresses may mean other lines now
 */
void cycles_cache_forget(CPUState *cpu);

/* The emulator's translation of the page at @address has changed */
void cycles_cache_forget_page(CPUState *cpu, vaddr address);

/*
 * A device has written @length bytes at @address of the region @mr: no cache
 * has them any more
 */
void cycles_cache_written(MemoryRegion *mr, uint64_t address, uint64_t length);

#endif
