/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "counters.h"

#include <string.h>

#include "unit.h"

struct counters counters_of(struct bus *bus)
{
	static const struct silex_statistics none;
	struct counters counters = { .count = 0 };

	while (silex_statistics_counter(&none, counters.count, &counters.counter[counters.count])) {
		struct silex_counter *counter = &counters.counter[counters.count++];

		assert_true(counters.count < COUNTERS_MAX);
		counter->value = bus->counter(bus, counter->name);
	}
	assert_true(counters.count > 0);
	return counters;
}

/* Accesses to registers depend on how a test waits; they have a test of their own */
static bool is_access(const char *name)
{
	return strncmp(name, "register_", strlen("register_")) == 0;
}

static uint64_t expected_growth(const char *name, const struct growth *growth, unsigned count)
{
	uint64_t by = 0;

	for (unsigned i = 0; i < count; i++)
		if (strcmp(growth[i].name, name) == 0)
			by += growth[i].by;
	return by;
}

void expect_growth(struct bus *bus, const struct counters *before, const struct growth *growth,
		   unsigned count)
{
	struct counters now = counters_of(bus);
	unsigned found = 0;

	for (unsigned i = 0; i < now.count; i++) {
		const char *name = now.counter[i].name;
		uint64_t grown = now.counter[i].value - before->counter[i].value;
		uint64_t expected = expected_growth(name, growth, count);

		for (unsigned k = 0; k < count; k++)
			found += strcmp(growth[k].name, name) == 0;
		if (!is_access(name) && grown != expected)
			fail_msg("%s has grown by %llu, not by %llu", name,
				 (unsigned long long)grown, (unsigned long long)expected);
	}
	assert_int_equal(found, count); /* every name is a counter's */
}
