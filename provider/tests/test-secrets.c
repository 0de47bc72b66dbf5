/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is left of messages in the memory that the provider has from libcrypto: HMAC holds short ones,
 * and what it has held is gone when it has been used, though the context lives on.
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

int main(void)
{
	CHECK(CRYPTO_set_mem_functions(give, change, take));
	held_messages("all=1");
	held_messages("all=1000000"); /* by software */
	return 0;
}
