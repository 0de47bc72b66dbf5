// SPDX-License-Identifier: GPL-2.0-or-later
#include "devices.h"

#include <linux/lockdep.h>
#include <linux/mutex.h>

static LIST_HEAD(devices);
static DEFINE_MUTEX(devices_lock);

static bool devices_has(const struct firesteel_device *device, const struct firesteel_need *need)
{
	return !READ_ONCE(device->exported) &&
	       (device->presence & need->presence) == need->presence &&
	       (device->aes_caps & need->aes_caps) == need->aes_caps &&
	       (device->hash_caps & need->hash_caps) == need->hash_caps;
}

/* A core out of service has nothing to do because it does nothing.  Among equals a core that works
 * at this instant has transforms that are used; one that does not, transforms that may be idle.
 */
static bool devices_has_less_to_do(const struct firesteel_device *one,
				   const struct firesteel_device *other)
{
	bool in_service = firesteel_queue_in_service(&one->queue);
	unsigned int users = kref_read(&one->users), others = kref_read(&other->users);

	if (in_service != firesteel_queue_in_service(&other->queue))
		return in_service;
	if (users != others)
		return users < others;
	return !firesteel_queue_is_busy(&one->queue) && firesteel_queue_is_busy(&other->queue);
}

static struct firesteel_device *devices_find(const struct firesteel_need *need)
{
	struct firesteel_device *device, *best = NULL;

	lockdep_assert_held(&devices_lock);
	list_for_each_entry(device, &devices, node)
		if (devices_has(device, need) && (!best || devices_has_less_to_do(device, best)))
			best = device;
	return best;
}

struct firesteel_device *firesteel_devices_get(const struct firesteel_need *need)
{
	struct firesteel_device *device;

	mutex_lock(&devices_lock);
	device = devices_find(need);
	if (device)
		kref_get(&device->users);
	mutex_unlock(&devices_lock);
	return device;
}

static void devices_release(struct kref *users)
{
	struct firesteel_device *device = container_of(users, struct firesteel_device, users);

	device->release(device);
}

void firesteel_devices_put(struct firesteel_device *device)
{
	if (device)
		kref_put(&device->users, devices_release);
}

bool firesteel_devices_have(const struct firesteel_need *need)
{
	bool exists;

	mutex_lock(&devices_lock);
	exists = devices_find(need);
	mutex_unlock(&devices_lock);
	return exists;
}

void firesteel_devices_each(void (*show)(struct firesteel_device *device, void *data), void *data)
{
	struct firesteel_device *device;

	mutex_lock(&devices_lock);
	list_for_each_entry(device, &devices, node)
		show(device, data);
	mutex_unlock(&devices_lock);
}

void firesteel_devices_add(struct firesteel_device *device)
{
	mutex_lock(&devices_lock);
	list_add_tail(&device->node, &devices);
	mutex_unlock(&devices_lock);
}

void firesteel_devices_remove(struct firesteel_device *device)
{
	mutex_lock(&devices_lock);
	list_del_init(&device->node);
	mutex_unlock(&devices_lock);
}
