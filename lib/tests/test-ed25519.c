/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ed25519 signatures, keys and scalars that are written in more ways than one: the library says what
 * libcrypto says, or leaves it to software where software differs.
 *
 * Points of known logarithm, among them those that have several encodings, serve as key and as R, so
 * that a verifier who is lenient accepts what another one does not.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/evp.h>

#include "unit.h"

#define SIZE     32u
#define MESSAGES 4u

struct point {
	const char *name;
	uint8_t bytes[SIZE];
	BIGNUM *logarithm; /* to the base, but for a point of small order */
	bool plain; /* canonical, and its x is not 0: no reason to leave it to software */
};

/* Ends in 0xff... up to the last byte, which differs */
#define FULL                                                                                      \
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, \
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,     \
		0xff, 0xff

static struct point points[] = {
	{ .name = "a key", .plain = true },
	{ .name = "another key", .plain = true },
	{ .name = "1", .bytes = { 1 } },
	{ .name = "1 with a sign", .bytes = { 1, [31] = 0x80 } },
	{ .name = "p + 1", .bytes = { 0xee, FULL, 0x7f } },
	{ .name = "p + 1 with a sign", .bytes = { 0xee, FULL, 0xff } },
	{ .name = "p - 1", .bytes = { 0xec, FULL, 0x7f } },
	{ .name = "p - 1 with a sign", .bytes = { 0xec, FULL, 0xff } },
	{ .name = "0", .plain = true },
	{ .name = "p", .bytes = { 0xed, FULL, 0x7f } },
};

static BIGNUM *order;
static BN_CTX *context;

static void hash(const uint8_t *bytes, size_t size, uint8_t digest[64])
{
	assert_int_equal(EVP_Digest(bytes, size, digest, NULL, EVP_sha512(), NULL), 1);
}

/* The public key of a seed, whose logarithm is what the seed makes: RFC 8032, 5.1.5 */
static void make_point(struct point *point, uint8_t first)
{
	uint8_t seed[SIZE] = { first }, digest[64];
	size_t size = SIZE;
	EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, SIZE);

	assert_int_equal(EVP_PKEY_get_raw_public_key(key, point->bytes, &size), 1);
	EVP_PKEY_free(key);
	hash(seed, SIZE, digest);
	digest[0] &= 0xf8;
	digest[31] = (digest[31] & 0x7f) | 0x40;
	point->logarithm = BN_lebin2bn(digest, SIZE, NULL);
}

static int make_all(void **state)
{
	(void)state;
	context = BN_CTX_new();
	BN_hex2bn(&order, "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");
	make_point(&points[0], 1);
	make_point(&points[1], 2);
	for (size_t i = 2; i < COUNT(points); i++)
		points[i].logarithm = BN_new();
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(points); i++)
		BN_free(points[i].logarithm);
	BN_free(order);
	BN_CTX_free(context);
	return 0;
}

/* R, then S = r + k a, to which the order is added so often */
static void sign(const struct point *key, const struct point *r, uint8_t message, unsigned more,
		 uint8_t signature[2 * SIZE])
{
	uint8_t hashed[2 * SIZE + 1], digest[64];
	BIGNUM *k, *s = BN_new();

	memcpy(hashed, r->bytes, SIZE);
	memcpy(hashed + SIZE, key->bytes, SIZE);
	hashed[2 * SIZE] = message;
	hash(hashed, sizeof(hashed), digest);
	k = BN_lebin2bn(digest, sizeof(digest), NULL);
	BN_mod_mul(s, k, key->logarithm, order, context);
	BN_mod_add(s, s, r->logarithm, order, context);
	while (more-- > 0)
		BN_add(s, s, order);
	memcpy(signature, r->bytes, SIZE);
	assert_int_equal(BN_bn2lebinpad(s, signature + SIZE, SIZE), SIZE);
	BN_free(k);
	BN_free(s);
}

static bool software_accepts(const struct point *key, const uint8_t signature[2 * SIZE],
			     uint8_t message)
{
	EVP_PKEY *public = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key->bytes, SIZE);
	EVP_MD_CTX *verification = EVP_MD_CTX_new();
	bool good = EVP_DigestVerifyInit(verification, NULL, NULL, NULL, public) == 1 &&
		    EVP_DigestVerify(verification, signature, 2 * SIZE, &message, 1) == 1;

	EVP_MD_CTX_free(verification);
	EVP_PKEY_free(public);
	return good;
}

static int core_answers(struct firesteel *device, const struct point *key,
			const uint8_t signature[2 * SIZE], uint8_t message)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_ED25519_VERIFY,
		.ed25519_verify = { BYTES(key->bytes), PART(&message, 1),
				    PART(signature, 2 * SIZE) },
	};

	return firesteel_run(device, &request);
}

static void the_answer_is_that_of_software(void **state)
{
	struct firesteel *device = unit_open("model");
	unsigned accepted = 0, left = 0, rejected = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(points) * COUNT(points) * MESSAGES * 3; i++) {
		const struct point *key = &points[i % COUNT(points)];
		const struct point *r = &points[i / COUNT(points) % COUNT(points)];
		const uint8_t message = (uint8_t)(i / COUNT(points) / COUNT(points) % MESSAGES);
		const unsigned more = (unsigned)(i / COUNT(points) / COUNT(points) / MESSAGES);
		uint8_t signature[2 * SIZE];
		bool good;
		int answer;

		sign(key, r, message, more, signature);
		good = software_accepts(key, signature, message);
		answer = core_answers(device, key, signature, message);
		accepted += answer == FIRESTEEL_OK;
		rejected += answer == FIRESTEEL_ERROR_SIGNATURE;
		left += answer == FIRESTEEL_ERROR_ABSENT;
		if (answer == FIRESTEEL_ERROR_ABSENT && !(key->plain && r->plain))
			continue;
		if (answer != (good ? FIRESTEEL_OK : FIRESTEEL_ERROR_SIGNATURE))
			fail_msg(
				"A is %s, R is %s, S has %u orders more: software says %d, the library: %s",
				key->name, r->name, more, good, firesteel_error_text(answer));
	}
	assert_true(accepted > 0 && left > 0 && rejected > 0);
	firesteel_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_answer_is_that_of_software),
	};

	return cmocka_run_group_tests(tests, make_all, free_all);
}
