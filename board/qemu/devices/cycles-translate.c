/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the translator does for the cost model, see cycles-translate.h. */
#include "qemu/osdep.h"
#include "cpu.h"
#include "exec/exec-all.h"
#include "exec/helper-proto-common.h"
#include "exec/helper-gen-common.h"
#include "exec/translation-block.h"
#include "hw/boards.h"
#include "tcg/tcg-op.h"
#include "tcg/insn-start-words.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-cache.h"
#include "hw/firesteel/cycles-translate.h"

/* Of a member of CPUState.neg from the register that translated code has */
#define OFFSET(member) \
    (offsetof(CPUNegativeOffsetState, member) - sizeof(CPUNegativeOffsetState))

/*
 * Blocks of one instruction are a way to run the emulator (one-insn-per-tb). 
 * There a block may begin inside a block of the guest's, and the one before it
 * says so.
 */
static bool has_one_instruction(const DisasContextBase *db)
{
    return (tb_cflags(db->tb) & CF_COUNT_MASK) == 1;
}

static void look_for_deadline(const DisasContextBase *db, TCGv_i32 count,
                              TCGv_i64 left)
{
    TCGv_i64 over = tcg_temp_new_i64(), inside, exit;

    if (tb_cflags(db->tb) & CF_NOIRQ) {
        return;
    }
    tcg_gen_mov_i64(over, left);
    if (has_one_instruction(db)) {
        inside = tcg_temp_new_i64();
        tcg_gen_ld8u_i64(inside, tcg_env, OFFSET(cycles_inside));
        tcg_gen_subi_i64(inside, inside, 1);
        tcg_gen_and_i64(over, over, inside);
    }
    exit = tcg_temp_new_i64();
    tcg_gen_ext_i32_i64(exit, count);
    tcg_gen_or_i64(exit, exit, over);
    tcg_gen_brcondi_i64(TCG_COND_LT, exit, 0, tcg_ctx->exitreq_label);
}

void cycles_block_begin(DisasContextBase *db, TCGv_i32 count)
{
    TCGv_i64 left = tcg_temp_new_i64();

    tcg_gen_ld_i64(left, tcg_env, OFFSET(cycles_left));
    look_for_deadline(db, count, left);
    /* How many is known at the end */
    tcg_gen_sub_i64(left, left, tcg_constant_i64(0));
    db->cycles.charge = tcg_last_op();
    tcg_gen_st_i64(left, tcg_env, OFFSET(cycles_left));
    if (has_one_instruction(db)) {
        tcg_gen_st8_i32(tcg_constant_i32(0), tcg_env, OFFSET(cycles_inside));
        db->cycles.inside = tcg_last_op();
    }
    db->cycles.units = 0;
    db->cycles.line = UINT32_MAX;
}

static void look_for_line(DisasContextBase *db)
{
    tb_page_addr_t page = tb_page_addr0(db->tb);
    uint64_t address = page + (db->pc_next - db->pc_first);
    uint32_t line;
    TCGLabel *known;
    TCGv_i32 hint;

    /* The page's address has the offset of the block's start in it */
    address -= memory_region_get_ram_addr(current_machine->ram);
    if (page == -1 || address >= current_machine->ram_size) {
        return; /* code that is not in RAM */
    }
    line = address >> cycles_line_bits;
    if (line == db->cycles.line) {
        return;
    }
    db->cycles.line = line;
    known = gen_new_label();
    hint = tcg_temp_new_i32();
    tcg_gen_ld_i32(hint, tcg_env, OFFSET(cycles.fetched[line % CYCLES_HINTS]));
    tcg_gen_brcondi_i32(TCG_COND_EQ, hint, line, known);
    gen_helper_firesteel_fetch(tcg_env, tcg_constant_i32(line),
                               tcg_constant_i32(db->cycles.page_bits));
    gen_set_label(known);
}

void HELPER(firesteel_fetch)(CPUArchState *env, uint32_t line,
                             uint32_t page_bits)
{
    cycles_cache_fetch(env_cpu(env), line, page_bits);
}

void cycles_instruction_begin(DisasContextBase *db)
{
    uint64_t word = tcg_get_insn_start_param(db->insn_start, CYCLES_START_WORD);

    assert(!(word >> CYCLES_START_SHIFT));
    tcg_set_insn_start_param(db->insn_start, CYCLES_START_WORD,
                             word | (uint64_t)db->cycles.units
                                        << CYCLES_START_SHIFT);
    db->cycles.pc = db->pc_next;
    look_for_line(db);
}

static void count(unsigned class, unsigned times)
{
    TCGv_i64 sum = tcg_temp_new_i64();
    TCGv_ptr counts = tcg_constant_ptr(cycles_count);

    tcg_gen_ld_i64(sum, counts, class * sizeof(cycles_count[0]));
    tcg_gen_addi_i64(sum, sum, times);
    tcg_gen_st_i64(sum, counts, class * sizeof(cycles_count[0]));
}

static unsigned costs(unsigned class, unsigned times)
{
    if (class == CYCLES_CLASS_COUNT || !times) {
        return 0;
    }
    if (cycles_counted) {
        count(class, times);
    }
    return times * cycles_weight[class];
}

void cycles_instruction_costs(DisasContextBase *db, CyclesCost cost)
{
    db->cycles.units += costs(cost.class, 1) + costs(cost.each, cost.times) +
                        costs(cost.also, 1 + cost.more);
}

bool cycles_block_is_full(const DisasContextBase *db)
{
    return (db->pc_next ^ db->cycles.pc) & -(vaddr)CYCLES_BLOCK_BYTES;
}

void cycles_block_end(DisasContextBase *db, bool cut)
{
    tcg_set_insn_param(db->cycles.charge, 2,
                       tcgv_i64_arg(tcg_constant_i64(db->cycles.units)));
    db->tb->cycles = db->cycles.units;
    if (has_one_instruction(db)) {
        tcg_set_insn_param(db->cycles.inside, 0,
                           tcgv_i32_arg(tcg_constant_i32(cut)));
    } else {
        /* It would find its deadline where no other run finds it */
        assert(!cut || tb_page_addr0(db->tb) == -1);
    }
}

/*
 * Memory that no cache keeps, by MAIR's encoding: neither write-through nor
 * write-back
 */
static bool is_uncached(const CPUTLBEntryFull *full)
{
    uint8_t outer = full->extra.arm.pte_attrs >> 4;

    return outer == 0 || outer == 4;
}

void cycles_access(CPUState *cpu, vaddr address, const void *host,
                   const CPUTLBEntryFull *full, int flags, MMUAccessType type)
{
    if (!cycles_on || type == MMU_INST_FETCH ||
        (flags & (TLB_MMIO | TLB_DISCARD_WRITE))) {
        return;
    }
    cycles_cache_access(cpu, address, host, full->lg_page_size,
                        is_uncached(full), type);
}

void cycles_restore(CPUState *cpu, const TranslationBlock *tb, uint64_t *word)
{
    cpu->neg.cycles_left += tb->cycles - (*word >> CYCLES_START_SHIFT);
    *word &= MAKE_64BIT_MASK(0, CYCLES_START_SHIFT);
}
