/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of a cost model, see cycles-table.h. */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/cycles-cache.h"
#include "hw/firesteel/cycles-table.h"

/* Units: a block of 64 instructions is then below 2^20 */
#define WEIGHT_MAX 16383

static int find_class(const char *name)
{
    unsigned class;

    for (class = 0; class < CYCLES_CLASS_COUNT; class++) {
        if (!strcmp(cycles_name(class), name)) {
            return class;
        }
    }
    return -1;
}

static bool set_weight(unsigned class, uint64_t value, bool *given,
                       Error **errp)
{
    if (given[class]) {
        error_setg(errp, "-icount cycles=: '%s' is given twice",
                   cycles_name(class));
        return false;
    }
    if (value > WEIGHT_MAX) {
        error_setg(errp,
                   "-icount cycles=: '%s' is %" PRIu64 ", allowed are 0 "
                   "to %d eighths of a cycle",
                   cycles_name(class), value, WEIGHT_MAX);
        return false;
    }
    given[class] = true;
    cycles_weight[class] = value;
    return true;
}

static bool set_entry(const char *name, uint64_t value, bool *given,
                      Error **errp)
{
    int class = find_class(name);

    if (class >= 0) {
        return set_weight(class, value, given, errp);
    }
    if (!strcmp(name, "count")) {
        cycles_counted = value;
        return true;
    }
    return cycles_cache_set(name, value, errp);
}

static bool parse_entry(const char *entry, bool *given, Error **errp)
{
    const char *colon = strchr(entry, ':');
    g_autofree char *name = NULL;
    uint64_t value;

    if (!colon || qemu_strtou64(colon + 1, NULL, 10, &value)) {
        error_setg(errp, "-icount cycles=: '%s' is not NAME:NUMBER", entry);
        return false;
    }
    name = g_strndup(entry, colon - entry);
    return set_entry(name, value, given, errp);
}

static bool are_given(unsigned first, unsigned end, const bool *given,
                      Error **errp)
{
    unsigned i;

    for (i = first; i < end; i++) {
        if (!given[i]) {
            error_setg(errp, "-icount cycles=: '%s' is missing",
                       cycles_name(i));
            return false;
        }
    }
    return true;
}

bool cycles_set_up(const char *table, Error **errp)
{
    g_auto(GStrv) entries = g_strsplit(table, "/", -1);
    bool given[CYCLES_CLASS_COUNT] = { false };
    unsigned i;

    for (i = 0; entries[i]; i++) {
        if (!parse_entry(entries[i], given, errp)) {
            return false;
        }
    }
    /* A board with one CPU may leave out what that one does not know */
    if (!are_given(0, CYCLES_ALONE_COUNT, given, errp)) {
        return false;
    }
    cycles_a64 = given[CYCLES_A64_FIRST];
    if (cycles_a64 &&
        !are_given(CYCLES_A64_FIRST, CYCLES_CLASS_COUNT, given, errp)) {
        return false;
    }
    if (!cycles_cache_set_up(errp)) {
        return false;
    }
    cycles_keep();
    cycles_on = true;
    return true;
}
