/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "trial.h"

#include <string.h>
#include <time.h>

#include <firesteel/firesteel.h>

enum fsc_trial fsc_trial_failed(int error)
{
	switch (error) {
	case FIRESTEEL_ERROR_INVALID:
	case FIRESTEEL_ERROR_ABSENT:
	case FIRESTEEL_ERROR_CHECK:
	case FIRESTEEL_ERROR_SIGNATURE:
	case FIRESTEEL_ERROR_REFUSED:
		return FSC_TRIAL_BAD;
	case FIRESTEEL_ERROR_BUSY:
	case FIRESTEEL_ERROR_TIMEOUT:
		return FSC_TRIAL_BUSY;
	default:
		return FSC_TRIAL_NONE;
	}
}

enum fsc_trial fsc_trial_compare(const void *core, const void *software, size_t size)
{
	return memcmp(core, software, size) == 0 ? FSC_TRIAL_GOOD : FSC_TRIAL_BAD;
}

void fsc_trial_fill(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 167 + 13);
}

int64_t fsc_trial_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

void fsc_trial_best(int64_t from, unsigned round, int64_t *best)
{
	int64_t took = fsc_trial_now() - from;

	if (round == 0 || took < *best)
		*best = took;
}
