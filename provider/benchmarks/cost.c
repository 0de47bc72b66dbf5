/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the provider costs where software does the work: each message once by the default provider
 * and once through us, turn by turn in one process, so that what else the machine does hits both.
 *
 *	cost [ROUNDS [NAME]]
 *
 * Twice: with break-evens as they are found on this machine, by a device that computes in software
 * itself and so never pays; and with thresholds above all sizes, so that every message comes through
 * us and is given to software.  Printed are the best times of all rounds in ns of CPU and what
 * the difference is of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../tests/unit.h"

#define SLICE_NS 40000.0

struct call {
	const char *name, *algorithm;
	bool (*run)(void *context, size_t size);
	void *(*make)(OSSL_LIB_CTX *library, const char *algorithm, const char *properties);
	void (*end)(void *context);
};

static uint8_t text[2048], crypt[2048 + 32];

/* ---- ciphers: init with an IV, update, final; with associated data and tag for GCM ---- */

static void *make_cipher(OSSL_LIB_CTX *library, const char *algorithm, const char *properties)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, algorithm, properties);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();

	CHECK(cipher && EVP_EncryptInit_ex2(context, cipher, text, text, NULL));
	EVP_CIPHER_free(cipher);
	return context;
}

static void end_cipher(void *context)
{
	EVP_CIPHER_CTX_free(context);
}

static bool run_cipher(void *context, size_t size)
{
	int got, rest;

	return EVP_EncryptInit_ex2(context, NULL, NULL, text, NULL) &&
	       EVP_EncryptUpdate(context, crypt, &got, text, (int)size) &&
	       EVP_EncryptFinal_ex(context, crypt + got, &rest);
}

static bool run_gcm(void *context, size_t size)
{
	uint8_t tag[16];
	int got;

	return EVP_EncryptInit_ex2(context, NULL, NULL, text, NULL) &&
	       EVP_EncryptUpdate(context, NULL, &got, text, 13) &&
	       EVP_EncryptUpdate(context, crypt, &got, text, (int)size) &&
	       EVP_EncryptFinal_ex(context, crypt + got, &got) &&
	       EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag) > 0;
}

/* ---- digests and MACs ---- */

static void *make_digest(OSSL_LIB_CTX *library, const char *algorithm, const char *properties)
{
	EVP_MD *digest = EVP_MD_fetch(library, algorithm, properties);
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(digest && EVP_DigestInit_ex2(context, digest, NULL));
	EVP_MD_free(digest);
	return context;
}

static void end_digest(void *context)
{
	EVP_MD_CTX_free(context);
}

static bool run_digest(void *context, size_t size)
{
	return EVP_DigestInit_ex2(context, NULL, NULL) && EVP_DigestUpdate(context, text, size) &&
	       EVP_DigestFinal_ex(context, crypt, NULL);
}

static void *make_mac(OSSL_LIB_CTX *library, const char *algorithm, const char *properties)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("digest", (char *)(uintptr_t)"SHA256", 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *mac = EVP_MAC_fetch(library, algorithm, properties);
	EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;

	CHECK(context && EVP_MAC_init(context, text, 32, params));
	EVP_MAC_free(mac);
	return context;
}

static void end_mac(void *context)
{
	EVP_MAC_CTX_free(context);
}

static bool run_mac(void *context, size_t size)
{
	size_t got;

	return EVP_MAC_init(context, NULL, 0, NULL) && EVP_MAC_update(context, text, size) &&
	       EVP_MAC_final(context, crypt, &got, sizeof(crypt));
}

#define CIPHER make_cipher, end_cipher

static const struct call calls[] = {
	{ "AES-256-ECB", "AES-256-ECB", run_cipher, CIPHER },
	{ "AES-256-CBC", "AES-256-CBC", run_cipher, CIPHER },
	{ "AES-256-CTR", "AES-256-CTR", run_cipher, CIPHER },
	{ "AES-256-GCM", "AES-256-GCM", run_gcm, CIPHER },
	{ "AES-256-XTS", "AES-256-XTS", run_cipher, CIPHER },
	{ "SHA-256", "SHA256", run_digest, make_digest, end_digest },
	{ "HMAC-SHA-256", "HMAC", run_mac, make_mac, end_mac },
};

/* ---- time ---- */

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double slice(const struct call *call, void *context, size_t size, unsigned count)
{
	double from = now();

	for (unsigned i = 0; i < count; i++)
		if (!call->run(context, size))
			abort();
	return (now() - from) / count;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void compare(OSSL_LIB_CTX *library, const struct call *call, size_t size, unsigned rounds)
{
	void *theirs = call->make(library, call->algorithm, THEIRS);
	void *ours = call->make(library, call->algorithm, "?firesteel.cores=yes");
	unsigned count = 1 + (unsigned)(SLICE_NS / slice(call, theirs, size, 100));
	double there = 1e18, here = 1e18;

	slice(call, ours, size, 100);
	for (unsigned i = 0; i < rounds; i++) {
		/* Each first in half of the rounds */
		if (i % 2)
			here = least(here, slice(call, ours, size, count));
		there = least(there, slice(call, theirs, size, count));
		if (i % 2 == 0)
			here = least(here, slice(call, ours, size, count));
	}
	printf("  %-13s %5zu  %8.1f  %8.1f  %+7.1f  %+6.1f %%\n", call->name, size, there, here,
	       here - there, (here - there) / there * 100);
	call->end(theirs);
	call->end(ours);
}

static void table(const char *title, const char *thresholds, unsigned rounds, const char *name)
{
	static const size_t sizes[] = { 16, 256, 1408 };
	struct unit unit = unit_open("model:hash=on", thresholds);

	printf("%s (thresholds = %s)\n  %-13s %5s  %8s  %8s  %7s  %8s\n", title, thresholds, "",
	       "bytes", "default", "here", "ns more", "time");
	for (unsigned i = 0; i < COUNT(calls); i++)
		for (unsigned j = 0; j < COUNT(sizes) && (!name || !strcmp(name, calls[i].name));
		     j++)
			compare(unit.library, &calls[i], sizes[j], rounds);
	unit_close(&unit);
}

int main(int count, char **arguments)
{
	unsigned rounds = count > 1 ? (unsigned)atoi(arguments[1]) : 300;
	const char *name = count > 2 ? arguments[2] : NULL;

	unit_fill(text, sizeof(text));
	table("Break-evens of this machine", "all=auto", rounds, name);
	table("All through the provider", "all=65536", rounds, name);
	return 0;
}
