/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A trial: the core does something whose answer is known, and software does it too and may be timed. */
#ifndef FSC_TRIAL_H
#define FSC_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum fsc_trial {
	FSC_TRIAL_GOOD, /* core and software agree */
	FSC_TRIAL_BAD, /* they do not */
	FSC_TRIAL_NONE, /* one of them gave no answer: try again later */
	FSC_TRIAL_BUSY, /* others had the core: likewise */
};

/* What an error of the core says, as the operands of trials are valid.  Not for FIRESTEEL_OK. */
enum fsc_trial fsc_trial_failed(int error);

enum fsc_trial fsc_trial_compare(const void *core, const void *software, size_t size);

/* Fills a sample with bytes that differ, the same each time */
void fsc_trial_fill(uint8_t *bytes, size_t size);

/* Monotonic time in ns */
int64_t fsc_trial_now(void);

/* Sets *best to the time since `from` if that is less, or if this is round 0 */
void fsc_trial_best(int64_t from, unsigned round, int64_t *best);

#endif
