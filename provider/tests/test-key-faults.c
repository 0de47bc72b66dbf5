/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public keys on cores that compute wrongly, hang or go: every answer is right all the same, none of
 * a wrong one gets out, and a core that was caught is not asked again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "unit.h"

#define SIZE 256u

static struct unit unit;

static void sign(EVP_PKEY *key, const char *properties, const uint8_t *in, uint8_t out[SIZE])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	size_t size = SIZE;

	CHECK(context && EVP_PKEY_sign_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0);
	CHECK(EVP_PKEY_sign(context, out, &size, in, 32) > 0 && size == SIZE);
	EVP_PKEY_CTX_free(context);
}

static bool verify(EVP_PKEY *key, const uint8_t *in, const uint8_t bytes[SIZE])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, OURS);
	bool good;

	CHECK(context && EVP_PKEY_verify_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) > 0);
	good = EVP_PKEY_verify(context, bytes, SIZE, in, 32) > 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

/* Signs, verifies and decrypts: how often the core did it */
static unsigned long long work(EVP_PKEY *ours, EVP_PKEY *theirs, unsigned rounds)
{
	unsigned long long before = unit_count("rsa", UNIT_HARDWARE);
	uint8_t in[32], here[SIZE], there[SIZE];

	for (unsigned i = 0; i < rounds; i++) {
		unit_fill(in, sizeof(in));
		sign(ours, OURS, in, here);
		sign(theirs, THEIRS, in, there);
		CHECK(memcmp(here, there, SIZE) == 0);
		CHECK(verify(ours, in, here));
		here[SIZE - 1] ^= 1;
		CHECK(!verify(ours, in, here));
		ERR_clear_error();
	}
	return unit_count("rsa", UNIT_HARDWARE) - before;
}

/* Opening a device makes operations of its own, so that a number counts from there */
#define AT_OPEN 3u
#define ALONE   "model:cryptomaster=off,aes=off,hash=off,faults="

enum use { UNUSED, USED, EITHER };

/* What the model is told, and whether the core is used after a while */
static void faults(const char *kind, unsigned nth, enum use after_faults)
{
	char device[128];
	EVP_PKEY *ours, *theirs;
	unsigned long long after;

	if (nth > 0)
		snprintf(device, sizeof(device), ALONE "%s:nth=%u", kind, AT_OPEN + nth);
	else
		snprintf(device, sizeof(device), ALONE "%s", kind);
	unit = unit_open(device, "all=1");
	theirs = unit_rsa(&unit, 8 * SIZE);
	ours = unit_key(&unit, theirs, OURS);
	work(ours, theirs, 12);
	after = work(ours, theirs, 4);
	if (after_faults != EITHER && (after_faults == USED) != (after > 0))
		fprintf(stderr, "%s, %u: %llu operations on the core\n", kind, nth, after);
	CHECK(after_faults == EITHER || (after_faults == USED) == (after > 0));
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
}

/* A wrong half of RSA-CRT, once: it is seen, and from then on software does it */
static void caught(void)
{
	EVP_PKEY *ours, *theirs;
	uint8_t in[32] = { 7 }, here[SIZE], there[SIZE];

	/* the trial is two operations, the private one and its check */
	unit = unit_open(ALONE "flipped-bit:nth=6", "all=1");
	theirs = unit_rsa(&unit, 8 * SIZE);
	ours = unit_key(&unit, theirs, OURS);
	for (unsigned i = 0; i < 3; i++) {
		sign(ours, OURS, in, here);
		sign(theirs, THEIRS, in, there);
		CHECK(memcmp(here, there, SIZE) == 0);
	}
	CHECK(unit_count("rsa", UNIT_HARDWARE) == 0);
	CHECK(unit_count("rsa", UNIT_FAILED) == 3);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
}

static void derive(EVP_PKEY *key, const char *properties, EVP_PKEY *peer, uint8_t out[192])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	size_t size = 192;

	CHECK(context && EVP_PKEY_derive_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_dh_pad(context, 1) > 0);
	CHECK(EVP_PKEY_derive_set_peer(context, peer) > 0);
	CHECK(EVP_PKEY_derive(context, out, &size) > 0 && size == 192);
	EVP_PKEY_CTX_free(context);
}

/* Keys are made, and secrets agreed on, on a core that fails from some operation on */
static void diffie_hellman(const char *kind, unsigned nth, enum use after_faults)
{
	uint8_t here[192], there[192];
	unsigned long long before;
	char device[128];

	snprintf(device, sizeof(device), ALONE "%s:nth=%u", kind, AT_OPEN + nth);
	unit = unit_open(device, "all=1");
	before = 0;
	for (unsigned i = 0; i < 4; i++) {
		EVP_PKEY *ours, *theirs, *peer;

		if (i == 3)
			before = unit_count("dh", UNIT_HARDWARE);
		ours = unit_generate(&unit, "DH", "modp_1536", OURS);
		theirs = unit_key(&unit, ours, THEIRS);
		peer = EVP_PKEY_dup(theirs);
		derive(ours, OURS, ours, here);
		derive(theirs, THEIRS, peer, there);
		CHECK(memcmp(here, there, sizeof(here)) == 0);
		EVP_PKEY_free(peer);
		EVP_PKEY_free(theirs);
		EVP_PKEY_free(ours);
	}
	CHECK(after_faults == EITHER ||
	      (after_faults == USED) == (unit_count("dh", UNIT_HARDWARE) > before));
	unit_close(&unit);
}

int main(void)
{
	setenv("FIRESTEEL_TIMEOUT_MS", "100", 1);
	caught();
	/* the trial's two answers, an honest one, and what checks it */
	faults("flipped-bit", 1, UNUSED);
	faults("flipped-bit", 2, UNUSED);
	faults("flipped-bit", 3, UNUSED);
	faults("flipped-bit", 4, UNUSED);
	faults("flipped-bit:rate=3", 0, UNUSED);
	faults("flipped-bit:rate=1", 0, UNUSED);
	faults("gone", 5, UNUSED);
	faults("gone", 1, UNUSED);
	/* in the midst of a private operation, and of a check */
	faults("stuck-busy", 3, EITHER);
	faults("stuck-busy", 4, EITHER);
	faults("lost-interrupt:rate=1", 0, USED);
	faults("late:rate=2:factor=50", 0, USED);
	/* the trial's answer; and what comes after cannot be checked, but may be missing */
	diffie_hellman("flipped-bit", 1, UNUSED);
	diffie_hellman("gone", 1, UNUSED);
	diffie_hellman("gone", 3, UNUSED);
	diffie_hellman("stuck-busy", 2, EITHER);
	diffie_hellman("stuck-busy", 3, EITHER);
	diffie_hellman("lost-interrupt", 2, USED);
	return 0;
}
