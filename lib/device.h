/* SPDX-License-Identifier: Apache-2.0 */
/* A device, as the parts of the library share it. */
#ifndef FS_DEVICE_H
#define FS_DEVICE_H

#include <stdatomic.h>

#include "expect.h"
#include "fork.h"
#include "random.h"
#include "statistics.h"
#include "transport.h"
#include "turn.h"
#include "worker.h"

struct fs_pool;

/* What is known about a core's health */
struct fs_health {
	atomic_bool gone; /* permanently */
	atomic_bool wrong; /* permanently: its results differ from another core's */
	_Atomic uint64_t faulty_until; /* ns: the core did not answer, and is not used until then */
};

/* A thread tries to get a slot now: a time that never comes keeps the others from trying */
#define FS_JOINING UINT64_MAX

struct firesteel {
	struct firesteel *next; /* next device of this process */
	unsigned users;
	char key[128]; /* the name that it was opened by; none for a model */

	struct fs_transport *transport;
	struct firesteel_capabilities capabilities;
	struct fs_pool *pool; /* NULL: no CryptoMaster */

	fs_fork_mark entered; /* marks the state that this process made */
	atomic_int broken; /* the error of the last remapping */

	atomic_int completion; /* enum firesteel_completion */
	_Atomic uint64_t spin_ns;
	_Atomic uint64_t timeout_ns;

	_Atomic uint64_t join_at; /* ns: the next try to get a slot, at the earliest; FS_JOINING */
	struct fs_turn turn[FS_CORES];
	struct fs_health health[FS_CORES];
	struct fs_expectations expectations;
	struct fs_statistics statistics;
	struct fs_random random;
	uint8_t preset[16]; /* random, never output: presets what CryptoMaster must overwrite */
	struct fs_worker worker[FS_CORES];

	/* Public-key cores: this device's, then further ones, each a device without any other
	 * core */
	struct firesteel *engine[FS_ENGINES];
	unsigned engines;
	pthread_mutex_t choosing; /* of the device: among its engines */
	unsigned under_way; /* of an engine: requests that got it, under the device's lock */
	bool right; /* its answer was right when it was timed */
	bool lists; /* CryptoMaster is configured to follow lists; under the pool's lock */
};

/* When its transport is open */
void fs_device_begin(struct firesteel *device);

/* One more public-key core, before any request of the device */
void fs_device_add_engine(struct firesteel *device, struct firesteel *engine);

/* Ends its threads and closes its transport; does the same for its engines */
void fs_device_free(struct firesteel *device);

/* The longest wait for something that others use, ns */
static inline uint64_t fs_timeout(struct firesteel *device)
{
	return atomic_load_explicit(&device->timeout_ns, memory_order_relaxed);
}

/* Before any use: makes sure that the device is mapped by this process.  0 or an error. */
int fs_device_enter(struct firesteel *device);

#endif
