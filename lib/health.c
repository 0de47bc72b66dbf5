/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include "clock.h"

/* So that a hanging core costs one caller a time-out now and then, not every caller */
#define FAULTY_NS FS_SECOND

/* The same for system calls that look for a free slot */
#define JOIN_NS (200 * FS_MILLISECOND)

/* All slots of the public-key core were taken; now and then one thread looks whether that is still so */
static void join_again(struct firesteel *device)
{
	uint64_t at = atomic_load_explicit(&device->join_at, memory_order_relaxed);

	if (!device->transport->taken[FS_PK] || fs_now() < at ||
	    !atomic_compare_exchange_strong(&device->join_at, &at, FS_JOINING))
		return;
	if (device->transport->taken[FS_PK])
		device->transport->ops->join(device->transport);
	atomic_store(&device->join_at, fs_now() + JOIN_NS);
}

int fs_health_error(struct firesteel *device, enum fs_core core)
{
	const struct fs_health *health = &device->health[core];
	uint64_t until;

	if (!device->transport->has[core] && core == FS_PK)
		join_again(device);
	if (!device->transport->has[core])
		return device->transport->taken[core] ? FIRESTEEL_ERROR_BUSY
						      : FIRESTEEL_ERROR_ABSENT;
	if (atomic_load_explicit(&health->gone, memory_order_relaxed))
		return FIRESTEEL_ERROR_GONE;
	if (atomic_load_explicit(&health->wrong, memory_order_relaxed))
		return FIRESTEEL_ERROR_FAULT;
	until = atomic_load_explicit(&health->faulty_until, memory_order_relaxed);
	return until && fs_now() < until ? FIRESTEEL_ERROR_FAULT : FIRESTEEL_OK;
}

int fs_health_faulty(struct firesteel *device, enum fs_core core)
{
	atomic_store_explicit(&device->health[core].faulty_until, fs_now() + FAULTY_NS,
			      memory_order_relaxed);
	fs_count(&device->statistics.faults, 1);
	return FIRESTEEL_ERROR_FAULT;
}

void fs_health_wrong(struct firesteel *device, enum fs_core core)
{
	atomic_store_explicit(&device->health[core].wrong, true, memory_order_relaxed);
	fs_count(&device->statistics.faults, 1);
}

int fs_health_recovered(struct firesteel *device)
{
	fs_count(&device->statistics.faults, 1);
	return FIRESTEEL_ERROR_FAULT;
}

int fs_health_gone(struct firesteel *device, enum fs_core core)
{
	atomic_store_explicit(&device->health[core].gone, true, memory_order_relaxed);
	return FIRESTEEL_ERROR_GONE;
}
