/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Random numbers that the tests can repeat. */
#ifndef SILEX_TESTS_DICE_H
#define SILEX_TESTS_DICE_H

#include <stddef.h>
#include <stdint.h>

#define DICE_SEED 20150601u /* unless SILEX_SEED says otherwise */

struct dice {
	uint64_t state;
};

/* The seed that the environment's SILEX_SEED has, else DICE_SEED; prints it, so that what fails
 * can be repeated.  What is no number ends the program. */
uint64_t dice_seed(void);

void dice_begin(struct dice *dice, uint64_t seed);
uint32_t dice_roll(struct dice *dice, uint32_t sides); /* 0 to sides - 1 */
void dice_fill(struct dice *dice, void *bytes, size_t size);

#endif
