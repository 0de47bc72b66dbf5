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

/* A setting under which the same must come out */
struct setting {
	const char *device, *thresholds;
	bool first; /* to be tried with more than the others */
	bool never; /* nothing goes to the core */
};

/* Makes calls in a unit under one setting after another: what goes to the core, what does not, what
 * comes back from a core that fails, and what is left to software.  Prints how many were compared; ends the program if there was a
 * difference, or fewer than `least`. */
void answers_of_settings(struct unit *unit, void (*make)(const struct setting *setting),
			 unsigned least);

/* A key of each provider */
struct pair {
	EVP_PKEY *ours, *theirs;
};

/* A key of the default provider's, which the pair takes over, and the same one of ours */
struct pair pair_of(const struct unit *unit, EVP_PKEY *theirs);
void pair_free(const struct pair *pair);

/* One of the two: `here` is ours.  A context of it */
EVP_PKEY *pair_key(const struct pair *pair, bool here);
EVP_PKEY_CTX *pair_context(const struct unit *unit, const struct pair *pair, bool here);

/* The verdict on a signature of a message, which is given at once or apart from it */
int answer_verify(EVP_MD_CTX *context, bool whole, const uint8_t *signature, size_t size,
		  const uint8_t *in, size_t in_size);

#endif
