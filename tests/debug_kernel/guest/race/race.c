// SPDX-License-Identifier: GPL-2.0-or-later
/* A race: two threads count with the same variable, without a lock. */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/module.h>

#define RACE_THREADS 2

static unsigned int race_counter;
static DECLARE_COMPLETION(race_ended);

static int race_thread(void *data)
{
	unsigned long end = jiffies + 3 * HZ;

	while (time_before(jiffies, end)) {
		race_counter++;
		/* else the compiler counts in a register, and writes once */
		barrier();
	}
	complete(&race_ended);
	return 0;
}

static int __init race_init(void)
{
	unsigned int i;

	for (i = 0; i < RACE_THREADS; i++) {
		struct task_struct *task = kthread_create_on_cpu(race_thread, NULL, i, "race/%u");

		if (IS_ERR(task))
			return PTR_ERR(task);
		wake_up_process(task);
	}
	for (i = 0; i < RACE_THREADS; i++)
		wait_for_completion(&race_ended);
	return 0;
}
module_init(race_init);

MODULE_DESCRIPTION("A race, which a checker has to find");
MODULE_LICENSE("GPL");
