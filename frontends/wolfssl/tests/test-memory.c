/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * wolfCrypt cannot initialise an object that the library wants for itself: the work is software's
 * then, with the right result, and the core's when it is asked for again.  interposed.c sees that
 * nothing is freed that was not initialised.
 */
#include <wolfssl/options.h>

#include <string.h>

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/cryptocb.h>
#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/rsa.h>

#include "interposed.h"
#include "unit.h"

#define DEVICE    FIRESTEEL_WOLFSSL_DEVICE_ID
#define RSA_BYTES 128u

static WC_RNG rng;
static RsaKey rsa_key; /* to make it is work for the device, too */

/* A work of the device's, with objects that are made before an initialisation fails */
struct work {
	enum firesteel_wolfssl_work work;
	void (*run)(enum interposed kind, unsigned nth); /* fails, nth > 0, after its objects */
	bool always; /* else by size, which wants software's time once more */
	enum interposed kind;
	unsigned nth;
};

static void ecb(enum interposed kind, unsigned nth)
{
	byte key[16] = { 0 }, bytes[64] = { 0 };
	Aes aes;

	CHECK(wc_AesInit(&aes, NULL, DEVICE) == 0);
	CHECK(wc_AesSetKey(&aes, key, sizeof(key), NULL, AES_ENCRYPTION) == 0);
	interposed_fail(kind, nth);
	CHECK(wc_AesEcbEncrypt(&aes, bytes, bytes, sizeof(bytes)) == 0);
	CHECK(bytes[0] == 0x66 && bytes[63] == 0x2e); /* as test-register.c has it */
	wc_AesFree(&aes);
}

static void hash(enum wc_HashType type, enum interposed kind, unsigned nth)
{
	byte in[256], here[WC_MAX_DIGEST_SIZE], there[WC_MAX_DIGEST_SIZE];
	const word32 size = (word32)wc_HashGetDigestSize(type);
	wc_HashAlg with;

	unit_fill(in, sizeof(in));
	CHECK(wc_Hash(type, in, sizeof(in), here, size) == 0);
	memset(&with, 0, sizeof(with));
	CHECK(wc_HashInit_ex(&with, type, NULL, DEVICE) == 0);
	interposed_fail(kind, nth);
	CHECK(wc_HashUpdate(&with, type, in, sizeof(in)) == 0);
	CHECK(wc_HashFinal(&with, type, there) == 0);
	CHECK(wc_HashFree(&with, type) == 0);
	CHECK(memcmp(here, there, size) == 0);
}

static void sha1(enum interposed kind, unsigned nth)
{
	hash(WC_HASH_TYPE_SHA, kind, nth);
}

static void sha256(enum interposed kind, unsigned nth)
{
	hash(WC_HASH_TYPE_SHA256, kind, nth);
}

static void sha512(enum interposed kind, unsigned nth)
{
	hash(WC_HASH_TYPE_SHA512, kind, nth);
}

/* The same keys with the device and without agree */
static void x25519(enum interposed kind, unsigned nth)
{
	byte secret[32], here[32], there[32];
	word32 secret_size = 32, here_size = 32, there_size = 32;
	curve25519_key with, without, peer;

	CHECK(wc_curve25519_init_ex(&with, NULL, DEVICE) == 0);
	CHECK(wc_curve25519_init_ex(&without, NULL, INVALID_DEVID) == 0);
	CHECK(wc_curve25519_init_ex(&peer, NULL, INVALID_DEVID) == 0);
	CHECK(wc_curve25519_make_key(&rng, 32, &without) == 0);
	CHECK(wc_curve25519_make_key(&rng, 32, &peer) == 0);
	CHECK(wc_curve25519_export_private_raw(&without, secret, &secret_size) == 0);
	CHECK(wc_curve25519_import_private(secret, secret_size, &with) == 0);
	CHECK(wc_curve25519_shared_secret(&without, &peer, here, &here_size) == 0);
	interposed_fail(kind, nth);
	CHECK(wc_curve25519_shared_secret(&with, &peer, there, &there_size) == 0);
	CHECK(here_size == there_size && memcmp(here, there, here_size) == 0);
	wc_curve25519_free(&with);
	wc_curve25519_free(&without);
	wc_curve25519_free(&peer);
}

static void ec_key(enum interposed kind, unsigned nth)
{
	ecc_key key;

	CHECK(wc_ecc_init_ex(&key, NULL, DEVICE) == 0);
	interposed_fail(kind, nth);
	CHECK(wc_ecc_make_key_ex(&rng, 32, &key, ECC_SECP256R1) == 0);
	interposed_fail(kind, 0);
	CHECK(wc_ecc_check_key(&key) == 0);
	wc_ecc_free(&key);
}

static void rsa_public(enum interposed kind, unsigned nth)
{
	byte in[32], out[RSA_BYTES], back[RSA_BYTES];

	unit_fill(in, sizeof(in));
	interposed_fail(kind, nth);
	CHECK(wc_RsaPublicEncrypt(in, sizeof(in), out, sizeof(out), &rsa_key, &rng) == RSA_BYTES);
	CHECK(wc_RsaPrivateDecrypt(out, sizeof(out), back, sizeof(back), &rsa_key) == sizeof(in));
	CHECK(memcmp(in, back, sizeof(in)) == 0);
}

static const struct work works[] = {
	{ FIRESTEEL_WOLFSSL_ECB, ecb, true, INTERPOSED_AES, 1 },
	{ FIRESTEEL_WOLFSSL_SHA1, sha1, true, INTERPOSED_SHA1, 1 },
	{ FIRESTEEL_WOLFSSL_SHA256, sha256, true, INTERPOSED_SHA256, 1 },
	{ FIRESTEEL_WOLFSSL_SHA512, sha512, true, INTERPOSED_SHA512, 1 },
	{ FIRESTEEL_WOLFSSL_X25519, x25519, true, INTERPOSED_CURVE25519, 1 },
	{ FIRESTEEL_WOLFSSL_X25519, x25519, true, INTERPOSED_CURVE25519, 2 },
	{ FIRESTEEL_WOLFSSL_EC_KEY, ec_key, true, INTERPOSED_NUMBERS, 1 },
	{ FIRESTEEL_WOLFSSL_RSA_PUBLIC, rsa_public, true, INTERPOSED_NUMBER, 1 },
	/* the trial is done, and its times are missing */
	{ FIRESTEEL_WOLFSSL_ECB, ecb, false, INTERPOSED_AES, 2 },
	{ FIRESTEEL_WOLFSSL_SHA1, sha1, false, INTERPOSED_SHA1, 2 },
	{ FIRESTEEL_WOLFSSL_SHA256, sha256, false, INTERPOSED_SHA256, 2 },
	{ FIRESTEEL_WOLFSSL_SHA512, sha512, false, INTERPOSED_SHA512, 2 },
};

static void fails_once(const struct work *work)
{
	unit_open("model:hash=on", work->always);
	work->run(work->kind, work->nth);
	CHECK(interposed_failed());
	CHECK(unit_count(work->work).hardware == 0);
	work->run(work->kind, 0);
	unit_print();
	if (work->always)
		CHECK(unit_count(work->work).hardware > 0);
	else
		CHECK(unit_count(work->work).break_even == UINT64_MAX);
	unit_close();
}

int main(void)
{
	CHECK(wc_InitRng(&rng) == 0);
	CHECK(wc_InitRsaKey_ex(&rsa_key, NULL, DEVICE) == 0);
	CHECK(wc_MakeRsaKey(&rsa_key, 8 * RSA_BYTES, WC_RSA_EXPONENT, &rng) == 0);
	CHECK(wc_RsaSetRNG(&rsa_key, &rng) == 0);
	for (unsigned i = 0; i < COUNT(works); i++)
		fails_once(&works[i]);
	wc_FreeRsaKey(&rsa_key);
	wc_FreeRng(&rng);
	return 0;
}
