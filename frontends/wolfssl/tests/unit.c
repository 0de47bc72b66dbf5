/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

void unit_open(const char *device, bool always)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	int id, error;

	setenv("FIRESTEEL_WOLFSSL_USE", always ? "always" : "faster", 1);
	error = firesteel_wolfssl_register(device, &id, message);
	if (error)
		fprintf(stderr, "%s: %s\n", device, message);
	CHECK(!error && id == FIRESTEEL_WOLFSSL_DEVICE_ID);
}

void unit_close(void)
{
	firesteel_wolfssl_unregister();
}

struct firesteel_wolfssl_counters unit_count(enum firesteel_wolfssl_work work)
{
	struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS];

	firesteel_wolfssl_statistics(counters);
	return counters[work];
}

uint64_t unit_hardware(void)
{
	struct firesteel_wolfssl_counters counters[FIRESTEEL_WOLFSSL_WORKS];
	uint64_t total = 0;

	firesteel_wolfssl_statistics(counters);
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++)
		total += counters[i].hardware;
	return total;
}

void unit_print(void)
{
	for (unsigned i = 0; i < FIRESTEEL_WOLFSSL_WORKS; i++) {
		const struct firesteel_wolfssl_counters of = unit_count(i);

		if (of.hardware + of.small + of.unfit + of.busy + of.failed + of.rejected > 0)
			printf("%-14s hardware %llu (%llu bytes) small %llu unfit %llu busy %llu "
			       "failed %llu rejected %llu\n",
			       firesteel_wolfssl_work_name(i), (unsigned long long)of.hardware,
			       (unsigned long long)of.bytes, (unsigned long long)of.small,
			       (unsigned long long)of.unfit, (unsigned long long)of.busy,
			       (unsigned long long)of.failed, (unsigned long long)of.rejected);
	}
	fflush(stdout);
}
