/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "statistics.h"

#include <stddef.h>

#define COUNTER(field) { #field, offsetof(struct silex_statistics, field) }
#define FAULT(name, kind) \
	{ name, offsetof(struct silex_statistics, faults) + (kind) * sizeof(uint64_t) }

static const struct {
	const char *name;
	size_t offset;
} counters[] = {
	COUNTER(register_reads),
	COUNTER(register_writes),
	COUNTER(cm_starts),
	COUNTER(cm_jobs),
	COUNTER(cm_descriptors),
	COUNTER(cm_bytes_fetched),
	COUNTER(cm_bytes_pushed),
	COUNTER(cm_busy_ns),
	COUNTER(cm_interrupts),
	COUNTER(cm_bus_errors),
	COUNTER(cm_resets),
	COUNTER(aes_jobs),
	COUNTER(aes_bytes),
	COUNTER(hash_jobs),
	COUNTER(hash_bytes),
	COUNTER(pk_operations),
	COUNTER(pk_failed),
	COUNTER(pk_busy_ns),
	COUNTER(pk_interrupts),
	COUNTER(pk_exponentiations),
	COUNTER(pk_points),
	FAULT("fault_dma_error", SILEX_FAULT_DMA_ERROR),
	FAULT("fault_wrong_tag", SILEX_FAULT_WRONG_TAG),
	FAULT("fault_stuck_busy", SILEX_FAULT_STUCK_BUSY),
	FAULT("fault_lost_interrupt", SILEX_FAULT_LOST_INTERRUPT),
	FAULT("fault_spurious_interrupt", SILEX_FAULT_SPURIOUS_INTERRUPT),
	FAULT("fault_late", SILEX_FAULT_LATE),
	FAULT("fault_flipped_bit", SILEX_FAULT_FLIPPED_BIT),
	FAULT("fault_gone", SILEX_FAULT_GONE),
};

#define COUNTERS (sizeof(counters) / sizeof(*counters))

_Static_assert(COUNTERS * sizeof(uint64_t) == sizeof(struct silex_statistics),
	       "every counter has a name");

int silex_statistics_counter(const struct silex_statistics *statistics, unsigned index,
			     struct silex_counter *counter)
{
	if (index >= COUNTERS)
		return 0;
	counter->name = counters[index].name;
	counter->value = *(const uint64_t *)((const char *)statistics + counters[index].offset);
	return 1;
}
