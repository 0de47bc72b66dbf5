// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <linux/math64.h>
#include <linux/minmax.h>

/* Sleeping costs an interrupt, going to sleep and waking up.  The processor rather polls for up to
 * this many times as long: the request is done earlier, and it has no other work.
 */
#define PATIENCE 2u

/* Polling keeps the processor from all other work: longer commands always wait for the interrupt */
#define POLL_MAX_NS 2000000u

/* Times for small commands are no more exact than this */
#define PATIENCE_MIN_NS 2000u

int firesteel_minimum = -1;
enum firesteel_wait_mode firesteel_wait_mode = FIRESTEEL_WAIT_ADAPTIVE;

/* Before anything is measured: what a core at 100 MHz takes */
unsigned int firesteel_interrupt_ns = 3000;
unsigned int firesteel_sleep_ns = 3000;
struct firesteel_linear firesteel_core_estimate = { .base = 2000, .per_kib = 10000 };

void firesteel_core_set(struct firesteel_linear estimate, unsigned int interrupt_ns,
			unsigned int sleep_ns)
{
	WRITE_ONCE(firesteel_core_estimate.base, estimate.base);
	WRITE_ONCE(firesteel_core_estimate.per_kib, estimate.per_kib);
	if (interrupt_ns)
		WRITE_ONCE(firesteel_interrupt_ns, interrupt_ns);
	if (sleep_ns)
		WRITE_ONCE(firesteel_sleep_ns, sleep_ns);
}

/* The core must be faster than software by an eighth.  Both are measured alone, with warm
 * caches; among other work the core costs more, as its code and interrupt displace others.
 */
#define MARGIN_SHIFT 3

/* The least number of bytes for which `core` lies below `software`, by the margin */
static unsigned int cost_break_even(const struct firesteel_linear *core,
				    const struct firesteel_linear *software)
{
	u32 base = software->base - (software->base >> MARGIN_SHIFT);
	u32 per_kib = software->per_kib - (software->per_kib >> MARGIN_SHIFT);

	if (core->base <= base)
		return core->per_kib <= software->per_kib ? 0 : FIRESTEEL_NEVER;
	if (core->per_kib >= per_kib)
		return FIRESTEEL_NEVER;
	return div_u64((u64)(core->base - base) << 10, per_kib - core->per_kib) + 1;
}

u32 firesteel_polled_ns(enum firesteel_wait_mode mode, bool waited)
{
	switch (mode) {
	case FIRESTEEL_WAIT_POLL:
		return POLL_MAX_NS;
	case FIRESTEEL_WAIT_ADAPTIVE:
		return waited ? PATIENCE * (READ_ONCE(firesteel_interrupt_ns) +
					    READ_ONCE(firesteel_sleep_ns))
			      : READ_ONCE(firesteel_interrupt_ns);
	default:
		return 0;
	}
}

u32 firesteel_patience_ns(unsigned int bytes)
{
	return min_t(u64, 4 * (u64)firesteel_expected_ns(bytes) + PATIENCE_MIN_NS, POLL_MAX_NS);
}

/* The largest number of bytes that an idle core is polled for */
static unsigned int cost_polled_to(bool waited)
{
	u32 most = firesteel_polled_ns(READ_ONCE(firesteel_wait_mode), waited);
	u32 base = firesteel_core_estimate.base;

	if (most < base || !firesteel_core_estimate.per_kib)
		return most < base ? 0 : FIRESTEEL_NEVER;
	return div_u64((u64)(most - base) << 10, firesteel_core_estimate.per_kib);
}

/* One whose cost is halfway between both */
static struct firesteel_linear cost_mean(const struct firesteel_linear *a,
					 const struct firesteel_linear *b)
{
	return (struct firesteel_linear){
		.base = ((u64)a->base + b->base) / 2,
		.per_kib = ((u64)a->per_kib + b->per_kib) / 2,
	};
}

/* Where an idle core costs less, if an interrupt tells the end.  The interrupt delays the end, and
 * costs the processor its time.  For a caller that waits, the delay counts.  The processor of one
 * that goes on does other work meanwhile, or goes idle, which costs half of what it takes to sleep
 * and to wake up.  Its delay and the processor's time count alike: a core that is somewhat slower
 * than software still pays, because more requests are under way at a time.
 */
static struct firesteel_linear cost_interrupted(const struct firesteel_cost *cost, bool waited)
{
	struct firesteel_linear delay = cost->hardware;
	struct firesteel_linear processor = cost->hardware_processor;

	delay.base += firesteel_interrupt_ns + firesteel_sleep_ns / (waited ? 1 : 2);
	processor.base += firesteel_interrupt_ns;
	return waited ? delay : cost_mean(&delay, &processor);
}

static struct firesteel_minimum cost_idle_minimum(const struct firesteel_cost *cost, bool waited)
{
	struct firesteel_linear interrupted = cost_interrupted(cost, waited);

	return (struct firesteel_minimum){
		.polled = cost_break_even(&cost->hardware, &cost->software),
		.polled_to = cost_polled_to(waited),
		.interrupted = cost_break_even(&interrupted, &cost->software),
	};
}

/* Requests are compared with it meanwhile */
static void cost_set_minimum(struct firesteel_minimum *minimum, struct firesteel_minimum value)
{
	WRITE_ONCE(minimum->polled, value.polled);
	WRITE_ONCE(minimum->polled_to, value.polled_to);
	WRITE_ONCE(minimum->interrupted, value.interrupted);
}

/* All of one minimum */
static void cost_set(struct firesteel_cost *cost, unsigned int minimum)
{
	struct firesteel_minimum value = { .polled = minimum, .interrupted = minimum };

	cost_set_minimum(&cost->waiting, value);
	cost_set_minimum(&cost->going_on, value);
	WRITE_ONCE(cost->busy_minimum, minimum);
}

void firesteel_cost_update(struct firesteel_cost *cost)
{
	struct firesteel_linear busy = cost->hardware_processor;

	if (firesteel_minimum >= 0 || !cost->measured) {
		cost_set(cost, max(firesteel_minimum, 0));
		return;
	}
	/* others, which come meanwhile, share the interrupt */
	busy.base += firesteel_interrupt_ns / 2;
	cost_set_minimum(&cost->waiting, cost_idle_minimum(cost, true));
	cost_set_minimum(&cost->going_on, cost_idle_minimum(cost, false));
	WRITE_ONCE(cost->busy_minimum, cost_break_even(&busy, &cost->software));
}

static bool cost_minimum_pays(const struct firesteel_minimum *minimum)
{
	return minimum->interrupted <= FIRESTEEL_COST_MOST ||
	       minimum->polled <= min(minimum->polled_to, FIRESTEEL_COST_MOST);
}

bool firesteel_cost_pays(const struct firesteel_cost *cost)
{
	return cost_minimum_pays(&cost->waiting) || cost_minimum_pays(&cost->going_on);
}
