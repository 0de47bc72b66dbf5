/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has a CryptoMaster: the kernel, for its crypto API, or a program.  Chosen by the module
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

/* When a device comes, as the kernel's; if the parameter names it, it becomes a program's */
void firesteel_owner_init(struct firesteel_device *device);

/* When all devices have come that are there: assigns what nobody has named */
void firesteel_owner_assign(void);

/* When a device goes: takes it from a program */
void firesteel_owner_close(struct firesteel_device *device);

/* For the bus drivers' dev_groups */
extern const struct attribute_group *firesteel_owner_groups[];

#endif
