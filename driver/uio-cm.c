// SPDX-License-Identifier: GPL-2.0-or-later
/* A CryptoMaster for a program, as silex/share.h has it. */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "compat.h"
#include "cryptomaster.h"
#include "reach.h"
#include "silex/share.h"
#include "uio-cm.h"

unsigned int firesteel_buffer_kib = 1024;

/* What a program copies results of, a few messages at a time */
#define RESULTS_MAX ((size_t)SZ_256K)

/* ---- interrupts ---- */

irqreturn_t firesteel_uio_cm_interrupt(struct firesteel_uio_cm *cm)
{
	u32 events = READ_ONCE(cm->asleep) ? SILEX_GONE : readl(cm->registers + SILEX_CM_INT_STAT);

	if (!events || events == SILEX_GONE)
		return IRQ_NONE;
	writel(0, cm->registers + SILEX_CM_INT_EN);
	cm->counts.interrupts++;
	spin_lock(&cm->lock);
	if (cm->exported)
		uio_event_notify(&cm->info);
	spin_unlock(&cm->lock);
	return IRQ_HANDLED;
}

/* A program that opened it early may have missed an event: wake all once */
static void uio_cm_set_exported(struct firesteel_uio_cm *cm, bool exported)
{
	spin_lock_irq(&cm->lock);
	cm->exported = exported;
	if (exported)
		uio_event_notify(&cm->info);
	spin_unlock_irq(&cm->lock);
}

/* Chooses whose interrupts they are; no handler of the other's is under way any more */
static void uio_cm_route(struct firesteel_uio_cm *cm, bool to_program)
{
	WRITE_ONCE(cm->routed, to_program);
	synchronize_irq(cm->irq);
}

/* ---- files ---- */

static bool uio_cm_stop_awake(struct firesteel_uio_cm *cm)
{
	bool stopped = firesteel_cryptomaster_stop(cm->registers) == FIRESTEEL_STOPPED;

	if (stopped)
		firesteel_reach_memory(cm->dev);
	else
		cm->counts.faults++;
	if (!cm->wiped) {
		memzero_explicit(cm->buffer, cm->size);
		firesteel_results_wipe(&cm->results);
	}
	cm->wiped = stopped;
	return stopped;
}

/* Wipes what its program left; false: the core may still be running, and write again, or sleeps:
 * then its next user wipes
 */
static bool uio_cm_stop(struct firesteel_uio_cm *cm)
{
	bool stopped;

	mutex_lock(&cm->sleep);
	stopped = !cm->asleep && uio_cm_stop_awake(cm);
	mutex_unlock(&cm->sleep);
	return stopped;
}

static int uio_cm_open(struct uio_info *info, struct inode *inode)
{
	struct firesteel_uio_cm *cm = info->priv;

	if (atomic_xchg(&cm->taken, 1)) {
		cm->counts.refused++;
		return -EBUSY;
	}
	if (!uio_cm_stop(cm)) {
		atomic_set(&cm->taken, 0);
		return -EIO;
	}
	cm->counts.opens++;
	cm->wiped = false;
	return 0;
}

/* No area is mapped any more */
static int uio_cm_release(struct uio_info *info, struct inode *inode)
{
	struct firesteel_uio_cm *cm = info->priv;

	uio_cm_stop(cm);
	cm->counts.stops++;
	atomic_set(&cm->taken, 0);
	return 0;
}

static int uio_cm_map(void *priv, struct firesteel_area *area)
{
	struct firesteel_uio_cm *cm = priv;

	switch (area->map) {
	case SILEX_SHARE_CM_REGS_MAP:
		return firesteel_mapping_registers(cm->mappings, area,
						   cm->info.mem[SILEX_SHARE_CM_REGS_MAP].addr);
	case SILEX_SHARE_CM_BUFFER_MAP:
		return firesteel_mapping_buffer(cm->mappings, area, cm->dev, cm->buffer);
	case SILEX_SHARE_CM_RESULTS_MAP:
		return firesteel_results_mmap(&cm->results, cm->mappings, area);
	default:
		return -EINVAL;
	}
}

static int uio_cm_mmap(struct uio_info *info, struct firesteel_new_area *new)
{
	return firesteel_mapping_create(info, new, uio_cm_map);
}

static int uio_cm_irqcontrol(struct uio_info *info, s32 word)
{
	struct firesteel_uio_cm *cm = info->priv;

	return firesteel_results_sync(&cm->results, word);
}

/* ---- life ---- */

static void uio_cm_describe(struct firesteel_uio_cm *cm)
{
	cm->info = (struct uio_info){
		.name = SILEX_SHARE_CM,
		.version = "2",
		.irq = UIO_IRQ_CUSTOM,
		.priv = cm,
		.open = uio_cm_open,
		.release = uio_cm_release,
		.FIRESTEEL_UIO_MMAP = uio_cm_mmap,
		.irqcontrol = uio_cm_irqcontrol,
		.mem = {
			[SILEX_SHARE_CM_REGS_MAP] = {
				.name = "registers",
				.addr = cm->base + SILEX_CM_BASE,
				.size = PAGE_SIZE,
				.memtype = UIO_MEM_PHYS,
			},
			[SILEX_SHARE_CM_BUFFER_MAP] = {
				.name = "buffer",
				.addr = cm->address,
				.size = cm->size,
				.memtype = UIO_MEM_PHYS,
			},
		},
	};
	if (cm->results.pages)
		cm->info.mem[SILEX_SHARE_CM_RESULTS_MAP] = (struct uio_mem){
			.name = "results",
			.addr = cm->results.address,
			.size = cm->results.size,
			.memtype = UIO_MEM_PHYS,
		};
}

void firesteel_uio_cm_init(struct firesteel_uio_cm *cm, struct device *dev,
			   const struct firesteel_resources *resources)
{
	cm->dev = dev;
	cm->base = resources->base;
	cm->registers = resources->window + SILEX_CM_BASE;
	spin_lock_init(&cm->lock);
	mutex_init(&cm->sleep);
	cm->irq = resources->irqs[SILEX_LINE_CM];
}

/* What programs find is not closed by the driver any more */
static int uio_cm_export(struct firesteel_uio_cm *cm)
{
	int err;

	if (firesteel_cryptomaster_stop(cm->registers) != FIRESTEEL_STOPPED)
		return -EIO;
	uio_cm_describe(cm);
	atomic_set(&cm->taken, 0);
	uio_cm_route(cm, true);
	err = uio_register_device(cm->dev, &cm->info);
	if (err)
		uio_cm_route(cm, false);
	else
		uio_cm_set_exported(cm, true);
	return err;
}

static void uio_cm_put_buffer(struct firesteel_uio_cm *cm)
{
	firesteel_mappings_revoke(cm->mappings);
	cm->mappings = NULL;
	if (!cm->buffer)
		return;
	/* memory to which a core may still write is never reused */
	if (firesteel_cryptomaster_stop(cm->registers) == FIRESTEEL_AT_WORK) {
		dev_err(cm->dev, "CryptoMaster cannot be stopped: its buffer is not used again\n");
	} else {
		dma_free_coherent(cm->dev, cm->size, cm->buffer, cm->address);
		firesteel_results_close(&cm->results);
	}
	cm->buffer = NULL;
}

int firesteel_uio_cm_open(struct firesteel_uio_cm *cm)
{
	int err = firesteel_mapping_page_check(cm->base);

	if (err)
		return err;
	cm->size = PAGE_ALIGN((size_t)clamp(READ_ONCE(firesteel_buffer_kib), 1u, 1u << 20) * SZ_1K);
	cm->buffer = dma_alloc_coherent(cm->dev, cm->size, &cm->address, GFP_KERNEL);
	cm->wiped = true; /* memory for DMA comes so, and results are wiped below */
	cm->mappings = firesteel_mappings_new();
	if (cm->buffer)
		firesteel_results_open(&cm->results, cm->dev, cm->address,
				       min(cm->size / 4, RESULTS_MAX));
	err = cm->buffer && cm->mappings ? uio_cm_export(cm) : -ENOMEM;
	if (err)
		uio_cm_put_buffer(cm);
	return err;
}

bool firesteel_uio_cm_lock(struct firesteel_uio_cm *cm)
{
	return !atomic_xchg(&cm->taken, 1);
}

void firesteel_uio_cm_close(struct firesteel_uio_cm *cm)
{
	atomic_set(&cm->taken, 1);
	uio_cm_set_exported(cm, false);
	uio_unregister_device(&cm->info);
	firesteel_mappings_revoke(cm->mappings);
	cm->mappings = NULL;
	uio_cm_stop(cm);
	uio_cm_route(cm, false);
	uio_cm_put_buffer(cm);
}

bool firesteel_uio_cm_suspend(struct firesteel_uio_cm *cm)
{
	enum firesteel_stop stop;

	mutex_lock(&cm->sleep);
	stop = firesteel_cryptomaster_stop(cm->registers);
	if (stop != FIRESTEEL_STOPPED)
		cm->counts.faults++;
	WRITE_ONCE(cm->asleep, true);
	if (cm->irq)
		synchronize_irq(cm->irq);
	mutex_unlock(&cm->sleep);
	return stop != FIRESTEEL_AT_WORK;
}

void firesteel_uio_cm_resume(struct firesteel_uio_cm *cm)
{
	mutex_lock(&cm->sleep);
	WRITE_ONCE(cm->asleep, false);
	/* what comes back from a reset is whatever it is */
	if (firesteel_cryptomaster_stop(cm->registers) == FIRESTEEL_STOPPED)
		firesteel_reach_memory(cm->dev);
	mutex_unlock(&cm->sleep);
}

void firesteel_uio_cm_show(struct firesteel_uio_cm *cm, struct seq_file *file)
{
	/* for people: one that is counted just now may be half of it */
	struct firesteel_uio_cm_counts counts = data_race(cm->counts);

	seq_printf(file, "%s cm opens %llu refused %llu stops %llu faults %llu interrupts %llu\n",
		   dev_name(cm->dev), counts.opens, counts.refused, counts.stops, counts.faults,
		   counts.interrupts);
}
