/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <stdlib.h>
#include <string.h>

#include "cancel.h"
#include "pool.h"

/* ---- life ---- */

static void begin_threads(struct firesteel *device)
{
	for (unsigned core = 0; core < FS_CORES; core++) {
		fs_turn_begin(&device->turn[core]);
		fs_worker_begin(&device->worker[core], core == FS_PK ? device->engines : 1);
	}
	pthread_mutex_init(&device->choosing, NULL);
	device->under_way = 0;
}

void fs_device_begin(struct firesteel *device)
{
	fs_fork_made(&device->entered);
	device->engine[0] = device;
	device->engines = 1;
	begin_threads(device);
}

void fs_device_add_engine(struct firesteel *device, struct firesteel *engine)
{
	device->engine[device->engines++] = engine;
	fs_worker_begin(&device->worker[FS_PK], device->engines);
}

void fs_device_free(struct firesteel *device)
{
	bool mapped = fs_fork_is_made(&device->entered);

	for (unsigned core = 0; mapped && core < FS_CORES; core++)
		fs_worker_end(&device->worker[core]);
	for (unsigned i = 1; i < device->engines; i++)
		fs_device_free(device->engine[i]);
	fs_pool_free(device->pool);
	device->transport->ops->close(device->transport, mapped);
	firesteel_wipe(&device->random, sizeof(device->random));
	firesteel_wipe(device->preset, sizeof(device->preset));
	free(device);
}

/* ---- in a forked child ---- */

/* CryptoMaster of a process that could not give it back is the parent's alone */
static void adopt_pool(struct firesteel *device)
{
	fs_pool_adopt(device->pool);
	if (device->transport->has[FS_CM] && !fs_pool_can_lock()) {
		device->transport->has[FS_CM] = false;
		device->transport->taken[FS_CM] = true;
	}
}

static void adopt(struct firesteel *device)
{
	FS_UNCANCELLED;
	int error = device->transport->ops->remap(device->transport);

	atomic_store(&device->join_at, 0);
	begin_threads(device);
	device->lists = false;
	if (device->pool)
		adopt_pool(device);
	fs_statistics_clear(&device->statistics);
	if (!error)
		error = fs_random_begin(&device->random);
	atomic_store(&device->broken, error);
}

int fs_device_enter(struct firesteel *device)
{
	if (fs_fork_enter(&device->entered)) {
		adopt(device);
		fs_fork_made(&device->entered);
	}
	return atomic_load_explicit(&device->broken, memory_order_relaxed);
}

/* ---- the interface ---- */

/* A structure of ours to one of the caller, which may be of another version */
static void output(const void *ours, size_t our_size, void *callers, size_t size)
{
	memset(callers, 0, size);
	memcpy(callers, ours, size < our_size ? size : our_size);
}

void firesteel_capabilities_sized(struct firesteel *device,
				  struct firesteel_capabilities *capabilities, size_t size)
{
	struct firesteel_capabilities has;

	fs_device_enter(device);
	has = device->capabilities;
	has.public_key = fs_has_pk(device->transport);
	has.cryptomaster = device->transport->has[FS_CM];
	has.engines = device->capabilities.public_key ? device->engines : 0;
	output(&has, sizeof(has), capabilities, size);
}

void firesteel_statistics_sized(struct firesteel *device, struct firesteel_statistics *statistics,
				size_t size)
{
	struct firesteel_statistics sums = { 0 };

	fs_device_enter(device);
	for (unsigned i = 0; i < device->engines; i++)
		if (fs_device_enter(device->engine[i]) == FIRESTEEL_OK)
			fs_statistics_add(&device->engine[i]->statistics, &sums);
	output(&sums, sizeof(sums), statistics, size);
}
