// SPDX-License-Identifier: GPL-2.0-or-later
#include "owner.h"

#include <linux/capability.h>
#include <linux/iommu.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/string.h>

#include "algorithms.h"
#include "compat.h"
#include "devices.h"

char *firesteel_user;

/* ---- changing the owner ---- */

/* Whether a core reaches only the memory that it was given */
#ifdef CONFIG_IOMMU_API
static bool owner_is_confined(struct device *dev)
{
	const struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && domain->type & __IOMMU_DOMAIN_PAGING;
}
#else
static bool owner_is_confined(struct device *dev)
{
	return false;
}
#endif

/* A program with a core that is not confined reads and writes all memory, as by /dev/mem */
static int owner_allow_user(const struct firesteel_owner *owner)
{
	struct device *dev = owner->device->dev;
	int err = security_locked_down(LOCKDOWN_DEV_MEM);

	if (err || owner_is_confined(dev))
		return err;
	dev_notice(dev, "no IOMMU: the program that owns CryptoMaster can access all memory\n");
	add_taint(TAINT_USER, LOCKDEP_STILL_OK);
	return 0;
}

static int owner_assign_to_user(struct firesteel_owner *owner)
{
	struct firesteel_device *device = owner->device;
	int err = owner_allow_user(owner);

	lockdep_assert_held(&owner->lock);
	if (err)
		return err;
	/* no further transform uses it; those that do continue in software */
	WRITE_ONCE(device->exported, true);
	err = firesteel_recovery_suspend(&device->recovery) ? firesteel_uio_cm_open(&owner->cm)
							    : -EIO;
	if (!err)
		return 0;
	WRITE_ONCE(device->exported, false);
	firesteel_recovery_resume(&device->recovery);
	return err;
}

static int owner_assign_to_kernel(struct firesteel_owner *owner)
{
	lockdep_assert_held(&owner->lock);
	if (!firesteel_uio_cm_lock(&owner->cm))
		return -EBUSY;
	firesteel_uio_cm_close(&owner->cm);
	firesteel_recovery_resume(&owner->device->recovery);
	WRITE_ONCE(owner->device->exported, false);
	return 0;
}

static int owner_change(struct firesteel_owner *owner, bool to_user)
{
	int err = 0;

	mutex_lock(&owner->lock);
	if (owner->gone)
		err = -ENODEV;
	else if (owner->asleep)
		err = -EBUSY;
	else if (owner->device->exported != to_user)
		err = to_user ? owner_assign_to_user(owner) : owner_assign_to_kernel(owner);
	mutex_unlock(&owner->lock);
	return err;
}

/* At load: if it fails, the kernel keeps it */
static void owner_assign(struct firesteel_owner *owner)
{
	int err = owner_change(owner, true);

	if (err)
		dev_warn(owner->device->dev, "CryptoMaster: cannot be exported to programs (%d)\n",
			 err);
}

/* ---- the parameter ---- */

static bool owner_is_named(const char *name)
{
	size_t length = strlen(name);
	const char *at = firesteel_user;

	while (at) {
		if (!strncmp(at, name, length) && (!at[length] || at[length] == ','))
			return true;
		at = strchr(at, ',');
		at = at ? at + 1 : NULL;
	}
	return false;
}

void firesteel_owner_init(struct firesteel_owner *owner, struct firesteel_device *device,
			  const struct firesteel_resources *resources)
{
	owner->device = device;
	mutex_init(&owner->lock);
	firesteel_uio_cm_init(&owner->cm, device->dev, resources);
	if (!(device->presence & FIRESTEEL_SYMMETRIC) || !firesteel_user)
		return;
	if (!strcmp(firesteel_user, "all") || owner_is_named(dev_name(device->dev)))
		owner_assign(owner);
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
	firesteel_devices_put(several->last);
	kref_get(&device->users);
	several->last = device;
}

void firesteel_owner_assign(void)
{
	struct several several = {};

	if (!firesteel_user || strcmp(firesteel_user, "last"))
		return;
	firesteel_devices_each(owner_count, &several);
	if (several.count > 1)
		owner_assign(several.last->owner);
	firesteel_devices_put(several.last);
}

void firesteel_owner_close(struct firesteel_owner *owner)
{
	mutex_lock(&owner->lock);
	if (owner->device->exported)
		firesteel_uio_cm_close(&owner->cm);
	owner->gone = true;
	mutex_unlock(&owner->lock);
}

/* ---- resets ---- */

bool firesteel_owner_suspend(struct firesteel_owner *owner)
{
	struct firesteel_device *device = owner->device;
	bool quiet;

	if (!(device->presence & FIRESTEEL_SYMMETRIC))
		return true;
	mutex_lock(&owner->lock);
	owner->asleep = true;
	if (device->exported)
		quiet = firesteel_uio_cm_suspend(&owner->cm) ||
			firesteel_recovery_cut_off(&device->recovery);
	else
		quiet = firesteel_recovery_suspend(&device->recovery);
	mutex_unlock(&owner->lock);
	return quiet;
}

void firesteel_owner_resume(struct firesteel_owner *owner)
{
	struct firesteel_device *device = owner->device;

	if (!(device->presence & FIRESTEEL_SYMMETRIC))
		return;
	mutex_lock(&owner->lock);
	owner->asleep = false;
	if (device->exported)
		firesteel_uio_cm_resume(&owner->cm);
	else
		firesteel_recovery_resume(&device->recovery);
	mutex_unlock(&owner->lock);
}

/* ---- the attribute ---- */

static const char *const owners[] = { "kernel", "user" };

static ssize_t owner_show(struct device *dev, struct device_attribute *attribute, char *text)
{
	struct firesteel_device *device = dev_get_drvdata(dev);

	return sysfs_emit(text, "%s\n", owners[READ_ONCE(device->exported)]);
}

static ssize_t owner_store(struct device *dev, struct device_attribute *attribute, const char *text,
			   size_t size)
{
	struct firesteel_device *device = dev_get_drvdata(dev);
	int choice = sysfs_match_string(owners, text), err;

	if (choice < 0)
		return choice;
	/* what it means to own one: owner_allow_user() */
	if (choice && !capable(CAP_SYS_RAWIO))
		return -EPERM;
	/* not while the module exits: algorithms may be registered below */
	if (!try_module_get(THIS_MODULE))
		return -ENODEV;
	err = owner_change(device->owner, choice);
	if (!err && !choice)
		firesteel_algorithms_register();
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
