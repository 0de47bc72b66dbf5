/* SPDX-License-Identifier: Apache-2.0 */
#include "virtual-clock.h"

#include <time.h>

#include "../clock.h"

uint64_t virtual_ns;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	virtual_ns += TICK_NS;
	*now = fs_timespec(virtual_ns);
	return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *end,
			   struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *end,
			   struct timespec *left)
{
	uint64_t until = (uint64_t)end->tv_sec * FS_SECOND + (uint64_t)end->tv_nsec;

	(void)clock;
	(void)flags;
	(void)left;
	if (until > virtual_ns)
		virtual_ns = until;
	return 0;
}
