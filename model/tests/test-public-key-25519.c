/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* X25519 and Ed25519 on random keys, which SILEX_SEED chooses, against libcrypto. */
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <string.h>

#include "random-key-test.h"

static EVP_PKEY *random_key(int type)
{
	uint8_t bytes[32];
	EVP_PKEY *key;

	dice_fill(&dice, bytes, sizeof(bytes));
	key = EVP_PKEY_new_raw_private_key(type, NULL, bytes, sizeof(bytes));
	assert_non_null(key);
	return key;
}

/* ---- X25519 ---- */

/* Software clamps the scalar and drops the top bit of the coordinate: RFC 7748 */
static void clamp(uint8_t scalar[32])
{
	scalar[0] &= 248;
	scalar[31] &= 127;
	scalar[31] |= 64;
}

static BIGNUM *public_of(EVP_PKEY *key)
{
	uint8_t bytes[32];
	size_t size = sizeof(bytes);

	assert_true(EVP_PKEY_get_raw_public_key(key, bytes, &size));
	bytes[31] &= 127;
	return BN_lebin2bn(bytes, sizeof(bytes), NULL);
}

static BIGNUM *secret_of(EVP_PKEY *key)
{
	uint8_t bytes[32];
	size_t size = sizeof(bytes);

	assert_true(EVP_PKEY_get_raw_private_key(key, bytes, &size));
	clamp(bytes);
	return BN_lebin2bn(bytes, sizeof(bytes), NULL);
}

static BIGNUM *derive(EVP_PKEY *mine, EVP_PKEY *theirs)
{
	EVP_PKEY_CTX *derivation = EVP_PKEY_CTX_new(mine, NULL);
	uint8_t bytes[32];
	size_t size = sizeof(bytes);

	EVP_PKEY_derive_init(derivation);
	EVP_PKEY_derive_set_peer(derivation, theirs);
	assert_true(EVP_PKEY_derive(derivation, bytes, &size));
	EVP_PKEY_CTX_free(derivation);
	return BN_lebin2bn(bytes, sizeof(bytes), NULL);
}

static void x25519_agrees(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		EVP_PKEY *mine = random_key(EVP_PKEY_X25519);
		EVP_PKEY *theirs = random_key(EVP_PKEY_X25519);
		BIGNUM *k = secret_of(mine), *u = public_of(theirs),
		       *expected = derive(mine, theirs);

		pk_begin(&pk, SILEX_PK_OP_X25519 | SILEX_PK_CURVE(SILEX_PK_CURVE_X25519), 32, true);
		pk_put(&pk, SILEX_PK_SLOT_X25519_P, u);
		pk_put(&pk, SILEX_PK_SLOT_X25519_K, k);
		assert_int_equal(pk_run(&pk), 0);
		pk_expect(&pk, SILEX_PK_SLOT_X25519_OUT, expected);
		BN_free(k);
		BN_free(u);
		BN_free(expected);
		EVP_PKEY_free(mine);
		EVP_PKEY_free(theirs);
	}
}

/* ---- Ed25519 ---- */

#define ED25519(opcode) ((opcode) | SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519))

/* SHA-512 of up to three texts, as a number, least significant byte first */
static BIGNUM *hash(const void *a, size_t a_size, const void *b, size_t b_size, const void *c,
		    size_t c_size)
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	uint8_t bytes[64];

	EVP_DigestInit(digest, EVP_sha512());
	EVP_DigestUpdate(digest, a, a_size);
	EVP_DigestUpdate(digest, b, b_size);
	EVP_DigestUpdate(digest, c, c_size);
	EVP_DigestFinal(digest, bytes, NULL);
	EVP_MD_CTX_free(digest);
	return BN_lebin2bn(bytes, sizeof(bytes), NULL);
}

/* A point's encoding: y with the low bit of x above it */
static void encode(uint8_t bytes[32])
{
	BIGNUM *x = pk_get(&pk, SILEX_PK_SLOT_ECC_OUT_X), *y = pk_get(&pk, SILEX_PK_SLOT_ECC_OUT_Y);

	BN_bn2lebinpad(y, bytes, 32);
	bytes[31] |= (uint8_t)(BN_is_odd(x) << 7);
	BN_free(x);
	BN_free(y);
}

static void base_multiply(const BIGNUM *r, uint8_t bytes[32])
{
	pk_begin(&pk, ED25519(SILEX_PK_OP_EDDSA_BASE_MUL), 32, true);
	pk_put_double(&pk, SILEX_PK_SLOT_EDDSA_R, r);
	assert_int_equal(pk_run(&pk), 0);
	encode(bytes);
}

/* RFC 8032, 5.1.6: what the core does not compute is done here */
static void ed25519_sign(EVP_PKEY *key, const uint8_t *text, size_t size, uint8_t signature[64])
{
	uint8_t seed[32], open[32], expanded[64];
	size_t length = 32;
	BIGNUM *a, *r, *k, *s;

	EVP_PKEY_get_raw_private_key(key, seed, &length);
	EVP_PKEY_get_raw_public_key(key, open, &length);
	SHA512(seed, sizeof(seed), expanded);
	clamp(expanded);
	a = BN_lebin2bn(expanded, 32, NULL);
	r = hash(expanded + 32, 32, text, size, "", 0);
	base_multiply(r, signature);
	k = hash(signature, 32, open, 32, text, size);
	pk_begin(&pk, ED25519(SILEX_PK_OP_EDDSA_SIGN), 32, true);
	pk_put_double(&pk, SILEX_PK_SLOT_EDDSA_K, k);
	pk_put_double(&pk, SILEX_PK_SLOT_EDDSA_R, r);
	pk_put(&pk, SILEX_PK_SLOT_EDDSA_SECRET, a);
	assert_int_equal(pk_run(&pk), 0);
	s = pk_get(&pk, SILEX_PK_SLOT_EDDSA_SIG);
	BN_bn2lebinpad(s, signature + 32, 32);
	BN_free(a);
	BN_free(r);
	BN_free(k);
	BN_free(s);
}

static BIGNUM *coordinate(const uint8_t bytes[32])
{
	uint8_t y[32];

	memcpy(y, bytes, sizeof(y));
	y[31] &= 127;
	return BN_lebin2bn(y, sizeof(y), NULL);
}

static uint32_t ed25519_verify(const uint8_t open[32], const uint8_t *text, size_t size,
			       const uint8_t signature[64])
{
	BIGNUM *k = hash(signature, 32, open, 32, text, size), *a = coordinate(open);
	BIGNUM *r = coordinate(signature), *s = BN_lebin2bn(signature + 32, 32, NULL);
	uint32_t errors;

	pk_begin(&pk,
		 ED25519(SILEX_PK_OP_EDDSA_VERIFY) | (open[31] & 128 ? SILEX_PK_FLAG_A : 0) |
			 (signature[31] & 128 ? SILEX_PK_FLAG_B : 0),
		 32, true);
	pk_put_double(&pk, SILEX_PK_SLOT_EDDSA_K, k);
	pk_put(&pk, SILEX_PK_SLOT_EDDSA_AY, a);
	pk_put(&pk, SILEX_PK_SLOT_EDDSA_SIG, s);
	pk_put(&pk, SILEX_PK_SLOT_EDDSA_RY, r);
	errors = pk_run(&pk);
	BN_free(k);
	BN_free(a);
	BN_free(r);
	BN_free(s);
	return errors;
}

static void ed25519_signs_and_verifies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20; i++) {
		EVP_PKEY *key = random_key(EVP_PKEY_ED25519);
		EVP_MD_CTX *digest = EVP_MD_CTX_new();
		uint8_t text[40], expected[64], found[64], open[32];
		size_t size = sizeof(expected), length = sizeof(open);

		memset(text, (int)i, sizeof(text));
		EVP_DigestSignInit(digest, NULL, NULL, NULL, key);
		assert_true(EVP_DigestSign(digest, expected, &size, text, sizeof(text)));
		ed25519_sign(key, text, sizeof(text), found);
		assert_memory_equal(found, expected, sizeof(found));
		EVP_PKEY_get_raw_public_key(key, open, &length);
		assert_int_equal(ed25519_verify(open, text, sizeof(text), found), 0);
		text[0] ^= 1;
		assert_int_equal(ed25519_verify(open, text, sizeof(text), found),
				 SILEX_PK_STATUS_BAD_SIGNATURE);
		EVP_MD_CTX_free(digest);
		EVP_PKEY_free(key);
	}
}

/* k (l B) is (k l) B */
static void edwards_points_are_multiplied(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 10; i++) {
		BIGNUM *k = number_of(&dice, 120, false), *l = number_of(&dice, 120, false);
		BIGNUM *product = BN_new(), *x, *y;
		uint8_t expected[32], found[32];

		BN_mul(product, k, l, context);
		base_multiply(product, expected);
		base_multiply(l, found);
		x = pk_get(&pk, SILEX_PK_SLOT_ECC_OUT_X);
		y = pk_get(&pk, SILEX_PK_SLOT_ECC_OUT_Y);
		pk_begin(&pk, ED25519(SILEX_PK_OP_EDWARDS_MUL), 32, true);
		pk_put(&pk, SILEX_PK_SLOT_EDWARDS_X, x);
		pk_put(&pk, SILEX_PK_SLOT_EDWARDS_Y, y);
		pk_put(&pk, SILEX_PK_SLOT_EDWARDS_K, k);
		assert_int_equal(pk_run(&pk), 0);
		encode(found);
		assert_memory_equal(found, expected, sizeof(found));
		BN_free(k);
		BN_free(l);
		BN_free(product);
		BN_free(x);
		BN_free(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x25519_agrees),
		cmocka_unit_test(ed25519_signs_and_verifies),
		cmocka_unit_test(edwards_points_are_multiplied),
	};

	return cmocka_run_group_tests(tests, random_key_set_up, random_key_tear_down);
}
