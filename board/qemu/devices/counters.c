/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that count what they do, see counters.h. */
#include "qemu/osdep.h"
#include "hw/firesteel/counters.h"

static GArray *devices;

bool counters_register(const char *device, CountersRead *read, void *opaque)
{
    Counters counters = { .read = read, .opaque = opaque };
    unsigned i;

    for (i = 0; counters_of(i); i++) {
        if (!strcmp(counters_of(i)->device, device)) {
            return false;
        }
    }
    if (!devices) {
        devices = g_array_new(false, false, sizeof(Counters));
    }
    counters.device = g_strdup(device);
    g_array_append_val(devices, counters);
    return true;
}

const Counters *counters_of(unsigned index)
{
    return devices && index < devices->len
               ? &g_array_index(devices, Counters, index)
               : NULL;
}
