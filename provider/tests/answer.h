/* SPDX-License-Identifier: Apache-2.0 */
/* Calls side by side: what each provider returns, gives out, and puts into the error queue. */
#ifndef FSP_TESTS_ANSWER_H
#define FSP_TESTS_ANSWER_H

#include "unit.h"

#define ANSWER_MAX 1024u

struct answer {
	int returned;
	unsigned long first, last; /* errors of the queue; 0: none */
	uint8_t out[ANSWER_MAX]; /* what came out, if it counts */
	size_t size;
};

/* Before a call, and after it: takes what is in the error queue */
void answer_begin(struct answer *answer);
void answer_end(struct answer *answer, int returned);

/* Counts and prints a difference between the providers; `what` is a format */
__attribute__((format(printf, 3, 4))) void
answers_compare(const struct answer *ours, const struct answer *theirs, const char *what, ...);

/* How many pairs were compared; ends the program if there was a difference, or fewer than `least` */
void answers_finish(unsigned least);

/* The settings of one device after another under which the same must come out: what goes to the core,
 * what does not, and what comes back from a core that fails.  NULL: no more. */
struct setting {
	const char *device, *thresholds;
};
extern const struct setting answer_settings[];

#endif
