/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-512, HMAC-SHA-512 and nonces: RFC 6979's examples, and libcrypto. */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "../nonce.h"
#include "../sha512.h"
#include "unit.h"

static void sha512_is_libcryptos(void **state)
{
	uint8_t bytes[700], found[64], expected[64];
	struct fs_sha512 hash;

	(void)state;
	unit_fill(bytes, sizeof(bytes), 1);
	for (size_t size = 0; size <= sizeof(bytes); size += 7) {
		fs_sha512_begin(&hash);
		fs_sha512_add(&hash, bytes, size / 3);
		fs_sha512_add(&hash, bytes + size / 3, size - size / 3);
		fs_sha512_end(&hash, found);
		EVP_Digest(bytes, size, expected, NULL, EVP_sha512(), NULL);
		assert_memory_equal(found, expected, sizeof(found));
	}
}

static void hmac_is_libcryptos(void **state)
{
	uint8_t bytes[300], found[64], expected[64];
	struct fs_hmac hmac;

	(void)state;
	unit_fill(bytes, sizeof(bytes), 2);
	fs_hmac_begin(&hmac, bytes);
	fs_hmac_add(&hmac, bytes, sizeof(bytes));
	fs_hmac_end(&hmac, found);
	HMAC(EVP_sha512(), bytes, 64, bytes, sizeof(bytes), expected, NULL);
	assert_memory_equal(found, expected, sizeof(found));
}

/* RFC 6979, A.2.3 to A.2.7: the nonces with SHA-512 for the message "sample" */
static const struct example {
	const char *order;
	const char *secret;
	const char *nonce;
} examples[] = {
	{ "ffffffffffffffffffffffff99def836146bc9b1b4d22831",
	  "6fab034934e4c0fc9ae67f5b5659a9d7d1fefd187ee09fd4",
	  "a2ac7ab055e4f20692d49209544c203a7d1f2c0bfbc75db1" },
	{ "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
	  "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
	  "5fa81c63109badb88c1f367b47da606da28cad69aa22c4fe6ad7df73a7173aa5" },
	{ "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf"
	  "581a0db248b0a77aecec196accc52973",
	  "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d8"
	  "96d5724e4c70a825f872c9ea60d2edf5",
	  "92fc3c7183a883e24216d1141f1a8976c5b0dd797dfa597e3d7b32198bd35331"
	  "a4e966532593a52980d0e3aaa5e10ec3" },
	{ "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa"
	  "51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
	  "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa8"
	  "96eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538",
	  "01dae2ea071f8110dc26882d4d5eae0621a3256fc8847fb9022e2b7d28e6f10198b1"
	  "574fdd03a9053c08a1854a168aa5a57470ec97dd5ce090124ef52a2f7ecbffd3" },
};

static void nonces_are_the_published_ones(void **state)
{
	uint8_t digest[64], order[72], secret[72], expected[72], hash[72], nonce[72];

	(void)state;
	EVP_Digest("sample", 6, digest, NULL, EVP_sha512(), NULL);
	for (unsigned i = 0; i < COUNT(examples); i++) {
		size_t size = unit_hex(examples[i].order, order, sizeof(order));
		struct firesteel_bytes n = fs_number_trim(PART(order, size));

		unit_hex(examples[i].secret, secret, sizeof(secret));
		unit_hex(examples[i].nonce, expected, sizeof(expected));
		fs_nonce_truncate(BYTES(digest), fs_number_bits(n), hash, size);
		fs_nonce_make(n, PART(secret, size), PART(hash, size), NULL, nonce, size);
		assert_memory_equal(nonce, expected, size);
	}
}

static void more_randomness_gives_another(void **state)
{
	uint8_t order[32], secret[32], hash[32] = { 1 }, extra[32] = { 1 }, one[32], two[32];

	(void)state;
	unit_hex(examples[1].order, order, sizeof(order));
	unit_hex(examples[1].secret, secret, sizeof(secret));
	fs_nonce_make(BYTES(order), BYTES(secret), BYTES(hash), extra, one, sizeof(one));
	extra[0] = 2;
	fs_nonce_make(BYTES(order), BYTES(secret), BYTES(hash), extra, two, sizeof(two));
	assert_memory_not_equal(one, two, sizeof(one));
	assert_true(fs_number_less(BYTES(one), BYTES(order)));
}

/* An order just above a power of two: half of what is drawn is too large */
static void nonces_are_less_than_the_order(void **state)
{
	static const uint8_t order[] = { 0x01, 0x01, 0, 0, 0, 0, 0, 0, 0, 0x21 };
	uint8_t secret[10] = { 0 }, hash[10] = { 0 }, nonce[10];

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		secret[9] = (uint8_t)i;
		fs_nonce_make(BYTES(order), BYTES(secret), BYTES(hash), NULL, nonce, sizeof(nonce));
		assert_true(fs_number_less(BYTES(nonce), BYTES(order)));
		assert_false(fs_number_is_zero(BYTES(nonce)));
	}
}

static void numbers_compare(void **state)
{
	static const uint8_t a[] = { 0, 0, 1, 2 }, b[] = { 1, 3 }, zero[] = { 0, 0 };
	uint8_t output[3];

	(void)state;
	assert_true(fs_number_less(BYTES(a), BYTES(b)));
	assert_false(fs_number_less(BYTES(b), BYTES(a)));
	assert_false(fs_number_less(BYTES(a), BYTES(a)));
	assert_true(fs_number_equal(BYTES(a), PART(a + 2, 2)));
	assert_true(fs_number_is_zero(BYTES(zero)) && fs_number_is_zero(PART(NULL, 0)));
	assert_int_equal(fs_number_bits(fs_number_trim(BYTES(a))), 9);
	assert_int_equal(fs_number_bits(fs_number_trim(BYTES(zero))), 0);
	assert_true(fs_number_output(BYTES(a), OUTPUT(output)));
	assert_memory_equal(output, ((uint8_t[]){ 0, 1, 2 }), 3);
	assert_false(fs_number_output(BYTES(a), SPACE(output, 1)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha512_is_libcryptos),
		cmocka_unit_test(hmac_is_libcryptos),
		cmocka_unit_test(nonces_are_the_published_ones),
		cmocka_unit_test(more_randomness_gives_another),
		cmocka_unit_test(nonces_are_less_than_the_order),
		cmocka_unit_test(numbers_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
