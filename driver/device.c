// SPDX-License-Identifier: GPL-2.0-or-later
#include "device.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/reset.h>
#include <linux/slab.h>

#include "algorithms.h"
#include "compat.h"
#include "devices.h"
#include "owner.h"
#include "proof.h"
#include "request.h"
#include "uio-pk.h"
#include "silex/ba414.h"

/* Thousands of the core's cycles */
#define RESET_US 20u

/* Longer than any operation that a boot loader or another kernel has left running */
#define QUIET_US      2000000u
#define QUIET_POLL_US 10u

/* A device with all that serves it */
struct firesteel_window {
	struct firesteel_device device;
	struct firesteel_resources resources;
	struct firesteel_owner owner;
	struct firesteel_pk pk;
	int number; /* among those with a queue; negative: none */
};

/* Of devices that went, other devices take the numbers */
static DEFINE_IDA(device_numbers);

/* The presence word; 0 where no core answers */
static void device_read_presence(struct firesteel_device *device, void __iomem *window)
{
	device->presence = readl(window + SILEX_PRESENCE);
	if (device->presence == SILEX_GONE)
		device->presence = 0;
	if (device->presence & SILEX_PRESENCE_AES) {
		device->aes_caps = readl(window + SILEX_AES_CAPS);
		device->counter_bits = readl(window + SILEX_AES_COUNTER_BITS);
	}
	if (device->presence & SILEX_PRESENCE_HASH)
		device->hash_caps = readl(window + SILEX_HASH_CAPS);
}

/* ---- the queue ---- */

static irqreturn_t device_interrupt(int irq, void *data)
{
	struct firesteel_window *window = data;

	return firesteel_uio_cm_has_interrupts(&window->owner.cm)
		       ? firesteel_uio_cm_interrupt(&window->owner.cm)
		       : firesteel_queue_interrupt(&window->device.queue);
}

static void device_queue_failed(void *context, enum firesteel_fault fault)
{
	struct firesteel_window *window = context;

	/* whatever reset one core of a window may have reset the other */
	if (fault == FIRESTEEL_GONE && window->device.presence & SILEX_PRESENCE_PK)
		firesteel_uio_pk_suspect(&window->pk);
	firesteel_recovery_begin(&window->device.recovery, fault);
}

static const struct firesteel_queue_callbacks device_queue_callbacks = {
	.resume = firesteel_request_resume,
	.failed = device_queue_failed,
};

/* By the line of the device tree, which resets the whole window */
static bool device_quiesce(void *context)
{
	struct firesteel_window *window = context;
	struct reset_control *reset = window->resources.reset;

	if (reset_control_assert(reset))
		return false;
	usleep_range(RESET_US, 2 * RESET_US);
	/* if that fails it stays in reset, and is found not to answer */
	reset_control_deassert(reset);
	if (window->device.presence & SILEX_PRESENCE_PK)
		firesteel_uio_pk_suspect(&window->pk);
	return true;
}

/* Before requests of others are given to it */
static bool device_is_proven(struct firesteel_window *window)
{
	return dev_is_pci(window->device.dev) || window->resources.reset ||
	       firesteel_proof_passes(&window->device);
}

/* The queue's memory, to which the core may still write; it is in lists of the queue */
static void device_keep_queue(struct firesteel_device *device)
{
	firesteel_queue_close(&device->queue, false);
	kref_get(&device->users);
}

static int device_open_queue(struct firesteel_window *window)
{
	struct firesteel_device *device = &window->device;
	struct firesteel_recovery *recovery = &device->recovery;
	int err = firesteel_queue_open(&device->queue, device->dev,
				       window->resources.window + SILEX_CM_BASE,
				       &device_queue_callbacks, window);

	if (err)
		return err;
	if (!device_is_proven(window)) {
		device_keep_queue(device);
		return -ETIMEDOUT;
	}
	recovery->quiesce = window->resources.reset ? device_quiesce : NULL;
	recovery->context = window;
	err = firesteel_recovery_open(recovery, &device->queue, device->dev);
	if (err)
		firesteel_queue_close(&device->queue, true);
	return err;
}

static void device_close_queue(struct firesteel_device *device)
{
	if (firesteel_recovery_close(&device->recovery)) {
		firesteel_queue_close(&device->queue, true);
		return;
	}
	dev_err(device->dev, "CryptoMaster cannot be stopped: its memory is kept\n");
	device_keep_queue(device);
}

static unsigned int device_nth_cpu(unsigned int n, const struct cpumask *cpus)
{
	unsigned int cpu = cpumask_first(cpus);

	while (n--)
		cpu = cpumask_next(cpu, cpus);
	return cpu;
}

/* The CPU that takes an interrupt also ends requests, so several devices take several of the CPUs
 * that interrupts may have (/proc/irq/default_smp_affinity), and not the first, which others take.
 */
static void device_spread(struct firesteel_window *window, unsigned int irq)
{
	const struct cpumask *allowed = irq_get_affinity_mask(irq);
	int cpu;

	window->number = ida_alloc(&device_numbers, GFP_KERNEL);
	if (window->number < 0 || !allowed)
		return;
	cpu = device_nth_cpu((window->number + 1) % cpumask_weight(allowed), allowed);
	/* without a hint, which whoever shares the line would have to clear */
	firesteel_irq_set_affinity(irq, cpumask_of(cpu));
}

static int device_start_queue(struct firesteel_window *window)
{
	unsigned int irq = window->resources.irqs[SILEX_LINE_CM];
	struct device *dev = window->device.dev;
	int err = dma_set_mask_and_coherent(dev, DMA_BIT_MASK(32));

	if (err)
		return dev_err_probe(dev, err, "no memory that 32-bit descriptors reach\n");
	dma_set_max_seg_size(dev, FIRESTEEL_DESCRIPTOR_MAX);
	err = device_open_queue(window);
	if (err)
		return dev_err_probe(dev, err, "CryptoMaster cannot be started\n");
	err = request_irq(irq, device_interrupt, IRQF_SHARED, dev_name(dev), window);
	if (!err) {
		device_spread(window, irq);
		return 0;
	}
	device_close_queue(&window->device);
	return dev_err_probe(dev, err, "no interrupt\n");
}

static void device_stop_queue(struct firesteel_window *window)
{
	device_close_queue(&window->device);
	if (window->number >= 0)
		ida_free(&device_numbers, window->number);
	free_irq(window->resources.irqs[SILEX_LINE_CM], window);
}

/* ---- coming and going ---- */

void firesteel_device_quiet(void __iomem *window)
{
	u32 presence = readl(window + SILEX_PRESENCE), status;
	void __iomem *engine = window + SILEX_PK_BASE;

	if (presence == SILEX_GONE || !(presence & SILEX_PRESENCE_PK))
		return;
	/* an engine that still clears its memory interrupts later */
	readl_poll_timeout(engine + SILEX_PK_STATUS, status, !(status & SILEX_PK_STATUS_BUSY),
			   QUIET_POLL_US, QUIET_US);
	writel(SILEX_PK_CONTROL_CLEAR_IRQ, engine + SILEX_PK_CONTROL);
}

/* The cores to the kernel and to programs */
static int device_start(struct firesteel_window *window)
{
	struct firesteel_device *device = &window->device;

	if (device->presence & FIRESTEEL_SYMMETRIC) {
		int err = device_start_queue(window);

		if (err)
			return err;
	}
	firesteel_owner_init(&window->owner, device, &window->resources);
	if (device->presence & SILEX_PRESENCE_PK)
		firesteel_uio_pk_open(&window->pk, device->dev, &window->resources);
	firesteel_devices_add(device);
	firesteel_algorithms_expect();
	return 0;
}

static void device_free(struct firesteel_device *device)
{
	kfree(container_of(device, struct firesteel_window, device));
}

static struct firesteel_window *device_new(struct device *dev,
					   const struct firesteel_resources *resources)
{
	struct firesteel_window *window = kzalloc(sizeof(*window), GFP_KERNEL);

	if (!window)
		return NULL;
	window->resources = *resources;
	window->device.dev = dev;
	window->device.release = device_free;
	window->device.owner = &window->owner;
	window->device.pk = &window->pk;
	kref_init(&window->device.users);
	device_read_presence(&window->device, resources->window);
	return window;
}

int firesteel_device_add(struct device *dev, const struct firesteel_resources *resources)
{
	struct firesteel_window *window = device_new(dev, resources);
	int err;

	if (!window)
		return -ENOMEM;
	dev_set_drvdata(dev, &window->device);
	err = window->device.presence ? device_start(window)
				      : dev_err_probe(dev, -ENODEV, "no core answers\n");
	if (err)
		firesteel_devices_put(&window->device);
	return err;
}

void firesteel_device_remove(struct device *dev)
{
	struct firesteel_device *device = dev_get_drvdata(dev);
	struct firesteel_window *window = container_of(device, struct firesteel_window, device);

	firesteel_devices_remove(device);
	if (device->presence & SILEX_PRESENCE_PK)
		firesteel_uio_pk_close(&window->pk);
	firesteel_owner_close(&window->owner);
	if (device->presence & FIRESTEEL_SYMMETRIC)
		device_stop_queue(window);
	firesteel_devices_put(device);
}

/* ---- resets ---- */

bool firesteel_device_suspend(struct device *dev)
{
	struct firesteel_device *device = dev_get_drvdata(dev);
	/* CryptoMaster first: a fault of its own casts suspicion on the public-key engine */
	bool quiet = firesteel_owner_suspend(device->owner);

	firesteel_uio_pk_suspend(device->pk);
	return quiet;
}

void firesteel_device_resume(struct device *dev)
{
	struct firesteel_device *device = dev_get_drvdata(dev);
	struct firesteel_window *window = container_of(device, struct firesteel_window, device);

	firesteel_device_quiet(window->resources.window);
	firesteel_owner_resume(device->owner);
	firesteel_uio_pk_resume(device->pk);
}

/* What sleeps must not be written to: rather nothing sleeps */
static int device_pm_suspend(struct device *dev)
{
	if (firesteel_device_suspend(dev))
		return 0;
	dev_err(dev, "CryptoMaster cannot be stopped: no sleep\n");
	firesteel_device_resume(dev);
	return -EBUSY;
}

static int device_pm_resume(struct device *dev)
{
	firesteel_device_resume(dev);
	return 0;
}

DEFINE_SIMPLE_DEV_PM_OPS(firesteel_device_pm, device_pm_suspend, device_pm_resume);
