/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the core or software costs less.  Times are linear in the number of bytes,
 * fitted to what calibrate.c measured when the algorithm was registered.
 *
 * An idle core is chosen when the request is done earlier by it, with the interrupt where nobody
 * polls for its end: latency counts.  While it has other work it is chosen when the processor spends
 * less on it: throughput counts.
 */
#ifndef FIRESTEEL_COST_H
#define FIRESTEEL_COST_H

#include <linux/types.h>

/* Time of a request in ns: a constant, plus a time per 1024 bytes */
struct firesteel_linear {
	u32 base;
	u32 per_kib;
};

struct firesteel_cost {
	bool measured; /* else all goes to the core */
	struct firesteel_linear software; /* time of the processor, and latency */
	struct firesteel_linear hardware; /* latency, polled for */
	struct firesteel_linear hardware_processor; /* without the wait */
	/* Requests of fewer bytes go to software: while the core is idle, if a caller sleeps until
	 * they are done, and if none does; and while the core has other work
	 */
	unsigned int waited_minimum;
	unsigned int idle_minimum;
	unsigned int busy_minimum;
};

#define FIRESTEEL_NEVER 0xffffffffu

/* How the end of a command is awaited; the module parameter `completion` */
enum firesteel_wait_mode {
	FIRESTEEL_WAIT_IRQ,
	FIRESTEEL_WAIT_POLL,
	FIRESTEEL_WAIT_ADAPTIVE, /* polls if a command ends before an interrupt would pay */
};

extern enum firesteel_wait_mode firesteel_wait_mode;

/* What an interrupt costs beyond polling, what sleeping until it comes costs beyond that, and the
 * time from START to the end of an AES command, all as measured; ns
 */
extern unsigned int firesteel_interrupt_ns;
extern unsigned int firesteel_sleep_ns;
extern struct firesteel_linear firesteel_core_estimate;

static inline u32 firesteel_linear_at(const struct firesteel_linear *model, unsigned int bytes)
{
	return model->base + ((u64)model->per_kib * bytes >> 10);
}

static inline u32 firesteel_expected_ns(unsigned int bytes)
{
	return firesteel_linear_at(&firesteel_core_estimate, bytes);
}

/* The longest that an idle core is polled for, if a caller sleeps until the request is done, and if
 * none does; ns
 */
u32 firesteel_polled_ns(bool waited);

/* The module parameter `minimum`: bytes, instead of all minima; negative: as measured */
extern int firesteel_minimum;

/* Sets all minima from the linear models, or from the parameter */
void firesteel_cost_update(struct firesteel_cost *cost);

#endif
