/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void check(bool holds, const char *condition, const char *source, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: %s does not hold\n", source, line, condition);
	abort();
}

unsigned unit_random(unsigned below)
{
	static _Thread_local uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % below;
}

void unit_fill(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)unit_random(256);
}
