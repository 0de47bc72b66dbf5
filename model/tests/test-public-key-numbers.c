/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Modular arithmetic, RSA and DSA on random numbers, which SILEX_SEED chooses, against libcrypto. */
#include "random-key-test.h"

#define ROUNDS 12u
#define R2     SILEX_PK_CALC_R2

static const size_t sizes[] = { 8, 20, 32, 33, 64, 66, 127, 128, 256, 512 };

#define SIZES (sizeof(sizes) / sizeof(*sizes))

/* ---- arithmetic ---- */

typedef int combine(BIGNUM *result, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n,
		    BN_CTX *context);

static int divide(BIGNUM *result, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n, BN_CTX *ctx)
{
	return BN_mod_inverse(result, b, n, ctx) && BN_mod_mul(result, result, a, n, ctx);
}

static int invert(BIGNUM *result, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n, BN_CTX *ctx)
{
	(void)a;
	return BN_mod_inverse(result, b, n, ctx) != NULL;
}

static int reduce(BIGNUM *result, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n, BN_CTX *ctx)
{
	(void)a;
	return BN_nnmod(result, b, n, ctx);
}

static int power(BIGNUM *result, const BIGNUM *a, const BIGNUM *b, const BIGNUM *n, BN_CTX *ctx)
{
	return BN_mod_exp_recp(result, a, b, n, ctx);
}

static void check(uint32_t opcode, combine *with, size_t size, const BIGNUM *n, const BIGNUM *a,
		  const BIGNUM *b)
{
	BIGNUM *expected = BN_new();
	uint32_t errors;

	assert_true(with(expected, a, b, n, context));
	pk_begin(&pk, opcode | R2, size, false);
	pk_put(&pk, SILEX_PK_SLOT_N, n);
	pk_put(&pk, SILEX_PK_SLOT_A, a);
	pk_put(&pk, SILEX_PK_SLOT_B, b);
	errors = pk_run(&pk);
	if (errors)
		fail_msg("opcode %02x, %zu bytes: STATUS %08x", opcode, size, errors);
	pk_expect(&pk, SILEX_PK_SLOT_C, expected);
	BN_free(expected);
}

static void check_sizes(uint32_t opcode, combine *with, bool odd, bool unit)
{
	for (unsigned i = 0; i < SIZES * ROUNDS; i++) {
		size_t size = sizes[i % SIZES];
		BIGNUM *n = number_of(&dice, 8 * size, odd), *a, *b;

		if (!odd)
			BN_clear_bit(n, 0);
		a = number_below(&dice, n);
		b = unit ? number_unit(&dice, n) : number_below(&dice, n);
		check(opcode, with, size, n, a, b);
		BN_free(n);
		BN_free(a);
		BN_free(b);
	}
}

static void numbers_are_added_subtracted_and_multiplied(void **state)
{
	(void)state;
	check_sizes(SILEX_PK_OP_MODADD, BN_mod_add, true, false);
	check_sizes(SILEX_PK_OP_MODSUB, BN_mod_sub, true, false);
	check_sizes(SILEX_PK_OP_MODMUL, BN_mod_mul, true, false);
}

static void numbers_are_divided_and_inverted(void **state)
{
	(void)state;
	check_sizes(SILEX_PK_OP_MODDIV, divide, true, true);
	check_sizes(SILEX_PK_OP_MODINV_ODD, invert, true, true);
	check_sizes(SILEX_PK_OP_MODINV_EVEN, invert, false, true);
}

static void the_ends_of_the_range_work(void **state)
{
	BIGNUM *n = number_of(&dice, 8 * 64, true), *zero = BN_new(), *one = BN_new(),
	       *top = BN_dup(n);
	const BIGNUM *values[] = { zero, one, top };

	(void)state;
	BN_one(one);
	BN_sub_word(top, 1);
	for (unsigned i = 0; i < 9; i++) {
		const BIGNUM *a = values[i / 3], *b = values[i % 3];

		check(SILEX_PK_OP_MODADD, BN_mod_add, 64, n, a, b);
		check(SILEX_PK_OP_MODSUB, BN_mod_sub, 64, n, a, b);
		check(SILEX_PK_OP_MODMUL, BN_mod_mul, 64, n, a, b);
		check(SILEX_PK_OP_MODEXP, power, 64, n, a, b);
		if (!BN_is_zero(b))
			check(SILEX_PK_OP_MODDIV, divide, 64, n, a, b);
	}
	BN_free(n);
	BN_free(zero);
	BN_free(one);
	BN_free(top);
}

static void numbers_are_reduced(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIZES * ROUNDS; i++) {
		size_t size = sizes[i % SIZES];
		BIGNUM *odd = number_of(&dice, 8 * (size / 2 + 1), true), *even = BN_dup(odd);
		BIGNUM *b = number_of(&dice, 8 * size, false), *zero = BN_new();

		BN_clear_bit(even, 0);
		check(SILEX_PK_OP_REDUCE_ODD, reduce, size, odd, zero, b);
		check(SILEX_PK_OP_REDUCE_EVEN, reduce, size, even, zero, b);
		BN_free(odd);
		BN_free(even);
		BN_free(b);
		BN_free(zero);
	}
}

static void numbers_are_raised(void **state)
{
	(void)state;
	check_sizes(SILEX_PK_OP_MODEXP, power, true, false);
	/* moduli are seldom prime: countermeasures must not take them for it */
	check_sizes(SILEX_PK_OP_MODEXP | SILEX_PK_PROTECT_EXP, power, true, false);
	check_sizes(SILEX_PK_OP_RSA_PUBLIC, power, true, false);
}

static void products_are_whole(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SIZES * ROUNDS; i++) {
		size_t size = sizes[i % SIZES];
		BIGNUM *a = number_of(&dice, 8 * (size / 2), false),
		       *b = number_of(&dice, 8 * (size - size / 2), false);
		BIGNUM *expected = BN_new();

		BN_mul(expected, a, b, context);
		pk_begin(&pk, SILEX_PK_OP_MUL | R2, size, false);
		pk_put(&pk, SILEX_PK_SLOT_A, a);
		pk_put(&pk, SILEX_PK_SLOT_B, b);
		assert_int_equal(pk_run(&pk), 0);
		pk_expect(&pk, SILEX_PK_SLOT_C, expected);
		BN_free(a);
		BN_free(b);
		BN_free(expected);
	}
}

static void square_roots_are_found(void **state)
{
	BIGNUM *square = BN_new();

	(void)state;
	for (unsigned i = 0; i < 24; i++) {
		size_t size = sizes[i % 6];
		BIGNUM *p = number_prime(&dice, 8 * size, NULL), *root = number_below(&dice, p),
		       *found;

		BN_mod_sqr(square, root, p, context);
		pk_begin(&pk, SILEX_PK_OP_MODSQRT | R2, size, false);
		pk_put(&pk, SILEX_PK_SLOT_N, p);
		pk_put(&pk, SILEX_PK_SLOT_A, square);
		assert_int_equal(pk_run(&pk), 0);
		found = pk_get(&pk, SILEX_PK_SLOT_C);
		BN_mod_sqr(found, found, p, context);
		assert_int_equal(BN_cmp(found, square), 0);
		BN_free(p);
		BN_free(root);
		BN_free(found);
	}
	BN_free(square);
}

/* ---- what is refused ---- */

static uint32_t run_words(uint32_t opcode, unsigned n, unsigned a, unsigned b)
{
	BIGNUM *value = BN_new();

	pk_begin(&pk, opcode | R2, 64, false);
	BN_set_word(value, n);
	pk_put(&pk, SILEX_PK_SLOT_N, value);
	BN_set_word(value, a);
	pk_put(&pk, SILEX_PK_SLOT_A, value);
	BN_set_word(value, b);
	pk_put(&pk, SILEX_PK_SLOT_B, value);
	BN_free(value);
	return pk_run(&pk);
}

static void what_has_no_answer_is_refused(void **state)
{
	(void)state;
	assert_int_equal(run_words(SILEX_PK_OP_MODINV_ODD, 15, 0, 3),
			 SILEX_PK_STATUS_NOT_INVERTIBLE);
	assert_int_equal(run_words(SILEX_PK_OP_MODINV_ODD, 15, 0, 0),
			 SILEX_PK_STATUS_NOT_INVERTIBLE);
	assert_int_equal(run_words(SILEX_PK_OP_MODINV_EVEN, 16, 0, 4),
			 SILEX_PK_STATUS_NOT_INVERTIBLE);
	assert_int_equal(run_words(SILEX_PK_OP_MODDIV, 15, 1, 5), SILEX_PK_STATUS_NOT_INVERTIBLE);
	assert_int_equal(run_words(SILEX_PK_OP_MODSQRT, 7, 3, 0), SILEX_PK_STATUS_NO_ROOT);
	assert_int_equal(run_words(SILEX_PK_OP_MODMUL, 16, 1, 1), SILEX_PK_STATUS_BAD_MODULUS);
	assert_int_equal(run_words(SILEX_PK_OP_MODEXP, 0, 1, 1), SILEX_PK_STATUS_BAD_MODULUS);
	assert_int_equal(run_words(SILEX_PK_OP_REDUCE_EVEN, 0, 0, 1), SILEX_PK_STATUS_BAD_MODULUS);
}

static void every_opcode_ends(void **state)
{
	(void)state;
	for (uint32_t opcode = 0; opcode < 128; opcode++) {
		static const unsigned values[] = { 0, 1, 2, 15, 16, 0xffffffff };

		for (unsigned i = 0; i < 6; i++) {
			run_words(opcode, values[i], values[5 - i], values[(i + 2) % 6]);
			run_words(opcode | SILEX_PK_FIELD_2M, values[i], 1, 1);
			run_words(opcode | SILEX_PK_CURVE(i + 1), values[i], 1, 1);
		}
	}
}

static void witnesses_tell_primes_from_composites(void **state)
{
	static const unsigned bases[] = { 2, 3, 5, 7, 11 };
	BIGNUM *prime = number_prime(&dice, 8 * 64, NULL), *composite = BN_new();

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		BIGNUM *base = number_below(&dice, prime);

		pk_begin(&pk, SILEX_PK_OP_MILLER_RABIN | R2, 64, false);
		pk_put(&pk, SILEX_PK_SLOT_N, prime);
		pk_put(&pk, SILEX_PK_SLOT_A, base);
		assert_int_equal(pk_run(&pk), 0);
		BN_free(base);
	}
	BN_set_word(composite, 3215031751); /* a strong pseudoprime to 2, 3, 5 and 7 */
	pk_begin(&pk, SILEX_PK_OP_MILLER_RABIN | R2, 64, false);
	pk_put(&pk, SILEX_PK_SLOT_N, composite);
	for (unsigned i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		BIGNUM *base = BN_new();

		BN_set_word(base, bases[i]);
		pk_put(&pk, SILEX_PK_SLOT_A, base);
		assert_int_equal(pk_run(&pk), bases[i] == 11 ? SILEX_PK_STATUS_COMPOSITE : 0);
		BN_free(base);
	}
	BN_free(prime);
	BN_free(composite);
}

/* ---- RSA ---- */

struct rsa {
	BIGNUM *n, *e, *d, *p, *q, *dp, *dq, *qinv, *lambda;
};

static BIGNUM *less_one(const BIGNUM *value)
{
	BIGNUM *result = BN_dup(value);

	BN_sub_word(result, 1);
	return result;
}

static void rsa_new(struct rsa *rsa, size_t size)
{
	BIGNUM *p1, *q1, *gcd = BN_new();

	rsa->e = BN_new();
	BN_set_word(rsa->e, 65537);
	rsa->p = number_prime(&dice, 8 * (size / 2), NULL);
	rsa->q = number_prime(&dice, 8 * (size - size / 2), NULL);
	p1 = less_one(rsa->p);
	q1 = less_one(rsa->q);
	rsa->n = BN_new();
	BN_mul(rsa->n, rsa->p, rsa->q, context);
	rsa->lambda = BN_new();
	BN_gcd(gcd, p1, q1, context);
	BN_mul(rsa->lambda, p1, q1, context);
	BN_div(rsa->lambda, NULL, rsa->lambda, gcd, context);
	rsa->d = BN_mod_inverse(NULL, rsa->e, rsa->lambda, context);
	rsa->dp = BN_new();
	rsa->dq = BN_new();
	BN_mod(rsa->dp, rsa->d, p1, context);
	BN_mod(rsa->dq, rsa->d, q1, context);
	rsa->qinv = BN_mod_inverse(NULL, rsa->q, rsa->p, context);
	BN_free(p1);
	BN_free(q1);
	BN_free(gcd);
}

static void rsa_free(struct rsa *rsa)
{
	BIGNUM *numbers[] = { rsa->n,  rsa->e,  rsa->d,    rsa->p,     rsa->q,
			      rsa->dp, rsa->dq, rsa->qinv, rsa->lambda };

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		BN_free(numbers[i]);
}

static void check_private(const struct rsa *rsa, size_t size, uint32_t flags)
{
	BIGNUM *input = number_below(&dice, rsa->n), *expected = BN_new(),
	       *blinding = number_of(&dice, 62, true);

	BN_mod_exp(expected, input, rsa->d, rsa->n, context);
	pk_begin(&pk, SILEX_PK_OP_RSA_CRT | flags, size, false);
	pk_put(&pk, SILEX_PK_SLOT_RSA_P, rsa->p);
	pk_put(&pk, SILEX_PK_SLOT_RSA_Q, rsa->q);
	pk_put(&pk, SILEX_PK_SLOT_RSA_IN, input);
	pk_put(&pk, SILEX_PK_SLOT_RSA_DP, rsa->dp);
	pk_put(&pk, SILEX_PK_SLOT_RSA_DQ, rsa->dq);
	pk_put(&pk, SILEX_PK_SLOT_RSA_QINV, rsa->qinv);
	pk_put(&pk, SILEX_PK_SLOT_BLINDING, blinding);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_OUT, expected);

	pk_begin(&pk, SILEX_PK_OP_RSA_PRIVATE | R2 | flags, size, false);
	pk_put(&pk, SILEX_PK_SLOT_RSA_N, rsa->n);
	pk_put(&pk, SILEX_PK_SLOT_RSA_LAMBDA, rsa->lambda);
	pk_put(&pk, SILEX_PK_SLOT_RSA_IN, input);
	pk_put(&pk, SILEX_PK_SLOT_RSA_D, rsa->d);
	pk_put(&pk, SILEX_PK_SLOT_BLINDING, blinding);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_OUT, expected);
	BN_free(input);
	BN_free(expected);
	BN_free(blinding);
}

static void check_rsa(size_t size)
{
	struct rsa rsa;

	rsa_new(&rsa, size);
	check_private(&rsa, size, 0);
	check_private(&rsa, size, SILEX_PK_PROTECT_EXP);

	pk_begin(&pk, SILEX_PK_OP_RSA_CRT_PARAMS, size, false);
	pk_put(&pk, SILEX_PK_SLOT_RSA_P, rsa.p);
	pk_put(&pk, SILEX_PK_SLOT_RSA_Q, rsa.q);
	pk_put(&pk, SILEX_PK_SLOT_RSA_D, rsa.d);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_DP, rsa.dp);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_DQ, rsa.dq);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_QINV, rsa.qinv);

	pk_begin(&pk, SILEX_PK_OP_RSA_KEYGEN, size, false);
	pk_put(&pk, SILEX_PK_SLOT_RSA_P, rsa.p);
	pk_put(&pk, SILEX_PK_SLOT_RSA_Q, rsa.q);
	pk_put(&pk, SILEX_PK_SLOT_RSA_E, rsa.e);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_N, rsa.n);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_LAMBDA, rsa.lambda);
	pk_expect(&pk, SILEX_PK_SLOT_RSA_D, rsa.d);
	rsa_free(&rsa);
}

static void rsa_keys_work(void **state)
{
	(void)state;
	check_rsa(64);
	check_rsa(127);
	check_rsa(128);
	check_rsa(256);
	check_rsa(512);
}

/* ---- DSA ---- */

static void dsa_group(BIGNUM *p, BIGNUM *q, BIGNUM *g)
{
	BIGNUM *twice = BN_new(), *one = BN_new(), *h = BN_new(), *exponent;

	BN_one(one);
	BN_generate_prime_ex(q, 160, 0, NULL, NULL, NULL);
	BN_lshift1(twice, q);
	BN_generate_prime_ex(p, 1024, 0, twice, one, NULL);
	exponent = less_one(p);
	BN_div(exponent, NULL, exponent, q, context);
	BN_set_word(h, 2);
	BN_mod_exp(g, h, exponent, p, context);
	BN_free(twice);
	BN_free(one);
	BN_free(h);
	BN_free(exponent);
}

static void put_group(const BIGNUM *p, const BIGNUM *q, const BIGNUM *g)
{
	pk_put(&pk, SILEX_PK_SLOT_DSA_P, p);
	pk_put(&pk, SILEX_PK_SLOT_DSA_Q, q);
	pk_put(&pk, SILEX_PK_SLOT_DSA_G, g);
}

/* r = (g^k mod p) mod q, s = (h + x r) / k mod q: FIPS 186-4 */
static void sign(const BIGNUM *p, const BIGNUM *q, const BIGNUM *g, const BIGNUM *x,
		 const BIGNUM *k, const BIGNUM *h, BIGNUM *r, BIGNUM *s)
{
	BIGNUM *inverse = BN_mod_inverse(NULL, k, q, context);

	BN_mod_exp(r, g, k, p, context);
	BN_mod(r, r, q, context);
	BN_mod_mul(s, x, r, q, context);
	BN_mod_add(s, s, h, q, context);
	BN_mod_mul(s, s, inverse, q, context);
	BN_free(inverse);
}

static void dsa_signs_and_verifies(void **state)
{
	BIGNUM *p = BN_new(), *q = BN_new(), *g = BN_new(), *y = BN_new(), *r = BN_new();
	BIGNUM *s = BN_new(), *x, *k, *h;

	(void)state;
	dsa_group(p, q, g);
	x = number_unit(&dice, q);
	k = number_unit(&dice, q);
	h = number_unit(&dice, q);
	BN_mod_exp(y, g, x, p, context);
	sign(p, q, g, x, k, h, r, s);

	pk_begin(&pk, SILEX_PK_OP_DSA_KEYGEN, 128, false);
	put_group(p, q, g);
	pk_put(&pk, SILEX_PK_SLOT_DSA_X, x);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_DSA_Y, y);

	pk_begin(&pk, SILEX_PK_OP_DSA_SIGN, 128, false);
	put_group(p, q, g);
	pk_put(&pk, SILEX_PK_SLOT_DSA_K, k);
	pk_put(&pk, SILEX_PK_SLOT_DSA_X, x);
	pk_put(&pk, SILEX_PK_SLOT_DSA_H, h);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_DSA_R, r);
	pk_expect(&pk, SILEX_PK_SLOT_DSA_S, s);

	for (unsigned forged = 0; forged < 2; forged++) {
		pk_begin(&pk, SILEX_PK_OP_DSA_VERIFY, 128, false);
		put_group(p, q, g);
		pk_put(&pk, SILEX_PK_SLOT_DSA_Y, y);
		pk_put(&pk, SILEX_PK_SLOT_DSA_R, r);
		pk_put(&pk, SILEX_PK_SLOT_DSA_S, s);
		pk_put(&pk, SILEX_PK_SLOT_DSA_H, h);
		assert_int_equal(pk_run(&pk), forged ? SILEX_PK_STATUS_BAD_SIGNATURE : 0);
		BN_add_word(h, 1);
	}

	BIGNUM *numbers[] = { p, q, g, y, r, s, x, k, h };

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		BN_free(numbers[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_are_added_subtracted_and_multiplied),
		cmocka_unit_test(numbers_are_divided_and_inverted),
		cmocka_unit_test(the_ends_of_the_range_work),
		cmocka_unit_test(numbers_are_reduced),
		cmocka_unit_test(numbers_are_raised),
		cmocka_unit_test(products_are_whole),
		cmocka_unit_test(square_roots_are_found),
		cmocka_unit_test(what_has_no_answer_is_refused),
		cmocka_unit_test(every_opcode_ends),
		cmocka_unit_test(witnesses_tell_primes_from_composites),
		cmocka_unit_test(rsa_keys_work),
		cmocka_unit_test(dsa_signs_and_verifies),
	};

	return cmocka_run_group_tests(tests, random_key_set_up, random_key_tear_down);
}
