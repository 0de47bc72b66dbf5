/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of secrets in the memory that the provider has from libcrypto: HMAC holds short messages,
 * and what it has held is gone when it has been used, though the context lives on.  Private keys are not in what is
 * given back.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/core_names.h>

#include "unit.h"

/* ---- all blocks of libcrypto's allocator ---- */

struct block {
	struct block *before, *next;
	size_t size;
	size_t unused; /* what follows is aligned like malloc()'s */
};

static struct block all = { &all, &all, 0, 0 };

/* Bytes that no block should have when it is given back, and in how many they were */
#define WATCHED_MAX 256u
static uint8_t watched[2][WATCHED_MAX]; /* both ways round */
static size_t watched_size;
static unsigned given_back;

static void *give(size_t size, const char *file, int line)
{
	struct block *block = calloc(1, sizeof(*block) + size); /* as all of it is looked at */

	(void)file;
	(void)line;
	if (!block || size == 0) {
		free(block);
		return NULL;
	}
	*block = (struct block){ &all, all.next, size, 0 };
	all.next->before = block;
	all.next = block;
	return block + 1;
}

static void take(void *memory, const char *file, int line)
{
	struct block *block;

	(void)file;
	(void)line;
	if (!memory)
		return;
	block = (struct block *)memory - 1;
	for (unsigned i = 0; i < COUNT(watched) && watched_size > 0; i++)
		given_back += memmem(memory, block->size, watched[i], watched_size) != NULL;
	block->before->next = block->next;
	block->next->before = block->before;
	free(block);
}

static void *change(void *memory, size_t size, const char *file, int line)
{
	void *other = give(size, file, line);

	if (memory && other) {
		size_t old = ((struct block *)memory - 1)->size;

		memcpy(other, memory, old < size ? old : size);
	}
	if (other || size == 0)
		take(memory, file, line);
	return other;
}

/* In how many blocks these bytes are */
static unsigned found(const void *bytes, size_t size)
{
	unsigned count = 0;

	for (const struct block *block = all.next; block != &all; block = block->next)
		count += memmem(block + 1, block->size, bytes, size) != NULL;
	return count;
}

/* ---- HMAC ---- */

#define SIZE  3000u
#define LOOKS 200u /* from the beginning: what hashes keep of a message is its last block */

static uint8_t text[SIZE];

static unsigned left(void)
{
	return found(text, LOOKS);
}

static EVP_MAC_CTX *begin(const struct unit *unit, const char *digest)
{
	char name[16];
	OSSL_PARAM params[2];
	EVP_MAC *algorithm = EVP_MAC_fetch(unit->library, "HMAC", OURS);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
	const uint8_t key[16] = { 3 };

	strcpy(name, digest);
	params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, name, 0);
	params[1] = OSSL_PARAM_construct_end();
	CHECK(context && EVP_MAC_init(context, key, sizeof(key), params));
	EVP_MAC_free(algorithm);
	return context;
}

static void held_messages(const char *thresholds)
{
	struct unit unit = unit_open("model:hash=on", thresholds);
	EVP_MAC_CTX *context = begin(&unit, "SHA256");
	uint8_t out[64];
	size_t got;

	for (unsigned round = 0; round < 3; round++) {
		unit_fill(text, SIZE);
		CHECK(left() == 0);
		CHECK(EVP_MAC_update(context, text, SIZE));
		CHECK(left() == 1); /* it is held */
		CHECK(EVP_MAC_final(context, out, &got, sizeof(out)) && got == 32);
		CHECK(left() == 0);
		CHECK(EVP_MAC_init(context, NULL, 0, NULL));
	}
	/* one that is not brought to its end */
	CHECK(EVP_MAC_update(context, text, SIZE) && left() == 1);
	CHECK(EVP_MAC_init(context, NULL, 0, NULL));
	CHECK(left() == 0);
	/* one that gets too long to be held */
	for (unsigned size = 0; size < 8 * SIZE; size += SIZE)
		CHECK(EVP_MAC_update(context, text, SIZE));
	CHECK(left() == 0);
	EVP_MAC_CTX_free(context);
	unit_close(&unit);
}

/* ---- private keys ---- */

/* From now on this number is looked for */
static void watch(const EVP_PKEY *key, const char *name)
{
	uint8_t bytes[WATCHED_MAX];
	OSSL_PARAM params[] = {
		{ name, OSSL_PARAM_UNSIGNED_INTEGER, bytes, sizeof(bytes), OSSL_PARAM_UNMODIFIED },
		OSSL_PARAM_END,
	};
	size_t size = sizeof(bytes);
	BIGNUM *number = NULL;

	if (EVP_PKEY_get_params(key, params)) {
		CHECK(EVP_PKEY_get_bn_param(key, name, &number));
		size = (size_t)BN_bn2bin(number, bytes);
		BN_clear_free(number);
	} else {
		CHECK(EVP_PKEY_get_octet_string_param(key, name, bytes, sizeof(bytes), &size));
	}
	for (size_t i = 0; i < size; i++) {
		watched[0][i] = bytes[i];
		watched[1][size - 1 - i] = bytes[i];
	}
	watched_size = size;
	given_back = 0;
}

static void sign(const struct unit *unit, EVP_PKEY *key)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	const char *digest = EVP_PKEY_is_a(key, "ED25519") ? NULL : "SHA256";
	uint8_t out[512];
	size_t size = sizeof(out);

	CHECK(EVP_DigestSignInit_ex(context, NULL, digest, unit->library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, out, &size, text, SIZE) > 0);
	EVP_MD_CTX_free(context);
}

static void use(const struct unit *unit, EVP_PKEY *key)
{
	uint8_t out[512];

	if (EVP_PKEY_can_sign(key))
		sign(unit, key);
	else
		CHECK(unit_derive(unit, key, OURS, key, NULL, sizeof(out), out) > 0);
}

/* A key is imported, used by the core, copied and freed; when another one has led to the core's trial */
static void private_key(const struct unit *unit, EVP_PKEY *theirs, const char *name,
			const char *work)
{
	EVP_PKEY *first = unit_key(unit, theirs, OURS), *key = unit_key(unit, theirs, OURS), *copy;

	use(unit, first);
	EVP_PKEY_free(first);
	watch(theirs, name);
	use(unit, key);
	copy = EVP_PKEY_dup(key);
	CHECK(copy && unit_count(work, UNIT_HARDWARE) > 0);
	EVP_PKEY_free(copy);
	EVP_PKEY_free(key);
	CHECK(given_back == 0);
	watched_size = 0;
	EVP_PKEY_free(theirs);
}

static void private_keys(void)
{
	struct unit unit = unit_open("model", "all=1");

	private_key(&unit, unit_generate(&unit, "X25519", NULL, THEIRS), "priv", "x25519");
	private_key(&unit, unit_generate(&unit, "ED25519", NULL, THEIRS), "priv", "ed25519");
	private_key(&unit, unit_generate(&unit, "EC", "P-256", THEIRS), "priv", "ecdsa");
	private_key(&unit, unit_generate(&unit, "DH", "ffdhe2048", THEIRS), "priv", "dh");
	private_key(&unit, unit_rsa(&unit, 1024), "rsa-factor1", "rsa");
	private_key(&unit, unit_rsa(&unit, 1024), "rsa-exponent1", "rsa");
	unit_close(&unit);
}

int main(void)
{
	CHECK(CRYPTO_set_mem_functions(give, change, take));
	held_messages("all=1");
	held_messages("all=1000000"); /* by software */
	private_keys();
	return 0;
}
