/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * What a model has done since it was made: the proof of offload, taken from the cores and not
 * from a driver.  Counters only grow.
 */
#ifndef SILEX_STATISTICS_H
#define SILEX_STATISTICS_H

#include <stdint.h>

#include "fault.h"

struct silex_statistics {
	/* Registers */
	uint64_t register_reads;
	uint64_t register_writes;

	/* CryptoMaster */
	uint64_t cm_starts; /* STARTs that set the fetcher going */
	uint64_t cm_jobs; /* messages ended (tag LAST; a state or HMAC key does not count) */
	uint64_t cm_descriptors; /* fetched, of both lists */
	uint64_t cm_bytes_fetched;
	uint64_t cm_bytes_pushed; /* without discarded ones */
	uint64_t cm_busy_ns;
	uint64_t cm_interrupts; /* rises of the line */
	uint64_t cm_bus_errors;
	uint64_t cm_resets;

	/* Engines: messages and payload bytes (without associated data, padding, trailers) */
	uint64_t aes_jobs;
	uint64_t aes_bytes;
	uint64_t hash_jobs;
	uint64_t hash_bytes;

	/* Public-key engine */
	uint64_t pk_operations; /* without clearing memory */
	uint64_t pk_failed; /* those that ended with an error in STATUS */
	uint64_t pk_busy_ns;
	uint64_t pk_interrupts; /* rises of the line */
	uint64_t pk_exponentiations; /* modexp, RSA, DH, DSA: a part of pk_operations */
	uint64_t pk_points; /* elliptic curves: a part of pk_operations */

	uint64_t faults[SILEX_FAULT_KINDS]; /* given, by kind */
};

/* A counter's name ("cm_jobs", "fault_lost_interrupt") and where it lies */
struct silex_counter {
	const char *name;
	uint64_t value;
};

/* The counters in the order of the structure: fills `*counter` with number `index` and returns
 * 1, or returns 0 when there are no more */
int silex_statistics_counter(const struct silex_statistics *statistics, unsigned index,
			     struct silex_counter *counter);

#endif
