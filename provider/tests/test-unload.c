/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that unload the provider while their threads sign and seal, and programs that never unload it. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define THREADS 4u
#define ROUNDS  12u
#define SIZE    3000u

/* A core that takes its time */
#define TIMED "model:hash=on,pk_multipliers=16"

static struct unit unit;
static EVP_PKEY *keys[2]; /* ours, theirs: the same */
static EVP_CIPHER *ciphers[2];
static atomic_uint under_way;

static void seal(EVP_CIPHER *cipher, const uint8_t *text, uint8_t *out)
{
	static const uint8_t key[32] = { 3 }, iv[16] = { 4 };
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got;

	CHECK(EVP_EncryptInit_ex2(context, cipher, key, iv, NULL));
	CHECK(EVP_EncryptUpdate(context, out, &got, text, SIZE) && got == SIZE);
	EVP_CIPHER_CTX_free(context);
}

/* RSA's padding is always the same here, and so is the signature */
static size_t sign(unsigned which, const uint8_t *text, uint8_t *out)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, keys[which], NULL);
	size_t size = 256;

	CHECK(context && EVP_PKEY_sign_init(context) > 0);
	CHECK(EVP_PKEY_sign(context, out, &size, text, 32) > 0);
	EVP_PKEY_CTX_free(context);
	return size;
}

static void *work(void *argument)
{
	uint8_t text[SIZE], here[SIZE], there[SIZE];

	memset(text, (int)(size_t)argument, sizeof(text));
	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t size = sign(0, text, here);

		CHECK(size == sign(1, text, there) && memcmp(here, there, size) == 0);
		seal(ciphers[0], text, here);
		seal(ciphers[1], text, there);
		CHECK(memcmp(here, there, SIZE) == 0);
		atomic_fetch_add(&under_way, 1);
		text[0]++;
	}
	return NULL;
}

static void begin(pthread_t threads[THREADS])
{
	unit = unit_open(TIMED, "all=1");
	keys[1] = unit_rsa(&unit, 2048);
	keys[0] = unit_key(&unit, keys[1], OURS);
	for (unsigned i = 0; i < 2; i++) {
		ciphers[i] = EVP_CIPHER_fetch(unit.library, "AES-256-CTR", WHOSE(!i));
		CHECK(ciphers[i]);
	}
	for (size_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, (void *)(i + 1)) == 0);
	while (atomic_load(&under_way) < THREADS)
		usleep(1000);
}

/* Of `unit`, whose provider is unloaded */
static void close_rest(void)
{
	OSSL_PROVIDER_unload(unit.software);
	OSSL_LIB_CTX_free(unit.library);
	unit_forget();
}

static void unloaded_at_rest(void)
{
	unit = unit_open(TIMED, "all=1");
	CHECK(OSSL_PROVIDER_unload(unit.firesteel));
	CHECK(!EVP_CIPHER_fetch(unit.library, "AES-128-CTR", OURS));
	close_rest();
}

/* What they hold keeps it: a cipher goes on with the core, and keys go to software */
static void unloaded_amid_work(void)
{
	pthread_t threads[THREADS];
	unsigned long long before;

	begin(threads);
	CHECK(OSSL_PROVIDER_unload(unit.firesteel));
	before = unit_count("ctr", UNIT_HARDWARE);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	/* Its algorithms may still be there: if a thread looks for one meanwhile, OpenSSL keeps it */
	CHECK(unit_count("ctr", UNIT_HARDWARE) > before);
	CHECK(unit_count("ctr", UNIT_FAILED) == 0);
	for (unsigned i = 0; i < 2; i++) {
		EVP_PKEY_free(keys[i]);
		EVP_CIPHER_free(ciphers[i]);
	}
	close_rest();
}

static void *seal_once(void *argument)
{
	static const uint8_t text[SIZE];
	uint8_t out[SIZE];

	seal(ciphers[0], text, out);
	return argument;
}

/* OpenSSL cleans up by itself when the process exits, up to 3.6; or as it is told; or never */
static void never_unloaded(bool cleans_up)
{
	pid_t child = fork();
	pthread_t thread;
	int status;

	if (child == 0) {
		unit = unit_open(TIMED, "all=1");
		ciphers[0] = EVP_CIPHER_fetch(unit.library, "AES-256-CTR", OURS);
		CHECK(ciphers[0]);
		CHECK(pthread_create(&thread, NULL, seal_once, NULL) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
		if (cleans_up)
			OPENSSL_cleanup();
		exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	unit_count_in(child);
	CHECK(unit_count("ctr", UNIT_HARDWARE) == 1);
	unit_forget();
}

int main(void)
{
	never_unloaded(false);
	never_unloaded(true);
	unloaded_at_rest();
	unloaded_amid_work();
	return 0;
}
