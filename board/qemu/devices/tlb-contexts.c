/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emulator's translations by context, see tlb-contexts.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "exec/cpu-defs.h"
#include "exec/cputlb.h"
#include "hw/core/cpu.h"
#include "hw/firesteel/tlb-contexts.h"

#define PAGES_MAX 16
#define FULL_PERCENT 70 /* as in cputlb.c, which makes a fuller table larger */

/* Translations that are put aside, or room for them */
typedef struct Context {
    uint64_t name;
    uint64_t left; /* when the guest left it; 0: no translation holds */
    uint16_t dirty; /* MMU modes that have translations */
    unsigned page_count;
    vaddr pages[PAGES_MAX]; /* to be flushed when it is taken up */
    CPUTLBDesc d[NB_MMU_MODES];
    CPUTLBDescFast f[NB_MMU_MODES];
} Context;

/* Those of a CPU */
typedef struct Contexts {
    Context *contexts; /* NULL: it has had no other than its current one */
    uint64_t changes;
    bool inner; /* a flush is only of what has been taken up */
} Contexts;

static Contexts cpus[TLB_CONTEXTS_CPUS]; /* by their index */
static unsigned kept; /* contexts of each */

bool tlb_contexts_set(uint64_t count, Error **errp)
{
    if (count > TLB_CONTEXTS_MAX) {
        error_setg(errp, "-icount contexts=%" PRIu64 ": allowed are 0 to %d",
                   count, TLB_CONTEXTS_MAX);
        return false;
    }
    kept = count;
    return true;
}

/* ---- what is put aside ---- */

/* How many of @cpu's are there to be flushed */
static unsigned flushable(const CPUState *cpu, Context **contexts)
{
    const Contexts *its = &cpus[(unsigned)cpu->cpu_index % TLB_CONTEXTS_CPUS];

    *contexts = its->contexts;
    return its->contexts && !its->inner ? kept : 0;
}

void tlb_contexts_flush(CPUState *cpu)
{
    Context *contexts;
    unsigned i, count = flushable(cpu, &contexts);

    for (i = 0; i < count; i++) {
        contexts[i].left = 0;
    }
}

void tlb_contexts_flush_page(CPUState *cpu, vaddr address)
{
    Context *contexts;
    unsigned i, count = flushable(cpu, &contexts);

    for (i = 0; i < count; i++) {
        if (contexts[i].page_count == PAGES_MAX) {
            contexts[i].left = 0;
        } else if (contexts[i].left) {
            contexts[i].pages[contexts[i].page_count++] = address;
        }
    }
}

/* What has this name, or the room that is needed the least */
static Context *find(Context *contexts, uint64_t name)
{
    Context *room = contexts, *context;

    for (context = contexts; context < contexts + kept; context++) {
        if (context->left && context->name == name) {
            return context;
        }
        if (context->left < room->left) {
            room = context;
        }
    }
    room->left = 0;
    return room;
}

/* ---- changing ---- */

static size_t entries(const CPUTLBDescFast *fast)
{
    return (fast->mask >> CPU_TLB_ENTRY_BITS) + 1;
}

/* An empty table, as large as @like */
static void make_table(CPUTLBDesc *desc, CPUTLBDescFast *fast,
                       const CPUTLBDescFast *like)
{
    size_t count = entries(like);

    fast->mask = like->mask;
    fast->table = g_new(CPUTLBEntry, count);
    memset(fast->table, -1, count * sizeof(CPUTLBEntry));
    desc->fulltlb = g_new(CPUTLBEntryFull, count);
    desc->large_page_addr = desc->large_page_mask = -1; /* and nowhere in it */
    memset(desc->vtable, -1, sizeof(desc->vtable));
}

/* Exchange the CPU's translations of @idxmap for those of @context */
static void exchange(CPUState *cpu, Context *context, uint16_t idxmap)
{
    CPUTLB *tlb = &cpu->neg.tlb;
    uint16_t dirty = tlb->c.dirty & idxmap, left = dirty | context->dirty;
    CPUTLBDesc desc;
    CPUTLBDescFast fast;

    qemu_spin_lock(&tlb->c.lock);
    for (; left; left &= left - 1) {
        int mode = ctz32(left);

        if (!context->f[mode].table) {
            make_table(&context->d[mode], &context->f[mode], &tlb->f[mode]);
        }
        desc = tlb->d[mode];
        tlb->d[mode] = context->d[mode];
        context->d[mode] = desc;
        fast = tlb->f[mode];
        tlb->f[mode] = context->f[mode];
        context->f[mode] = fast;
    }
    tlb->c.dirty = (tlb->c.dirty & ~idxmap) | context->dirty;
    context->dirty = dirty;
    qemu_spin_unlock(&tlb->c.lock);
}

/* The modes of @idxmap whose tables are too small */
static uint16_t full_modes(CPUState *cpu, uint16_t idxmap)
{
    uint16_t left = idxmap & cpu->neg.tlb.c.dirty, full = 0;

    for (; left; left &= left - 1) {
        int mode = ctz32(left);

        if (cpu->neg.tlb.d[mode].n_used_entries * 100 >
            entries(&cpu->neg.tlb.f[mode]) * FULL_PERCENT) {
            full |= 1 << mode;
        }
    }
    return full;
}

void tlb_contexts_change(CPUState *cpu, uint64_t from, uint64_t to,
                         uint16_t idxmap)
{
    Contexts *its = &cpus[(unsigned)cpu->cpu_index % TLB_CONTEXTS_CPUS];
    Context *context;
    uint16_t stale;
    unsigned i;

    if (!kept || cpu->cpu_index >= TLB_CONTEXTS_CPUS) {
        tlb_flush(cpu);
        return;
    }
    if (from == to) {
        return;
    }
    if (!its->contexts) {
        its->contexts = g_new0(Context, kept);
    }
    context = find(its->contexts, to);
    exchange(cpu, context, idxmap);
    stale = context->left ? full_modes(cpu, idxmap) : idxmap;
    its->inner = true;
    if (stale) {
        tlb_flush_by_mmuidx(cpu, stale);
    }
    for (i = 0; context->left && i < context->page_count; i++) {
        tlb_flush_page_by_mmuidx(cpu, context->pages[i], idxmap);
    }
    its->inner = false;
    context->name = from;
    context->left = ++its->changes;
    context->page_count = 0;
}
