/* SPDX-License-Identifier: Apache-2.0 */
/* Time, without a system call where the kernel exports its clock to processes. */
#ifndef FS_CLOCK_H
#define FS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define FS_MICROSECOND UINT64_C(1000)
#define FS_MILLISECOND UINT64_C(1000000)
#define FS_SECOND      UINT64_C(1000000000)

/* ns; never goes back */
static inline uint64_t fs_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * FS_SECOND + (uint64_t)now.tv_nsec;
}

static inline struct timespec fs_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / FS_SECOND),
		.tv_nsec = (long)(ns % FS_SECOND),
	};
}

#endif
