// SPDX-License-Identifier: GPL-2.0-or-later
/* Each misdeed and its name; see misdeeds.h. */
#include <linux/dma-mapping.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "misdeeds.h"

#define MISDEEDS_SIZE 100

static struct platform_device *misdeeds_device;
static bool misdeeds_digest_offered;

static int misdeeds_write_outside(void)
{
	u8 *memory = kmalloc(MISDEEDS_SIZE, GFP_KERNEL);
	size_t size = MISDEEDS_SIZE;

	if (!memory)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(size);
	WRITE_ONCE(memory[size], 1);
	kfree(memory);
	return 0;
}

static int misdeeds_read_freed(void)
{
	u8 *memory = kmalloc(MISDEEDS_SIZE, GFP_KERNEL);
	u8 *freed = memory;

	if (!memory)
		return -ENOMEM;
	OPTIMIZER_HIDE_VAR(freed);
	kfree(memory);
	READ_ONCE(*freed);
	return 0;
}

/* Several, as a stale register or stack slot may still point to one of them */
static int misdeeds_leak(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		void *memory = kmalloc(MISDEEDS_SIZE, GFP_KERNEL);

		if (!memory)
			return -ENOMEM;
		OPTIMIZER_HIDE_VAR(memory);
	}
	return 0;
}

static int misdeeds_shift_too_far(void)
{
	unsigned int bits = 32;
	unsigned int value = 1;

	OPTIMIZER_HIDE_VAR(bits);
	value <<= bits;
	OPTIMIZER_HIDE_VAR(value);
	return 0;
}

static int misdeeds_lock_both_ways(void)
{
	static DEFINE_MUTEX(one);
	static DEFINE_MUTEX(other);

	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);

	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
	return 0;
}

static int misdeeds_sleep_with_spinlock(void)
{
	static DEFINE_SPINLOCK(lock);

	spin_lock(&lock);
	might_sleep();
	spin_unlock(&lock);
	return 0;
}

static int misdeeds_unmap_twice(void)
{
	struct device *dev = &misdeeds_device->dev;
	void *memory = kmalloc(MISDEEDS_SIZE, GFP_KERNEL);
	dma_addr_t address;

	if (!memory)
		return -ENOMEM;
	address = dma_map_single(dev, memory, MISDEEDS_SIZE, DMA_TO_DEVICE);
	if (dma_mapping_error(dev, address)) {
		kfree(memory);
		return -EIO;
	}
	dma_unmap_single(dev, address, MISDEEDS_SIZE, DMA_TO_DEVICE);
	dma_unmap_single(dev, address, MISDEEDS_SIZE, DMA_TO_DEVICE);
	kfree(memory);
	return 0;
}

static int misdeeds_digest_wrongly(void)
{
	int err = digest_offer();

	misdeeds_digest_offered = !err;
	return err;
}

static const struct {
	const char *name;
	int (*commit)(void);
} misdeeds[] = {
	{ "write-outside", misdeeds_write_outside },
	{ "read-freed", misdeeds_read_freed },
	{ "leak", misdeeds_leak },
	{ "shift-too-far", misdeeds_shift_too_far },
	{ "lock-both-ways", misdeeds_lock_both_ways },
	{ "sleep-with-spinlock", misdeeds_sleep_with_spinlock },
	{ "unmap-twice", misdeeds_unmap_twice },
	{ "digest-wrongly", misdeeds_digest_wrongly },
};

static int misdeeds_set(const char *value, const struct kernel_param *param)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(misdeeds); i++) {
		if (sysfs_streq(value, misdeeds[i].name))
			return misdeeds[i].commit();
	}
	return -EINVAL;
}

static const struct kernel_param_ops misdeeds_ops = { .set = misdeeds_set };
module_param_cb(commit, &misdeeds_ops, NULL, 0200);
MODULE_PARM_DESC(commit, "Name of the misdeed to commit now");

static int __init misdeeds_init(void)
{
	int err;

	misdeeds_device = platform_device_register_simple("misdeeds", -1, NULL, 0);
	if (IS_ERR(misdeeds_device))
		return PTR_ERR(misdeeds_device);
	err = dma_set_mask_and_coherent(&misdeeds_device->dev, DMA_BIT_MASK(32));
	if (err)
		platform_device_unregister(misdeeds_device);
	return err;
}
module_init(misdeeds_init);

static void __exit misdeeds_exit(void)
{
	if (misdeeds_digest_offered)
		digest_withdraw();
	platform_device_unregister(misdeeds_device);
}
module_exit(misdeeds_exit);

MODULE_DESCRIPTION("Faults for tests of the debug kernel");
MODULE_LICENSE("GPL");
