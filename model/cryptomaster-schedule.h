/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * When fetcher, engine and pusher do their work, in cycles of the cores' clock.
 *
 * The three work side by side, and wait for each other where the data make them: a descriptor
 * before what it points at, configuration before data, a block before its result, the last write
 * before the status bit.  Each has a clock here, which the functions below move on as the job is
 * done; so the time of a job is that of its longest chain, whatever its descriptors.
 * docs/cores.md, "The time of a job", has the formula that follows for a single message.
 *
 * Life of a schedule: silex_cm_schedule_begin(); silex_cm_schedule_start() for each side;
 * for each descriptor silex_cm_schedule_descriptor(), what is done with it, and
 * silex_cm_schedule_unload(); silex_cm_schedule_step() tells how long all since the last call took.
 */
#ifndef SILEX_CRYPTOMASTER_SCHEDULE_H
#define SILEX_CRYPTOMASTER_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timing.h"

/* Bytes that the FIFO before and the one behind an engine have room for (assumption) */
#define SILEX_CM_FIFO_DEPTH 64u

/* A side, fetcher or pusher; times in cycles since silex_cm_schedule_begin() */
struct silex_cm_clock {
	uint64_t request; /* the next descriptor can be asked for */
	uint64_t end; /* the last byte so far has come, or has gone */
	unsigned part; /* bytes of the last beat, if it is not full */
};

struct silex_cm_schedule {
	const struct silex_timing *timing;
	struct silex_cm_clock fetch;
	struct silex_cm_clock push;
	uint64_t engine; /* it is done with all that it was given, or has its key */
	uint64_t first_out; /* of the bytes that wait for the pusher: the first, the last block */
	uint64_t last_out;
	uint64_t acknowledged; /* memory has answered the last write */
	uint64_t block_bytes; /* of the engine that worked last; 0: it has no blocks */
	uint64_t block_cycles;
	uint64_t stepped; /* the end of the last step */
};

/* Nothing is on its way; `timing` stays the caller's and must live as long */
void silex_cm_schedule_begin(struct silex_cm_schedule *schedule, const struct silex_timing *timing);

/* START of a side, at the end of the last step */
void silex_cm_schedule_start(struct silex_cm_schedule *schedule, struct silex_cm_clock *side);

/* The side goes on to its next descriptor, of `size` bytes in memory; 0: its registers are one */
void silex_cm_schedule_descriptor(struct silex_cm_schedule *schedule, struct silex_cm_clock *side,
				  size_t size);

/* The fetcher asks memory for what the descriptor points at */
void silex_cm_schedule_request(struct silex_cm_schedule *schedule);

/* `size` bytes of configuration have come, or such as are dropped; `key`: the engine has its key */
void silex_cm_schedule_fetch(struct silex_cm_schedule *schedule, size_t size, bool key);

/*
 * `size` bytes of data have come (0: none that were not there), and the engine did `work`, all of
 * it since the last call, with these and `held` bytes from before.  `waiting`: output from before
 * has not gone yet.
 */
void silex_cm_schedule_data(struct silex_cm_schedule *schedule, size_t size, size_t held,
			    const struct silex_work *work, bool waiting);

/* The pusher takes `size` bytes of `waiting`, and writes or discards them */
void silex_cm_schedule_push(struct silex_cm_schedule *schedule, size_t size, size_t waiting,
			    bool discard);

/* The side's descriptor is done */
void silex_cm_schedule_unload(struct silex_cm_schedule *schedule, struct silex_cm_clock *side);

/* Cycles from the end of the last step until status bits tell of all that has been done */
uint64_t silex_cm_schedule_step(struct silex_cm_schedule *schedule);

#endif
