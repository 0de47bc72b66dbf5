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

/* An end that is set when somebody first has to wait, as the clock takes time to read */
struct fs_deadline {
	uint64_t wait_ns; /* at most, from then on */
	uint64_t at; /* 0: nobody has waited */
};

static inline uint64_t fs_deadline_at(struct fs_deadline *deadline)
{
	if (!deadline->at)
		deadline->at = fs_now() + deadline->wait_ns;
	return deadline->at;
}

static inline struct timespec fs_timespec(uint64_t ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / FS_SECOND),
		.tv_nsec = (long)(ns % FS_SECOND),
	};
}

#endif
