/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile of what the CPUs execute, see profile.h.
 *
 * Every translated block calls the hook when it is entered.  How far a block
 * got is known only when the next one is entered: then the instruction counter
 * tells it, which is what virtual time is made of.  So blocks that exceptions
 * cut short are charged with what they did, and the sum over all of them is
 * the counter's own difference between the two marks.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/seqlock.h"
#include "cpu.h"
#include "exec/address-spaces.h"
#include "exec/exec-all.h"
#include "exec/helper-proto-common.h"
#include "exec/translation-block.h"
#include "hw/boards.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/profile.h"
#include "hw/firesteel/vtime-cpu.h"

#define PROFILE_VERSION 2
/* Where it begins: no program's thread pointer or stack is above */
#define KERNEL_SPACE 0xc0000000u
#define KERNEL_SPACE_64 0xffff000000000000ull
#define NOT_RAM UINT32_MAX
#define COMM_SIZE 16 /* TASK_COMM_LEN */
#define TASKS_MAX 4096
#define FIRST_BITS 16 /* of the number of slots */

enum {
    IN_NONE,
    IN_SOFTIRQ,
    IN_HARDIRQ
};

/* A task under one of its names */
typedef struct Task {
    uint32_t pid;
    char comm[COMM_SIZE];
} Task;

/* The first @executed instructions of a block */
typedef struct Place {
    uint64_t pc;
    uint32_t ram; /* offset of the code in the board's memory */
    uint16_t executed;
    uint16_t task; /* index in tasks */
    uint8_t interrupt; /* IN_... */
    uint8_t cpu; /* its index */
    bool user;
    bool thumb;
} Place;

typedef struct Slot {
    uint64_t times; /* 0: the slot is free */
    Place place;
} Slot;

/* What a CPU is at */
typedef struct Running {
    Place block; /* that is being executed */
    uint16_t length; /* its instructions */
    int64_t since; /* the CPU's counter when it was entered */

    uint64_t current; /* the guest's pointer to the running task */
    const uint8_t *task_struct; /* in the board's memory; NULL: not looked up */
} Running;

static Running running[VTIME_CPUS_MAX]; /* by the CPUs' index */

static struct {
    char *path, *begin, *end;
    ProfileKernel kernel;
    bool recording, saved;
    GArray *tasks; /* of Task */

    Slot *slots;
    unsigned bits, used;

    int64_t first; /* all counters at the window's begin */
    uint64_t cut; /* blocks that were left before their end */
    uint64_t misfits; /* blocks with a length that cannot be; a fault of ours */
} profile;

bool profile_wanted(void)
{
    return profile.path;
}

void profile_set_up(const char *path, const char *window,
                    const ProfileKernel *kernel)
{
    assert(!profile.path);
    profile.path = g_strdup(path);
    profile.begin = g_strdup_printf("%s.begin", window);
    profile.end = g_strdup_printf("%s.end", window);
    profile.kernel = *kernel;
    profile.tasks = g_array_new(false, false, sizeof(Task));
    profile.bits = FIRST_BITS;
    profile.slots = g_new0(Slot, 1u << profile.bits);
}

/* ---- counting ---- */

static bool same(const Place *a, const Place *b)
{
    return a->pc == b->pc && a->ram == b->ram && a->executed == b->executed &&
           a->task == b->task && a->interrupt == b->interrupt &&
           a->cpu == b->cpu && a->user == b->user && a->thumb == b->thumb;
}

static Slot *find(const Place *place)
{
    uint64_t hash = (uint32_t)place->pc | (uint64_t)place->executed << 32 |
                    (uint64_t)place->task << 48;
    unsigned mask = (1u << profile.bits) - 1, i;

    hash ^= (uint64_t)place->ram << 20 | place->cpu << 2 | place->interrupt;
    hash ^= place->pc >> 32;
    hash *= 0x9e3779b97f4a7c15ull; /* 2^64 over the golden ratio */
    i = hash >> (64 - profile.bits);
    while (profile.slots[i].times && !same(&profile.slots[i].place, place)) {
        i = (i + 1) & mask;
    }
    return &profile.slots[i];
}

static void grow(void)
{
    g_autofree Slot *old = profile.slots;
    unsigned i, count = 1u << profile.bits;

    profile.bits++;
    profile.slots = g_new0(Slot, 1u << profile.bits);
    for (i = 0; i < count; i++) {
        if (old[i].times) {
            *find(&old[i].place) = old[i];
        }
    }
}

static void count(const Place *place)
{
    Slot *slot = find(place);

    if (!slot->times) {
        slot->place = *place;
        profile.used++;
    }
    slot->times++;
    if (profile.used > (1u << profile.bits) / 2) {
        grow();
    }
}

/* What the CPU has executed since power-on; reading it moves nothing */
static int64_t executed(CPUState *cpu)
{
    return vtime_cpu(cpu)->instructions + cpu->icount_budget -
           (cpu->neg.icount_decr.u16.low + cpu->icount_extra);
}

static int64_t executed_by_all(void)
{
    int64_t sum = 0;
    unsigned i;

    for (i = 0; i < vtime_cpu_count; i++) {
        sum += executed(vtime_cpus[i].cpu);
    }
    return sum;
}

/* Charge the block that ends when its CPU's counter is @now with what it did */
static void charge(Running *at, int64_t now)
{
    int64_t done = now - at->since;

    if (done < 0 || done > at->length) {
        profile.misfits++;
    }
    if (done < at->length) {
        profile.cut++;
    }
    if (done > 0) {
        at->block.executed = done;
        count(&at->block);
    }
    at->since = now;
}

/* ---- the guest's tasks ---- */

/* Where the board's memory is that the guest has at @address; NULL if nowhere */
static const uint8_t *memory_at(CPUState *cpu, uint64_t address)
{
    MemoryRegion *ram = current_machine->ram;
    hwaddr page = cpu_get_phys_page_debug(cpu,
                                          address & (vaddr)TARGET_PAGE_MASK);
    MemoryRegionSection section;
    const uint8_t *found = NULL;

    if (page == -1) {
        return NULL;
    }
    section = memory_region_find(get_system_memory(),
                                 page | (address & ~TARGET_PAGE_MASK), 1);
    if (section.mr == ram) {
        found = (uint8_t *)memory_region_get_ram_ptr(ram) +
                section.offset_within_region;
    }
    if (section.mr) {
        memory_region_unref(section.mr);
    }
    return found;
}

static uint32_t task_word(const Running *at, uint32_t offset)
{
    return at->task_struct ? ldl_le_p(at->task_struct + offset) : 0;
}

/* The index of the running task under the name that it has now */
static uint16_t task_index(const Running *at)
{
    Task now = { .pid = task_word(at, profile.kernel.pid) };
    unsigned i;

    if (at->task_struct) {
        memcpy(now.comm, at->task_struct + profile.kernel.comm, COMM_SIZE);
    }
    for (i = 0; i < profile.tasks->len; i++) {
        const Task *known = &g_array_index(profile.tasks, Task, i);

        if (!memcmp(known, &now, sizeof(now))) {
            return i;
        }
    }
    if (i == TASKS_MAX) {
        lockstep_fail("the profile has more than %d tasks", TASKS_MAX);
    }
    g_array_append_val(profile.tasks, now);
    return i;
}

static bool in_user_mode(CPUARMState *env)
{
    return is_a64(env) ? extract32(env->pstate, 2, 2) == 0
                       : (env->uncached_cpsr & CPSR_M) == ARM_CPU_MODE_USR;
}

/*
 * The kernel has its pointer in TPIDRURO, or in the 64-bit kernel in the stack
 * pointer of programs.  In user mode, and until the kernel has put it right
 * after an exception, that is the program's; the task is still the same then.
 */
static void follow_current(Running *at, CPUARMState *env, bool user)
{
    bool wide = is_a64(env);
    uint64_t current = wide ? env->sp_el[0] : env->cp15.tpidruro_ns;
    uint64_t space = wide ? KERNEL_SPACE_64 : KERNEL_SPACE;

    if (!user && current >= space && current != at->current) {
        at->current = current;
        at->task_struct = NULL;
    }
}

static uint8_t interrupt_of(uint32_t preempt_count)
{
    if (preempt_count & profile.kernel.hardirq_mask) {
        return IN_HARDIRQ;
    }
    return preempt_count & profile.kernel.softirq_mask ? IN_SOFTIRQ : IN_NONE;
}

/* Who executes the block that begins now, and in what kind of interrupt */
static void note_task(Running *at, CPUARMState *env, bool user)
{
    uint32_t preempt;

    if (!at->task_struct) {
        /* It lies in the kernel's linear map, in one piece */
        at->task_struct = memory_at(env_cpu(env), at->current);
        at->block.task = task_index(at);
    } else if (user != at->block.user) {
        at->block.task = task_index(at); /* it may have another name now */
    }
    preempt = user ? 0 : task_word(at, profile.kernel.preempt_count);
    at->block.user = user;
    at->block.interrupt = interrupt_of(preempt);
}

/* ---- the hook ---- */

static uint32_t ram_offset(const TranslationBlock *tb)
{
    ram_addr_t address = tb_page_addr0(tb);
    ram_addr_t begin = memory_region_get_ram_addr(current_machine->ram);

    if (address < begin || address - begin >= current_machine->ram_size) {
        return NOT_RAM;
    }
    return address - begin;
}

/*
 * At the start of each block, called by generated code; the counter has all of
 * its instructions already
 */
void HELPER(firesteel_profile)(CPUARMState *env, void *opaque)
{
    const TranslationBlock *tb = opaque;
    CPUState *cpu = env_cpu(env);
    Running *at = &running[cpu->cpu_index];
    bool user = in_user_mode(env);

    follow_current(at, env, user);
    if (!profile.recording) {
        return;
    }
    charge(at, executed(cpu) - tb->icount);
    note_task(at, env, user);
    at->length = tb->icount;
    at->block.pc = is_a64(env) ? env->pc : env->regs[15];
    at->block.ram = ram_offset(tb);
    at->block.cpu = cpu->cpu_index;
    at->block.thumb = env->thumb;
}

/* ---- saving ---- */

static void check(bool written)
{
    if (!written) {
        lockstep_fail("cannot write the profile %s: %s", profile.path,
                      strerror(errno));
    }
}

/* The name of a task in hexadecimal digits: it may be any bytes */
static void put_tasks(FILE *file)
{
    unsigned i, j;

    for (i = 0; i < profile.tasks->len; i++) {
        const Task *task = &g_array_index(profile.tasks, Task, i);

        fprintf(file, "%s[%u,\"", i ? "," : "", task->pid);
        for (j = 0; j < COMM_SIZE; j++) {
            fprintf(file, "%02x", (uint8_t)task->comm[j]);
        }
        fprintf(file, "\"]");
    }
}

static void put_counts(FILE *file)
{
    const char *separator = "";
    unsigned i;

    for (i = 0; i < 1u << profile.bits; i++) {
        const Place *place = &profile.slots[i].place;

        if (!profile.slots[i].times) {
            continue;
        }
        fprintf(file,
                "%s[%" PRIu64 ",%" PRId64 ",%u,%u,%u,%u,%u,%" PRIu64 ",%u]",
                separator, place->pc,
                place->ram == NOT_RAM ? INT64_C(-1) : (int64_t)place->ram,
                place->executed, place->task, place->interrupt, place->user,
                place->thumb, profile.slots[i].times, place->cpu);
        separator = ",\n";
    }
}

static void save_memory(const char *path)
{
    MemoryRegion *ram = current_machine->ram;
    const uint8_t *bytes = memory_region_get_ram_ptr(ram);
    uint64_t size = current_machine->ram_size, at;
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    check(file >= 0 && ftruncate(file, size) == 0);
    for (at = 0; at < size; at += TARGET_PAGE_SIZE) {
        if (!buffer_is_zero(bytes + at, TARGET_PAGE_SIZE)) {
            check(pwrite(file, bytes + at, TARGET_PAGE_SIZE, at) ==
                  TARGET_PAGE_SIZE);
        }
    }
    check(close(file) == 0);
}

static void save(void)
{
    g_autofree char *memory = g_strdup_printf("%s.ram", profile.path);
    FILE *file = fopen(profile.path, "w");

    check(file);
    fprintf(file,
            "{\"version\":%d,\"instructions\":%" PRId64 ",\"cut\":%" PRIu64
            ",\"misfits\":%" PRIu64 ",\"tasks\":[",
            PROFILE_VERSION, executed_by_all() - profile.first, profile.cut,
            profile.misfits);
    put_tasks(file);
    fprintf(file, "],\"counts\":[");
    put_counts(file);
    fprintf(file, "]}\n");
    check(!ferror(file));
    check(fclose(file) == 0);
    save_memory(memory);
}

/* All CPUs' blocks end here; of the one that writes the mark nothing is left */
static void begin(void)
{
    unsigned i;

    for (i = 0; i < vtime_cpu_count; i++) {
        running[i].length = 0;
        running[i].since = executed(vtime_cpus[i].cpu);
    }
    profile.first = executed_by_all();
    profile.recording = true;
}

static void end(void)
{
    unsigned i;

    for (i = 0; i < vtime_cpu_count; i++) {
        charge(&running[i], executed(vtime_cpus[i].cpu));
    }
    profile.recording = false;
    profile.saved = true;
    save();
}

void profile_mark(const char *name)
{
    if (!profile.path || profile.saved) {
        return;
    }
    if (!profile.recording && !strcmp(name, profile.begin)) {
        begin();
    } else if (profile.recording && !strcmp(name, profile.end)) {
        end();
    }
}
