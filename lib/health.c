/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include "clock.h"

/* So that a hanging core costs one caller a time-out now and then, not every caller */
#define FAULTY_NS FS_SECOND

/* A try to join costs a few system calls */
#define JOIN_NS (100 * FS_MILLISECOND)

/* Without a slot there may be one by now: whoever finds a try due makes it, others go on meanwhile */
static void join(struct firesteel *device)
{
	struct fs_transport *transport = device->transport;
	uint64_t now = fs_now(), due = atomic_load(&device->join_at);

	if (now >= due && atomic_compare_exchange_strong(&device->join_at, &due, now + JOIN_NS))
		fs_transport_joined(transport, transport->ops->join(transport));
}

static bool has(struct firesteel *device, enum fs_core core)
{
	struct fs_transport *transport = device->transport;

	if (!transport->has[core] && core == FS_PK && transport->taken[FS_PK])
		join(device);
	return transport->has[core];
}

int fs_health_error(struct firesteel *device, enum fs_core core)
{
	const struct fs_health *health = &device->health[core];
	uint64_t until;

	if (!has(device, core))
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
