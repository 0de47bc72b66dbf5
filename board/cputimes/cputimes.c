// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact time in hard and soft interrupts, for boards with several CPUs.
 *
 * /proc/cputime has the lines of the image's module cputime, which is for one CPU: nanoseconds since
 * the module was loaded, of all CPUs together.
 *
 *	irq_ns N	in hard interrupt handlers
 *	softirq_ns N	in soft interrupt handlers, without hard interrupts that came meanwhile
 *
 * On each CPU hard interrupts may nest in soft ones and never the other way round; neither nests in
 * itself.  A handler counts when it has ended.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>
#include <linux/u64_stats_sync.h>

/* Written by its CPU only, with interrupts off; the totals are read by others */
struct cputimes {
	struct u64_stats_sync sync;
	u64 irq_start;
	u64 irq_total;
	u64 softirq_start;
	u64 softirq_total;
	/* irq_total when the soft interrupt began */
	u64 softirq_irq_total;
};

static DEFINE_PER_CPU(struct cputimes, cputimes);

static void cputimes_irq_entry(void *data, int irq, struct irqaction *action)
{
	this_cpu_ptr(&cputimes)->irq_start = local_clock();
}

static void cputimes_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	struct cputimes *own = this_cpu_ptr(&cputimes);

	u64_stats_update_begin(&own->sync);
	own->irq_total += local_clock() - own->irq_start;
	u64_stats_update_end(&own->sync);
}

static void cputimes_softirq_entry(void *data, unsigned int vec)
{
	struct cputimes *own = this_cpu_ptr(&cputimes);

	own->softirq_irq_total = own->irq_total;
	own->softirq_start = local_clock();
}

static void cputimes_softirq_exit(void *data, unsigned int vec)
{
	struct cputimes *own = this_cpu_ptr(&cputimes);
	unsigned long flags = u64_stats_update_begin_irqsave(&own->sync);

	own->softirq_total += local_clock() - own->softirq_start;
	own->softirq_total -= own->irq_total - own->softirq_irq_total;
	u64_stats_update_end_irqrestore(&own->sync, flags);
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} cputimes_hooks[] = {
	{ "irq_handler_entry", cputimes_irq_entry },
	{ "irq_handler_exit", cputimes_irq_exit },
	{ "softirq_entry", cputimes_softirq_entry },
	{ "softirq_exit", cputimes_softirq_exit },
};

static void cputimes_hook_find(struct tracepoint *tp, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cputimes_hooks); i++) {
		if (!strcmp(tp->name, cputimes_hooks[i].name))
			cputimes_hooks[i].tp = tp;
	}
}

static void cputimes_hooks_remove(size_t count)
{
	while (count--)
		tracepoint_probe_unregister(cputimes_hooks[count].tp, cputimes_hooks[count].probe,
					    NULL);
	tracepoint_synchronize_unregister();
}

static int cputimes_hooks_add(void)
{
	size_t i;
	int err;

	for_each_kernel_tracepoint(cputimes_hook_find, NULL);
	for (i = 0; i < ARRAY_SIZE(cputimes_hooks); i++) {
		err = -ENOENT;
		if (cputimes_hooks[i].tp)
			err = tracepoint_probe_register(cputimes_hooks[i].tp,
							cputimes_hooks[i].probe, NULL);
		if (err) {
			pr_err("cputimes: no tracepoint %s: %d\n", cputimes_hooks[i].name, err);
			cputimes_hooks_remove(i);
			return err;
		}
	}
	return 0;
}

static void cputimes_read(const struct cputimes *of, u64 *irq, u64 *softirq)
{
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&of->sync);
		*irq = of->irq_total;
		*softirq = of->softirq_total;
	} while (u64_stats_fetch_retry(&of->sync, start));
}

static int cputimes_show(struct seq_file *file, void *unused)
{
	u64 irq, softirq, irqs = 0, softirqs = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
	{
		cputimes_read(per_cpu_ptr(&cputimes, cpu), &irq, &softirq);
		irqs += irq;
		softirqs += softirq;
	}
	seq_printf(file, "irq_ns %llu\nsoftirq_ns %llu\n", irqs, softirqs);
	return 0;
}

static int __init cputimes_init(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) u64_stats_init(&per_cpu_ptr(&cputimes, cpu)->sync);
	err = cputimes_hooks_add();
	if (err)
		return err;
	if (!proc_create_single("cputime", 0444, NULL, cputimes_show)) {
		cputimes_hooks_remove(ARRAY_SIZE(cputimes_hooks));
		return -ENOMEM;
	}
	return 0;
}
module_init(cputimes_init);

static void __exit cputimes_exit(void)
{
	remove_proc_entry("cputime", NULL);
	cputimes_hooks_remove(ARRAY_SIZE(cputimes_hooks));
}
module_exit(cputimes_exit);

MODULE_DESCRIPTION("Exact interrupt times of several CPUs");
MODULE_LICENSE("GPL");
