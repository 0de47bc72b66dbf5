/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What tests of public-key operations on random numbers have: a core, the dice, and libcrypto's
 * room for its sums.  Set up and torn down once for all tests of a program. */
#ifndef SILEX_TESTS_RANDOM_KEY_TEST_H
#define SILEX_TESTS_RANDOM_KEY_TEST_H

#include "numbers.h"
#include "public-key.h"
#include "unit.h"

static struct pk pk;
static struct dice dice;
static BN_CTX *context;

static inline int random_key_set_up(void **state)
{
	(void)state;
	context = BN_CTX_new();
	dice_begin(&dice, dice_seed());
	pk_open(&pk, "zero=on");
	return context ? 0 : -1;
}

static inline int random_key_tear_down(void **state)
{
	(void)state;
	pk_close(&pk);
	BN_CTX_free(context);
	return 0;
}

#endif
