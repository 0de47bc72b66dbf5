// SPDX-License-Identifier: GPL-2.0-or-later
#include "cost.h"

#include <linux/math64.h>
#include <linux/minmax.h>

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

void firesteel_cost_update(struct firesteel_cost *cost)
{
	struct firesteel_linear waited = cost->hardware, busy = cost->hardware_processor;

	if (firesteel_minimum >= 0 || !cost->measured) {
		cost->idle_minimum = max(firesteel_minimum, 0);
		cost->busy_minimum = cost->idle_minimum;
		return;
	}
	if (firesteel_wait_mode == FIRESTEEL_WAIT_IRQ)
		waited.base += firesteel_interrupt_ns;
	busy.base += firesteel_interrupt_ns;
	cost->idle_minimum = cost_break_even(&waited, &cost->software);
	cost->busy_minimum = cost_break_even(&busy, &cost->software);
}
