/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One window of cores, however it is reached; and what holds for all of them. */
#ifndef FIRESTEEL_DEVICE_H
#define FIRESTEEL_DEVICE_H

#include <linux/kref.h>

#include "queue.h"
#include "silex/soc.h"

/* Cores behind CryptoMaster */
#define FIRESTEEL_SYMMETRIC (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)

struct firesteel_device {
	struct device *dev;
	void __iomem *window;
	struct kref users; /* the bus, and each transform that goes through the queue */
	struct list_head node;
	unsigned int irq; /* CryptoMaster's */

	/* What is there: the words of silex/soc.h */
	u32 presence;
	u32 aes_caps;
	u32 counter_bits;
	u32 hash_caps;

	struct firesteel_queue queue;
};

/* What an algorithm needs of a device; all bits of each word */
struct firesteel_need {
	u32 presence;
	u32 aes_caps;
	u32 hash_caps;
};

/* Module parameters, besides those of completion.h */
extern bool firesteel_shadow;
extern unsigned int firesteel_timeout_ms;

/* Takes a window into service.  `irq` is CryptoMaster's, `irq_flags` as for request_irq().
 * Returns the device or an error pointer. */
struct firesteel_device *firesteel_device_add(struct device *dev, void __iomem *window,
					      unsigned int irq, unsigned long irq_flags);
void firesteel_device_remove(struct firesteel_device *device);

/* A device that has what is needed, the one with fewest users; NULL: none.  To be given back. */
struct firesteel_device *firesteel_device_get(const struct firesteel_need *need);
void firesteel_device_put(struct firesteel_device *device);

/* Whether there is one */
bool firesteel_device_exists(const struct firesteel_need *need);

/* Calls `show` for each device in service, one at a time */
void firesteel_device_each(void (*show)(struct firesteel_device *device, void *data), void *data);

#endif
