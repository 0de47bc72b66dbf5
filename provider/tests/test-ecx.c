/* SPDX-License-Identifier: Apache-2.0 */
/*
 * X25519 and Ed25519 beside the default provider's: exchanges, keys made by either, points of small order;
 * whole messages of many sizes, signatures that are none or are written in another way, contexts that
 * are copied; and children.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "unit.h"

#define SIZE 32u
#define HASH 64u /* of a message, for Ed25519ph */

static struct unit unit;

static EVP_PKEY *make(const char *properties, const char *type)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(unit.library, properties, type);

	CHECK(key);
	return key;
}

/* ---- X25519 ---- */

static void same_secret(EVP_PKEY *one, EVP_PKEY *other)
{
	const char *const whose[] = { OURS, THEIRS };
	uint8_t first[SIZE], secret[SIZE];
	EVP_PKEY *keys[2][2];

	for (unsigned i = 0; i < 2; i++) {
		keys[i][0] = unit_key(&unit, one, whose[i]);
		keys[i][1] = unit_key(&unit, other, whose[i]);
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned side = i & 1, mine = i >> 1 & 1, yours = i >> 2 & 1;

		CHECK(unit_derive(&unit, keys[mine][side], whose[mine], keys[yours][!side], NULL,
				  SIZE, secret) == (int)SIZE);
		CHECK(i == 0 || memcmp(first, secret, SIZE) == 0);
		memcpy(first, secret, SIZE);
	}
	for (unsigned i = 0; i < 2; i++)
		CHECK(unit_derive(&unit, keys[i][0], whose[i], keys[i][1], NULL, SIZE - 1, secret) <
		      0);
	for (unsigned i = 0; i < 4; i++)
		EVP_PKEY_free(keys[i / 2][i % 2]);
}

static void same_sizes(EVP_PKEY *one, EVP_PKEY *other)
{
	CHECK(EVP_PKEY_get_bits(one) > 0 && EVP_PKEY_get_bits(one) == EVP_PKEY_get_bits(other));
	CHECK(EVP_PKEY_get_security_bits(one) == EVP_PKEY_get_security_bits(other));
	CHECK(EVP_PKEY_get_size(one) == EVP_PKEY_get_size(other));
	CHECK(ERR_peek_error() == 0);
}

/* As libssl has it: a key with its parameters alone, and then what has come.  libcrypto asks for sizes when
 * there are only the parameters, and programs ask it later. */
static EVP_PKEY *received(EVP_PKEY *like, const uint8_t *bytes, size_t size)
{
	EVP_PKEY *peer = EVP_PKEY_new();

	CHECK(EVP_PKEY_copy_parameters(peer, like));
	same_sizes(peer, like);
	if (EVP_PKEY_set1_encoded_public_key(peer, bytes, size) > 0) {
		same_sizes(peer, like);
		return peer;
	}
	ERR_clear_error();
	EVP_PKEY_free(peer);
	return NULL;
}

/* Peers with which any secret is zero are refused, and sizes that are none; a highest bit that is set, and
 * numbers beyond the prime, are not */
static void peers(void)
{
	EVP_PKEY *ours = make(OURS, "X25519"), *theirs = unit_key(&unit, ours, THEIRS);
	uint8_t here[SIZE], there[SIZE], point[SIZE + 1] = { 0 };

	for (unsigned i = 0; i < 7; i++) {
		EVP_PKEY *a, *b;
		int size;

		memset(point, i < 4 ? 0 : 0xff, SIZE);
		point[0] = i < 4 ? (uint8_t)i : (uint8_t)(0xe8 + i);
		if (i == 3 || i == 5)
			point[SIZE - 1] ^= 0x80;
		a = received(ours, point, SIZE);
		b = received(theirs, point, SIZE);
		CHECK(a && b);
		size = unit_derive(&unit, ours, OURS, a, NULL, SIZE, here);
		CHECK(size == unit_derive(&unit, theirs, THEIRS, b, NULL, SIZE, there));
		CHECK(size < 0 || memcmp(here, there, SIZE) == 0);
		CHECK(i > 1 || size < 0);
		EVP_PKEY_free(a);
		EVP_PKEY_free(b);
	}
	CHECK(!received(ours, point, SIZE - 1) && !received(ours, point, SIZE + 1));
	CHECK(!received(theirs, point, SIZE - 1) && !received(theirs, point, SIZE + 1));
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
}

static void exchanges(void)
{
	unsigned long long before = unit_count("x25519", UNIT_HARDWARE);

	for (unsigned i = 0; i < 8; i++) {
		EVP_PKEY *ours = make(OURS, "X25519"), *theirs = make(THEIRS, "X25519");
		EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, ours, OURS);

		CHECK(context && EVP_PKEY_check(context) > 0);
		same_secret(ours, theirs);
		EVP_PKEY_CTX_free(context);
		EVP_PKEY_free(ours);
		EVP_PKEY_free(theirs);
	}
	CHECK(unit_count("x25519", UNIT_HARDWARE) == before + 8 * 5);
}

/* By the group's name, as libssl makes them */
static void by_group(void)
{
	unsigned long long before = unit_count("x25519", UNIT_HARDWARE);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "X25519", OURS);
	EVP_PKEY *key = NULL;

	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_group_name(context, "x448") <= 0);
	CHECK(EVP_PKEY_CTX_set_group_name(context, "x25519") > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	CHECK(unit_count("x25519", UNIT_HARDWARE) == before + 1);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
	ERR_clear_error();
}

/* ---- Ed25519 ---- */

#define SIGNATURE 64u

static void parameters_alone(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	EVP_PKEY *copy = EVP_PKEY_new();

	CHECK(EVP_PKEY_copy_parameters(copy, ours));
	same_sizes(copy, theirs);
	EVP_PKEY_free(copy);
}

static void sign(EVP_PKEY *key, const char *properties, const uint8_t *in, size_t size,
		 uint8_t out[SIGNATURE])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
	size_t got = 0;

	CHECK(EVP_DigestSignInit_ex(context, NULL, NULL, unit.library, properties, key, NULL) > 0);
	CHECK(EVP_MD_CTX_copy_ex(copy, context) > 0);
	CHECK(EVP_DigestSign(copy, NULL, &got, in, size) > 0 && got == SIGNATURE);
	got = SIGNATURE - 1;
	CHECK(EVP_DigestSign(context, out, &got, in, size) <= 0);
	got = SIGNATURE + 5;
	CHECK(EVP_DigestSign(copy, out, &got, in, size) > 0 && got == SIGNATURE);
	EVP_MD_CTX_free(context);
	EVP_MD_CTX_free(copy);
	ERR_clear_error();
}

static bool verify(EVP_PKEY *key, const char *properties, const uint8_t *in, size_t size,
		   const uint8_t *bytes, size_t bytes_size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, NULL, unit.library, properties, key, NULL) >
	      0);
	good = EVP_DigestVerify(context, bytes, bytes_size, in, size) > 0;
	EVP_MD_CTX_free(context);
	ERR_clear_error();
	return good;
}

static bool agree(EVP_PKEY *ours, EVP_PKEY *theirs, const uint8_t *in, size_t size,
		  const uint8_t *bytes, size_t bytes_size)
{
	bool here = verify(ours, OURS, in, size, bytes, bytes_size);

	CHECK(here == verify(theirs, THEIRS, in, size, bytes, bytes_size));
	return here;
}

static void messages(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static const size_t sizes[] = { 0, 1, 32, 111, 112, 1000, 16384, 16385, 50000 };
	static uint8_t text[50000];
	uint8_t here[SIGNATURE], there[SIGNATURE];

	unit_fill(text, sizeof(text));
	for (unsigned i = 0; i < COUNT(sizes); i++) {
		unsigned long long before = unit_count("ed25519", UNIT_HARDWARE);
		bool core = sizes[i] <= 16384;

		sign(ours, OURS, text, sizes[i], here);
		sign(theirs, THEIRS, text, sizes[i], there);
		CHECK(memcmp(here, there, SIGNATURE) == 0);
		CHECK(agree(ours, theirs, text, sizes[i], here, SIGNATURE));
		CHECK(unit_count("ed25519", UNIT_HARDWARE) == before + (core ? 2 : 0));
		here[unit_random(SIGNATURE)] ^= (uint8_t)(1u << unit_random(8));
		CHECK(!agree(ours, theirs, text, sizes[i], here, SIGNATURE));
	}
}

/* Every bit, every size; and S with the order added, R that is written in another way, keys of small
 * order: what software says, we say */
static void none(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static const uint8_t order[SIZE] = {
		0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,        0xd6,
		0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10,
	};
	const uint8_t text[] = "abc";
	uint8_t good[SIGNATURE + 1] = { 0 }, bad[SIGNATURE];
	unsigned carry = 0;

	sign(ours, OURS, text, 3, good);
	for (unsigned bit = 0; bit < 8 * SIGNATURE; bit += 5) {
		memcpy(bad, good, SIGNATURE);
		bad[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(!agree(ours, theirs, text, 3, bad, SIGNATURE));
	}
	CHECK(!agree(ours, theirs, text, 3, good, SIGNATURE - 1));
	CHECK(!agree(ours, theirs, text, 3, good, SIGNATURE + 1));
	CHECK(!agree(ours, theirs, text, 3, good, 0) &&
	      !agree(ours, theirs, text, 2, good, SIGNATURE));
	memcpy(bad, good, SIGNATURE);
	for (unsigned i = 0; i < SIZE; i++) {
		carry += (unsigned)good[SIZE + i] + order[i];
		bad[SIZE + i] = (uint8_t)carry;
		carry >>= 8;
	}
	CHECK(!agree(ours, theirs, text, 3, bad, SIGNATURE));
}

/* With a key of order 1 or 2 the signature (R, 0) of R = A or 1 may verify; in which way R is written decides */
static void small_orders(void)
{
	static const uint8_t firsts[] = { 0, 1, 2, 0xec, 0xed, 0xee, 0xef };
	uint8_t key[SIZE], bytes[SIGNATURE];
	unsigned verified = 0;

	for (unsigned i = 0; i < COUNT(firsts) * COUNT(firsts) * 4; i++) {
		unsigned a = i % COUNT(firsts), r = i / COUNT(firsts) % COUNT(firsts);
		unsigned tops = i / (COUNT(firsts) * COUNT(firsts));
		EVP_PKEY *ours, *theirs;

		memset(key, firsts[a] > 2 ? 0xff : 0, SIZE);
		memset(bytes, 0, SIGNATURE);
		memset(bytes, firsts[r] > 2 ? 0xff : 0, SIZE);
		key[0] = firsts[a];
		bytes[0] = firsts[r];
		key[SIZE - 1] = (uint8_t)((key[SIZE - 1] & 0x7f) | (tops & 1) << 7);
		bytes[SIZE - 1] = (uint8_t)((bytes[SIZE - 1] & 0x7f) | (tops >> 1) << 7);
		ours = EVP_PKEY_new_raw_public_key_ex(unit.library, "ED25519", OURS, key, SIZE);
		theirs = EVP_PKEY_new_raw_public_key_ex(unit.library, "ED25519", THEIRS, key, SIZE);
		CHECK(ours && theirs);
		for (uint8_t text = 0; text < 4; text++)
			verified += agree(ours, theirs, &text, 1, bytes, SIGNATURE);
		EVP_PKEY_free(ours);
		EVP_PKEY_free(theirs);
	}
	CHECK(verified > 0);
}

/* A digest is no message: refused, as by software */
static void with_digest(EVP_PKEY *ours)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, OURS, ours, NULL) <= 0);
	EVP_MD_CTX_free(context);
	ERR_clear_error();
}

/* A variant (from OpenSSL 3.2 on) is software's, by our context */
static void variants(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("instance", "Ed25519ctx", 0),
		OSSL_PARAM_construct_octet_string("context-string", "abc", 3),
		OSSL_PARAM_construct_end(),
	};
	EVP_PKEY *const keys[] = { ours, theirs };
	uint8_t out[2][SIGNATURE], plain[SIGNATURE];
	unsigned long long before = unit_count("ed25519", UNIT_HARDWARE);

	if (OPENSSL_VERSION_NUMBER < 0x30200000L)
		return;
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD_CTX *context = EVP_MD_CTX_new();
		size_t size = SIGNATURE;

		CHECK(EVP_DigestSignInit_ex(context, NULL, NULL, unit.library, i ? THEIRS : OURS,
					    keys[i], params) > 0);
		CHECK(EVP_DigestSign(context, out[i], &size, (const uint8_t *)"x", 1) > 0);
		EVP_MD_CTX_free(context);
	}
	CHECK(memcmp(out[0], out[1], SIGNATURE) == 0);
	CHECK(unit_count("ed25519", UNIT_HARDWARE) == before);
	sign(ours, OURS, (const uint8_t *)"x", 1, plain);
	CHECK(memcmp(out[0], plain, SIGNATURE) != 0);
}

#ifdef OSSL_FUNC_SIGNATURE_SIGN_MESSAGE_INIT
/* The newer way, for those who fetch the algorithm */
static void newer_way(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	EVP_SIGNATURE *algorithm = EVP_SIGNATURE_fetch(unit.library, "ED25519", OURS);
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, ours, OURS);
	unsigned long long before = unit_count("ed25519", UNIT_HARDWARE);
	const uint8_t text[] = "abc";
	uint8_t bytes[SIGNATURE];
	size_t size = SIGNATURE;

	CHECK(algorithm && EVP_PKEY_sign_message_init(context, algorithm, NULL) > 0);
	CHECK(EVP_PKEY_sign(context, bytes, &size, text, 3) > 0 && size == SIGNATURE);
	CHECK(agree(ours, theirs, text, 3, bytes, SIGNATURE));
	CHECK(EVP_PKEY_verify_message_init(context, algorithm, NULL) > 0);
	CHECK(EVP_PKEY_verify(context, bytes, size, text, 3) > 0);
	CHECK(EVP_PKEY_verify(context, bytes, size, text, 2) <= 0);
	CHECK(unit_count("ed25519", UNIT_HARDWARE) >= before + 3);
	EVP_PKEY_CTX_free(context);
	EVP_SIGNATURE_free(algorithm);
	ERR_clear_error();
}

/* The signature of a hash by this algorithm, NULL: the key's own, and whether it verifies */
static void sign_hash(EVP_PKEY *key, const char *properties, const char *name, const uint8_t *hash,
		      uint8_t *bytes)
{
	OSSL_PARAM instance[] = {
		OSSL_PARAM_construct_utf8_string("instance", "Ed25519ph", 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_SIGNATURE *algorithm = EVP_SIGNATURE_fetch(unit.library, name ? name : "ED25519",
						       name ? NULL : properties);
	const OSSL_PARAM *params = name ? NULL : instance;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	size_t size = SIGNATURE;

	CHECK(algorithm && EVP_PKEY_sign_init_ex2(context, algorithm, params) > 0);
	CHECK(EVP_PKEY_sign(context, bytes, &size, hash, HASH) > 0 && size == SIGNATURE);
	CHECK(EVP_PKEY_verify_init_ex2(context, algorithm, params) > 0);
	CHECK(EVP_PKEY_verify(context, bytes, size, hash, HASH) > 0);
	bytes[5] ^= 1;
	CHECK(EVP_PKEY_verify(context, bytes, size, hash, HASH) <= 0);
	bytes[5] ^= 1;
	EVP_PKEY_CTX_free(context);
	EVP_SIGNATURE_free(algorithm);
	ERR_clear_error();
}

/* Ed25519ph is software's, also with our keys, whichever way it is asked for */
static void hashes(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	unsigned long long before = unit_count("ed25519", UNIT_HARDWARE);
	uint8_t hash[HASH], here[SIGNATURE], there[SIGNATURE];

	unit_fill(hash, sizeof(hash));
	sign_hash(theirs, THEIRS, NULL, hash, there);
	sign_hash(ours, OURS, NULL, hash, here);
	CHECK(memcmp(here, there, SIGNATURE) == 0);
	sign_hash(ours, NULL, "ED25519ph", hash, here);
	CHECK(memcmp(here, there, SIGNATURE) == 0);
	CHECK(unit_count("ed25519", UNIT_HARDWARE) == before);
}
#else
static void newer_way(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	(void)ours;
	(void)theirs;
}

static void hashes(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	(void)ours;
	(void)theirs;
}
#endif

/* ---- children ---- */

static void children(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	EVP_PKEY *key = make(OURS, "X25519"), *peer = make(THEIRS, "X25519");
	pid_t child[3];
	int status;

	for (unsigned i = 0; i < COUNT(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			uint8_t text = (uint8_t)i, here[SIGNATURE], there[SIGNATURE];

			sign(ours, OURS, &text, 1, here);
			sign(theirs, THEIRS, &text, 1, there);
			CHECK(memcmp(here, there, SIGNATURE) == 0);
			same_secret(key, peer);
			_exit(0);
		}
	}
	same_secret(key, peer);
	for (unsigned i = 0; i < COUNT(child); i++)
		CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0);
	EVP_PKEY_free(key);
	EVP_PKEY_free(peer);
}

int main(void)
{
	EVP_PKEY *ours, *theirs;

	unit = unit_open("model", "all=1");
	exchanges();
	peers();
	by_group();
	theirs = make(THEIRS, "ED25519");
	ours = unit_key(&unit, theirs, OURS);
	parameters_alone(ours, theirs);
	messages(ours, theirs);
	none(ours, theirs);
	small_orders();
	with_digest(ours);
	variants(ours, theirs);
	newer_way(ours, theirs);
	hashes(ours, theirs);
	children(ours, theirs);
	CHECK(unit_count("x25519", UNIT_FAILED) == 0 && unit_count("ed25519", UNIT_FAILED) == 0);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
	return 0;
}
