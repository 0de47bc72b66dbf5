/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "numbers.h"

#include "unit.h"

/* So many bits more than a limit's make a remainder's lean immeasurable */
#define SPARE_BITS 64u

static BIGNUM *number_within(struct dice *dice, unsigned bits)
{
	uint8_t bytes[(NUMBER_BITS + SPARE_BITS) / 8];
	unsigned size = (bits + 7) / 8;
	BIGNUM *number;

	assert_true(size <= sizeof(bytes));
	dice_fill(dice, bytes, size);
	number = BN_bin2bn(bytes, (int)size, NULL);
	assert_non_null(number);
	if ((unsigned)BN_num_bits(number) > bits)
		BN_mask_bits(number, (int)bits);
	return number;
}

BIGNUM *number_of(struct dice *dice, unsigned bits, bool odd)
{
	BIGNUM *number = number_within(dice, bits);

	BN_set_bit(number, (int)bits - 1);
	if (odd)
		BN_set_bit(number, 0);
	return number;
}

static void reduce(BIGNUM *number, const BIGNUM *modulus)
{
	BN_CTX *context = BN_CTX_new();

	assert_true(BN_nnmod(number, number, modulus, context));
	BN_CTX_free(context);
}

BIGNUM *number_below(struct dice *dice, const BIGNUM *limit)
{
	BIGNUM *number = number_within(dice, (unsigned)BN_num_bits(limit) + SPARE_BITS);

	reduce(number, limit);
	return number;
}

BIGNUM *number_unit(struct dice *dice, const BIGNUM *modulus)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *number = NULL, *common = BN_new();

	do {
		BN_free(number);
		number = number_below(dice, modulus);
		assert_true(BN_gcd(common, number, modulus, context));
	} while (!BN_is_one(common));
	BN_free(common);
	BN_CTX_free(context);
	return number;
}

/* The next lower number that is 1 more than a multiple of the factor */
static void step_down(BIGNUM *number, const BIGNUM *factor)
{
	BIGNUM *rest = BN_dup(number);

	reduce(rest, factor);
	BN_sub(number, number, rest);
	BN_add_word(number, 1);
	BN_free(rest);
}

BIGNUM *number_prime(struct dice *dice, unsigned bits, const BIGNUM *factor)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *number = NULL;

	do {
		BN_free(number);
		number = number_of(dice, bits, true);
		BN_set_bit(number, (int)bits - 2);
		if (factor)
			step_down(number, factor);
	} while (BN_check_prime(number, context, NULL) != 1);
	assert_int_equal(BN_num_bits(number), bits);
	BN_CTX_free(context);
	return number;
}
