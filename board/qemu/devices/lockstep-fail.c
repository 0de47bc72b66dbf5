/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "hw/firesteel/lockstep-fail.h"

static void (*tell_others)(const char *reason);

void lockstep_fail_tells(void (*tell)(const char *reason))
{
    tell_others = tell;
}

void lockstep_fail(const char *format, ...)
{
    g_autofree char *reason = NULL;
    va_list args;

    va_start(args, format);
    reason = g_strdup_vprintf(format, args);
    va_end(args);
    error_report("lockstep: %s", reason);
    if (tell_others) {
        tell_others(reason);
    }
    exit(1);
}
