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

void fs_statistics_read(struct fs_statistics *statistics, struct firesteel_statistics *into)
{
	*into = (struct firesteel_statistics){
		.bytes = value(&statistics->bytes),
		.copied = value(&statistics->copied),
		.spun = value(&statistics->spun),
		.slept = value(&statistics->slept),
		.queued = value(&statistics->queued),
		.retries = value(&statistics->retries),
		.faults = value(&statistics->faults),
		.resets = value(&statistics->resets),
		.checks_failed = value(&statistics->checks_failed),
		.unproven = value(&statistics->unproven),
		.unprotected = value(&statistics->unprotected),
	};
	for (unsigned i = 0; i < FIRESTEEL_OPERATIONS; i++) {
		into->operations[i] = value(&statistics->operations[i]);
		into->errors[i] = value(&statistics->errors[i]);
	}
}
