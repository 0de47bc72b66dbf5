/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One window of cores, on whichever bus; and what all windows share. */
#ifndef FIRESTEEL_DEVICE_H
#define FIRESTEEL_DEVICE_H

#include <linux/kref.h>

#include "cm.h"
#include "owner.h"
#include "pk.h"
#include "queue.h"
#include "silex/soc.h"

/* Cores behind CryptoMaster */
#define FIRESTEEL_SYMMETRIC (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)

/* What a bus knows about a window */
struct firesteel_resources {
	void __iomem *window;
	phys_addr_t base; /* physical, for mapping it to programs */
	unsigned int irqs[SILEX_LINES]; /* 0: there is none */
	bool shared_irq; /* both cores share one, perhaps with other devices */
};

struct firesteel_device {
	struct device *dev;
	struct firesteel_resources resources;
	void __iomem *window;
	struct kref users; /* the bus, and each transform that goes through the queue */
	struct list_head node;

	/* What is there: the words of silex/soc.h */
	u32 presence;
	u32 aes_caps;
	u32 counter_bits;
	u32 hash_caps;

	struct firesteel_queue queue; /* CryptoMaster, while the kernel owns it */
	struct firesteel_owner owner;
	struct firesteel_cm cm; /* CryptoMaster, while a program owns it */
	struct firesteel_pk pk;
};

/* Capabilities that an algorithm needs; all bits of each word */
struct firesteel_need {
	u32 presence;
	u32 aes_caps;
	u32 hash_caps;
};

/* Module parameters, besides those of wait-mode.h */
extern bool firesteel_backup;
extern unsigned int firesteel_timeout_ms;

/* Takes a window into service; returns the device or an error pointer */
struct firesteel_device *firesteel_device_add(struct device *dev,
					      const struct firesteel_resources *resources);
void firesteel_device_remove(struct firesteel_device *device);

/* Before and after anything that resets the cores: meanwhile the kernel's requests go to software.
 * Programs that own a CryptoMaster see it reset.
 */
void firesteel_device_suspend(struct firesteel_device *device);
void firesteel_device_resume(struct firesteel_device *device);
extern const struct dev_pm_ops firesteel_device_pm;

/* The kernel's device with the fewest users that has these capabilities; NULL: none.
 * Takes a reference: firesteel_device_put().
 */
struct firesteel_device *firesteel_device_get(const struct firesteel_need *need);
void firesteel_device_put(struct firesteel_device *device);

/* Whether pages of the window can be mapped one by one: 0 or a negative error number */
int firesteel_device_page_check(const struct firesteel_device *device);

/* Whether there is one */
bool firesteel_device_exists(const struct firesteel_need *need);

/* Calls `show` for each device in service, one at a time */
void firesteel_device_each(void (*show)(struct firesteel_device *device, void *data), void *data);

#endif
