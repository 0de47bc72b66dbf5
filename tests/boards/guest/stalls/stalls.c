// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stalls the processor again and again, as a hypervisor, firmware or a long interrupt does: whatever
 * it is about to do is done later.
 */
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/module.h>

/* Longer than any core needs for a reset */
#define STALL_US 1100

/* Between two stalls */
#define GAP_NS (50 * NSEC_PER_USEC)

static struct hrtimer stalls_timer;

static enum hrtimer_restart stalls_stall(struct hrtimer *timer)
{
	udelay(STALL_US);
	hrtimer_forward(timer, ktime_get(), GAP_NS);
	return HRTIMER_RESTART;
}

static int __init stalls_init(void)
{
	hrtimer_init(&stalls_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	stalls_timer.function = stalls_stall;
	hrtimer_start(&stalls_timer, GAP_NS, HRTIMER_MODE_REL_HARD);
	return 0;
}
module_init(stalls_init);

static void __exit stalls_exit(void)
{
	hrtimer_cancel(&stalls_timer);
}
module_exit(stalls_exit);

MODULE_DESCRIPTION("Stalls the processor again and again");
MODULE_LICENSE("GPL");
