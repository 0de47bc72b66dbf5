/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "cryptomaster-schedule.h"

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool reads_ahead(const struct silex_cm_schedule *schedule)
{
	return schedule->timing->fetcher == SILEX_FETCHER_AHEAD;
}

static uint64_t latency(const struct silex_cm_schedule *schedule)
{
	return schedule->timing->dma_latency_cycles;
}

static uint64_t beats(const struct silex_cm_schedule *schedule, uint64_t bytes)
{
	unsigned width = schedule->timing->dma_bytes_per_beat;

	return bytes / width + (bytes % width != 0);
}

/* Beats that `size` more bytes of a side take: in how many pieces bytes come makes no difference */
static uint64_t more_beats(const struct silex_cm_schedule *schedule, struct silex_cm_clock *side,
			   uint64_t size)
{
	uint64_t before = beats(schedule, side->part), all = side->part + size;

	side->part = (unsigned)(all % schedule->timing->dma_bytes_per_beat);
	return beats(schedule, all) - before;
}

void silex_cm_schedule_begin(struct silex_cm_schedule *schedule, const struct silex_timing *timing)
{
	*schedule = (struct silex_cm_schedule){ .timing = timing };
}

void silex_cm_schedule_start(struct silex_cm_schedule *schedule, struct silex_cm_clock *side)
{
	side->request = schedule->stepped + schedule->timing->start_cycles;
}

void silex_cm_schedule_descriptor(struct silex_cm_schedule *schedule, struct silex_cm_clock *side,
				  size_t size)
{
	uint64_t known = side->request;

	if (size > 0)
		known += latency(schedule) + beats(schedule, size);
	side->end = later(side->end, known);
	side->part = 0;
	if (reads_ahead(schedule))
		side->request = side->end; /* while the data of this one flow */
}

void silex_cm_schedule_request(struct silex_cm_schedule *schedule)
{
	schedule->fetch.end += latency(schedule);
}

void silex_cm_schedule_fetch(struct silex_cm_schedule *schedule, size_t size, bool key)
{
	schedule->fetch.end += more_beats(schedule, &schedule->fetch, size);
	if (key)
		schedule->engine = later(schedule->engine, schedule->fetch.end);
}

/*
 * When the engine can begin with data whose first block comes at `first`.  With a fetcher that
 * reads ahead it prepares (expands the key) while the fetcher goes on; else all is done in turn.
 */
static uint64_t engine_begin(const struct silex_cm_schedule *schedule, uint64_t first,
			     uint64_t setup)
{
	if (reads_ahead(schedule))
		return later(schedule->engine + setup, first);
	return later(schedule->engine, first) + setup;
}

/* When the first block has come that the engine did: of it `held` bytes had come before `fetched`,
 * or more, if it had held a block back */
static uint64_t first_block(const struct silex_cm_schedule *schedule, uint64_t fetched, size_t held,
			    const struct silex_work *work)
{
	uint64_t here = beats(schedule, held);

	if (work->block_bytes == 0)
		return schedule->fetch.end;
	fetched += beats(schedule, work->block_bytes);
	return earlier(schedule->fetch.end, fetched > here ? fetched - here : 0);
}

/* When the last one has come */
static uint64_t last_block(const struct silex_cm_schedule *schedule, const struct silex_work *work,
			   uint64_t first)
{
	uint64_t further;

	if (work->cycles == 0 || work->block_cycles == 0)
		return schedule->fetch.end;
	further = work->cycles / work->block_cycles - 1;
	return earlier(schedule->fetch.end, first + beats(schedule, further * work->block_bytes));
}

/* Blocks come at a steady pace and take equally long, so the engine is done when it has done all
 * of them since the first came, or the last one since that came: one or the other is later */
void silex_cm_schedule_data(struct silex_cm_schedule *schedule, size_t size, size_t held,
			    const struct silex_work *work, bool waiting)
{
	uint64_t before = schedule->fetch.end, first, begin, one;

	if (work->block_bytes > 0) {
		schedule->block_bytes = work->block_bytes;
		schedule->block_cycles = work->block_cycles;
	}
	schedule->fetch.end += more_beats(schedule, &schedule->fetch, size);
	first = first_block(schedule, before, held, work);
	begin = engine_begin(schedule, first, work->setup_cycles);
	one = earlier(work->cycles, schedule->block_cycles);
	schedule->engine = later(begin + work->cycles, last_block(schedule, work, first) + one);
	if (!waiting)
		schedule->first_out = begin + one;
	schedule->last_out = schedule->engine;
}

/* The bytes that wait came out one after the other; takes the first `size` of them off */
static uint64_t last_out_of(struct silex_cm_schedule *schedule, size_t size, size_t waiting)
{
	uint64_t span = schedule->last_out - schedule->first_out;

	schedule->first_out += size < waiting ? span * size / waiting : span;
	return schedule->first_out;
}

void silex_cm_schedule_push(struct silex_cm_schedule *schedule, size_t size, size_t waiting,
			    bool discard)
{
	struct silex_cm_clock *push = &schedule->push;
	uint64_t first = schedule->first_out, last = last_out_of(schedule, size, waiting), all;

	if (discard) {
		push->end = later(push->end, last);
		return;
	}
	all = more_beats(schedule, push, size);
	push->end = later(later(push->end, first) + all,
			  last + earlier(all, later(beats(schedule, schedule->block_bytes), 1)));
	schedule->acknowledged = push->end + latency(schedule);
}

/* The fetcher is ahead of the engine by what the FIFO holds */
static uint64_t fifo_cycles(const struct silex_cm_schedule *schedule)
{
	if (schedule->block_bytes == 0)
		return 0;
	return schedule->block_cycles * SILEX_CM_FIFO_DEPTH / schedule->block_bytes;
}

static void unload_fetch(struct silex_cm_schedule *schedule)
{
	uint64_t ahead = reads_ahead(schedule) ? fifo_cycles(schedule) : 0;

	if (schedule->engine > ahead)
		schedule->fetch.end = later(schedule->fetch.end, schedule->engine - ahead);
}

void silex_cm_schedule_unload(struct silex_cm_schedule *schedule, struct silex_cm_clock *side)
{
	if (side == &schedule->fetch)
		unload_fetch(schedule);
	if (reads_ahead(schedule))
		return;
	side->request = side == &schedule->push ? later(side->end, schedule->acknowledged)
						: side->end;
}

uint64_t silex_cm_schedule_step(struct silex_cm_schedule *schedule)
{
	uint64_t before = schedule->stepped;
	uint64_t end = later(schedule->fetch.end, schedule->engine);

	end = later(end, later(schedule->push.end, schedule->acknowledged));
	schedule->stepped = later(before, end + schedule->timing->end_cycles);
	return schedule->stepped - before;
}
