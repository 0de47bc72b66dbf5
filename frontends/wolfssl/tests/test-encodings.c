/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Ed25519 keys and signatures that are written in more ways than one, or of small order: what wolfCrypt
 * says without the device it says with it.
 */
#include <wolfssl/options.h>

#include <string.h>

#include <wolfssl/wolfcrypt/ed25519.h>

#include "unit.h"

#define SIZE 32u

/* First bytes of a point's coordinate: small numbers, and those around the prime 2^255 - 19 */
static const byte firsts[] = { 0, 1, 2, 0xec, 0xed, 0xee, 0xef };

/* 0, the order, and one less */
static const byte scalars[][SIZE] = {
	{ 0 },
	{ 0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
	  0x14, [31] = 0x10 },
	{ 0xec, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde,
	  0x14, [31] = 0x10 },
};

#define POINTS (2 * COUNT(firsts))

/* The sign of x is the highest bit */
static void encode(unsigned number, byte point[SIZE])
{
	byte first = firsts[number / 2];

	memset(point, first > 2 ? 0xff : 0, SIZE);
	point[0] = first;
	point[SIZE - 1] = (byte)((point[SIZE - 1] & 0x7f) | number % 2 << 7);
}

struct answer {
	int imported, verified, good;
};

static struct answer ask(int device, const byte *public, const byte *signature, byte message)
{
	struct answer answer = { 0 };
	ed25519_key key;

	CHECK(wc_ed25519_init_ex(&key, NULL, device) == 0);
	answer.imported = wc_ed25519_import_public(public, SIZE, &key);
	if (answer.imported == 0)
		answer.verified = wc_ed25519_verify_msg(signature, 2 * SIZE, &message, 1,
							&answer.good, &key);
	wc_ed25519_free(&key);
	return answer;
}

static unsigned same(const byte *public, const byte *signature, byte message)
{
	struct answer with = ask(FIRESTEEL_WOLFSSL_DEVICE_ID, public, signature, message);
	struct answer without = ask(INVALID_DEVID, public, signature, message);

	CHECK(with.imported == without.imported);
	CHECK(with.good == without.good);
	CHECK(with.verified == without.verified);
	return with.good == 1;
}

/* Those of small order verify by chance of the message's hash */
static unsigned points(void)
{
	byte public[SIZE], signature[2 * SIZE];
	unsigned verified = 0;

	for (unsigned i = 0; i < POINTS * POINTS * COUNT(scalars) * 4; i++) {
		encode(i % POINTS, public);
		encode(i / POINTS % POINTS, signature);
		memcpy(signature + SIZE, scalars[i / POINTS / POINTS % COUNT(scalars)], SIZE);
		verified += same(public, signature, (byte)(i / POINTS / POINTS / COUNT(scalars)));
	}
	return verified;
}

/* A right signature, and the same with the order added to S */
static void scalar(void)
{
	byte message = 7, signature[2 * SIZE], public[SIZE];
	word32 size = sizeof(signature), public_size = SIZE;
	unsigned carry = 0;
	ed25519_key key;
	WC_RNG rng;

	CHECK(wc_InitRng(&rng) == 0 && wc_ed25519_init(&key) == 0);
	CHECK(wc_ed25519_make_key(&rng, SIZE, &key) == 0);
	CHECK(wc_ed25519_export_public(&key, public, &public_size) == 0);
	CHECK(wc_ed25519_sign_msg(&message, 1, signature, &size, &key) == 0);
	CHECK(same(public, signature, message));
	for (unsigned i = 0; i < SIZE; i++) {
		carry += (unsigned)signature[SIZE + i] + scalars[1][i];
		signature[SIZE + i] = (byte)carry;
		carry >>= 8;
	}
	CHECK(!same(public, signature, message));
	wc_ed25519_free(&key);
	wc_FreeRng(&rng);
}

int main(void)
{
	unit_open("model", true);
	scalar();
	CHECK(points() > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ED25519_VERIFY).hardware > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ED25519_VERIFY).unfit > 0);
	CHECK(unit_count(FIRESTEEL_WOLFSSL_ED25519_VERIFY).failed == 0);
	unit_close();
	return 0;
}
