/* SPDX-License-Identifier: Apache-2.0 */
#include "engines.h"

#include <limits.h>

#include "health.h"
#include "share.h"

/* In a child, an engine is mapped when it is first looked at */
static int engine_error(struct firesteel *engine)
{
	int error = fs_device_enter(engine);

	return error ? error : fs_health_error(engine, FS_PK);
}

int fs_engines_error(struct firesteel *device)
{
	int error = FIRESTEEL_ERROR_ABSENT;

	for (unsigned i = 0; i < device->engines; i++) {
		int found = engine_error(device->engine[i]);

		/* one that is gone says less than one that may come back */
		if (i == 0 || found != FIRESTEEL_ERROR_GONE)
			error = found;
		if (!error)
			break;
	}
	return error;
}

/* Requests at it, of this process and of others; under the device's lock */
static unsigned length(const struct firesteel *engine)
{
	return engine->under_way + fs_share_before(engine->transport);
}

int64_t fs_engines_queue_ns(struct firesteel *device)
{
	uint64_t least = UINT64_MAX;

	pthread_mutex_lock(&device->choosing);
	for (unsigned i = 0; least > 0 && i < device->engines; i++) {
		struct firesteel *engine = device->engine[i];
		uint64_t wait;

		if (engine_error(engine))
			continue;
		wait = length(engine) * fs_expect_recent(&engine->expectations, FS_PK);
		if (wait < least)
			least = wait;
	}
	pthread_mutex_unlock(&device->choosing);
	return least == UINT64_MAX ? 0 : (int64_t)least;
}

/* ---- choosing ---- */

/* The number of the one with the least to do of those that have not `tried`, a bit each; the number of
 * engines: there is none.  One that has nothing to do ends the search. */
static unsigned find(struct firesteel *device, unsigned tried)
{
	unsigned best = device->engines, least = UINT_MAX;

	for (unsigned i = 0; least > 0 && i < device->engines; i++) {
		struct firesteel *engine = device->engine[i];
		unsigned before;

		if (tried & 1u << i || engine_error(engine))
			continue;
		before = length(engine);
		if (before < least) {
			best = i;
			least = before;
		}
	}
	return best;
}

/* The engine that is to do a request, and is then among those that have `tried`; NULL: there is none.
 * leave() ends its use. */
static struct firesteel *choose(struct firesteel *device, unsigned *tried)
{
	struct firesteel *found = NULL;
	unsigned number;

	pthread_mutex_lock(&device->choosing);
	number = find(device, *tried);
	if (number < device->engines) {
		found = device->engine[number];
		found->under_way++;
		*tried |= 1u << number;
	}
	pthread_mutex_unlock(&device->choosing);
	return found;
}

static void leave(struct firesteel *device, struct firesteel *engine)
{
	pthread_mutex_lock(&device->choosing);
	engine->under_way--;
	pthread_mutex_unlock(&device->choosing);
}

/* ---- requests ---- */

/* Whether another core may do better */
static bool is_fault(int error)
{
	return error == FIRESTEEL_ERROR_FAULT || error == FIRESTEEL_ERROR_GONE ||
	       error == FIRESTEEL_ERROR_TIMEOUT || error == FIRESTEEL_ERROR_CHECK;
}

static int do_by(struct firesteel *device, struct firesteel *engine,
		 int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
		 const struct firesteel_request *request)
{
	int error = fs_pk_do(engine, steps, request);

	/* Somebody keeps it: others of its kind need not wait for that again */
	if (error == FIRESTEEL_ERROR_TIMEOUT && device->engines > 1)
		fs_health_faulty(engine, FS_PK);
	leave(device, engine);
	return error;
}

int fs_engines_do(struct firesteel *device,
		  int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
		  const struct firesteel_request *request)
{
	struct firesteel *engine, *doubtful = NULL;
	int error = FIRESTEEL_ERROR_FAULT;
	unsigned tried = 0;

	while ((engine = choose(device, &tried))) {
		error = do_by(device, engine, steps, request);
		if (!is_fault(error))
			break;
		/* It is the operands if two cores say so */
		if (error == FIRESTEEL_ERROR_CHECK && doubtful)
			return error;
		if (error == FIRESTEEL_ERROR_CHECK)
			doubtful = engine;
	}
	if (doubtful && error == FIRESTEEL_OK)
		fs_health_wrong(doubtful, FS_PK);
	return doubtful && error ? FIRESTEEL_ERROR_CHECK : error;
}
