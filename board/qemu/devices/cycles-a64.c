/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of an instruction of 64-bit ARM, with that of waiting for it, see
 * cycles-a64.h.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/translation-block.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-a64.h"
#include "hw/firesteel/cycles-a64-class.h"
#include "hw/firesteel/cycles-a64-operands.h"

/*
 * Read the instruction behind the current one; false if it is of another block
 * or not in RAM
 */
static bool read_next(CPUArchState *env, DisasContextBase *db, uint32_t *insn)
{
    if (cycles_block_is_full(db) || tb_page_addr0(db->tb) == -1) {
        return false;
    }
    *insn = translator_ldl(env, db, db->pc_next);
    return true;
}

/* What a successor waits for that needs a vector of @class */
static unsigned waiting_for_vector(unsigned class)
{
    switch (class) {
    case CYCLES_NEON_D ... CYCLES_NEON_SHIFT_Q:
        return CYCLES_DEPENDENT_NEON;
    case CYCLES_NEON_LOAD:
        return CYCLES_DEPENDENT_NEON_LOAD;
    case CYCLES_AES:
    case CYCLES_POLYNOMIAL:
    case CYCLES_SHA_HASH:
    case CYCLES_SHA_SCHEDULE:
        return CYCLES_DEPENDENT_CRYPTOGRAPHY;
    default:
        return CYCLES_CLASS_COUNT;
    }
}

/* The same of a core register; @address: it needs it as an address */
static unsigned waiting(unsigned class, bool address)
{
    switch (class) {
    case CYCLES_INTEGER:
    case CYCLES_SHIFTED:
    case CYCLES_REGISTER_SHIFT:
        return address ? CYCLES_DEPENDENT_ADDRESS : CYCLES_DEPENDENT_INTEGER;
    case CYCLES_LOAD:
        return CYCLES_DEPENDENT_LOAD;
    case CYCLES_MULTIPLY:
    case CYCLES_MULTIPLY_LONG:
    case CYCLES_MULTIPLY_HIGH:
        return CYCLES_DEPENDENT_MULTIPLY;
    default:
        return CYCLES_CLASS_COUNT;
    }
}

/* A round of AES and the mixing of its columns go through the processor as one */
static bool are_one(uint32_t insn, uint32_t next)
{
    bool round = (insn & 0xffffec00) == 0x4e284800;
    bool mixes = (next & 0xffffec00) == 0x4e286800;

    return round && mixes && extract32(insn, 12, 1) == extract32(next, 12, 1);
}

static bool takes_vector_unit(unsigned class)
{
    switch (class) {
    case CYCLES_NEON_Q:
    case CYCLES_NEON_MULTIPLY_Q:
    case CYCLES_NEON_PERMUTE_Q:
    case CYCLES_NEON_SHIFT_Q:
    case CYCLES_POLYNOMIAL:
    case CYCLES_SHA_HASH:
    case CYCLES_SHA_SCHEDULE:
        return true;
    default:
        return false;
    }
}

static bool takes_memory(unsigned class)
{
    return class == CYCLES_LOAD || class == CYCLES_STORE ||
           class == CYCLES_LOAD_MULTIPLE || class == CYCLES_STORE_MULTIPLE ||
           class == CYCLES_NEON_LOAD || class == CYCLES_NEON_STORE;
}

/* Of two that are independent: what the second waits for of the processor */
static unsigned unpaired(unsigned class, unsigned next)
{
    if (takes_vector_unit(class) && takes_vector_unit(next)) {
        return CYCLES_UNPAIRED_NEON;
    }
    return takes_memory(class) && takes_memory(next) ? CYCLES_UNPAIRED_MEMORY
                                                     : CYCLES_CLASS_COUNT;
}

static unsigned waits(uint32_t insn, unsigned class, uint32_t next)
{
    CyclesA64Operands first = cycles_a64_operands(insn);
    CyclesA64Operands second = cycles_a64_operands(next);

    if (first.vector_result >= 0 && !are_one(insn, next) &&
        (second.vector_sources >> first.vector_result & 1)) {
        return waiting_for_vector(class);
    }
    if (first.result >= 0 && (second.addresses >> first.result & 1)) {
        return waiting(class, true);
    }
    if (first.result >= 0 && (second.sources >> first.result & 1)) {
        return waiting(class, false);
    }
    return unpaired(class, cycles_a64_class(next).class);
}

void cycles_a64_instruction(CPUArchState *env, DisasContextBase *db,
                            uint32_t insn)
{
    CyclesCost cost;
    uint32_t next;

    if (!cycles_on) {
        return;
    }
    cost = cycles_a64_class(insn);
    if (read_next(env, db, &next)) {
        cost.also = waits(insn, cost.class, next);
    }
    cycles_instruction_costs(db, cost);
}

void cycles_a64_zero(CPUArchState *env, uint64_t address, int mmu_index,
                     uintptr_t ra)
{
    CPUTLBEntryFull *full;
    void *host;
    int flags;

    if (!cycles_on) {
        return;
    }
    flags = probe_access_full(env, address, 0, MMU_DATA_STORE, mmu_index, true,
                              &host, &full, ra);
    if (!(flags & TLB_INVALID_MASK) && host) {
        cycles_access(env_cpu(env), address, host, full, flags, MMU_DATA_STORE);
    }
}
