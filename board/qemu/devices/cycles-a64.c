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
#include "hw/firesteel/cycles-a64-wait.h"

/*
 * Read instructions behind the current one as long as they are of its block and
 * row; the number of all
 */
static unsigned read_row(CPUArchState *env, DisasContextBase *db,
                         uint32_t *insns)
{
    vaddr block = db->cycles.pc & -(vaddr)CYCLES_BLOCK_BYTES;
    unsigned count = 1;

    if (tb_page_addr0(db->tb) == -1) {
        return count;
    }
    while (count < CYCLES_A64_WINDOW &&
           !cycles_a64_ends_row(insns[count - 1])) {
        vaddr next = db->cycles.pc + 4 * count;

        if (next - block >= CYCLES_BLOCK_BYTES) {
            break;
        }
        insns[count++] = translator_ldl(env, db, next);
    }
    return count;
}

void cycles_a64_instruction(CPUArchState *env, DisasContextBase *db,
                            uint32_t insn)
{
    uint32_t insns[CYCLES_A64_WINDOW] = { insn };

    if (cycles_on) {
        cycles_instruction_costs(db, cycles_a64_cost(insns,
                                                     read_row(env, db, insns)));
    }
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
