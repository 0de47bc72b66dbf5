/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who owns a CryptoMaster: the kernel, for its crypto API, or a program.  Chosen by the module
 * parameter `user` and at run time by the attribute `owner` of each device.
 */
#ifndef FIRESTEEL_OWNER_H
#define FIRESTEEL_OWNER_H

#include <linux/mutex.h>
#include <linux/sysfs.h>

struct firesteel_device;

struct firesteel_owner {
	struct mutex lock; /* of changes */
	bool user; /* read at any time, as a hint */
	bool gone;
};

/* Call when a device is added, as the kernel's; assigns it to programs if the parameter names it */
void firesteel_owner_init(struct firesteel_device *device);

/* Call when all present devices were added: without the parameter, assigns the last of several */
void firesteel_owner_assign(void);

/* Call when a device is removed: revokes it from programs */
void firesteel_owner_close(struct firesteel_device *device);

/* For the bus drivers' dev_groups */
extern const struct attribute_group *firesteel_owner_groups[];

#endif
