/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The caches of the cost model, see cycles-cache.h. */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "exec/memory.h"
#include "hw/boards.h"
#include "migration/vmstate.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-cache.h"

#define SETS_MAX 65536
#define WAYS_MAX 16
#define NO_LINE UINT32_MAX
#define PAGE_BITS 12 /* of the smallest page */

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

/* By way of the data cache: the virtual line that is hinted, NO_LINE if none */
static uint32_t *hinted;

/* Are lines of large pages hinted?  A bit for 16 MiB, which no page exceeds. */
static uint64_t large[4];

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

bool cycles_cache_set(const char *name, uint64_t value, Error **errp)
{
    unsigned i;

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

bool cycles_cache_set_up(Error **errp)
{
    size_t count;
    unsigned i;

    for (i = 0; i < ARRAY_SIZE(caches); i++) {
        count = (size_t)caches[i]->sets * caches[i]->ways;
        caches[i]->entries = count;

        if (!count) {
            error_setg(errp,
                       "-icount cycles=: '%s-sets' or '%s-ways' is missing",
                       caches[i]->name, caches[i]->name);
            return false;
        }
        caches[i]->tag = g_new(uint32_t, count);
        memset(caches[i]->tag, 0xff, count * sizeof(uint32_t));
        caches[i]->next = g_new0(uint8_t, caches[i]->sets);
        vmstate_register(NULL, i, &vmstate, caches[i]);
    }
    count = (size_t)data.sets * data.ways;
    hinted = g_new(uint32_t, count);
    memset(hinted, 0xff, count * sizeof(uint32_t));
    return true;
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
    uint32_t page = line >> (page_bits - CYCLES_LINE_BITS);

    /* Pages of different lengths may have equal numbers */
    if (!touch(&translation, page | (page_bits > PAGE_BITS ? 1u << 31 : 0))) {
        cycles_charge(cpu, CYCLES_TRANSLATION);
    }
}

/* ---- code ---- */

static void unhint(uint32_t *hints, uint32_t line)
{
    if (hints[line % CYCLES_HINTS] == line) {
        hints[line % CYCLES_HINTS] = NO_LINE;
    }
}

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

    if (find(&fetch, line) < 0) {
        bool next = find(&fetch, line - 1) >= 0;

        place = make_room(&fetch, line);
        unhint(hints, fetch.tag[place]);
        fetch.tag[place] = line;
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

/*
 * Let @line in, which was not there, and charge for it; its place in the cache
 */
static uint32_t let_in(CPUState *cpu, uint32_t line, unsigned page_bits,
                       bool store)
{
    bool next = find(&data, line - 1) >= 0, in_level2;
    uint32_t place = make_room(&data, line);

    data.tag[place] = line;
    translate(cpu, line, page_bits);
    in_level2 = touch(&level2, line);
    cycles_charge(cpu, store ? store_miss(in_level2, next)
                             : load_miss(in_level2, next));
    return place;
}

static unsigned large_bit(vaddr address)
{
    return address >> 24 & 255;
}

/* The line at @place is known as @virtual_line from now on, and as no other */
static void hint(CPUState *cpu, uint32_t place, uint32_t virtual_line)
{
    uint32_t *hints = cpu->neg.cycles.accessed;

    if (hinted[place] != virtual_line) {
        unhint(hints, hinted[place]);
        hinted[place] = virtual_line;
    }
    hints[virtual_line % CYCLES_HINTS] = virtual_line;
}

void cycles_cache_access(CPUState *cpu, vaddr address, const void *host,
                         unsigned page_bits, bool uncached, MMUAccessType type)
{
    uint64_t offset = (const uint8_t *)host - ram();
    uint32_t line = offset >> CYCLES_LINE_BITS;
    int place;

    if (offset >= current_machine->ram_size) {
        return; /* a flash, or a window of a device */
    }
    if (uncached) {
        cycles_charge(cpu, type == MMU_DATA_STORE ? CYCLES_UNCACHED_STORE
                                                  : CYCLES_UNCACHED_LOAD);
        return;
    }
    place = find(&data, line);
    if (place < 0) {
        place = let_in(cpu, line, page_bits, type == MMU_DATA_STORE);
    }
    hint(cpu, place, address >> CYCLES_LINE_BITS);
    if (page_bits > PAGE_BITS) {
        large[large_bit(address) / 64] |= 1ull << large_bit(address) % 64;
    }
}

void cycles_cache_forget(CPUState *cpu)
{
    if (cycles_on) {
        memset(cpu->neg.cycles.accessed, 0xff,
               sizeof(cpu->neg.cycles.accessed));
        memset(large, 0, sizeof(large));
    }
}

void cycles_cache_forget_page(CPUState *cpu, vaddr address)
{
    uint32_t first = address >> PAGE_BITS << (PAGE_BITS - CYCLES_LINE_BITS);
    uint32_t *hints = cpu->neg.cycles.accessed + first % CYCLES_HINTS;
    uint32_t i;

    if (large[large_bit(address) / 64] >> large_bit(address) % 64 & 1) {
        cycles_cache_forget(cpu);
        return;
    }
    for (i = 0; i < 1u << (PAGE_BITS - CYCLES_LINE_BITS); i++) {
        hints[i] = hints[i] == first + i ? NO_LINE : hints[i];
    }
}

static void lose(uint32_t line)
{
    int place = find(&data, line);

    if (place >= 0) {
        data.tag[place] = NO_LINE;
        unhint(first_cpu->neg.cycles.accessed, hinted[place]);
        hinted[place] = NO_LINE;
    }
    place = find(&level2, line);
    if (place >= 0) {
        level2.tag[place] = NO_LINE;
    }
}

void cycles_cache_written(MemoryRegion *mr, uint64_t address, uint64_t length)
{
    uint64_t line;

    if (!cycles_on || !length || !first_cpu || mr != current_machine->ram) {
        return;
    }
    for (line = address >> CYCLES_LINE_BITS;
         line <= (address + length - 1) >> CYCLES_LINE_BITS; line++) {
        lose(line);
    }
}
