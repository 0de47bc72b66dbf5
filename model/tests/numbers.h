/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* libcrypto's numbers from dice: the same again with the same seed, as libcrypto's own are not. */
#ifndef SILEX_TESTS_NUMBERS_H
#define SILEX_TESTS_NUMBERS_H

#include <openssl/bn.h>
#include <stdbool.h>

#include "dice.h"

#define NUMBER_BITS 4096u /* the longest */

/* A new number of so many bits, the topmost of them 1 */
BIGNUM *number_of(struct dice *dice, unsigned bits, bool odd);

/* 0 to limit - 1 */
BIGNUM *number_below(struct dice *dice, const BIGNUM *limit);

/* 1 to modulus - 1, and without a common divisor with the modulus, which is more than 1 */
BIGNUM *number_unit(struct dice *dice, const BIGNUM *modulus);

/* A prime of so many bits, the topmost two of them 1, so that a product of two is as long as both;
 * of those alone that are 1 more than a multiple of `factor`, unless that is NULL */
BIGNUM *number_prime(struct dice *dice, unsigned bits, const BIGNUM *factor);

#endif
