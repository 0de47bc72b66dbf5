/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* A trial: core and software do the same work with a known answer, and software may be timed. */
#ifndef FSC_TRIAL_H
#define FSC_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum fsc_trial {
	FSC_TRIAL_GOOD, /* core and software agree */
	FSC_TRIAL_BAD, /* they do not */
	FSC_TRIAL_NONE, /* core or software gave no answer: try again later */
	FSC_TRIAL_BUSY, /* others used the core: try again later */
};

/* The meaning of an error of the core, given that the operands of trials are valid.  Not for
 * FIRESTEEL_OK. */
enum fsc_trial fsc_trial_failed(int error);

enum fsc_trial fsc_trial_compare(const void *core, const void *software, size_t size);

/* Fills a sample with bytes that differ, the same each time */
void fsc_trial_fill(uint8_t *bytes, size_t size);

/* Monotonic time in ns */
int64_t fsc_trial_now(void);

/* Sets *best to the time since `from` if that is less, or if this is round 0 */
void fsc_trial_best(int64_t from, unsigned round, int64_t *best);

#endif
