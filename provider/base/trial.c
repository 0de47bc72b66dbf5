/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trial.h"

#include <string.h>
#include <time.h>

#include <firesteel/firesteel.h>

enum fsp_trial fsp_trial_failed(int error)
{
	switch (error) {
	case FIRESTEEL_ERROR_INVALID:
	case FIRESTEEL_ERROR_ABSENT:
	case FIRESTEEL_ERROR_CHECK:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		return FSP_TRIAL_BAD;
	default:
		return FSP_TRIAL_NONE;
	}
}

enum fsp_trial fsp_trial_compare(const void *core, const void *software, size_t size)
{
	return memcmp(core, software, size) == 0 ? FSP_TRIAL_GOOD : FSP_TRIAL_BAD;
}

int64_t fsp_trial_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void fsp_trial_best(int64_t from, unsigned round, int64_t *best)
{
	int64_t took = fsp_trial_now() - from;

	if (round == 0 || took < *best)
		*best = took;
}
