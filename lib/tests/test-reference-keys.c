/* SPDX-License-Identifier: Apache-2.0 */
/* Public-key requests with random keys: libcrypto agrees. */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <string.h>

#include "unit.h"

#define LARGEST 512u

static struct firesteel *device;

/* A number as an operand, with a zero before it that does not count */
struct number {
	uint8_t bytes[LARGEST + 1];
	size_t size;
};

static struct firesteel_bytes from(struct number *number, const BIGNUM *value)
{
	number->size = (size_t)BN_num_bytes(value) + 1;
	BN_bn2binpad(value, number->bytes, (int)number->size);
	return PART(number->bytes, number->size);
}

static struct firesteel_bytes parameter(struct number *number, const EVP_PKEY *key,
					const char *name)
{
	struct firesteel_bytes bytes;
	BIGNUM *value = NULL;

	assert_int_equal(EVP_PKEY_get_bn_param(key, name, &value), 1);
	bytes = from(number, value);
	BN_clear_free(value);
	return bytes;
}

/* ---- RSA ---- */

static const char *const rsa_names[] = {
	OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
	OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
	OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
	OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
};

enum { N, E, D, P, Q, DP, DQ, QINV, RSA_NUMBERS };

static void rsa_agrees(unsigned bits, unsigned flags)
{
	static struct number numbers[RSA_NUMBERS];
	struct firesteel_bytes n[RSA_NUMBERS];
	uint8_t input[LARGEST], private[LARGEST], crt[LARGEST], public[LARGEST];
	const size_t size = bits / 8;
	EVP_PKEY *key = EVP_RSA_gen(bits);

	for (unsigned i = 0; i < RSA_NUMBERS; i++)
		n[i] = parameter(&numbers[i], key, rsa_names[i]);
	RAND_bytes(input, (int)size);
	input[0] = 0;
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_RSA_CRT,
			 .flags = flags,
			 .rsa_crt = { n[P], n[Q], n[DP], n[DQ], n[QINV], n[N], n[E],
				      PART(input, size), SPACE(crt, size) },
		 },
		 FIRESTEEL_OK);
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_RSA_PRIVATE,
			 .flags = flags,
			 .rsa_private = { .modulus = n[N],
					  .secret = n[D],
					  .exponent = n[E],
					  .input = PART(input, size),
					  .result = SPACE(private, size) },
		 },
		 FIRESTEEL_OK);
	assert_memory_equal(crt, private, size);
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_RSA_PUBLIC,
			 .rsa_public = { n[N], n[E], PART(crt, size), SPACE(public, size) },
		 },
		 FIRESTEEL_OK);
	assert_memory_equal(public, input, size);
	EVP_PKEY_free(key);
}

static void rsa(void **state)
{
	(void)state;
	rsa_agrees(1024, 0);
	rsa_agrees(1024, FIRESTEEL_UNPROTECTED);
	rsa_agrees(2048, FIRESTEEL_CHECK);
	rsa_agrees(1032, FIRESTEEL_CHECK);
}

/* The key's coefficient is wrong, as if the core had computed one half wrongly */
static void a_wrong_half_is_withheld(void **state)
{
	static struct number numbers[RSA_NUMBERS];
	struct firesteel_bytes n[RSA_NUMBERS];
	uint8_t input[128] = { 0, 1, 2, 3 }, result[128] = { 0 }, nothing[128] = { 0 };
	struct firesteel_statistics before, after;
	EVP_PKEY *key = EVP_RSA_gen(1024);

	(void)state;
	for (unsigned i = 0; i < RSA_NUMBERS; i++)
		n[i] = parameter(&numbers[i], key, rsa_names[i]);
	numbers[QINV].bytes[numbers[QINV].size - 1] ^= 1;
	firesteel_statistics(device, &before);
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_RSA_CRT,
			 .flags = FIRESTEEL_CHECK,
			 .rsa_crt = { n[P], n[Q], n[DP], n[DQ], n[QINV], n[N], n[E], BYTES(input),
				      OUTPUT(result) },
		 },
		 FIRESTEEL_ERROR_CHECK);
	firesteel_statistics(device, &after);
	assert_int_equal(after.checks_failed, before.checks_failed + 1);
	assert_memory_equal(result, nothing, sizeof(result));
	EVP_PKEY_free(key);
}

/* ---- curves ---- */

struct group {
	int nid;
	enum firesteel_curve_name name;
};

static const struct group groups[] = {
	{ NID_X9_62_prime192v1, FIRESTEEL_P192 },
	{ NID_X9_62_prime256v1, FIRESTEEL_P256 },
	{ NID_secp384r1, FIRESTEEL_P384 },
	{ NID_secp521r1, FIRESTEEL_P521 },
	/* with their parameters: those that are hard-wired too, and others; secp160r1's order is
	 * longer than its field */
	{ NID_X9_62_prime256v1, FIRESTEEL_CURVE_LOADED },
	{ NID_secp521r1, FIRESTEEL_CURVE_LOADED },
	{ NID_secp160r1, FIRESTEEL_CURVE_LOADED },
	{ NID_secp224r1, FIRESTEEL_CURVE_LOADED },
	{ NID_secp256k1, FIRESTEEL_CURVE_LOADED },
	{ NID_brainpoolP256r1, FIRESTEEL_CURVE_LOADED },
	{ NID_brainpoolP384r1, FIRESTEEL_CURVE_LOADED },
};

/* A group with a key, in both libraries' words */
struct pair {
	EC_GROUP *group;
	BN_CTX *context;
	BIGNUM *n, *d, *x, *y;
	EC_POINT *point;
	struct firesteel_curve curve;
	struct firesteel_curve_parameters parameters;
	struct number numbers[9];
	struct firesteel_bytes secret, public_x, public_y;
	size_t field, order;
};

static void load(struct pair *pair)
{
	BIGNUM *p = BN_new(), *a = BN_new(), *b = BN_new(), *x = BN_new(), *y = BN_new();

	EC_GROUP_get_curve(pair->group, p, a, b, pair->context);
	EC_POINT_get_affine_coordinates(pair->group, EC_GROUP_get0_generator(pair->group), x, y,
					pair->context);
	pair->parameters = (struct firesteel_curve_parameters){
		.p = from(&pair->numbers[0], p),
		.a = from(&pair->numbers[1], a),
		.b = from(&pair->numbers[2], b),
		.gx = from(&pair->numbers[3], x),
		.gy = from(&pair->numbers[4], y),
		.n = from(&pair->numbers[5], pair->n),
	};
	BN_free(p);
	BN_free(a);
	BN_free(b);
	BN_free(x);
	BN_free(y);
}

static void begin(struct pair *pair, const struct group *group)
{
	pair->context = BN_CTX_new();
	pair->group = EC_GROUP_new_by_curve_name(group->nid);
	assert_non_null(pair->group);
	pair->n = BN_dup(EC_GROUP_get0_order(pair->group));
	pair->d = BN_new();
	pair->x = BN_new();
	pair->y = BN_new();
	pair->point = EC_POINT_new(pair->group);
	load(pair);
	pair->curve = (struct firesteel_curve){ group->name, &pair->parameters };
	if (group->name != FIRESTEEL_CURVE_LOADED)
		pair->curve.parameters = NULL;
	pair->field = (size_t)(EC_GROUP_get_degree(pair->group) + 7) / 8;
	pair->order = (size_t)BN_num_bytes(pair->n);
	do
		BN_rand_range(pair->d, pair->n);
	while (BN_is_zero(pair->d));
	EC_POINT_mul(pair->group, pair->point, pair->d, NULL, NULL, pair->context);
	EC_POINT_get_affine_coordinates(pair->group, pair->point, pair->x, pair->y, pair->context);
	pair->secret = from(&pair->numbers[6], pair->d);
	pair->public_x = from(&pair->numbers[7], pair->x);
	pair->public_y = from(&pair->numbers[8], pair->y);
}

static void end(struct pair *pair)
{
	EC_POINT_free(pair->point);
	BN_free(pair->n);
	BN_free(pair->d);
	BN_free(pair->x);
	BN_free(pair->y);
	EC_GROUP_free(pair->group);
	BN_CTX_free(pair->context);
}

static void expect_number(const uint8_t *bytes, size_t size, const BIGNUM *value)
{
	uint8_t expected[LARGEST];

	assert_int_equal(BN_bn2binpad(value, expected, (int)size), size);
	assert_memory_equal(bytes, expected, size);
}

static void multiplication_agrees(struct pair *pair)
{
	uint8_t x[80], y[80];
	BIGNUM *two_x = BN_new(), *two_y = BN_new();
	struct firesteel_request request = {
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { pair->curve, pair->secret, SPACE(x, pair->field),
			       SPACE(y, pair->field) },
	};

	unit_run(device, &request, FIRESTEEL_OK);
	expect_number(x, pair->field, pair->x);
	expect_number(y, pair->field, pair->y);
	EC_POINT_mul(pair->group, pair->point, NULL, pair->point, pair->d, pair->context);
	EC_POINT_get_affine_coordinates(pair->group, pair->point, two_x, two_y, pair->context);
	request = (struct firesteel_request){
		.operation = FIRESTEEL_ECDH,
		.ecdh = { pair->curve, pair->secret, pair->public_x, pair->public_y,
			  SPACE(x, pair->field), SPACE(y, 0) },
	};
	unit_run(device, &request, FIRESTEEL_OK);
	expect_number(x, pair->field, two_x);
	/* not on the curve */
	pair->numbers[8].bytes[pair->numbers[8].size - 1] ^= 1;
	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED);
	pair->numbers[8].bytes[pair->numbers[8].size - 1] ^= 1;
	BN_free(two_x);
	BN_free(two_y);
}

/* libcrypto's older functions take any group */
static EC_KEY *legacy_key(struct pair *pair)
{
	EC_KEY *key = EC_KEY_new();
	EC_POINT *point = EC_POINT_new(pair->group);

	EC_POINT_mul(pair->group, point, pair->d, NULL, NULL, pair->context);
	EC_KEY_set_group(key, pair->group);
	EC_KEY_set_private_key(key, pair->d);
	EC_KEY_set_public_key(key, point);
	EC_POINT_free(point);
	return key;
}

static void signatures_agree(struct pair *pair, size_t digest_size)
{
	uint8_t digest[64], r[80], s[80];
	struct number ours[2];
	ECDSA_SIG *signature = ECDSA_SIG_new();
	EC_KEY *key = legacy_key(pair);
	struct firesteel_request request = {
		.operation = FIRESTEEL_ECDSA_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ecdsa_sign = { .curve = pair->curve,
				.secret = pair->secret,
				.digest = PART(digest, digest_size),
				.public_x = pair->public_x,
				.public_y = pair->public_y,
				.r = SPACE(r, pair->order),
				.s = SPACE(s, pair->order) },
	};

	RAND_bytes(digest, sizeof(digest));
	unit_run(device, &request, FIRESTEEL_OK);
	ECDSA_SIG_set0(signature, BN_bin2bn(r, (int)pair->order, NULL),
		       BN_bin2bn(s, (int)pair->order, NULL));
	assert_int_equal(ECDSA_do_verify(digest, (int)digest_size, signature, key), 1);
	ECDSA_SIG_free(signature);
	signature = ECDSA_do_sign(digest, (int)digest_size, key);
	request = (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_VERIFY,
		.ecdsa_verify = { pair->curve, pair->public_x, pair->public_y,
				  PART(digest, digest_size),
				  from(&ours[0], ECDSA_SIG_get0_r(signature)),
				  from(&ours[1], ECDSA_SIG_get0_s(signature)) },
	};
	unit_run(device, &request, FIRESTEEL_OK);
	ours[0].bytes[ours[0].size - 1] ^= 1;
	unit_run(device, &request, FIRESTEEL_ERROR_SIGNATURE);
	ECDSA_SIG_free(signature);
	EC_KEY_free(key);
}

static void curves(void **state)
{
	static const size_t digests[] = { 20, 32, 64 };
	static struct pair pair;

	(void)state;
	for (unsigned i = 0; i < COUNT(groups); i++) {
		begin(&pair, &groups[i]);
		multiplication_agrees(&pair);
		for (unsigned j = 0; j < COUNT(digests); j++)
			signatures_agree(&pair, digests[j]);
		end(&pair);
	}
}

/* ---- X25519, Diffie-Hellman ---- */

static void x25519_agrees(void **state)
{
	uint8_t secret[32], public[32], expected[32];
	size_t size = sizeof(expected);

	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		EVP_PKEY *key;

		RAND_bytes(secret, sizeof(secret));
		key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, sizeof(secret));
		EVP_PKEY_get_raw_public_key(key, expected, &size);
		unit_run(device,
			 &(struct firesteel_request){
				 .operation = FIRESTEEL_X25519,
				 .x25519 = { .secret = BYTES(secret), .result = OUTPUT(public) },
			 },
			 FIRESTEEL_OK);
		assert_memory_equal(public, expected, sizeof(public));
		EVP_PKEY_free(key);
	}
}

/* A point of small order leads to zeros */
static void x25519_refuses_zeros(void **state)
{
	uint8_t secret[32] = { 1, 2, 3 }, peer[32] = { 1 }, result[32];

	(void)state;
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_X25519,
			 .x25519 = { BYTES(secret), BYTES(peer), OUTPUT(result) },
		 },
		 FIRESTEEL_ERROR_REFUSED);
}

static void dh_agrees_and_refuses(void **state)
{
	BIGNUM *prime = BN_get_rfc3526_prime_2048(NULL), *one_less = BN_dup(prime);
	static struct number numbers[3];
	uint8_t result[256], secret[32] = { 7, 7, 7 };
	static const uint8_t generator[] = { 2 }, one[] = { 1 };
	struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { from(&numbers[0], prime), BYTES(generator), BYTES(secret), OUTPUT(result) },
	};
	BIGNUM *g = BN_bin2bn(generator, 1, NULL), *x = BN_bin2bn(secret, 32, NULL);
	BN_CTX *context = BN_CTX_new();

	(void)state;
	BN_mod_exp(g, g, x, prime, context);
	unit_run(device, &request, FIRESTEEL_OK);
	expect_number(result, sizeof(result), g);
	request.dh.peer = BYTES(one);
	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED);
	BN_sub_word(one_less, 1);
	request.dh.peer = from(&numbers[1], one_less);
	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED);
	request.dh.peer = request.dh.prime;
	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED);
	BN_CTX_free(context);
	BN_free(g);
	BN_free(x);
	BN_free(prime);
	BN_free(one_less);
}

static void expect_weak(const BIGNUM *prime, const BIGNUM *peer, uint8_t secret)
{
	struct number numbers[2];
	uint8_t result[64] = { 0 }, nothing[64] = { 0 };
	const struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { from(&numbers[0], prime), from(&numbers[1], peer), PART(&secret, 1),
			OUTPUT(result) },
	};

	unit_run(device, &request, FIRESTEEL_ERROR_REFUSED);
	assert_memory_equal(result, nothing, sizeof(result));
}

/* Keys in range whose power is 1, p - 1 or 0: of order 3, of order 6, and no unit */
static void dh_gives_no_weak_secret(void **state)
{
	BIGNUM *prime = NULL, *peer = BN_new(), *third = BN_new(), *square = BN_new();
	BN_CTX *context = BN_CTX_new();

	(void)state;
	BN_hex2bn(&prime, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
	BN_sub(third, prime, BN_value_one());
	assert_int_equal(BN_mod_word(third, 3), 0);
	BN_div_word(third, 3);
	BN_set_word(peer, 3);
	BN_mod_exp(peer, peer, third, prime, context);
	assert_false(BN_is_one(peer));
	expect_weak(prime, peer, 3);
	BN_sub(peer, prime, peer);
	expect_weak(prime, peer, 3);
	BN_sqr(square, prime, context);
	expect_weak(square, prime, 2);
	BN_CTX_free(context);
	BN_free(prime);
	BN_free(peer);
	BN_free(third);
	BN_free(square);
}

static int set_up(void **state)
{
	(void)state;
	device = unit_open("model");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	firesteel_close(device);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rsa),
		cmocka_unit_test(a_wrong_half_is_withheld),
		cmocka_unit_test(curves),
		cmocka_unit_test(x25519_agrees),
		cmocka_unit_test(x25519_refuses_zeros),
		cmocka_unit_test(dh_agrees_and_refuses),
		cmocka_unit_test(dh_gives_no_weak_secret),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
