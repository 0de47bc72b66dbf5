/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who owns a CryptoMaster: the kernel, for its crypto API, or a program.  Chosen by the module
 * parameter `user` and at run time by the attribute `owner` of each device.
 */
#ifndef FIRESTEEL_OWNER_H
#define FIRESTEEL_OWNER_H

#include <linux/mutex.h>
#include <linux/sysfs.h>

#include "uio-cm.h"

struct firesteel_device;

struct firesteel_owner {
	struct firesteel_device *device;
	struct firesteel_uio_cm cm; /* CryptoMaster, while a program owns it */
	struct mutex lock; /* of changes */
	bool gone;
	bool asleep; /* between suspend and resume nothing changes */
};

/* The module parameter `user`: devices whose CryptoMaster programs may own; NULL: none */
extern char *firesteel_user;

/* Call when a device is added, as the kernel's; assigns it to programs if the parameter names it */
void firesteel_owner_init(struct firesteel_owner *owner, struct firesteel_device *device,
			  const struct firesteel_resources *resources);

/* Call when all present devices were added: `user=last` assigns the last of several */
void firesteel_owner_assign(void);

/* Call when a device is removed: revokes it from programs */
void firesteel_owner_close(struct firesteel_owner *owner);

/* Before and after a reset of the cores: they are stopped.  A program that owns a CryptoMaster sees
 * it reset.  False: CryptoMaster does not stop, and may still write to memory.
 */
bool firesteel_owner_suspend(struct firesteel_owner *owner);
void firesteel_owner_resume(struct firesteel_owner *owner);

/* For the bus drivers' dev_groups; drvdata is the struct firesteel_device */
extern const struct attribute_group *firesteel_owner_groups[];

#endif
