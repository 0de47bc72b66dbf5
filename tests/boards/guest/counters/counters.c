// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the counters of the generic timer ever step back, on 32-bit ARM.
 *
 * A thread on each CPU reads the physical and the virtual counter in turn.  It compares each reading
 * with the largest one that any CPU has published before, and publishes its own.  When all threads
 * are done the kernel's log has a line "counters: READINGS readings, BACK back".
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/kthread.h>
#include <linux/module.h>

static unsigned int count = 10000;
module_param(count, uint, 0444);

static atomic64_t latest = ATOMIC64_INIT(0);
static atomic_t readings = ATOMIC_INIT(0);
static atomic_t back = ATOMIC_INIT(0);
static atomic_t running = ATOMIC_INIT(0);
static DECLARE_COMPLETION(done);

static u64 counters_read(bool physical)
{
	u64 value;

	if (physical)
		asm volatile("isb\n\tmrrc p15, 0, %Q0, %R0, c14" : "=r"(value) : : "memory");
	else
		asm volatile("isb\n\tmrrc p15, 1, %Q0, %R0, c14" : "=r"(value) : : "memory");
	return value;
}

static void counters_publish(u64 value)
{
	s64 known = atomic64_read(&latest);

	while (known < value && !atomic64_try_cmpxchg(&latest, &known, value))
		cpu_relax();
}

static int counters_thread(void *unused)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		u64 known = atomic64_read(&latest);
		u64 now = counters_read(i % 2);

		if (now < known)
			atomic_inc(&back);
		counters_publish(now);
		atomic_inc(&readings);
	}
	if (atomic_dec_and_test(&running))
		complete(&done);
	return 0;
}

static int __init counters_init(void)
{
	unsigned int cpu;

	atomic_set(&running, num_online_cpus());
	for_each_online_cpu(cpu)
	{
		struct task_struct *task = kthread_create_on_cpu(counters_thread, NULL, cpu,
								 "counters/%u");

		if (IS_ERR(task))
			return PTR_ERR(task);
		wake_up_process(task);
	}
	wait_for_completion(&done);
	pr_info("counters: %d readings, %d back\n", atomic_read(&readings), atomic_read(&back));
	return 0;
}
module_init(counters_init);

static void __exit counters_exit(void)
{
}
module_exit(counters_exit);

MODULE_DESCRIPTION("Tells whether the generic timer's counters step back");
MODULE_LICENSE("GPL");
