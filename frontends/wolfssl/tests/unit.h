/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What tests share that are linked with the library: the device in this process. */
#ifndef FSW_TESTS_UNIT_H
#define FSW_TESTS_UNIT_H

#include <wolfssl/options.h>

#include <firesteel/wolfssl.h>

#include "check.h"

/* Registers a device by its name; all that the core can do goes to it, or what it does faster */
void unit_open(const char *device, bool always);
void unit_close(void);

/* Counters of a work */
struct firesteel_wolfssl_counters unit_count(enum firesteel_wolfssl_work work);

/* What the core has done of all works */
uint64_t unit_hardware(void);

/* Prints a line of counters for each work that there was */
void unit_print(void);

#endif
