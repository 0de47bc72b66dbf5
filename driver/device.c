// SPDX-License-Identifier: GPL-2.0-or-later
#include "device.h"

#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pm.h>
#include <linux/slab.h>

#include "algorithm.h"
#include "recovery.h"

static LIST_HEAD(devices);
static DEFINE_MUTEX(devices_lock);

/* ---- finding ---- */

static bool device_has(const struct firesteel_device *device, const struct firesteel_need *need)
{
	return !READ_ONCE(device->owner.user) &&
	       (device->presence & need->presence) == need->presence &&
	       (device->aes_caps & need->aes_caps) == need->aes_caps &&
	       (device->hash_caps & need->hash_caps) == need->hash_caps;
}

static struct firesteel_device *device_find(const struct firesteel_need *need)
{
	struct firesteel_device *device, *best = NULL;

	list_for_each_entry(device, &devices, node)
		if (device_has(device, need) &&
		    (!best || kref_read(&device->users) < kref_read(&best->users)))
			best = device;
	return best;
}

struct firesteel_device *firesteel_device_get(const struct firesteel_need *need)
{
	struct firesteel_device *device;

	mutex_lock(&devices_lock);
	device = device_find(need);
	if (device)
		kref_get(&device->users);
	mutex_unlock(&devices_lock);
	return device;
}

static void device_release(struct kref *users)
{
	kfree(container_of(users, struct firesteel_device, users));
}

void firesteel_device_put(struct firesteel_device *device)
{
	if (device)
		kref_put(&device->users, device_release);
}

bool firesteel_device_exists(const struct firesteel_need *need)
{
	bool exists;

	mutex_lock(&devices_lock);
	exists = device_find(need);
	mutex_unlock(&devices_lock);
	return exists;
}

void firesteel_device_each(void (*show)(struct firesteel_device *device, void *data), void *data)
{
	struct firesteel_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		show(device, data);
	mutex_unlock(&devices_lock);
}

/* ---- coming and going ---- */

/* The presence word; 0 where no core answers */
static void device_read_presence(struct firesteel_device *device)
{
	device->presence = readl(device->window + SILEX_PRESENCE);
	if (device->presence == ~0u)
		device->presence = 0;
	if (device->presence & SILEX_PRESENCE_AES) {
		device->aes_caps = readl(device->window + SILEX_AES_CAPS);
		device->counter_bits = readl(device->window + SILEX_AES_COUNTER_BITS);
	}
	if (device->presence & SILEX_PRESENCE_HASH)
		device->hash_caps = readl(device->window + SILEX_HASH_CAPS);
}

int firesteel_device_page_check(const struct firesteel_device *device)
{
	/* in a larger page there would be registers of the kernel's */
	if (PAGE_SHIFT > 12 || offset_in_page(device->resources.base))
		return -EOPNOTSUPP;
	return 0;
}

static irqreturn_t device_interrupt(int irq, void *data)
{
	struct firesteel_device *device = data;

	return firesteel_cm_has_interrupts(&device->cm)
		       ? firesteel_cm_interrupt(&device->cm)
		       : firesteel_queue_interrupt(irq, &device->queue);
}

static int device_start_queue(struct firesteel_device *device)
{
	unsigned int irq = device->resources.irqs[SILEX_LINE_CM];
	struct device *dev = device->dev;
	int err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(32));

	if (err)
		return dev_err_probe(dev, err, "no memory that 32-bit descriptors reach\n");
	err = firesteel_queue_open(&device->queue, device, device->window + SILEX_CM_BASE);
	if (err)
		return dev_err_probe(dev, err, "CryptoMaster cannot be started\n");
	err = request_irq(irq, device_interrupt, IRQF_SHARED, dev_name(dev), device);
	if (!err)
		return 0;
	firesteel_queue_close(&device->queue);
	return dev_err_probe(dev, err, "no interrupt\n");
}

/* The cores to the kernel and to programs */
static int device_start(struct firesteel_device *device)
{
	if (device->presence & FIRESTEEL_SYMMETRIC) {
		int err = device_start_queue(device);

		if (err)
			return err;
	}
	firesteel_owner_init(device);
	if (device->presence & SILEX_PRESENCE_PK)
		firesteel_pk_open(device);
	mutex_lock(&devices_lock);
	list_add_tail(&device->node, &devices);
	mutex_unlock(&devices_lock);
	firesteel_algorithms_expect();
	return 0;
}

struct firesteel_device *firesteel_device_add(struct device *dev,
					      const struct firesteel_resources *resources)
{
	struct firesteel_device *device = kzalloc(sizeof(*device), GFP_KERNEL);
	int err;

	if (!device)
		return ERR_PTR(-ENOMEM);
	device->dev = dev;
	device->resources = *resources;
	device->window = resources->window;
	kref_init(&device->users);
	device_read_presence(device);
	if (!device->presence) {
		kfree(device);
		return ERR_PTR(dev_err_probe(dev, -ENODEV, "no core answers\n"));
	}
	err = device_start(device);
	if (err) {
		kfree(device);
		return ERR_PTR(err);
	}
	return device;
}

void firesteel_device_suspend(struct firesteel_device *device)
{
	/* CryptoMaster first: a fault of its own casts suspicion on the public-key engine */
	mutex_lock(&device->owner.lock);
	if (device->presence & FIRESTEEL_SYMMETRIC && !device->owner.user)
		firesteel_recovery_suspend(&device->queue);
	mutex_unlock(&device->owner.lock);
	firesteel_pk_suspend(&device->pk);
}

void firesteel_device_resume(struct firesteel_device *device)
{
	mutex_lock(&device->owner.lock);
	if (device->presence & FIRESTEEL_SYMMETRIC && !device->owner.user)
		firesteel_recovery_resume(&device->queue);
	mutex_unlock(&device->owner.lock);
	firesteel_pk_resume(&device->pk);
}

static int device_pm_suspend(struct device *dev)
{
	firesteel_device_suspend(dev_get_drvdata(dev));
	return 0;
}

static int device_pm_resume(struct device *dev)
{
	firesteel_device_resume(dev_get_drvdata(dev));
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(firesteel_device_pm, device_pm_suspend, device_pm_resume);

void firesteel_device_remove(struct firesteel_device *device)
{
	mutex_lock(&devices_lock);
	list_del_init(&device->node);
	mutex_unlock(&devices_lock);
	if (device->presence & SILEX_PRESENCE_PK)
		firesteel_pk_close(device);
	firesteel_owner_close(device);
	if (device->presence & FIRESTEEL_SYMMETRIC) {
		firesteel_queue_close(&device->queue);
		free_irq(device->resources.irqs[SILEX_LINE_CM], device);
		/* a handler may have been under way */
		tasklet_kill(&device->queue.tasklet);
	}
	firesteel_device_put(device);
}
