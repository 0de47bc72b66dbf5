/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "works.h"

#include <string.h>

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/rsa.h>

#define WITH    FIRESTEEL_WOLFSSL_DEVICE_ID
#define WITHOUT INVALID_DEVID

#ifndef RSA_BYTES
#define RSA_BYTES 256u
#endif
#define EC_MAX  66u
#define DER_MAX 160u

static const struct {
	int id, size;
} curves[] = { { ECC_SECP256R1, 32 }, { ECC_SECP384R1, 48 }, { ECC_SECP521R1, 66 } };

/* Keys as bytes, of which each use makes objects of its own */
static byte rsa_der[2048], ec_secret[COUNT(curves)][EC_MAX], ec_x[COUNT(curves)][EC_MAX],
	ec_y[COUNT(curves)][EC_MAX], ed_secret[32], ed_public[32];
static int rsa_size;
static _Thread_local WC_RNG rng;

void works_begin(void)
{
	ed25519_key ed;
	RsaKey rsa;

	CHECK(wc_InitRng(&rng) == 0);
	CHECK(wc_InitRsaKey(&rsa, NULL) == 0);
	CHECK(wc_MakeRsaKey(&rsa, 8 * RSA_BYTES, WC_RSA_EXPONENT, &rng) == 0);
	rsa_size = wc_RsaKeyToDer(&rsa, rsa_der, sizeof(rsa_der));
	CHECK(rsa_size > 0);
	wc_FreeRsaKey(&rsa);
	for (unsigned i = 0; i < COUNT(curves); i++) {
		word32 size[3] = { EC_MAX, EC_MAX, EC_MAX };
		ecc_key key;

		CHECK(wc_ecc_init(&key) == 0);
		CHECK(wc_ecc_make_key_ex(&rng, curves[i].size, &key, curves[i].id) == 0);
		CHECK(wc_ecc_export_private_raw(&key, ec_x[i], &size[0], ec_y[i], &size[1],
						ec_secret[i], &size[2]) == 0);
		wc_ecc_free(&key);
	}
	CHECK(wc_ed25519_init(&ed) == 0 && wc_ed25519_make_key(&rng, 32, &ed) == 0);
	memcpy(ed_secret, ed.k, 32);
	memcpy(ed_public, ed.p, 32);
	wc_ed25519_free(&ed);
}

void works_end(void)
{
	wc_FreeRng(&rng);
}

/* ---- RSA ---- */

static void make_rsa(RsaKey *key, int device)
{
	word32 at = 0;

	CHECK(wc_InitRsaKey_ex(key, NULL, device) == 0);
	CHECK(wc_RsaPrivateKeyDecode(rsa_der, &at, key, (word32)rsa_size) == 0);
	CHECK(wc_RsaSetRNG(key, &rng) == 0);
}

static void rsa_signature(RsaKey *with, RsaKey *without)
{
	byte in[51], here[RSA_BYTES], there[RSA_BYTES], out[RSA_BYTES];
	const int size = RSA_BYTES;

	unit_fill(in, sizeof(in));
	CHECK(wc_RsaSSL_Sign(in, sizeof(in), here, RSA_BYTES, with, &rng) == size);
	CHECK(wc_RsaSSL_Sign(in, sizeof(in), there, RSA_BYTES, without, &rng) == size);
	CHECK(memcmp(here, there, RSA_BYTES) == 0);
	CHECK(wc_RsaSSL_Verify(here, RSA_BYTES, out, sizeof(out), with) == sizeof(in));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	here[unit_random(RSA_BYTES - 1) + 1] ^= 1u << unit_random(8);
	CHECK(wc_RsaSSL_Verify(here, RSA_BYTES, out, sizeof(out), with) ==
	      wc_RsaSSL_Verify(here, RSA_BYTES, out, sizeof(out), without));
}

static void rsa_encryption(RsaKey *with, RsaKey *without)
{
	byte in[48], here[RSA_BYTES], there[RSA_BYTES], out[RSA_BYTES];
	const int size = RSA_BYTES;

	unit_fill(in, sizeof(in));
	CHECK(wc_RsaPublicEncrypt(in, sizeof(in), here, RSA_BYTES, with, &rng) == size);
	CHECK(wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), without) == sizeof(in));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	CHECK(wc_RsaPublicEncrypt_ex(in, sizeof(in), there, RSA_BYTES, without, &rng,
				     WC_RSA_OAEP_PAD, WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL,
				     0) == size);
	CHECK(wc_RsaPrivateDecrypt_ex(there, RSA_BYTES, out, sizeof(out), with, WC_RSA_OAEP_PAD,
				      WC_HASH_TYPE_SHA256, WC_MGF1SHA256, NULL, 0) == sizeof(in));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	/* the other one's padding; more than the modulus; 0 */
	CHECK(wc_RsaPrivateDecrypt(there, RSA_BYTES, out, sizeof(out), with) ==
	      wc_RsaPrivateDecrypt(there, RSA_BYTES, out, sizeof(out), without));
	memset(here, 0xff, sizeof(here));
	CHECK(wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), with) ==
	      wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), without));
	memset(here, 0, sizeof(here));
	CHECK(wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), with) ==
	      wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), without));
}

/* The private operation alone is the device's: the core checks what it computes */
static void rsa_private(void)
{
	byte in[51], here[RSA_BYTES], there[RSA_BYTES], out[RSA_BYTES];
	const int size = RSA_BYTES;
	RsaKey with, without;

	make_rsa(&with, WITH);
	make_rsa(&without, WITHOUT);
	unit_fill(in, sizeof(in));
	CHECK(wc_RsaSSL_Sign(in, sizeof(in), here, RSA_BYTES, &with, &rng) == size);
	CHECK(wc_RsaSSL_Sign(in, sizeof(in), there, RSA_BYTES, &without, &rng) == size);
	CHECK(memcmp(here, there, RSA_BYTES) == 0);
	CHECK(wc_RsaPublicEncrypt(in, sizeof(in), here, RSA_BYTES, &without, &rng) == size);
	CHECK(wc_RsaPrivateDecrypt(here, RSA_BYTES, out, sizeof(out), &with) == sizeof(in));
	CHECK(memcmp(in, out, sizeof(in)) == 0);
	wc_FreeRsaKey(&with);
	wc_FreeRsaKey(&without);
}

static void rsa(void)
{
	RsaKey with, without;

	make_rsa(&with, WITH);
	make_rsa(&without, WITHOUT);
	rsa_signature(&with, &without);
	rsa_encryption(&with, &without);
	wc_FreeRsaKey(&with);
	wc_FreeRsaKey(&without);
}

/* ---- ECDSA and Ed25519 ---- */

static void make_ec(ecc_key *key, unsigned curve, int device)
{
	CHECK(wc_ecc_init_ex(key, NULL, device) == 0);
	CHECK(wc_ecc_import_unsigned(key, ec_x[curve], ec_y[curve], ec_secret[curve],
				     curves[curve].id) == 0);
	CHECK(wc_ecc_set_rng(key, &rng) == 0);
}

static void ecdsa(unsigned curve)
{
	static const word32 sizes[] = { 20, 32, 48, 64 };
	byte digest[64], der[DER_MAX];
	word32 digest_size = sizes[unit_random(4)], der_size;
	ecc_key keys[2]; /* without, with */
	int good;

	make_ec(&keys[0], curve, WITHOUT);
	make_ec(&keys[1], curve, WITH);
	for (unsigned i = 0; i < 2; i++) {
		unit_fill(digest, sizeof(digest));
		der_size = sizeof(der);
		CHECK(wc_ecc_sign_hash(digest, digest_size, der, &der_size, &rng, &keys[i]) == 0);
		for (unsigned j = 0; j < 2; j++) {
			good = 0;
			CHECK(wc_ecc_verify_hash(der, der_size, digest, digest_size, &good,
						 &keys[j]) == 0 &&
			      good == 1);
		}
		digest[unit_random(20)] ^= 1u << unit_random(8);
		good = 1;
		CHECK(wc_ecc_verify_hash(der, der_size, digest, digest_size, &good, &keys[1]) ==
			      0 &&
		      good == 0);
	}
	wc_ecc_free(&keys[0]);
	wc_ecc_free(&keys[1]);
}

static void make_ed(ed25519_key *key, int device)
{
	CHECK(wc_ed25519_init_ex(key, NULL, device) == 0);
	CHECK(wc_ed25519_import_private_key(ed_secret, 32, ed_public, 32, key) == 0);
}

static void ed25519(void)
{
	byte in[100], here[64], there[64];
	word32 size = unit_random(sizeof(in)), here_size = 64, there_size = 64;
	ed25519_key with, without;
	int good = 0;

	unit_fill(in, sizeof(in));
	make_ed(&with, WITH);
	make_ed(&without, WITHOUT);
	CHECK(wc_ed25519_sign_msg(in, size, here, &here_size, &with) == 0);
	CHECK(wc_ed25519_sign_msg(in, size, there, &there_size, &without) == 0);
	CHECK(here_size == 64 && memcmp(here, there, 64) == 0);
	CHECK(wc_ed25519_verify_msg(here, 64, in, size, &good, &with) == 0 && good == 1);
	here[unit_random(64)] ^= 1u << unit_random(8);
	CHECK(wc_ed25519_verify_msg(here, 64, in, size, &good, &with) ==
	      wc_ed25519_verify_msg(here, 64, in, size, &good, &without));
	CHECK(good == 0);
	wc_ed25519_free(&with);
	wc_ed25519_free(&without);
}

void works_signatures(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		rsa();
		ecdsa(i % COUNT(curves));
		ed25519();
	}
}

void works_secrets(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		rsa_private();
		ecdsa(i % COUNT(curves));
		ed25519();
	}
}

/* ---- ECDH and X25519 ---- */

static void ecdh(unsigned curve)
{
	byte here[EC_MAX], there[EC_MAX];
	word32 here_size = EC_MAX, there_size = EC_MAX;
	ecc_key with, without, made;

	make_ec(&with, curve, WITH);
	make_ec(&without, curve, WITHOUT);
	CHECK(wc_ecc_init_ex(&made, NULL, WITH) == 0 && wc_ecc_set_rng(&made, &rng) == 0);
	CHECK(wc_ecc_make_key_ex(&rng, curves[curve].size, &made, curves[curve].id) == 0);
	CHECK(wc_ecc_check_key(&made) == 0);
	CHECK(wc_ecc_shared_secret(&with, &made, here, &here_size) == 0);
	CHECK(wc_ecc_shared_secret(&without, &made, there, &there_size) == 0);
	CHECK(here_size == there_size && memcmp(here, there, here_size) == 0);
	here_size = EC_MAX;
	CHECK(wc_ecc_shared_secret(&made, &without, here, &here_size) == 0);
	CHECK(here_size == there_size && memcmp(here, there, here_size) == 0);
	wc_ecc_free(&with);
	wc_ecc_free(&without);
	wc_ecc_free(&made);
}

static void x25519(int endian)
{
	byte here[32], there[32], secret[32], public[32];
	word32 here_size = 32, there_size = 32, secret_size = 32, public_size = 32;
	curve25519_key with, without, peer;

	CHECK(wc_curve25519_init_ex(&with, NULL, WITH) == 0);
	CHECK(wc_curve25519_init_ex(&without, NULL, WITHOUT) == 0);
	CHECK(wc_curve25519_init_ex(&peer, NULL, WITHOUT) == 0);
	CHECK(wc_curve25519_make_key(&rng, 32, &with) == 0);
	CHECK(wc_curve25519_make_key(&rng, 32, &peer) == 0);
	CHECK(wc_curve25519_export_key_raw(&with, secret, &secret_size, public, &public_size) == 0);
	CHECK(wc_curve25519_import_private_raw(secret, 32, public, 32, &without) == 0);
	CHECK(wc_curve25519_shared_secret_ex(&with, &peer, here, &here_size, endian) == 0);
	CHECK(wc_curve25519_shared_secret_ex(&without, &peer, there, &there_size, endian) == 0);
	CHECK(here_size == 32 && memcmp(here, there, 32) == 0);
	CHECK(wc_curve25519_shared_secret_ex(&peer, &with, there, &there_size, endian) == 0);
	CHECK(memcmp(here, there, 32) == 0);
	wc_curve25519_free(&with);
	wc_curve25519_free(&without);
	wc_curve25519_free(&peer);
}

void works_exchanges(unsigned rounds)
{
	for (unsigned i = 0; i < rounds; i++) {
		ecdh(i % COUNT(curves));
		x25519(i % 2 ? EC25519_BIG_ENDIAN : EC25519_LITTLE_ENDIAN);
	}
}
