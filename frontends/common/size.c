/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "size.h"

#include <stdbool.h>

int64_t fsc_size_ns(struct firesteel *device, const struct firesteel_request *request, size_t size)
{
	struct firesteel_request sized = *request;

	if (sized.operation == FIRESTEEL_HASH) {
		sized.hash.in = (struct firesteel_bytes){ NULL, size };
	} else {
		sized.cipher.in = (struct firesteel_bytes){ NULL, size };
		sized.cipher.out = (struct firesteel_output){ NULL, size };
		sized.cipher.total = size;
	}
	return firesteel_expect_ns(device, &sized);
}

static bool core_wins(struct firesteel *device, const struct firesteel_request *request,
		      size_t size, int64_t between)
{
	int64_t core = fsc_size_ns(device, request, size);

	return core >= 0 && core <= between * (int64_t)size / (FSC_LONG - FSC_SHORT);
}

/* Both sides' times are straight lines: so the core wins with all that is more */
size_t fsc_size_break_even(struct firesteel *device, const struct firesteel_request *request,
			   int64_t short_ns, int64_t long_ns)
{
	size_t loses = 0, wins = FSC_STEP;

	if (short_ns < 0 || long_ns <= short_ns)
		return FSC_NEVER;
	while (!core_wins(device, request, wins, long_ns - short_ns)) {
		loses = wins;
		wins *= 2;
		if (wins > FSC_LARGEST)
			return FSC_NEVER;
	}
	while (wins - loses > FSC_STEP) {
		size_t middle = (loses + wins) / (2 * FSC_STEP) * FSC_STEP;

		if (core_wins(device, request, middle, long_ns - short_ns))
			wins = middle;
		else
			loses = middle;
	}
	return wins;
}
