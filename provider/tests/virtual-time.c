/* SPDX-License-Identifier: Apache-2.0 */
#include "virtual-time.h"

#include <time.h>

#define TICK_NS 60 /* half of what a register access takes on the board of 2015 */

int64_t virtual_ns;

/* In the place of the C library's, for all that is loaded */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	virtual_ns += TICK_NS;
	*now = (struct timespec){ virtual_ns / VIRTUAL_SECOND, virtual_ns % VIRTUAL_SECOND };
	return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *end, struct timespec *left)
{
	int64_t until = end->tv_sec * VIRTUAL_SECOND + end->tv_nsec;

	(void)clock;
	(void)left;
	if (!(flags & TIMER_ABSTIME))
		virtual_ns += until;
	else if (until > virtual_ns)
		virtual_ns = until;
	return 0;
}
