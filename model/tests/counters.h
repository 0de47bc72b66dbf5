/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What a model has counted, and by how much that has grown. */
#ifndef SILEX_TESTS_COUNTERS_H
#define SILEX_TESTS_COUNTERS_H

#include "../statistics.h"
#include "bus.h"

#define COUNTERS_MAX 64u

struct growth {
	const char *name;
	uint64_t by;
};

/* All counters: names and values */
struct counters {
	struct silex_counter counter[COUNTERS_MAX];
	unsigned count;
};

struct counters counters_of(struct bus *bus);

/* Ends the test unless all counters have grown as listed, and those that are not listed, not;
 * those of accesses to registers are left out */
void expect_growth(struct bus *bus, const struct counters *before, const struct growth *growth,
		   unsigned count);

#define EXPECT_GROWTH(bus, before, ...)                                    \
	expect_growth(bus, before, (const struct growth[]){ __VA_ARGS__ }, \
		      sizeof((const struct growth[]){ __VA_ARGS__ }) / sizeof(struct growth))

#endif
