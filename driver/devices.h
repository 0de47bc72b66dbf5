/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The devices, each one window of cores, and who may use them. */
#ifndef FIRESTEEL_DEVICES_H
#define FIRESTEEL_DEVICES_H

#include <linux/kref.h>
#include <linux/list.h>

#include "queue.h"
#include "recovery.h"
#include "silex/soc.h"

struct firesteel_owner;
struct firesteel_pk;

/* Cores behind CryptoMaster */
#define FIRESTEEL_SYMMETRIC (SILEX_PRESENCE_AES | SILEX_PRESENCE_HASH)

struct firesteel_device {
	struct device *dev;
	struct kref users; /* the bus, and each transform that goes through the queue */
	void (*release)(struct firesteel_device *device); /* after the last user */
	struct list_head node;
	bool exported; /* CryptoMaster is a program's; read at any time, as a hint */

	/* What is there: the words of silex/soc.h */
	u32 presence;
	u32 aes_caps;
	u32 counter_bits;
	u32 hash_caps;

	/* CryptoMaster, while the kernel owns it */
	struct firesteel_queue queue;
	struct firesteel_recovery recovery;

	struct firesteel_owner *owner;
	struct firesteel_pk *pk;
};

/* Capabilities that an algorithm needs; all bits of each word */
struct firesteel_need {
	u32 presence;
	u32 aes_caps;
	u32 hash_caps;
};

/* The caller is the first user */
void firesteel_devices_add(struct firesteel_device *device);
void firesteel_devices_remove(struct firesteel_device *device);

/* Of the kernel's devices with these capabilities the one with the least to do: in service if one
 * is, with the fewest users, idle at this instant if one is.  NULL: none.
 * Takes a reference: firesteel_devices_put().
 */
struct firesteel_device *firesteel_devices_get(const struct firesteel_need *need);
void firesteel_devices_put(struct firesteel_device *device);

/* Whether there is one */
bool firesteel_devices_have(const struct firesteel_need *need);

/* Calls `show` for each device in service, one at a time */
void firesteel_devices_each(void (*show)(struct firesteel_device *device, void *data), void *data);

#endif
