/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Known answers of elliptic curves, by wolfCrypt with the device on the model: runs the vectors of
 * a file (provider/tests/vectors_curves.py tells its lines).
 *
 *	answers-curves FILE
 *
 * A wrong answer ends it with an error, and so does a work of which the core did nothing.
 */
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "vector.h"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/hash.h>

#define ID     FIRESTEEL_WOLFSSL_DEVICE_ID
#define EC_MAX 66u

enum { KIND, CURVE, DIGEST, VERDICT, VALUE };

static WC_RNG rng;

static bool is_good(const struct vector *vector)
{
	return strcmp(vector->word[VERDICT], "good") == 0;
}

/* wolfCrypt's name; ECC_CURVE_INVALID: Debian's has it not */
static int curve_of(const struct vector *vector, size_t *size)
{
	static const struct {
		const char *name;
		int id;
		size_t size;
	} curves[] = { { "P-256", ECC_SECP256R1, 32 },
		       { "P-384", ECC_SECP384R1, 48 },
		       { "P-521", ECC_SECP521R1, 66 } };

	for (unsigned i = 0; i < COUNT(curves); i++) {
		*size = curves[i].size;
		if (strcmp(curves[i].name, vector->word[CURVE]) == 0)
			return curves[i].id;
	}
	return ECC_CURVE_INVALID;
}

/* A key from words of the vector; without a secret the public part alone */
static bool ec_key(const struct vector *vector, ecc_key *key, unsigned secret, unsigned point)
{
	byte x[EC_MAX], y[EC_MAX], number[EC_MAX];
	size_t size;
	int curve = curve_of(vector, &size);

	CHECK(wc_ecc_init_ex(key, NULL, ID) == 0 && wc_ecc_set_rng(key, &rng) == 0);
	VECTOR_CHECK(vector_pad(vector, point, x, size) && vector_pad(vector, point + 1, y, size));
	VECTOR_CHECK(!secret || vector_pad(vector, secret, number, size));
	return wc_ecc_import_unsigned(key, x, y, secret ? number : NULL, curve) == 0;
}

static enum wc_HashType hash_of(const struct vector *vector)
{
	static const struct {
		const char *name;
		enum wc_HashType type;
	} hashes[] = { { "SHA1", WC_HASH_TYPE_SHA },
		       { "SHA224", WC_HASH_TYPE_SHA224 },
		       { "SHA256", WC_HASH_TYPE_SHA256 },
		       { "SHA384", WC_HASH_TYPE_SHA384 },
		       { "SHA512", WC_HASH_TYPE_SHA512 } };

	for (unsigned i = 0; i < COUNT(hashes); i++)
		if (strcmp(hashes[i].name, vector->word[DIGEST]) == 0)
			return hashes[i].type;
	VECTOR_CHECK(!"a hash");
	return WC_HASH_TYPE_NONE;
}

/* X Y R S MESSAGE */
static void ecdsa(const struct vector *vector)
{
	byte digest[WC_MAX_DIGEST_SIZE], der[3 * EC_MAX];
	const enum wc_HashType type = hash_of(vector);
	const word32 digest_size = (word32)wc_HashGetDigestSize(type);
	word32 der_size = sizeof(der);
	ecc_key key;
	int good = 0;
	bool known = ec_key(vector, &key, 0, VALUE);

	CHECK(wc_Hash(type, vector->bytes[VALUE + 4], (word32)vector->size[VALUE + 4], digest,
		      digest_size) == 0);
	CHECK(wc_ecc_rs_raw_to_sig(vector->bytes[VALUE + 2], (word32)vector->size[VALUE + 2],
				   vector->bytes[VALUE + 3], (word32)vector->size[VALUE + 3], der,
				   &der_size) == 0);
	if (known && wc_ecc_verify_hash(der, der_size, digest, digest_size, &good, &key) != 0)
		good = 0;
	VECTOR_CHECK(good == is_good(vector));
	wc_ecc_free(&key);
}

/* SECRET X Y PEER-X PEER-Y SHARED */
static void ecdh(const struct vector *vector)
{
	byte shared[EC_MAX], expected[EC_MAX];
	word32 size = sizeof(shared);
	ecc_key key, peer;

	VECTOR_CHECK(ec_key(vector, &key, VALUE, VALUE + 1) && ec_key(vector, &peer, 0, VALUE + 3));
	VECTOR_CHECK(wc_ecc_shared_secret(&key, &peer, shared, &size) == 0);
	VECTOR_CHECK(vector_pad(vector, VALUE + 5, expected, size) &&
		     memcmp(shared, expected, size) == 0);
	wc_ecc_free(&key);
	wc_ecc_free(&peer);
}

/* SECRET PEER SHARED */
static void x25519(const struct vector *vector)
{
	curve25519_key key, peer;
	byte shared[32], public[32];
	word32 size = sizeof(shared);

	memcpy(public, vector->bytes[VALUE + 1], 32);
	public[31] &= 0x7f; /* wolfCrypt refuses what RFC 7748 ignores */
	CHECK(wc_curve25519_init_ex(&key, NULL, ID) == 0);
	CHECK(wc_curve25519_init_ex(&peer, NULL, ID) == 0);
	VECTOR_CHECK(wc_curve25519_import_private_ex(vector->bytes[VALUE], 32, &key,
						     EC25519_LITTLE_ENDIAN) == 0);
	VECTOR_CHECK(wc_curve25519_import_public_ex(public, 32, &peer, EC25519_LITTLE_ENDIAN) == 0);
	VECTOR_CHECK(wc_curve25519_shared_secret_ex(&key, &peer, shared, &size,
						    EC25519_LITTLE_ENDIAN) == 0);
	VECTOR_CHECK(memcmp(shared, vector->bytes[VALUE + 2], 32) == 0);
	wc_curve25519_free(&key);
	wc_curve25519_free(&peer);
}

/* PUBLIC MESSAGE SIGNATURE */
static void ed25519_signature(const struct vector *vector, unsigned from)
{
	ed25519_key key;
	int good = 0;

	CHECK(wc_ed25519_init_ex(&key, NULL, ID) == 0);
	if (wc_ed25519_import_public(vector->bytes[from], (word32)vector->size[from], &key) != 0 ||
	    wc_ed25519_verify_msg(vector->bytes[from + 2], (word32)vector->size[from + 2],
				  vector->bytes[from + 1], (word32)vector->size[from + 1], &good,
				  &key) != 0)
		good = 0;
	VECTOR_CHECK(good == is_good(vector));
	wc_ed25519_free(&key);
}

/* SECRET PUBLIC MESSAGE SIGNATURE */
static void ed25519(const struct vector *vector)
{
	byte signature[64];
	word32 size = sizeof(signature);
	ed25519_key key;

	CHECK(wc_ed25519_init_ex(&key, NULL, ID) == 0);
	VECTOR_CHECK(wc_ed25519_import_private_key(vector->bytes[VALUE], 32,
						   vector->bytes[VALUE + 1], 32, &key) == 0);
	VECTOR_CHECK(wc_ed25519_sign_msg(vector->bytes[VALUE + 2], (word32)vector->size[VALUE + 2],
					 signature, &size, &key) == 0);
	VECTOR_CHECK(memcmp(signature, vector->bytes[VALUE + 3], 64) == 0);
	wc_ed25519_free(&key);
	ed25519_signature(vector, VALUE + 1);
}

static bool run(const struct vector *vector)
{
	static const struct {
		const char *name;
		void (*run)(const struct vector *vector);
		bool curve;
	} kinds[] = { { "ecdsa", ecdsa, true },
		      { "ecdh", ecdh, true },
		      { "x25519", x25519, false },
		      { "ed25519", ed25519, false } };
	size_t size;

	if (strcmp(vector->word[KIND], "ed25519-signature") == 0) {
		ed25519_signature(vector, VALUE);
		return true;
	}
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		if (strcmp(vector->word[KIND], kinds[i].name) != 0 ||
		    (kinds[i].curve && curve_of(vector, &size) == ECC_CURVE_INVALID))
			continue;
		kinds[i].run(vector);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	static const enum firesteel_wolfssl_work works[] = {
		FIRESTEEL_WOLFSSL_ECDSA_VERIFY,   FIRESTEEL_WOLFSSL_ECDH,
		FIRESTEEL_WOLFSSL_X25519,         FIRESTEEL_WOLFSSL_ED25519_SIGN,
		FIRESTEEL_WOLFSSL_ED25519_VERIFY,
	};

	if (argc != 2) {
		fprintf(stderr, "usage: answers-curves FILE\n");
		return 2;
	}
	unit_open("model:hash=on", true);
	CHECK(wc_InitRng(&rng) == 0);
	printf("%u vectors\n", vectors_run(argv[1], run));
	unit_print();
	for (unsigned i = 0; i < COUNT(works); i++)
		CHECK(unit_count(works[i]).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ECDSA_VERIFY).rejected > 0);
	wc_FreeRng(&rng);
	unit_close();
	return 0;
}
