/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of the cost model, see cycles-cache.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "exec/memory.h"
#include "qemu/host-utils.h"
#include "hw/boards.h"
#include "migration/vmstate.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-cache.h"

#define SETS_MAX 65536
#define WAYS_MAX 16
#define NO_LINE UINT32_MAX
#define NO_VIRTUAL_LINE UINT64_MAX
#define PAGE_BITS 12 /* of the smallest page */
#define REGION_BITS 24 /* of what has a bit in Private.large */
#define STREAMS 4 /* of misses that are followed at once */
#define STRIDE_MAX 16

unsigned cycles_line_bits = CYCLES_LINE_BITS_LEAST;

/* Misses so many lines apart, at the most, are foreseen; 0: none are */
static uint32_t stride_lines;

/*
 * A cache of lines, or of translations; a tag is the whole number of a line or
 * page
 */
typedef struct Cache {
    const char *name;
    uint32_t sets, ways;
    uint32_t entries; /* sets * ways */
    uint32_t *tag; /* [set][way]; NO_LINE: empty */
    uint8_t *next; /* [set]: the way that is lost next */
} Cache;

/* What each CPU has of its own */
typedef struct Private {
    CPUState *cpu;
    Cache fetch, data, translation;

    /*
     * By way of the data cache: the virtual line that is hinted,
     * NO_VIRTUAL_LINE if none
     */
    uint64_t *hinted;

    /*
     * Are lines of large pages hinted?  A bit for all regions of 16 MiB whose
     * addresses agree in the eight bits above; a larger page sets them all.
     */
    uint64_t large[4];

    /* Of each stream of misses: the last line, and how far it was from the one before */
    uint32_t last[STREAMS], stride[STREAMS];
    uint8_t stream; /* that is lost next */
} Private;

static Private privates[CYCLES_CPUS_MAX]; /* by the CPUs' index */
static unsigned private_count;

/* The shapes that the table says; the second level is all there is of it */
static Cache fetch = { .name = "fetch" };
static Cache data = { .name = "data" };
static Cache level2 = { .name = "level-2" };
static Cache translation = { .name = "translation" };
static Cache *const caches[] = { &fetch, &data, &level2, &translation };

static const VMStateField fields[] = {
    VMSTATE_VARRAY_UINT32(tag, Cache, entries, 0, vmstate_info_uint32,
                          uint32_t),
    VMSTATE_VARRAY_UINT32(next, Cache, sets, 0, vmstate_info_uint8, uint8_t),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription vmstate = {
    .name = "firesteel-cache",
    .fields = fields,
};

static const VMStateDescription vmstate_streams = {
    .name = "firesteel-streams",
    .fields =
        (const VMStateField[]) {
            VMSTATE_UINT32_ARRAY(last, Private, STREAMS),
            VMSTATE_UINT32_ARRAY(stride, Private, STREAMS),
            VMSTATE_UINT8(stream, Private),
            VMSTATE_END_OF_LIST(),
        },
};

static Private *private_of(const CPUState *cpu)
{
    return &privates[cpu->cpu_index];
}

/* ---- the table ---- */

static bool set_number(uint32_t *number, const char *name, uint64_t value,
                       unsigned most, Error **errp)
{
    if (!is_power_of_2(value) || value > most) {
        error_setg(errp,
                   "-icount cycles=: '%s' is %" PRIu64 ", "
                   "allowed are powers of two from 1 to %u",
                   name, value, most);
        return false;
    }
    *number = value;
    return true;
}

static bool set_line(uint64_t value, Error **errp)
{
    if (value != 32 && value != 64) {
        error_setg(errp,
                   "-icount cycles=: 'line-bytes' is %" PRIu64 ", "
                   "allowed are 32 and 64",
                   value);
        return false;
    }
    cycles_line_bits = ctz64(value);
    return true;
}

bool cycles_cache_set(const char *name, uint64_t value, Error **errp)
{
    unsigned i;

    if (!strcmp(name, "line-bytes")) {
        return set_line(value, errp);
    }
    if (!strcmp(name, "stride-lines")) {
        return set_number(&stride_lines, name, value, STRIDE_MAX, errp);
    }
    for (i = 0; i < ARRAY_SIZE(caches); i++) {
        size_t length = strlen(caches[i]->name);

        if (strncmp(name, caches[i]->name, length)) {
            continue;
        }
        if (!strcmp(name + length, "-sets")) {
            return set_number(&caches[i]->sets, name, value, SETS_MAX, errp);
        }
        if (!strcmp(name + length, "-ways")) {
            return set_number(&caches[i]->ways, name, value, WAYS_MAX, errp);
        }
    }
    error_setg(errp, "-icount cycles=: '%s' is not known", name);
    return false;
}

static uint32_t *new_lines(size_t count)
{
    uint32_t *lines = g_new(uint32_t, count);

    memset(lines, 0xff, count * sizeof(uint32_t));
    return lines;
}

/* Make an empty cache of @shape; @number tells it from all others */
static void make(Cache *cache, const Cache *shape, unsigned number)
{
    *cache = *shape;
    cache->tag = new_lines(cache->entries);
    cache->next = g_new0(uint8_t, cache->sets);
    vmstate_register(NULL, number, &vmstate, cache);
}

bool cycles_cache_set_up(Error **errp)
{
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(caches); i++) {
        caches[i]->entries = caches[i]->sets * caches[i]->ways;
        if (!caches[i]->entries) {
            error_setg(errp,
                       "-icount cycles=: '%s-sets' or '%s-ways' is missing",
                       caches[i]->name, caches[i]->name);
            return false;
        }
    }
    make(&level2, &level2, 0);
    return true;
}

void cycles_cache_add(CPUState *cpu)
{
    Private *private = private_of(cpu);
    unsigned first = 1 + 3 * private_count;

    private->cpu = cpu;
    make(&private->fetch, &fetch, first);
    make(&private->data, &data, first + 1);
    make(&private->translation, &translation, first + 2);
    private->hinted = g_new(uint64_t, data.entries);
    memset(private->hinted, 0xff, data.entries * sizeof(uint64_t));
    if (stride_lines) {
        vmstate_register(NULL, private_count, &vmstate_streams, private);
    }
    private_count++;
}

/* ---- one cache ---- */

/* The index in tag of @line, -1 if it is not there */
static int find(const Cache *cache, uint32_t line)
{
    uint32_t first = line % cache->sets * cache->ways, i;

    for (i = first; i < first + cache->ways; i++) {
        if (cache->tag[i] == line) {
            return i;
        }
    }
    return -1;
}

/* The index in tag of the line that leaves when @line enters */
static uint32_t make_room(Cache *cache, uint32_t line)
{
    uint32_t set = line % cache->sets;
    uint32_t i = set * cache->ways + cache->next[set];

    cache->next[set] = (cache->next[set] + 1) % cache->ways;
    return i;
}

/* Is @line there?  From now on it is. */
static bool touch(Cache *cache, uint32_t line)
{
    if (find(cache, line) >= 0) {
        return true;
    }
    cache->tag[make_room(cache, line)] = line;
    return false;
}

/*
 * Charge for the translation of the page of @line, which has 2^@page_bits bytes
 */
static void translate(CPUState *cpu, uint32_t line, unsigned page_bits)
{
    uint32_t page = line >> (page_bits - cycles_line_bits);

    /* Pages of different lengths may have equal numbers */
    if (!touch(&private_of(cpu)->translation,
               page | (page_bits > PAGE_BITS ? 1u << 31 : 0))) {
        cycles_charge(cpu, CYCLES_TRANSLATION);
    }
}

/* ---- code ---- */

static unsigned fetch_miss(bool in_level2, bool next)
{
    if (in_level2) {
        return next ? CYCLES_FETCH_L2_NEXT : CYCLES_FETCH_L2;
    }
    return next ? CYCLES_FETCH_MEMORY_NEXT : CYCLES_FETCH_MEMORY;
}

void cycles_cache_fetch(CPUState *cpu, uint32_t line, unsigned page_bits)
{
    uint32_t *hints = cpu->neg.cycles.fetched, place;
    Cache *cache = &private_of(cpu)->fetch;

    if (find(cache, line) < 0) {
        bool next = find(cache, line - 1) >= 0;

        place = make_room(cache, line);
        if (hints[cache->tag[place] % CYCLES_HINTS] == cache->tag[place]) {
            hints[cache->tag[place] % CYCLES_HINTS] = NO_LINE;
        }
        cache->tag[place] = line;
        translate(cpu, line, page_bits);
        cycles_charge(cpu, fetch_miss(touch(&level2, line), next));
    }
    hints[line % CYCLES_HINTS] = line;
}

/* ---- data ---- */

static uint8_t *ram(void)
{
    static uint8_t *start;

    if (!start) {
        start = memory_region_get_ram_ptr(current_machine->ram);
    }
    return start;
}

static unsigned load_miss(bool in_level2, bool next)
{
    if (in_level2) {
        return next ? CYCLES_LOAD_L2_NEXT : CYCLES_LOAD_L2;
    }
    return next ? CYCLES_LOAD_MEMORY_NEXT : CYCLES_LOAD_MEMORY;
}

static unsigned store_miss(bool in_level2, bool next)
{
    if (in_level2) {
        return CYCLES_STORE_L2;
    }
    return next ? CYCLES_STORE_MEMORY_NEXT : CYCLES_STORE_MEMORY;
}

static unsigned data_miss(bool in_other, bool in_level2, bool next, bool store)
{
    if (in_other) {
        return store ? CYCLES_STORE_OTHER : CYCLES_LOAD_OTHER;
    }
    return store ? store_miss(in_level2, next) : load_miss(in_level2, next);
}

/*
 * Does the miss of @line go on a stream of misses, each as far from the last?
 * From now on it is one's last.
 */
static bool is_foreseen(Private *private, uint32_t line)
{
    unsigned i;

    for (i = 0; stride_lines && i < STREAMS; i++) {
        uint32_t stride = line - private->last[i];

        if (stride + stride_lines <= 2 * stride_lines) {
            bool goes_on = stride == private->stride[i];

            private->last[i] = line;
            private->stride[i] = stride;
            return goes_on;
        }
    }
    i = private->stream;
    private->last[i] = line;
    private->stride[i] = 0;
    private->stream = (i + 1) % STREAMS;
    return false;
}

/*
 * Let @line in, which was not there, and charge for it; its place in the cache
 */
static uint32_t let_in(CPUState *cpu, uint32_t line, unsigned page_bits,
                       bool in_other, bool store)
{
    Cache *cache = &private_of(cpu)->data;
    bool goes_on = is_foreseen(private_of(cpu), line), in_level2;
    bool next = goes_on || find(cache, line - 1) >= 0;
    uint32_t place = make_room(cache, line);

    cache->tag[place] = line;
    translate(cpu, line, page_bits);
    in_level2 = touch(&level2, line);
    cycles_charge(cpu, data_miss(in_other, in_level2, next, store));
    return place;
}

static unsigned large_bit(vaddr address)
{
    return address >> REGION_BITS & 255;
}

static void unhint(uint64_t *hints, uint64_t line)
{
    if (hints[line % CYCLES_HINTS] == line) {
        hints[line % CYCLES_HINTS] = NO_VIRTUAL_LINE;
    }
}

/* The line at @place is known as @virtual_line from now on, and as no other */
static void hint(CPUState *cpu, uint32_t place, uint64_t virtual_line)
{
    uint64_t *hints = cpu->neg.cycles.accessed;
    uint64_t *hinted = private_of(cpu)->hinted;

    if (hinted[place] != virtual_line) {
        unhint(hints, hinted[place]);
        hinted[place] = virtual_line;
    }
    hints[virtual_line % CYCLES_HINTS] = virtual_line;
}

/* The line at @place is not known, nor is the one that was there before it */
static void forget_place(Private *private, uint32_t place)
{
    unhint(private->cpu->neg.cycles.accessed, private->hinted[place]);
    private->hinted[place] = NO_VIRTUAL_LINE;
}

/*
 * Does another CPU have @line?  From now on each of its accesses to it comes
 * here; @store: it no longer has it.
 */
static bool share(const CPUState *cpu, uint32_t line, bool store)
{
    bool shared = false;
    Private *other;
    int place;

    for (other = privates; other < privates + private_count; other++) {
        place = other->cpu == cpu ? -1 : find(&other->data, line);
        if (place >= 0) {
            shared = true;
            forget_place(other, place);
            other->data.tag[place] = store ? NO_LINE : line;
        }
    }
    return shared;
}

void cycles_cache_access(CPUState *cpu, vaddr address, const void *host,
                         unsigned page_bits, bool uncached, MMUAccessType type)
{
    uint64_t offset = (const uint8_t *)host - ram();
    uint32_t line = offset >> cycles_line_bits;
    Private *private = private_of(cpu);
    bool store = type == MMU_DATA_STORE, shared;
    int place;

    if (offset >= current_machine->ram_size) {
        return; /* a flash, or a window of a device */
    }
    if (uncached) {
        cycles_charge(cpu,
                      store ? CYCLES_UNCACHED_STORE : CYCLES_UNCACHED_LOAD);
        return;
    }
    shared = share(cpu, line, store);
    place = find(&private->data, line);
    if (place < 0) {
        place = let_in(cpu, line, page_bits, shared, store);
    } else if (shared && store) {
        cycles_charge(cpu, CYCLES_STORE_SHARED);
    }
    if (shared && !store) {
        forget_place(private, place); /* a store to it has to come here */
    } else {
        hint(cpu, place, address >> cycles_line_bits);
    }
    if (page_bits > REGION_BITS) {
        memset(private->large, 0xff, sizeof(private->large));
    } else if (page_bits > PAGE_BITS) {
        private->large[large_bit(address) / 64] |= 1ull
                                                   << large_bit(address) % 64;
    }
}

void cycles_cache_forget(CPUState *cpu)
{
    if (cycles_on) {
        memset(cpu->neg.cycles.accessed, 0xff,
               sizeof(cpu->neg.cycles.accessed));
        memset(private_of(cpu)->large, 0, sizeof(private_of(cpu)->large));
    }
}

void cycles_cache_forget_page(CPUState *cpu, vaddr address)
{
    uint64_t first = address >> PAGE_BITS << (PAGE_BITS - cycles_line_bits);
    uint64_t *hints = cpu->neg.cycles.accessed + first % CYCLES_HINTS;
    uint32_t i;

    if (private_of(cpu)->large[large_bit(address) / 64] >>
            large_bit(address) % 64 &
        1) {
        cycles_cache_forget(cpu);
        return;
    }
    for (i = 0; i < 1u << (PAGE_BITS - cycles_line_bits); i++) {
        hints[i] = hints[i] == first + i ? NO_VIRTUAL_LINE : hints[i];
    }
}

static void lose(uint32_t line)
{
    int place = find(&level2, line);

    share(NULL, line, true);
    if (place >= 0) {
        level2.tag[place] = NO_LINE;
    }
}

void cycles_cache_written(MemoryRegion *mr, uint64_t address, uint64_t length)
{
    uint64_t line;

    if (!cycles_on || !length || mr != current_machine->ram) {
        return;
    }
    for (line = address >> cycles_line_bits;
         line <= (address + length - 1) >> cycles_line_bits; line++) {
        lose(line);
    }
}
