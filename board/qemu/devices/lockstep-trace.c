/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <zlib.h>
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/lockstep-trace.h"
#include "hw/firesteel/vtime.h"

struct LockstepTrace {
    char *path;
    FILE *file;
};

LockstepTrace *lockstep_trace_open(const char *path)
{
    LockstepTrace *trace;

    if (!path) {
        return NULL;
    }
    trace = g_new0(LockstepTrace, 1);
    trace->path = g_strdup(path);
    trace->file = fopen(path, "w");
    if (!trace->file) {
        lockstep_fail("cannot write the trace %s: %s", path, strerror(errno));
    }
    return trace;
}

static void check(LockstepTrace *trace, bool written)
{
    if (!written) {
        lockstep_fail("cannot write the trace %s: %s", trace->path,
                      strerror(errno));
    }
}

void lockstep_trace_tx(LockstepTrace *trace, int64_t start, int64_t arrival,
                       const char *port, const uint8_t *data, uint32_t length)
{
    if (trace) {
        check(trace,
              fprintf(trace->file, "tx %" PRId64 " %" PRId64 " %s %u %08lx\n",
                      start, arrival, port, length,
                      crc32(0, data, length)) > 0);
    }
}

void lockstep_trace_rx(LockstepTrace *trace, int64_t at, int64_t late,
                       const char *port, const uint8_t *data, uint32_t length,
                       bool taken)
{
    if (trace) {
        check(trace, fprintf(trace->file,
                             "rx %" PRId64 " %s %u %08lx %s %" PRId64 "\n", at,
                             port, length, crc32(0, data, length),
                             taken ? "taken" : "dropped", late) > 0);
    }
}

void lockstep_trace_drop(LockstepTrace *trace, int64_t at, const char *port,
                         const uint8_t *data, uint32_t length)
{
    if (trace) {
        check(trace, fprintf(trace->file, "drop %" PRId64 " %s %u %08lx\n", at,
                             port, length, crc32(0, data, length)) > 0);
    }
}

void lockstep_trace_close(LockstepTrace *trace, uint64_t barriers)
{
    VTimeReading now = vtime_read();

    if (!trace) {
        return;
    }
    check(trace,
          fprintf(trace->file,
                  "end %" PRId64 " instructions %" PRId64 " idle %" PRId64
                  " stalled %" PRId64 " barriers %" PRIu64 "\n",
                  now.time_ns, now.instructions, now.idle_ns, now.stalled_ns,
                  barriers) > 0);
    check(trace, fclose(trace->file) == 0);
    g_free(trace->path);
    g_free(trace);
}
