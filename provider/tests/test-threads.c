/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that begin at once, when nothing is tried yet: each seals, opens, hashes, and signs with
 * keys that they share.
 *
 *     test-threads [DEVICE THREADS ROUNDS]    the model, 64 threads, 20 rounds of each
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define THREADS_MAX 64u
#define ROUNDS_MAX  SIZE
#define SIZE        3000u

static unsigned count = THREADS_MAX, rounds = 20;
static struct unit unit;
static EVP_PKEY *key, *point; /* RSA and P-256 */
static pthread_barrier_t together;

static void seal_and_open(EVP_CIPHER *gcm, const uint8_t *text, uint8_t *crypt, uint8_t *back)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	const uint8_t *key = text + 7;
	uint8_t tag[16];
	int got;

	CHECK(EVP_EncryptInit_ex2(context, gcm, key, text, NULL));
	CHECK(EVP_EncryptUpdate(context, crypt, &got, text, SIZE) && got == SIZE);
	CHECK(EVP_EncryptFinal_ex(context, crypt, &got));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag));
	CHECK(EVP_DecryptInit_ex2(context, NULL, key, text, NULL));
	CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag));
	CHECK(EVP_DecryptUpdate(context, back, &got, crypt, SIZE) && got == SIZE);
	CHECK(EVP_DecryptFinal_ex(context, back + SIZE, &got));
	CHECK(memcmp(back, text, SIZE) == 0);
	EVP_CIPHER_CTX_free(context);
}

static void sign_and_verify(EVP_PKEY *key, const uint8_t *text)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t bytes[128];
	size_t size = sizeof(bytes);

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, bytes, &size, text, SIZE) > 0);
	EVP_MD_CTX_free(context);
	context = EVP_MD_CTX_new();
	CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA256", unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestVerify(context, bytes, size, text, SIZE) > 0);
	EVP_MD_CTX_free(context);
}

static void *work(void *argument)
{
	uint8_t text[SIZE], crypt[SIZE + 16], back[SIZE + 16], here[32], there[32];
	EVP_CIPHER *gcm = EVP_CIPHER_fetch(unit.library, "AES-256-GCM", OURS);
	EVP_MD *ours = EVP_MD_fetch(unit.library, "SHA256", OURS);
	EVP_MD *theirs = EVP_MD_fetch(unit.library, "SHA256", THEIRS);

	CHECK(gcm && ours && theirs);
	memset(text, (int)(1 + (size_t)argument), sizeof(text));
	pthread_barrier_wait(&together);
	for (unsigned i = 0; i < rounds; i++) {
		text[i] ^= 0x5a;
		seal_and_open(gcm, text, crypt, back);
		CHECK(EVP_Digest(text, SIZE, here, NULL, ours, NULL));
		CHECK(EVP_Digest(text, SIZE, there, NULL, theirs, NULL));
		CHECK(memcmp(here, there, sizeof(here)) == 0);
		if (i % 8 == 0)
			sign_and_verify(key, text);
		if (i % 8 == 4)
			sign_and_verify(point, text);
	}
	EVP_CIPHER_free(gcm);
	EVP_MD_free(ours);
	EVP_MD_free(theirs);
	return NULL;
}

static void run(void)
{
	pthread_t threads[THREADS_MAX];

	pthread_barrier_init(&together, NULL, count);
	for (size_t i = 0; i < count; i++)
		CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < count; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	EVP_PKEY *theirs;
	unsigned least;

	CHECK(argc == 1 || argc == 4);
	if (argc == 4) {
		count = (unsigned)strtoul(argv[2], NULL, 10);
		rounds = (unsigned)strtoul(argv[3], NULL, 10);
	}
	CHECK(count >= 1 && count <= THREADS_MAX && rounds >= 5 && rounds <= ROUNDS_MAX);
	unit = unit_open(argc == 4 ? argv[1] : "model:hash=on", "all=16");
	theirs = unit_rsa(&unit, 1024);
	key = unit_key(&unit, theirs, OURS);
	EVP_PKEY_free(theirs);
	theirs = EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", "P-256");
	CHECK(theirs);
	point = unit_key(&unit, theirs, OURS);
	EVP_PKEY_free(theirs);
	run();
	/* a device may be busy */
	least = argc == 4 ? 0 : count;
	CHECK(unit_count("gcm", UNIT_HARDWARE) > least);
	CHECK(unit_count("digest", UNIT_HARDWARE) > least);
	CHECK(unit_count("rsa", UNIT_HARDWARE) > least);
	CHECK(unit_count("ecdsa", UNIT_HARDWARE) > least);
	EVP_PKEY_free(key);
	EVP_PKEY_free(point);
	unit_close(&unit);
	return 0;
}
