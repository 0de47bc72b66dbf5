/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the core costs less than software, by a margin.  Times are linear in the number of bytes,
 * fitted to what calibrate.c measured when the algorithm was registered.
 *
 * An idle core is chosen when the request is done earlier by it, with the interrupt where nobody
 * polls for its end: latency counts.  If the caller goes on meanwhile, what the processor spends
 * counts as much.  While the core has other work it is chosen when the processor spends less on the
 * request: throughput counts.
 */
#ifndef FIRESTEEL_COST_H
#define FIRESTEEL_COST_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Time of a request in ns: a constant, plus a time per 1024 bytes */
struct firesteel_linear {
	u32 base;
	u32 per_kib;
};

/* Requests of fewer bytes go to software: one minimum of those of up to so many bytes, for whose
 * end an idle core is polled, and one of longer ones, whose end an interrupt tells
 */
struct firesteel_minimum {
	unsigned int polled;
	unsigned int polled_to;
	unsigned int interrupted;
};

struct firesteel_cost {
	bool measured; /* else all goes to the core */
	struct firesteel_linear software; /* time of the processor, and latency */
	struct firesteel_linear hardware; /* latency, polled for */
	struct firesteel_linear hardware_processor; /* without the wait */
	/* While the core is idle: for callers that may wait, which are polled for longer, and for
	 * those that go on
	 */
	struct firesteel_minimum waiting;
	struct firesteel_minimum going_on;
	/* While it has other work */
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
 * time from START to the end of an AES command, all as measured; ns.  Set under the lock of
 * algorithms.c, while requests read them.
 */
extern unsigned int firesteel_interrupt_ns;
extern unsigned int firesteel_sleep_ns;
extern struct firesteel_linear firesteel_core_estimate;

/* Sets them while they are in use; of interrupts and sleeping 0 says nothing */
void firesteel_core_set(struct firesteel_linear estimate, unsigned int interrupt_ns,
			unsigned int sleep_ns);

static inline u32 firesteel_expected_ns(unsigned int bytes)
{
	const struct firesteel_linear *core = &firesteel_core_estimate;

	return READ_ONCE(core->base) + ((u64)READ_ONCE(core->per_kib) * bytes >> 10);
}

/* The longest command, by its expected time, that an idle core is polled for; ns */
u32 firesteel_polled_ns(enum firesteel_wait_mode mode, bool waited);

/* How long it is polled for a command that takes longer than expected; ns */
u32 firesteel_patience_ns(unsigned int bytes);

static inline bool firesteel_minimum_allows(const struct firesteel_minimum *minimum,
					    unsigned int bytes)
{
	return bytes >= (bytes <= READ_ONCE(minimum->polled_to) ? READ_ONCE(minimum->polled)
								: READ_ONCE(minimum->interrupted));
}

/* The module parameter `minimum`: bytes, instead of all minima; negative: as measured */
extern int firesteel_minimum;

/* The longest request of the kernel's own users, a TLS record.  Longer ones, which only programs
 * make (AF_ALG), do not decide whether the core pays at all.
 */
#define FIRESTEEL_COST_MOST 16384u

/* Whether an idle core gets any request.  One that gets none never becomes busy. */
bool firesteel_cost_pays(const struct firesteel_cost *cost);

/* Sets all minima from the linear models, or from the parameter, while requests read them */
void firesteel_cost_update(struct firesteel_cost *cost);

#endif
