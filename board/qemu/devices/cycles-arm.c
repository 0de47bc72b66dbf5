/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of an instruction of 32-bit ARM, with that of waiting for it, see
 * cycles-arm.h.
 */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/translation-block.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-arm.h"
#include "hw/firesteel/cycles-arm-class.h"
#include "hw/firesteel/cycles-arm-operands.h"

/*
 * Read the instruction behind the current one; false if it is of another block
 * or not in RAM
 */
static bool read_next(CPUArchState *env, DisasContextBase *db, uint32_t *insn,
                      CyclesArmSet *set)
{
    if (cycles_block_is_full(db) || tb_page_addr0(db->tb) == -1) {
        return false;
    }
    if (*set == CYCLES_A32) {
        *insn = translator_ldl(env, db, db->pc_next);
        return true;
    }
    *insn = translator_lduw(env, db, db->pc_next);
    *set = *insn >= 0xe800 ? CYCLES_T32 : CYCLES_T16;
    if (*set == CYCLES_T32) {
        if (!((db->pc_next + 2) & (CYCLES_BLOCK_BYTES - 1))) {
            return false; /* its other half may be on a page without memory */
        }
        *insn = *insn << 16 | translator_lduw(env, db, db->pc_next + 2);
    }
    return true;
}

/*
 * With TEX remap, as Linux has it (ARM Architecture Reference Manual, B3.8.3),
 * @index of TEX[0], C and B chooses a type in PRRR and a cacheability in NMRR.
 */
static uint8_t remapped(uint32_t prrr, uint32_t nmrr, unsigned index)
{
    static const uint8_t normal[] = { 0x44, 0xff, 0xaa, 0xee };
    unsigned type = extract32(prrr, 2 * index, 2);

    return type == 2 ? normal[extract32(nmrr, 2 * index, 2)] : 4 * (type & 1);
}

uint8_t cycles_arm_attributes(CPUArchState *env, uint32_t descriptor,
                              bool section)
{
    bool large = section || (descriptor & 3) == 1;
    unsigned index = extract32(descriptor, large ? 12 : 6, 1) << 2 |
                     extract32(descriptor, 2, 2);

    /*
     * Boards have no secure state.  PRRR and NMRR are MAIR0 and MAIR1 by
     * another name.
     */
    return remapped(env->cp15.mair0_ns, env->cp15.mair1_ns, index);
}

uint32_t cycles_arm_cache_type(uint32_t ctr)
{
    const unsigned words = cycles_line_bits - 2; /* a line has 2^words */

    if (!cycles_on) {
        return ctr;
    }
    ctr = deposit32(ctr, 0, 4, words); /* IminLine */
    return deposit32(ctr, 16, 4, words); /* DminLine */
}

/* The class of what a successor that needs the result waits for */
static unsigned waiting(unsigned class)
{
    switch (class) {
    case CYCLES_INTEGER:
    case CYCLES_SHIFTED:
    case CYCLES_REGISTER_SHIFT:
        return CYCLES_DEPENDENT_INTEGER;
    case CYCLES_LOAD:
        return CYCLES_DEPENDENT_LOAD;
    case CYCLES_MULTIPLY:
        return CYCLES_DEPENDENT_MULTIPLY;
    default:
        return CYCLES_CLASS_COUNT;
    }
}

static bool needs(uint32_t next, CyclesArmSet set, int result)
{
    return cycles_arm_operands(next, set).sources & (1u << result);
}

void cycles_arm_instruction(CPUArchState *env, DisasContextBase *db,
                            uint32_t insn, CyclesArmSet set)
{
    CyclesCost cost;
    int result;
    uint32_t next;

    if (!cycles_on) {
        return;
    }
    cost = cycles_arm_class(insn, set);
    result = cycles_arm_operands(insn, set).result;
    if (result >= 0 && read_next(env, db, &next, &set) &&
        needs(next, set, result)) {
        cost.also = waiting(cost.class);
    }
    cycles_instruction_costs(db, cost);
}
