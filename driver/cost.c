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

int firesteel_minimum = -1;
enum firesteel_wait_mode firesteel_wait_mode = FIRESTEEL_WAIT_ADAPTIVE;

/* Before anything is measured: what a core at 100 MHz takes */
unsigned int firesteel_interrupt_ns = 3000;
unsigned int firesteel_sleep_ns = 3000;
struct firesteel_linear firesteel_core_estimate = { .base = 2000, .per_kib = 10000 };

/* The least number of bytes for which `core` lies below `software` */
static unsigned int cost_break_even(const struct firesteel_linear *core,
				    const struct firesteel_linear *software)
{
	if (core->base <= software->base)
		return core->per_kib <= software->per_kib ? 0 : FIRESTEEL_NEVER;
	if (core->per_kib >= software->per_kib)
		return FIRESTEEL_NEVER;
	return div_u64((u64)(core->base - software->base) << 10,
		       software->per_kib - core->per_kib) +
	       1;
}

u32 firesteel_polled_ns(bool waited)
{
	switch (READ_ONCE(firesteel_wait_mode)) {
	case FIRESTEEL_WAIT_POLL:
		return POLL_MAX_NS;
	case FIRESTEEL_WAIT_ADAPTIVE:
		return waited ? PATIENCE * (firesteel_interrupt_ns + firesteel_sleep_ns)
			      : firesteel_interrupt_ns;
	default:
		return 0;
	}
}

/* The least number of bytes with which an idle core is done earlier.  Beyond those that are polled
 * for an interrupt delays the end, and costs the processor its time.  Where no caller sleeps the
 * processor goes idle meanwhile: half of what it takes to sleep and to wake up.
 */
static unsigned int cost_idle_minimum(const struct firesteel_cost *cost, bool waited)
{
	struct firesteel_linear interrupted = cost->hardware;
	unsigned int polled = cost_break_even(&cost->hardware, &cost->software);

	if (polled == FIRESTEEL_NEVER ||
	    firesteel_expected_ns(polled) <= firesteel_polled_ns(waited))
		return polled;
	interrupted.base += firesteel_interrupt_ns + firesteel_sleep_ns / (waited ? 1 : 2);
	return cost_break_even(&interrupted, &cost->software);
}

void firesteel_cost_update(struct firesteel_cost *cost)
{
	struct firesteel_linear busy = cost->hardware_processor;

	if (firesteel_minimum >= 0 || !cost->measured) {
		cost->waited_minimum = max(firesteel_minimum, 0);
		cost->idle_minimum = cost->waited_minimum;
		cost->busy_minimum = cost->waited_minimum;
		return;
	}
	/* others, which come meanwhile, share the interrupt */
	busy.base += firesteel_interrupt_ns / 2;
	cost->waited_minimum = cost_idle_minimum(cost, true);
	cost->idle_minimum = cost_idle_minimum(cost, false);
	cost->busy_minimum = cost_break_even(&busy, &cost->software);
}
