/* SPDX-License-Identifier: Apache-2.0 */
#include "wait.h"

#include "barrier.h"
#include "clock.h"

/* How many times as long as expected an operation may take beyond the time-out */
#define PATIENCE 16u

/* Sleeps are short, and get longer: a lost interrupt then costs little.  A sleeper that nothing
 * wakes looks at the core by itself. */
#define FIRST_SLEEP_NS FS_MILLISECOND
#define LAST_SLEEP_NS  (50 * FS_MILLISECOND)

/* Until when to spin; 0: not at all.  Spinning is useless when the end is too far away. */
static uint64_t spin_until(struct firesteel *device, uint64_t begin, uint64_t expected,
			   uint64_t deadline)
{
	uint64_t most = atomic_load_explicit(&device->spin_ns, memory_order_relaxed);

	switch (atomic_load_explicit(&device->completion, memory_order_relaxed)) {
	case FIRESTEEL_POLL:
		return deadline;
	case FIRESTEEL_IRQ:
		return 0;
	default:
		if (expected > most)
			return 0;
		return begin + (2 * expected < most ? 2 * expected : most);
	}
}

/* Looks at the clock alone */
static void pass(uint64_t until)
{
	while (fs_now() < until)
		fs_relax();
}

static bool spin(const struct fs_wait *wait, uint64_t until)
{
	while (!wait->done(wait->opaque)) {
		if (fs_now() >= until)
			return false;
		fs_relax();
	}
	return true;
}

static int sleep_on(const struct fs_wait *wait, uint64_t expected, uint64_t deadline)
{
	struct fs_transport *transport = wait->device->transport;
	uint64_t length = 2 * expected > FIRST_SLEEP_NS ? 2 * expected : FIRST_SLEEP_NS;

	while (!wait->done(wait->opaque)) {
		uint64_t now = fs_now();

		if (now >= deadline)
			return FIRESTEEL_ERROR_FAULT;
		wait->arm(wait->opaque);
		transport->ops->sleep(transport, wait->core,
				      length < deadline - now ? length : deadline - now);
		length = 2 * length < LAST_SLEEP_NS ? 2 * length : LAST_SLEEP_NS;
	}
	return FIRESTEEL_OK;
}

int fs_wait(const struct fs_wait *wait, const struct fs_prediction *prediction)
{
	struct firesteel *device = wait->device;
	const uint64_t expected = prediction->ns;
	uint64_t begin = fs_now();
	uint64_t deadline = begin + PATIENCE * expected + fs_timeout(device);
	uint64_t until = spin_until(device, begin, expected, deadline);

	if (until && prediction->is_sure)
		pass(begin + expected - expected / 4);
	if (until && spin(wait, until)) {
		fs_count(&device->statistics.spun, 1);
		return FIRESTEEL_OK;
	}
	fs_count(&device->statistics.slept, 1);
	return sleep_on(wait, expected, deadline);
}
