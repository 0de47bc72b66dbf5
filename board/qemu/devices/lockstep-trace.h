/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace of a node: a line for every frame, in virtual time.  Two runs are
 * the same when their traces are.
 */
#ifndef FIRESTEEL_LOCKSTEP_TRACE_H
#define FIRESTEEL_LOCKSTEP_TRACE_H

typedef struct LockstepTrace LockstepTrace;

/* Start a trace in the file @path, or none when it is NULL */
LockstepTrace *lockstep_trace_open(const char *path);

/* A frame leaves: "tx START ARRIVAL PORT LENGTH CRC32" */
void lockstep_trace_tx(LockstepTrace *trace, int64_t start, int64_t arrival,
                       const char *port, const uint8_t *data, uint32_t length);

/*
 * A frame arrives: "rx TIME PORT LENGTH CRC32 taken|dropped LATE".  @late are
 * the ns by which the CPU was past @at: at most an instruction, or a stall.
 */
void lockstep_trace_rx(LockstepTrace *trace, int64_t at, int64_t late,
                       const char *port, const uint8_t *data, uint32_t length,
                       bool taken);

/* A full switch loses a frame for @port: "drop TIME PORT LENGTH CRC32" */
void lockstep_trace_drop(LockstepTrace *trace, int64_t at, const char *port,
                         const uint8_t *data, uint32_t length);

/* Close with a line of the final clocks and the number of barriers */
void lockstep_trace_close(LockstepTrace *trace, uint64_t barriers);

#endif
