/* SPDX-License-Identifier: Apache-2.0 */
#include "statistics.h"

static uint64_t value(fs_counter *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

void fs_statistics_clear(struct fs_statistics *statistics)
{
	fs_counter *counters = (fs_counter *)statistics;

	for (size_t i = 0; i < sizeof(*statistics) / sizeof(*counters); i++)
		atomic_store_explicit(&counters[i], 0, memory_order_relaxed);
}

void fs_statistics_add(struct fs_statistics *statistics, struct firesteel_statistics *into)
{
	into->bytes += value(&statistics->bytes);
	into->copied += value(&statistics->copied);
	into->spun += value(&statistics->spun);
	into->slept += value(&statistics->slept);
	into->queued += value(&statistics->queued);
	into->retries += value(&statistics->retries);
	into->faults += value(&statistics->faults);
	into->resets += value(&statistics->resets);
	into->checks_failed += value(&statistics->checks_failed);
	into->unproven += value(&statistics->unproven);
	into->unprotected += value(&statistics->unprotected);
	for (unsigned i = 0; i < FIRESTEEL_OPERATIONS; i++) {
		into->operations[i] += value(&statistics->operations[i]);
		into->errors[i] += value(&statistics->errors[i]);
	}
}
