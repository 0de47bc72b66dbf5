/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that count what they do, for the probe to log with every mark.
 */
#ifndef FIRESTEEL_COUNTERS_H
#define FIRESTEEL_COUNTERS_H

/* Fills in counter number @index; false when there are no more */
typedef bool CountersRead(void *opaque, unsigned index, const char **name,
                          uint64_t *value);

typedef struct Counters {
    char *device;           /* characters that need no quoting in JSON */
    CountersRead *read;
    void *opaque;
} Counters;

/* A device appears, for the life of the machine; false: @device is taken */
bool counters_register(const char *device, CountersRead *read, void *opaque);

/* Number @index in the order in which they appeared; NULL: no more */
const Counters *counters_of(unsigned index);

#endif
