// SPDX-License-Identifier: GPL-2.0-or-later
#include "owner.h"

#include <linux/module.h>
#include <linux/string.h>

#include "algorithm.h"
#include "device.h"
#include "recovery.h"

static char *user;
module_param(user, charp, 0444);
MODULE_PARM_DESC(user, "devices whose CryptoMaster programs may own: names, all, none");

/* ---- changing the owner ---- */

static int owner_assign_to_user(struct firesteel_device *device)
{
	int err;

	/* no further transform uses it; those that do continue in software */
	WRITE_ONCE(device->owner.user, true);
	firesteel_recovery_suspend(&device->queue);
	err = firesteel_cm_open(device);
	if (!err)
		return 0;
	WRITE_ONCE(device->owner.user, false);
	firesteel_recovery_resume(&device->queue);
	return err;
}

static int owner_assign_to_kernel(struct firesteel_device *device)
{
	if (!firesteel_cm_lock(&device->cm))
		return -EBUSY;
	firesteel_cm_close(&device->cm);
	firesteel_recovery_resume(&device->queue);
	WRITE_ONCE(device->owner.user, false);
	return 0;
}

static int owner_change(struct firesteel_device *device, bool to_user)
{
	int err = 0;

	mutex_lock(&device->owner.lock);
	if (device->owner.gone)
		err = -ENODEV;
	else if (device->owner.user != to_user)
		err = to_user ? owner_assign_to_user(device) : owner_assign_to_kernel(device);
	mutex_unlock(&device->owner.lock);
	return err;
}

/* At load: if it fails, the kernel keeps it */
static void owner_assign(struct firesteel_device *device)
{
	int err = owner_change(device, true);

	if (err)
		dev_warn(device->dev, "CryptoMaster: cannot be exported to programs (%d)\n", err);
}

/* ---- the parameter ---- */

static bool owner_is_named(const char *name)
{
	size_t length = strlen(name);
	const char *at = user;

	while (at) {
		if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
			return true;
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return false;
}

void firesteel_owner_init(struct firesteel_device *device)
{
	mutex_init(&device->owner.lock);
	firesteel_cm_init(device);
	if (!(device->presence & FIRESTEEL_SYMMETRIC) || !user)
		return;
	if (!strcmp(user, "all") || owner_is_named(dev_name(device->dev)))
		owner_assign(device);
}

struct several {
	unsigned int count;
	struct firesteel_device *last;
};

static void owner_count(struct firesteel_device *device, void *data)
{
	struct several *several = data;

	if (!(device->presence & FIRESTEEL_SYMMETRIC))
		return;
	several->count++;
	firesteel_device_put(several->last);
	kref_get(&device->users);
	several->last = device;
}

void firesteel_owner_assign(void)
{
	struct several several = {};

	if (user)
		return;
	firesteel_device_each(owner_count, &several);
	if (several.count > 1)
		owner_assign(several.last);
	firesteel_device_put(several.last);
}

void firesteel_owner_close(struct firesteel_device *device)
{
	mutex_lock(&device->owner.lock);
	if (device->owner.user)
		firesteel_cm_close(&device->cm);
	device->owner.gone = true;
	mutex_unlock(&device->owner.lock);
}

/* ---- the attribute ---- */

static const char *const owners[] = { "kernel", "user" };

static ssize_t owner_show(struct device *dev, struct device_attribute *attribute, char *text)
{
	struct firesteel_device *device = dev_get_drvdata(dev);

	return sysfs_emit(text, "%s\n", owners[READ_ONCE(device->owner.user)]);
}

static ssize_t owner_store(struct device *dev, struct device_attribute *attribute, const char *text,
			   size_t size)
{
	struct firesteel_device *device = dev_get_drvdata(dev);
	int choice = sysfs_match_string(owners, text), err;

	if (choice < 0)
		return choice;
	/* not while the module exits: algorithms may be registered below */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	err = owner_change(device, choice);
	if (!err && !choice)
		err = firesteel_algorithms_register();
	module_put(THIS_MODULE);
	return err ?: size;
}
static DEVICE_ATTR_RW(owner);

static struct attribute *attributes[] = { &dev_attr_owner.attr, NULL };

static umode_t owner_is_visible(struct kobject *kobject, struct attribute *attribute, int index)
{
	struct firesteel_device *device = dev_get_drvdata(kobj_to_dev(kobject));

	return device->presence & FIRESTEEL_SYMMETRIC ? attribute->mode : 0;
}

static const struct attribute_group group = {
	.attrs = attributes,
	.is_visible = owner_is_visible,
};

const struct attribute_group *firesteel_owner_groups[] = { &group, NULL };
