/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Elliptic curves over prime fields on random numbers, which SILEX_SEED chooses, against libcrypto:
 * hard-wired and loaded parameters. */
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "random-key-test.h"

#define ROUNDS 6u

/* ---- curves ---- */

struct curve {
	int nid;
	unsigned select; /* SILEX_PK_CURVE_* */
	size_t size;
};

static const struct curve curves[] = {
	{ NID_X9_62_prime192v1, SILEX_PK_CURVE_P192, 24 },
	{ NID_X9_62_prime256v1, SILEX_PK_CURVE_P256, 32 },
	{ NID_secp384r1, SILEX_PK_CURVE_P384, 48 },
	{ NID_secp521r1, SILEX_PK_CURVE_P521, 66 },
};

/* Curves that the core has no wires for */
static const struct curve others[] = {
	{ NID_secp256k1, SILEX_PK_CURVE_LOADED, 32 },
	{ NID_brainpoolP384r1, SILEX_PK_CURVE_LOADED, 48 },
	{ NID_brainpoolP512r1, SILEX_PK_CURVE_LOADED, 64 },
};

struct group {
	const struct curve *curve;
	bool loaded;
	EC_GROUP *ec;
	const BIGNUM *order;
	BIGNUM *p, *a, *b;
};

static void group_open(struct group *group, const struct curve *curve, bool loaded)
{
	group->curve = curve;
	group->loaded = loaded || curve->select == SILEX_PK_CURVE_LOADED;
	group->ec = EC_GROUP_new_by_curve_name(curve->nid);
	assert_non_null(group->ec);
	group->order = EC_GROUP_get0_order(group->ec);
	group->p = BN_new();
	group->a = BN_new();
	group->b = BN_new();
	EC_GROUP_get_curve(group->ec, group->p, group->a, group->b, context);
}

static void group_close(struct group *group)
{
	BN_free(group->p);
	BN_free(group->a);
	BN_free(group->b);
	EC_GROUP_free(group->ec);
}

static BIGNUM *random_scalar(const struct group *group)
{
	return number_unit(&dice, group->order);
}

static EC_POINT *multiply(const struct group *group, const BIGNUM *k, const EC_POINT *point)
{
	EC_POINT *result = EC_POINT_new(group->ec);

	assert_true(EC_POINT_mul(group->ec, result, point ? NULL : k, point, point ? k : NULL,
				 context));
	return result;
}

static EC_POINT *random_point(const struct group *group)
{
	BIGNUM *k = random_scalar(group);
	EC_POINT *point = multiply(group, k, NULL);

	BN_free(k);
	return point;
}

/* ---- operands ---- */

static void put_point(const struct group *group, unsigned slot, const EC_POINT *point)
{
	BIGNUM *x = BN_new(), *y = BN_new();

	EC_POINT_get_affine_coordinates(group->ec, point, x, y, context);
	pk_put(&pk, slot, x);
	pk_put(&pk, slot + 1, y);
	BN_free(x);
	BN_free(y);
}

static void expect_point(const struct group *group, unsigned slot, const EC_POINT *point)
{
	BIGNUM *x = BN_new(), *y = BN_new();

	EC_POINT_get_affine_coordinates(group->ec, point, x, y, context);
	pk_expect(&pk, slot, x);
	pk_expect(&pk, slot + 1, y);
	BN_free(x);
	BN_free(y);
}

/* Selects the curve, or loads its parameters */
static void begin(const struct group *group, uint32_t command)
{
	if (!group->loaded) {
		pk_begin(&pk, command | SILEX_PK_CURVE(group->curve->select), group->curve->size,
			 false);
		return;
	}
	pk_begin(&pk, command, group->curve->size, false);
	pk_put(&pk, SILEX_PK_SLOT_ECC_P, group->p);
	pk_put(&pk, SILEX_PK_SLOT_ECC_N, group->order);
	put_point(group, SILEX_PK_SLOT_ECC_GX, EC_GROUP_get0_generator(group->ec));
	pk_put(&pk, SILEX_PK_SLOT_ECC_A, group->a);
	pk_put(&pk, SILEX_PK_SLOT_ECC_B, group->b);
}

/* ---- points ---- */

static void check_multiplication(const struct group *group)
{
	BIGNUM *k = random_scalar(group);
	EC_POINT *point = random_point(group), *expected = multiply(group, k, point);

	for (unsigned flags = 0; flags < 2; flags++) {
		BIGNUM *blinding = number_of(&dice, 62, true);

		begin(group, SILEX_PK_OP_ECC_MUL | (flags ? SILEX_PK_PROTECT_ECC : 0));
		pk_put(&pk, SILEX_PK_SLOT_ECC_K, k);
		put_point(group, SILEX_PK_SLOT_ECC_PX, point);
		pk_put(&pk, SILEX_PK_SLOT_BLINDING, blinding);
		assert_int_equal(pk_run(&pk), 0);
		expect_point(group, SILEX_PK_SLOT_ECC_OUT_X, expected);
		BN_free(blinding);
	}
	BN_free(k);
	EC_POINT_free(point);
	EC_POINT_free(expected);
}

static void check_addition(const struct group *group)
{
	EC_POINT *a = random_point(group), *b = random_point(group), *sum = EC_POINT_new(group->ec);

	EC_POINT_add(group->ec, sum, a, b, context);
	begin(group, SILEX_PK_OP_ECC_ADD);
	put_point(group, SILEX_PK_SLOT_ECC_X1, a);
	put_point(group, SILEX_PK_SLOT_ECC_X2, b);
	assert_int_equal(pk_run(&pk), 0);
	expect_point(group, SILEX_PK_SLOT_ECC_OUT_X, sum);

	EC_POINT_dbl(group->ec, sum, a, context);
	begin(group, SILEX_PK_OP_ECC_DOUBLE);
	put_point(group, SILEX_PK_SLOT_ECC_X1, a);
	assert_int_equal(pk_run(&pk), 0);
	expect_point(group, SILEX_PK_SLOT_ECC_OUT_X, sum);
	EC_POINT_free(a);
	EC_POINT_free(b);
	EC_POINT_free(sum);
}

/* A point and its negative */
static void check_infinity(const struct group *group)
{
	EC_POINT *a = random_point(group), *minus = EC_POINT_dup(a, group->ec);

	EC_POINT_invert(group->ec, minus, context);
	begin(group, SILEX_PK_OP_ECC_ADD);
	put_point(group, SILEX_PK_SLOT_ECC_X1, a);
	put_point(group, SILEX_PK_SLOT_ECC_X2, minus);
	assert_int_equal(pk_run(&pk), SILEX_PK_STATUS_INFINITY);
	EC_POINT_free(a);
	EC_POINT_free(minus);
}

static void check_points(const struct group *group)
{
	EC_POINT *point = random_point(group);
	BIGNUM *x = BN_new(), *y = BN_new();

	EC_POINT_get_affine_coordinates(group->ec, point, x, y, context);
	for (unsigned wrong = 0; wrong < 2; wrong++) {
		begin(group, SILEX_PK_OP_ECC_ON_CURVE);
		pk_put(&pk, SILEX_PK_SLOT_ECC_PX, x);
		pk_put(&pk, SILEX_PK_SLOT_ECC_PY, y);
		assert_int_equal(pk_run(&pk), wrong ? SILEX_PK_STATUS_NOT_ON_CURVE : 0);
		BN_add_word(y, 1);
	}
	begin(group, SILEX_PK_OP_ECC_CHECK_XY);
	pk_put(&pk, SILEX_PK_SLOT_ECC_X1, x);
	pk_put(&pk, SILEX_PK_SLOT_ECC_Y1, group->p);
	assert_int_equal(pk_run(&pk), SILEX_PK_STATUS_OUT_OF_RANGE);
	begin(group, SILEX_PK_OP_ECC_CHECK_AB);
	assert_int_equal(pk_run(&pk), 0);
	begin(group, SILEX_PK_OP_ECC_CHECK_N);
	assert_int_equal(pk_run(&pk), 0);
	begin(group, SILEX_PK_OP_ECC_CHECK_ORDER);
	put_point(group, SILEX_PK_SLOT_ECC_X1, point);
	assert_int_equal(pk_run(&pk), 0);
	EC_POINT_free(point);
	BN_free(x);
	BN_free(y);
}

/* Either root will do: the core is not told which */
static void check_decompression(const struct group *group)
{
	EC_POINT *point = random_point(group);
	BIGNUM *x = BN_new(), *y = BN_new(), *minus = BN_new(), *found;

	EC_POINT_get_affine_coordinates(group->ec, point, x, y, context);
	BN_sub(minus, group->p, y);
	begin(group, SILEX_PK_OP_ECC_DECOMPRESS);
	pk_put(&pk, SILEX_PK_SLOT_ECC_X1, x);
	assert_int_equal(pk_run(&pk), 0);
	found = pk_get(&pk, SILEX_PK_SLOT_ECC_OUT_X);
	assert_true(BN_cmp(found, y) == 0 || BN_cmp(found, minus) == 0);
	BN_free(x);
	BN_free(y);
	BN_free(minus);
	BN_free(found);
	EC_POINT_free(point);
}

/* ---- ECDSA ---- */

/* r = x of k G, s = (h + r d) / k modulo the order: FIPS 186-5 */
static void sign(const struct group *group, const BIGNUM *d, const BIGNUM *k, const BIGNUM *h,
		 BIGNUM *r, BIGNUM *s)
{
	EC_POINT *point = multiply(group, k, NULL);
	BIGNUM *inverse = BN_mod_inverse(NULL, k, group->order, context);

	EC_POINT_get_affine_coordinates(group->ec, point, r, NULL, context);
	BN_nnmod(r, r, group->order, context);
	BN_mod_mul(s, r, d, group->order, context);
	BN_mod_add(s, s, h, group->order, context);
	BN_mod_mul(s, s, inverse, group->order, context);
	BN_free(inverse);
	EC_POINT_free(point);
}

static void verify(const struct group *group, const EC_POINT *key, const BIGNUM *r, const BIGNUM *s,
		   const BIGNUM *h, uint32_t errors)
{
	begin(group, SILEX_PK_OP_ECDSA_VERIFY);
	put_point(group, SILEX_PK_SLOT_ECDSA_QX, key);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_R, r);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_S, s);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_H, h);
	assert_int_equal(pk_run(&pk), errors);
}

static void check_ecdsa(const struct group *group)
{
	BIGNUM *d = random_scalar(group), *k = random_scalar(group), *h = random_scalar(group);
	BIGNUM *r = BN_new(), *s = BN_new(), *other = random_scalar(group);
	EC_POINT *key = multiply(group, d, NULL);

	sign(group, d, k, h, r, s);
	begin(group, SILEX_PK_OP_ECDSA_SIGN);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_D, d);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_K, k);
	pk_put(&pk, SILEX_PK_SLOT_ECDSA_H, h);
	assert_int_equal(pk_run(&pk), 0);
	pk_expect(&pk, SILEX_PK_SLOT_ECDSA_R, r);
	pk_expect(&pk, SILEX_PK_SLOT_ECDSA_S, s);

	verify(group, key, r, s, h, 0);
	verify(group, key, r, s, other, SILEX_PK_STATUS_BAD_SIGNATURE);
	verify(group, key, r, other, h, SILEX_PK_STATUS_BAD_SIGNATURE);
	verify(group, key, r, group->order, h, SILEX_PK_STATUS_OUT_OF_RANGE);

	BIGNUM *numbers[] = { d, k, h, r, s, other };

	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		BN_free(numbers[i]);
	EC_POINT_free(key);
}

/* ---- every curve ---- */

static void each_curve(void (*check)(const struct group *group))
{
	struct group group;

	for (unsigned i = 0; i < sizeof(curves) / sizeof(*curves); i++) {
		for (unsigned round = 0; round < 2 * ROUNDS; round++) {
			group_open(&group, &curves[i], round % 2);
			check(&group);
			group_close(&group);
		}
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		group_open(&group, &others[i], true);
		check(&group);
		group_close(&group);
	}
}

static void points_are_multiplied(void **state)
{
	(void)state;
	each_curve(check_multiplication);
}

static void points_are_added(void **state)
{
	(void)state;
	each_curve(check_addition);
	each_curve(check_infinity);
}

static void points_are_checked(void **state)
{
	(void)state;
	each_curve(check_points);
	each_curve(check_decompression);
}

static void ecdsa_signs_and_verifies(void **state)
{
	(void)state;
	each_curve(check_ecdsa);
}

static void a_curve_that_is_not_wired_is_not_implemented(void **state)
{
	struct pk small;

	(void)state;
	pk_open(&small, "zero=on,pk_curves=0x00100000");
	pk_begin(&small, SILEX_PK_OP_ECC_CHECK_AB | SILEX_PK_CURVE(SILEX_PK_CURVE_P384), 48, false);
	assert_int_equal(pk_run(&small), SILEX_PK_STATUS_NOT_IMPLEMENTED);
	pk_begin(&small, SILEX_PK_OP_ECC_CHECK_AB | SILEX_PK_CURVE(SILEX_PK_CURVE_P256), 32, false);
	assert_int_equal(pk_run(&small), 0);
	pk_close(&small);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_are_multiplied),
		cmocka_unit_test(points_are_added),
		cmocka_unit_test(points_are_checked),
		cmocka_unit_test(ecdsa_signs_and_verifies),
		cmocka_unit_test(a_curve_that_is_not_wired_is_not_implemented),
	};

	return cmocka_run_group_tests(tests, random_key_set_up, random_key_tear_down);
}
