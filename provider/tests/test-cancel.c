/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that are ended by pthread_cancel(), as by default at cancellation points alone: the provider
 * has none where software has none.
 */
#include <string.h>

#include <openssl/async.h>
#include <openssl/core_names.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "frontends/common/tests/cancelled.h"
#include "unit.h"

#define SIZE 3000u

static struct unit unit;
static EVP_PKEY *rsa, *ec, *peer, *ecx, *ecx_peer, *ed, *dh, *dh_peer;
static uint8_t text[SIZE];

/* ---- work ---- */

static void cipher(const char *name)
{
	EVP_CIPHER *algorithm = EVP_CIPHER_fetch(unit.library, name, OURS);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t out[SIZE + 16];
	int got, rest;

	CHECK(algorithm && EVP_EncryptInit_ex2(context, algorithm, text, text, NULL) &&
	      EVP_EncryptUpdate(context, out, &got, text, SIZE) &&
	      EVP_EncryptFinal_ex(context, out + got, &rest));
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(algorithm);
}

static void digest(void)
{
	EVP_MD *algorithm = EVP_MD_fetch(unit.library, "SHA256", OURS);
	uint8_t out[32];

	CHECK(algorithm && EVP_Digest(text, SIZE, out, NULL, algorithm, NULL));
	EVP_MD_free(algorithm);
}

static void sign(EVP_PKEY *key, const char *digest)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[512];
	size_t size = sizeof(out);

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0 &&
	      EVP_DigestSign(context, out, &size, text, 100) > 0);
	EVP_MD_CTX_free(context);
	context = EVP_MD_CTX_new();
	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0 &&
	      EVP_DigestVerify(context, out, size, text, 100) > 0);
	EVP_MD_CTX_free(context);
}

static void derive(EVP_PKEY *key, EVP_PKEY *other)
{
	uint8_t out[512];

	CHECK(unit_derive(&unit, key, OURS, other, NULL, sizeof(out), out) > 0);
}

static void all(void)
{
	cipher("AES-256-CBC");
	cipher("AES-256-GCM");
	digest();
	sign(rsa, "SHA256");
	sign(ec, "SHA256");
	sign(ed, NULL);
	derive(ec, peer);
	derive(ecx, ecx_peer);
	derive(dh, dh_peer);
}

static int job(void *ignored)
{
	(void)ignored;
	all();
	return 1;
}

/* In a job of libcrypto's, which pauses while the core works */
static void asynchronously(void)
{
	ASYNC_WAIT_CTX *wait = ASYNC_WAIT_CTX_new();
	ASYNC_JOB *paused = NULL;
	int result, status;

	CHECK(wait && ASYNC_init_thread(1, 1));
	do
		status = ASYNC_start_job(&paused, wait, &result, job, NULL, 0);
	while (status == ASYNC_PAUSE);
	CHECK(status == ASYNC_FINISH && result == 1);
	ASYNC_WAIT_CTX_free(wait);
	ASYNC_cleanup_thread();
}

/* ---- threads ---- */

static void warm_up(void)
{
	uint8_t bytes[32];

	/* The generators of a thread take their seed at their first use, by a system call that is a
	 * cancellation point: that is software's own */
	CHECK(RAND_bytes_ex(unit.library, bytes, sizeof(bytes), 0) > 0 &&
	      RAND_priv_bytes_ex(unit.library, bytes, sizeof(bytes), 0) > 0);
}

static EVP_PKEY *ours(const char *type, const char *group)
{
	EVP_PKEY *made = unit_generate(&unit, type, group, THEIRS),
		 *key = unit_key(&unit, made, OURS);

	EVP_PKEY_free(made);
	return key;
}

static void make_keys(void)
{
	EVP_PKEY *made = unit_rsa(&unit, 1024);

	rsa = unit_key(&unit, made, OURS);
	EVP_PKEY_free(made);
	ec = ours("EC", "P-256");
	peer = ours("EC", "P-256");
	ecx = ours("X25519", NULL);
	ecx_peer = ours("X25519", NULL);
	ed = ours("ED25519", NULL);
	dh = ours("DH", "ffdhe2048");
	dh_peer = ours("DH", "ffdhe2048");
}

static void free_keys(void)
{
	EVP_PKEY *const keys[] = { rsa, ec, peer, ecx, ecx_peer, ed, dh, dh_peer };

	for (unsigned i = 0; i < COUNT(keys); i++)
		EVP_PKEY_free(keys[i]);
}

static void load(void)
{
	struct unit second = unit_open("model:hash=on", "all=1");

	OSSL_PROVIDER_unload(second.firesteel);
	OSSL_PROVIDER_unload(second.software);
	OSSL_LIB_CTX_free(second.library);
}

int main(void)
{
	/* The work of each kind for the first time, so with its trial, then without */
	unit = unit_open("model:hash=on", "all=1");
	make_keys();
	CHECK(survives_cancelled(warm_up, all));
	CHECK(survives_cancelled(warm_up, all));
	CHECK(unit_count("gcm", UNIT_HARDWARE) > 0 && unit_count("rsa", UNIT_HARDWARE) > 0);
	CHECK(survives_cancelled(warm_up, load));
	free_keys();
	unit_close(&unit);

	/* So slow that threads sleep until it is done, and jobs pause */
	unit = unit_open("model:hash=on,clock_hz=20000000", "all=1");
	make_keys();
	CHECK(survives_cancelled(warm_up, all));
	CHECK(survives_cancelled(warm_up, asynchronously));
	free_keys();
	unit_close(&unit);
	return 0;
}
