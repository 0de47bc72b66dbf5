/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Core or software for public keys: by a threshold in bits, by what both take, and by what is
 * switched on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/rsa.h>

#include "unit.h"

static struct unit unit;

static void sign_with(EVP_PKEY *key, const char *digest, uint8_t *out, size_t *size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, out, size, (const uint8_t *)"abc", 3) > 0);
	EVP_MD_CTX_free(context);
}

static void sign_and_verify(EVP_PKEY *key, const char *digest)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[512];
	size_t size = sizeof(out);

	sign_with(key, digest, out, &size);
	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestVerify(context, out, size, (const uint8_t *)"abc", 3) == 1);
	EVP_MD_CTX_free(context);
}

/* One signature and one verification: where they were done */
struct where {
	unsigned long long hardware, small;
};

static struct where sign(size_t bits)
{
	struct where before = { unit_count("rsa", UNIT_HARDWARE), unit_count("rsa", UNIT_SMALL) };
	EVP_PKEY *theirs = unit_rsa(&unit, bits), *ours = unit_key(&unit, theirs, OURS);

	sign_and_verify(ours, "SHA256");
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	return (struct where){ unit_count("rsa", UNIT_HARDWARE) - before.hardware,
			       unit_count("rsa", UNIT_SMALL) - before.small };
}

static void expect(const char *device, const char *thresholds, size_t bits, bool hardware)
{
	struct where where;

	unit = unit_open(device, thresholds);
	where = sign(bits);
	if (where.hardware + where.small != 2)
		fprintf(stderr, "%s, %s, %zu: %llu, %llu\n", device, thresholds, bits,
			where.hardware, where.small);
	CHECK(where.hardware == (hardware ? 2 : 0) && where.small == (hardware ? 0 : 2));
	where = sign(bits);
	if (where.hardware + where.small != 2)
		fprintf(stderr, "%s, %s, %zu: %llu, %llu\n", device, thresholds, bits,
			where.hardware, where.small);
	CHECK(where.hardware == (hardware ? 2 : 0) && where.small == (hardware ? 0 : 2));
	unit_close(&unit);
}

/* What is switched off is not even offered */
static void switched_off(void)
{
	EVP_SIGNATURE *signature;
	EVP_KEYMGMT *keys;

	setenv("FIRESTEEL_PROVIDER_OPERATIONS", "dh, cbc", 1);
	unit = unit_open("model", NULL);
	signature = EVP_SIGNATURE_fetch(unit.library, "RSA", OURS);
	keys = EVP_KEYMGMT_fetch(unit.library, "RSA", OURS);
	CHECK(!signature && !keys);
	keys = EVP_KEYMGMT_fetch(unit.library, "DH", OURS);
	CHECK(keys);
	EVP_KEYMGMT_free(keys);
	unit_close(&unit);
	unsetenv("FIRESTEEL_PROVIDER_OPERATIONS");
}

/* A key is made, and used with itself or by a signature that is verified */
static void use(const char *type, const char *group, const char *work)
{
	EVP_PKEY *key = unit_generate(&unit, type, group, OURS);
	uint8_t out[512];

	if (strcmp(work, "ecdsa") == 0)
		sign_and_verify(key, "SHA256");
	else if (strcmp(work, "ed25519") == 0)
		sign_and_verify(key, NULL);
	else
		CHECK(unit_derive(&unit, key, OURS, key, NULL, sizeof(out), out) > 0);
	EVP_PKEY_free(key);
}

/* A core without countermeasures gets no secret, which is told; it verifies all the same */
static void unprotected(void)
{
	static const struct {
		const char *type, *group, *work;
		bool verifies;
	} all[] = {
		{ "EC", "P-256", "ecdsa", true },     { "EC", "P-256", "ecdh", false },
		{ "ED25519", NULL, "ed25519", true }, { "X25519", NULL, "x25519", false },
		{ "DH", "ffdhe2048", "dh", false },
	};

	unit = unit_open("model:pk_protection=off", "all=1");
	sign(2048);
	CHECK(unit_count("rsa", UNIT_UNPROTECTED) == 1 && unit_count("rsa", UNIT_HARDWARE) == 1);
	for (unsigned i = 0; i < COUNT(all); i++) {
		use(all[i].type, all[i].group, all[i].work);
		CHECK(unit_count(all[i].work, UNIT_UNPROTECTED) > 0);
		CHECK(unit_count(all[i].work, UNIT_UNFIT) == 0);
		CHECK((unit_count(all[i].work, UNIT_HARDWARE) > 0) == all[i].verifies);
	}
	unit_close(&unit);
	unit = unit_open("model", "all=1");
	sign(2048);
	CHECK(unit_count("rsa", UNIT_UNPROTECTED) == 0 && unit_count("rsa", UNIT_HARDWARE) == 2);
	unit_close(&unit);
}

/* After how many signatures a core that computes wrongly has been found out, which its trial does */
static unsigned tried_after(const char *thresholds)
{
	unsigned count = 0;
	EVP_PKEY *theirs, *ours;
	uint8_t out[128];
	size_t size;

	unit = unit_open("model:cryptomaster=off,aes=off,hash=off,faults=flipped-bit:rate=1",
			 thresholds);
	theirs = EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256");
	ours = unit_key(&unit, theirs, OURS);
	while (unit_count("ecdsa", UNIT_FAILED) == 0 && count < 100) {
		CHECK(unit_count("ecdsa", UNIT_SMALL) == count);
		size = sizeof(out);
		sign_with(ours, "SHA256", out, &size);
		count++;
	}
	CHECK(unit_count("ecdsa", UNIT_FAILED) == 1 && unit_count("ecdsa", UNIT_HARDWARE) == 0);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
	return count;
}

/* A process that signs a few times does without a trial, unless the user wants the core */
static void tried_when_due(void)
{
	unsigned count = tried_after(NULL);

	CHECK(count > 2 && count < 20);
	CHECK(tried_after("all=1") == 1);
}

/* The second half of a message, with a context or its copy, and back to the question that it was asked */
static void finish_signing(EVP_MD_CTX *context, uint8_t *out, size_t *size)
{
	CHECK(EVP_DigestSignUpdate(context, "bc", 2) > 0);
	CHECK(EVP_DigestSignFinal(context, NULL, size) > 0);
	CHECK(EVP_DigestSignFinal(context, out, size) > 0);
}

static void sign_in_parts(EVP_PKEY *key, uint8_t *out, size_t *size, bool copied)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSignUpdate(context, "a", 1) > 0);
	if (copied)
		CHECK(EVP_MD_CTX_copy_ex(copy, context));
	finish_signing(copied ? copy : context, out, size);
	EVP_MD_CTX_free(context);
	EVP_MD_CTX_free(copy);
}

static int verify_in_parts(EVP_PKEY *key, const char *whose, const uint8_t *bytes, size_t size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	int verdict;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", unit.library, whose, key, NULL) > 0);
	CHECK(EVP_DigestVerifyUpdate(context, "ab", 2) > 0);
	CHECK(EVP_DigestVerifyUpdate(context, "c", 1) > 0);
	verdict = EVP_DigestVerifyFinal(context, bytes, size);
	EVP_MD_CTX_free(context);
	return verdict;
}

/* Where software is faster, it gets the messages of signatures too, and all of them count */
static void messages_left_to_software(void)
{
	unsigned long long small;
	EVP_PKEY *theirs, *ours;
	uint8_t out[128];
	size_t size;

	unit = unit_open("model:clock_hz=1000000,pk_multipliers=256", NULL);
	theirs = EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256");
	ours = unit_key(&unit, theirs, OURS);
	for (unsigned i = 0; i < 200; i++) {
		small = unit_count("ecdsa", UNIT_SMALL);
		size = sizeof(out);
		sign_in_parts(ours, out, &size, i % 2);
		CHECK(unit_count("ecdsa", UNIT_SMALL) == small + 1);
		CHECK(verify_in_parts(theirs, THEIRS, out, size) == 1);
		CHECK(verify_in_parts(ours, OURS, out, size) == 1);
		CHECK(unit_count("ecdsa", UNIT_SMALL) == small + 2);
		out[size - 1] ^= 1;
		CHECK(verify_in_parts(ours, OURS, out, size) == 0);
	}
	CHECK(unit_count("ecdsa", UNIT_HARDWARE) == 0);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	unit_close(&unit);
}

int main(void)
{
	messages_left_to_software();
	tried_when_due();
	unprotected();
	expect("model", "rsa=2048", 2048, true);
	expect("model", "rsa=2048", 1024, false);
	expect("model", "all=1,rsa=never", 4096, false);
	/* a core with a very slow clock */
	expect("model:clock_hz=1000000,pk_multipliers=256", "all=auto", 2048, false);
	expect("model:clock_hz=1000000,pk_multipliers=256", NULL, 1024, false);
	switched_off();
	return 0;
}
