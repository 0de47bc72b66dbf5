/* SPDX-License-Identifier: Apache-2.0 */
/* A trial: the core does something whose answer is known, and software does it too and may be timed. */
#ifndef FSP_TRIAL_H
#define FSP_TRIAL_H

#include <stddef.h>
#include <stdint.h>

enum fsp_trial {
	FSP_TRIAL_GOOD, /* core and software agree */
	FSP_TRIAL_BAD, /* they do not */
	FSP_TRIAL_NONE, /* one of them gave no answer: try again later */
};

/* What an error of the core says, as the operands of trials are valid.  Not for FIRESTEEL_OK. */
enum fsp_trial fsp_trial_failed(int error);

enum fsp_trial fsp_trial_compare(const void *core, const void *software, size_t size);

/* Monotonic time in ns */
int64_t fsp_trial_now(void);

/* Sets *best to the time since `from` if that is less, or if this is round 0 */
void fsp_trial_best(int64_t from, unsigned round, int64_t *best);

#endif
