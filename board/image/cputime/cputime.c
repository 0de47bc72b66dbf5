// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Exact time in hard and soft interrupts, for boards with one CPU.
 *
 * /proc/stat samples interrupt time with the tick; this module measures it at the kernel's own
 * tracepoints.  /proc/cputime has two lines, in nanoseconds since the module was loaded:
 *
 *	irq_ns N	in hard interrupt handlers
 *	softirq_ns N	in soft interrupt handlers, without hard interrupts that came meanwhile
 *
 * Hard interrupts may nest in soft ones and never the other way round; neither nests in itself.
 * With one CPU, no lock is needed: the writers exclude each other as just said, and the reader
 * turns interrupts off.
 */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

static u64 irq_start;
static u64 irq_total;
static u64 softirq_start;
static u64 softirq_total;
/* irq_total when the soft interrupt began */
static u64 softirq_irq_total;

static void cputime_irq_entry(void *data, int irq, struct irqaction *action)
{
	irq_start = local_clock();
}

static void cputime_irq_exit(void *data, int irq, struct irqaction *action, int ret)
{
	irq_total += local_clock() - irq_start;
}

static void cputime_softirq_entry(void *data, unsigned int vec)
{
	softirq_irq_total = irq_total;
	softirq_start = local_clock();
}

static void cputime_softirq_exit(void *data, unsigned int vec)
{
	softirq_total += local_clock() - softirq_start;
	softirq_total -= irq_total - softirq_irq_total;
}

static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} cputime_hooks[] = {
	{ "irq_handler_entry", cputime_irq_entry },
	{ "irq_handler_exit", cputime_irq_exit },
	{ "softirq_entry", cputime_softirq_entry },
	{ "softirq_exit", cputime_softirq_exit },
};

static void cputime_hook_find(struct tracepoint *tp, void *unused)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cputime_hooks); i++) {
		if (!strcmp(tp->name, cputime_hooks[i].name))
			cputime_hooks[i].tp = tp;
	}
}

static void cputime_hooks_remove(size_t count)
{
	while (count--)
		tracepoint_probe_unregister(cputime_hooks[count].tp, cputime_hooks[count].probe,
					    NULL);
	tracepoint_synchronize_unregister();
}

static int cputime_hooks_add(void)
{
	size_t i;
	int err;

	for_each_kernel_tracepoint(cputime_hook_find, NULL);
	for (i = 0; i < ARRAY_SIZE(cputime_hooks); i++) {
		if (!cputime_hooks[i].tp) {
			pr_err("cputime: the kernel has no tracepoint %s\n", cputime_hooks[i].name);
			err = -ENOENT;
			goto err_remove;
		}
		err = tracepoint_probe_register(cputime_hooks[i].tp, cputime_hooks[i].probe, NULL);
		if (err)
			goto err_remove;
	}
	return 0;

err_remove:
	cputime_hooks_remove(i);
	return err;
}

static int cputime_show(struct seq_file *file, void *unused)
{
	unsigned long flags;
	u64 irq, softirq;

	local_irq_save(flags);
	irq = irq_total;
	softirq = softirq_total;
	local_irq_restore(flags);
	seq_printf(file, "irq_ns %llu\nsoftirq_ns %llu\n", irq, softirq);
	return 0;
}

static int __init cputime_init(void)
{
	int err;

	if (num_possible_cpus() != 1) {
		pr_err("cputime: made for one CPU\n");
		return -EOPNOTSUPP;
	}
	err = cputime_hooks_add();
	if (err)
		return err;
	if (!proc_create_single("cputime", 0444, NULL, cputime_show)) {
		cputime_hooks_remove(ARRAY_SIZE(cputime_hooks));
		return -ENOMEM;
	}
	return 0;
}
module_init(cputime_init);

static void __exit cputime_exit(void)
{
	remove_proc_entry("cputime", NULL);
	cputime_hooks_remove(ARRAY_SIZE(cputime_hooks));
}
module_exit(cputime_exit);

MODULE_DESCRIPTION("Exact interrupt times of a single CPU");
MODULE_LICENSE("GPL");
