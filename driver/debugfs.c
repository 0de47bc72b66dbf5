// SPDX-License-Identifier: GPL-2.0-or-later
#include "debugfs.h"

#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/seq_file.h>

#include "algorithm.h"
#include "algorithms.h"
#include "devices.h"
#include "owner.h"
#include "uio-pk.h"

static struct dentry *directory;

static const char *const paths[] = {
	[FIRESTEEL_HARDWARE] = "hardware",
	[FIRESTEEL_SMALL] = "software-small",
	[FIRESTEEL_FULL] = "software-full",
	[FIRESTEEL_SHAPE] = "software-shape",
	[FIRESTEEL_OUT_OF_SERVICE] = "software-out-of-service",
	[FIRESTEEL_FAILED] = "failed",
	[FIRESTEEL_TAG_RECHECK] = "tag-recheck",
};

/* A line for each path that was taken: algorithm, path, requests, bytes; and one without requests
 * if the driver has stepped aside
 */
static void debugfs_show_use(struct firesteel_algorithm *algorithm, void *file)
{
	const struct firesteel_use *use = &algorithm->use;
	unsigned int path;

	if (!firesteel_cost_pays(&algorithm->cost))
		seq_printf(file, "%s aside 0 0\n", firesteel_algorithm_driver_name(algorithm));

	for (path = 0; path < FIRESTEEL_PATHS; path++) {
		long requests = atomic_long_read(&use->requests[path]);

		if (requests)
			seq_printf(file, "%s %s %ld %ld\n",
				   firesteel_algorithm_driver_name(algorithm), paths[path],
				   requests, atomic_long_read(&use->bytes[path]));
	}
	if (atomic_long_read(&use->copies))
		seq_printf(file, "%s copies %ld\n", firesteel_algorithm_driver_name(algorithm),
			   atomic_long_read(&use->copies));
}

static int debugfs_requests_show(struct seq_file *file, void *data)
{
	firesteel_algorithms_each(debugfs_show_use, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_requests);

static void debugfs_show_queue(struct firesteel_device *device, void *file)
{
	struct firesteel_queue *queue = &device->queue;
	const char *name = dev_name(device->dev);
	struct firesteel_queue_counts counts;

	if (!(device->presence & FIRESTEEL_SYMMETRIC))
		return;
	spin_lock_bh(&queue->lock);
	spin_lock_irq(&queue->cm.lock);
	counts = queue->counts;
	spin_unlock_irq(&queue->cm.lock);
	spin_unlock_bh(&queue->lock);
	seq_printf(file, "%s in-service %u\n", name, firesteel_queue_in_service(queue));
	seq_printf(file,
		   "%s jobs %llu chains %llu longest-chain %u coalesced %llu backlogged %llu\n",
		   name, counts.cmds, counts.chains, counts.longest_chain, counts.coalesced,
		   counts.backlogged);
	seq_printf(file, "%s interrupts %llu idle %llu lost %llu polls %llu\n", name,
		   counts.interrupts, counts.idle_interrupts, counts.lost_interrupts, counts.polls);
	seq_printf(file, "%s bus-errors %llu time-outs %llu vanished %llu\n", name,
		   counts.bus_errors, counts.time_outs, counts.vanished);
	seq_printf(file, "%s wrong-results %llu resets %llu\n", name, counts.wrong_results,
		   counts.resets);
}

static int debugfs_queues_show(struct seq_file *file, void *data)
{
	firesteel_devices_each(debugfs_show_queue, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_queues);

static void debugfs_show_user(struct firesteel_device *device, void *file)
{
	if (device->presence & SILEX_PRESENCE_PK)
		firesteel_uio_pk_show(device->pk, file);
	if (device->presence & FIRESTEEL_SYMMETRIC)
		firesteel_uio_cm_show(&device->owner->cm, file);
}

/* What programs did with cores */
static int debugfs_user_show(struct seq_file *file, void *data)
{
	firesteel_devices_each(debugfs_show_user, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_user);

static void debugfs_show_minimum(const char *of, const struct firesteel_minimum *minimum,
				 void *file)
{
	seq_printf(file, " %s %d<=%d,%d", of, (int)minimum->polled, (int)minimum->polled_to,
		   (int)minimum->interrupted);
}

static void debugfs_show_cost(struct firesteel_algorithm *algorithm, void *file)
{
	const struct firesteel_cost *cost = &algorithm->cost;

	seq_printf(file, "%s software %u+%u hardware %u+%u processor %u+%u",
		   firesteel_algorithm_driver_name(algorithm), cost->software.base,
		   cost->software.per_kib, cost->hardware.base, cost->hardware.per_kib,
		   cost->hardware_processor.base, cost->hardware_processor.per_kib);
	debugfs_show_minimum("waiting", &cost->waiting, file);
	debugfs_show_minimum("going-on", &cost->going_on, file);
	seq_printf(file, " busy %d\n", (int)cost->busy_minimum);
}

/* Linear models in ns + ns/KiB; break-evens in bytes, -1: never.  Of an idle core: that of requests
 * of up to so many bytes, which are polled for, and that of longer ones
 */
static int debugfs_costs_show(struct seq_file *file, void *data)
{
	seq_printf(file, "interrupt %u sleep %u core %u+%u\n", READ_ONCE(firesteel_interrupt_ns),
		   READ_ONCE(firesteel_sleep_ns), READ_ONCE(firesteel_core_estimate.base),
		   READ_ONCE(firesteel_core_estimate.per_kib));
	firesteel_algorithms_each(debugfs_show_cost, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(debugfs_costs);

void firesteel_debugfs_open(void)
{
	directory = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("requests", 0444, directory, NULL, &debugfs_requests_fops);
	debugfs_create_file("queues", 0444, directory, NULL, &debugfs_queues_fops);
	debugfs_create_file("user", 0444, directory, NULL, &debugfs_user_fops);
	debugfs_create_file("costs", 0444, directory, NULL, &debugfs_costs_fops);
}

void firesteel_debugfs_close(void)
{
	debugfs_remove_recursive(directory);
}
