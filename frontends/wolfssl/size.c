/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "size.h"

#define LEAST   16u
#define LARGEST 65536u

static int64_t expect_ns(struct firesteel *core, struct firesteel_request request, size_t size)
{
	const struct firesteel_bytes in = { NULL, size };

	if (request.operation == FIRESTEEL_HASH) {
		request.hash.in = in;
	} else {
		request.cipher.in = in;
		request.cipher.out = (struct firesteel_output){ NULL, size };
		request.cipher.total = size;
	}
	return firesteel_expect_ns(core, &request);
}

size_t fsw_size_break_even(struct firesteel *core, const struct firesteel_request *request,
			   int64_t short_ns, int64_t long_ns)
{
	const int64_t between = long_ns - short_ns;

	if (short_ns < 0 || between <= 0)
		return FSW_NEVER;
	for (size_t size = LEAST; size <= LARGEST; size *= 2) {
		int64_t core_ns = expect_ns(core, *request, size);

		if (core_ns >= 0 && core_ns <= between * (int64_t)size / (FSW_LONG - FSW_SHORT))
			return size;
	}
	return FSW_NEVER;
}
