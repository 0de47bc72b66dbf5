/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CryptoMaster owned by one program, with a buffer for DMA. */
#ifndef FIRESTEEL_UIO_CM_H
#define FIRESTEEL_UIO_CM_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/uio_driver.h>

#include "mapping.h"
#include "resources.h"
#include "uio-results.h"

struct seq_file;

struct firesteel_uio_cm_counts {
	u64 opens;
	u64 refused; /* opens while another program owned it */
	u64 stops; /* the program closed it or exited: stopped, wiped */
	u64 faults; /* it could not be stopped */
	u64 interrupts;
};

struct firesteel_uio_cm {
	struct device *dev;
	void __iomem *registers;
	phys_addr_t base; /* of the window */
	unsigned int irq;

	struct uio_info info;
	struct firesteel_mappings *mappings;
	void *buffer;
	dma_addr_t address; /* of the buffer */
	size_t size;
	struct firesteel_results results;
	struct mutex sleep; /* of what stops the core, and of the next */
	bool asleep; /* its registers must not be accessed */
	bool wiped; /* buffer and results, since the last program; by who has `taken` it */
	spinlock_t lock; /* of the next */
	bool routed; /* interrupts go to the program */
	bool exported; /* and it can be notified of them */
	atomic_t taken; /* in use by a program, or by the driver to close it */

	struct firesteel_uio_cm_counts counts;
};

/* The module parameter `buffer`: KiB */
extern unsigned int firesteel_buffer_kib;

/* Once for each device */
void firesteel_uio_cm_init(struct firesteel_uio_cm *cm, struct device *dev,
			   const struct firesteel_resources *resources);

/* Exports it to programs; the kernel must not use it any more.  Returns 0 or an error number. */
int firesteel_uio_cm_open(struct firesteel_uio_cm *cm);

/* Whether no program uses it; then none can open it until firesteel_uio_cm_close() */
bool firesteel_uio_cm_lock(struct firesteel_uio_cm *cm);

/* Revokes it, whatever a program is doing with it */
void firesteel_uio_cm_close(struct firesteel_uio_cm *cm);

/* Before and after a reset while a program owns it: the core is stopped, its program sees it reset,
 * and in between it cannot be opened.  False: it does not stop, and may still write to memory.
 */
bool firesteel_uio_cm_suspend(struct firesteel_uio_cm *cm);
void firesteel_uio_cm_resume(struct firesteel_uio_cm *cm);

/* CryptoMaster's interrupt while a program owns it */
irqreturn_t firesteel_uio_cm_interrupt(struct firesteel_uio_cm *cm);

static inline bool firesteel_uio_cm_has_interrupts(const struct firesteel_uio_cm *cm)
{
	return READ_ONCE(cm->routed);
}

void firesteel_uio_cm_show(struct firesteel_uio_cm *cm, struct seq_file *file);

#endif
