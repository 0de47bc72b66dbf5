// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether a device can still reach what the kernel has worked on: watches which coherent memory its
 * driver allocates, and tells how many pieces of it are not empty.  To be loaded before the driver,
 * on 32-bit ARM.
 */
#include <linux/device.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define ARENAS_MAX 128u

static char *device;
module_param(device, charp, 0444);

struct arena {
	const void *memory; /* NULL: none */
	size_t size;
};

static struct arena arenas[ARENAS_MAX];
static DEFINE_RAW_SPINLOCK(lock);

static struct arena *arenas_find(const void *memory)
{
	unsigned int i;

	for (i = 0; i < ARENAS_MAX; i++)
		if (arenas[i].memory == memory)
			return &arenas[i];
	return NULL;
}

static void arenas_replace(const void *memory, const void *by, size_t size)
{
	struct arena *arena;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	arena = arenas_find(memory);
	if (arena)
		*arena = (struct arena){ by, size };
	raw_spin_unlock_irqrestore(&lock, flags);
	WARN_ONCE(by && !arena, "arenas: more than %u\n", ARENAS_MAX);
}

static bool arenas_is_of_device(const struct pt_regs *regs)
{
	const struct device *dev = (const struct device *)regs->ARM_r0;

	return !strcmp(dev_name(dev), device);
}

/* ---- dma_alloc_attrs(dev, size, …) ---- */

static int arenas_alloc_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	size_t *size = (size_t *)instance->data;

	*size = regs->ARM_r1;
	return arenas_is_of_device(regs) ? 0 : 1;
}

static int arenas_alloc_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	const void *memory = (const void *)regs_return_value(regs);

	if (memory)
		arenas_replace(NULL, memory, *(size_t *)instance->data);
	return 0;
}

static struct kretprobe alloc_probe = {
	.kp.symbol_name = "dma_alloc_attrs",
	.entry_handler = arenas_alloc_entry,
	.handler = arenas_alloc_return,
	.data_size = sizeof(size_t),
};

/* ---- dma_free_attrs(dev, size, memory, …) ---- */

static int arenas_free(struct kprobe *probe, struct pt_regs *regs)
{
	if (arenas_is_of_device(regs) && regs->ARM_r2)
		arenas_replace((const void *)regs->ARM_r2, NULL, 0);
	return 0;
}

static struct kprobe free_probe = {
	.symbol_name = "dma_free_attrs",
	.pre_handler = arenas_free,
};

/* ---- what is told ---- */

static int arenas_count(char *text, const struct kernel_param *parameter)
{
	unsigned int i, known = 0, live = 0;

	for (i = 0; i < ARENAS_MAX; i++) {
		if (!arenas[i].memory)
			continue;
		known++;
		live += !!memchr_inv(arenas[i].memory, 0, arenas[i].size);
	}
	return sysfs_emit(text, "%u of %u\n", live, known);
}

/* While nobody allocates or frees */
static const struct kernel_param_ops live_ops = { .get = arenas_count };
module_param_cb(live, &live_ops, NULL, 0444);

static int __init arenas_init(void)
{
	int err = register_kretprobe(&alloc_probe);

	if (err)
		return err;
	err = register_kprobe(&free_probe);
	if (err)
		unregister_kretprobe(&alloc_probe);
	return err;
}
module_init(arenas_init);

static void __exit arenas_exit(void)
{
	unregister_kprobe(&free_probe);
	unregister_kretprobe(&alloc_probe);
}
module_exit(arenas_exit);

MODULE_DESCRIPTION("Tells whether coherent memory of a device is empty");
MODULE_LICENSE("GPL");
