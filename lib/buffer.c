/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the cores for callers. */
#include "device.h"
#include "health.h"
#include "pool.h"

void *firesteel_buffer_new(struct firesteel *device, size_t size)
{
	if (fs_device_enter(device) || fs_health_error(device, FS_CM))
		return NULL;
	return fs_pool_buffer_new(device->pool, size);
}

void firesteel_buffer_free(struct firesteel *device, void *buffer)
{
	if (!fs_device_enter(device) && device->pool)
		fs_pool_buffer_free(device->pool, buffer);
}
