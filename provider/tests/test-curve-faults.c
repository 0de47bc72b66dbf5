/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elliptic curves on cores that compute wrongly, hang or go: no wrong signature gets out, no good one is
 * refused, no bad one taken, no key is made that is none; and a core that was caught is not asked again.
 * (A wrong shared secret of a core that answered rightly at first cannot be seen: so there are none here.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>

#include "unit.h"

#define MOST 160u

static struct unit unit;

static size_t sign(EVP_PKEY *key, const char *properties, const char *digest, const uint8_t in[32],
		   uint8_t out[MOST])
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t size = MOST;

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest, unit.library, properties, key, NULL) >
	      0);
	CHECK(EVP_DigestSign(context, out, &size, in, 32) > 0);
	EVP_MD_CTX_free(context);
	return size;
}

static bool verify(EVP_PKEY *key, const char *properties, const char *digest, const uint8_t in[32],
		   const uint8_t *bytes, size_t size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest, unit.library, properties, key, NULL) >
	      0);
	good = EVP_DigestVerify(context, bytes, size, in, 32) > 0;
	EVP_MD_CTX_free(context);
	ERR_clear_error();
	return good;
}

/* How often the core did it */
static unsigned long long work(const char *name, EVP_PKEY *ours, EVP_PKEY *theirs, unsigned rounds)
{
	const char *digest = strcmp(name, "ecdsa") == 0 ? "SHA256" : NULL;
	unsigned long long before = unit_count(name, UNIT_HARDWARE);
	uint8_t in[32], bytes[MOST];

	for (unsigned i = 0; i < rounds; i++) {
		size_t size;

		unit_fill(in, sizeof(in));
		size = sign(ours, OURS, digest, in, bytes);
		CHECK(verify(theirs, THEIRS, digest, in, bytes, size));
		size = sign(theirs, THEIRS, digest, in, bytes);
		CHECK(verify(ours, OURS, digest, in, bytes, size));
		in[5] ^= 8;
		CHECK(!verify(ours, OURS, digest, in, bytes, size));
	}
	return unit_count(name, UNIT_HARDWARE) - before;
}

/* Opening a device makes operations of its own, so that a number counts from there */
#define AT_OPEN 3u
#define ALONE   "model:cryptomaster=off,aes=off,hash=off,faults="

enum use { UNUSED, USED, EITHER };

static void open_with(const char *kind, unsigned nth)
{
	char device[128];

	if (nth > 0)
		snprintf(device, sizeof(device), ALONE "%s:nth=%u", kind, AT_OPEN + nth);
	else
		snprintf(device, sizeof(device), ALONE "%s", kind);
	unit = unit_open(device, "all=1");
}

static void expect(const char *what, const char *kind, unsigned nth, enum use wanted,
		   unsigned long long used)
{
	if (wanted != EITHER && (wanted == USED) != (used > 0))
		fprintf(stderr, "%s: %s, %u: %llu operations on the core\n", what, kind, nth, used);
	CHECK(wanted == EITHER || (wanted == USED) == (used > 0));
}

static void signatures(const char *name, const char *kind, unsigned nth, enum use after_faults)
{
	EVP_PKEY *ours, *theirs;

	open_with(kind, nth);
	theirs = strcmp(name, "ecdsa") == 0 ? EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256")
					    : EVP_PKEY_Q_keygen(unit.library, THEIRS, "ED25519");
	CHECK(theirs);
	ours = unit_key(&unit, theirs, OURS);
	work(name, ours, theirs, 5);
	expect(name, kind, nth, after_faults, work(name, ours, theirs, 2));
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
}

static void derive(EVP_PKEY *key, const char *properties, EVP_PKEY *peer, uint8_t out[32])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	size_t size = 32;

	CHECK(context && EVP_PKEY_derive_init(context) > 0);
	CHECK(EVP_PKEY_derive_set_peer(context, peer) > 0);
	CHECK(EVP_PKEY_derive(context, out, &size) > 0 && size == 32);
	EVP_PKEY_CTX_free(context);
}

static EVP_PKEY *make(const char *name)
{
	EVP_PKEY *key = strcmp(name, "ecdh") == 0
				? EVP_PKEY_Q_keygen(unit.library, OURS, "EC", "P-256")
				: EVP_PKEY_Q_keygen(unit.library, OURS, "X25519");

	CHECK(key);
	return key;
}

/* Keys are made, and secrets agreed on, on a core that fails at some operation */
static void exchanges(const char *name, const char *kind, unsigned nth, enum use after_faults)
{
	unsigned long long before = 0;

	open_with(kind, nth);
	for (unsigned i = 0; i < 4; i++) {
		EVP_PKEY *ours, *theirs, *peer;
		EVP_PKEY_CTX *context;
		uint8_t here[32], there[32];

		if (i == 3)
			before = unit_count(name, UNIT_HARDWARE);
		ours = make(name);
		theirs = unit_key(&unit, ours, THEIRS);
		context = EVP_PKEY_CTX_new_from_pkey(unit.library, theirs, THEIRS);
		CHECK(EVP_PKEY_pairwise_check(context) > 0);
		peer = EVP_PKEY_dup(theirs);
		derive(ours, OURS, ours, here);
		derive(theirs, THEIRS, peer, there);
		CHECK(memcmp(here, there, sizeof(here)) == 0);
		EVP_PKEY_CTX_free(context);
		EVP_PKEY_free(peer);
		EVP_PKEY_free(theirs);
		EVP_PKEY_free(ours);
	}
	expect(name, kind, nth, after_faults, unit_count(name, UNIT_HARDWARE) - before);
	unit_close(&unit);
}

int main(void)
{
	static const char *const both[] = { "ecdsa", "ed25519" }, *const agreed[] = { "ecdh",
										      "x25519" };

	setenv("FIRESTEEL_TIMEOUT_MS", "100", 1);
	/* bits are flipped of what has a result, and there of the last one: the trial's signature, and
	 * the first one after it */
	signatures("ecdsa", "flipped-bit", 1, UNUSED);
	signatures("ecdsa", "flipped-bit", 2, UNUSED);
	for (unsigned i = 0; i < 2; i++) {
		/* of what comes out, not every bit counts; some of these never come */
		for (unsigned nth = 1; nth <= 8; nth++)
			signatures(both[i], "flipped-bit", nth, EITHER);
		signatures(both[i], "flipped-bit:rate=2", 0, EITHER);
		signatures(both[i], "gone", 1, UNUSED);
		signatures(both[i], "gone", 4, UNUSED);
		signatures(both[i], "stuck-busy", 6, EITHER);
		signatures(both[i], "lost-interrupt:rate=1", 0, USED);
		exchanges(agreed[i], "gone", 1, UNUSED);
		exchanges(agreed[i], "gone", 4, UNUSED);
		exchanges(agreed[i], "stuck-busy", 3, EITHER);
		exchanges(agreed[i], "lost-interrupt", 2, USED);
	}
	exchanges("x25519", "flipped-bit", 1, UNUSED);
	/* after the trial: a point that is none */
	exchanges("ecdh", "flipped-bit", 2, UNUSED);
	return 0;
}
