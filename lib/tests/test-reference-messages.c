/* SPDX-License-Identifier: Apache-2.0 */
/* Symmetric requests of random sizes, up to more than a slot holds: libcrypto agrees. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define LARGEST 200000u

static struct firesteel *device;
static uint8_t input[LARGEST], expected[LARGEST], found[LARGEST], tag[64], expected_tag[64];
static uint8_t key[64], iv[16], aad[20000];

static const struct mode {
	enum firesteel_mode mode;
	const char *name;
	size_t iv;
	bool blocks;
	bool aead;
} modes[] = {
	{ FIRESTEEL_ECB, "ECB", 0, true, false },   { FIRESTEEL_CBC, "CBC-CTS", 16, false, false },
	{ FIRESTEEL_CTR, "CTR", 16, false, false }, { FIRESTEEL_CFB, "CFB", 16, false, false },
	{ FIRESTEEL_OFB, "OFB", 16, false, false }, { FIRESTEEL_XTS, "XTS", 16, false, false },
	{ FIRESTEEL_GCM, "GCM", 12, false, true },  { FIRESTEEL_CCM, "CCM", 12, false, true },
};

static size_t random_size(unsigned round)
{
	size_t size = 17 + (size_t)rand() % (round % 4 == 0 ? LARGEST - 17 : 3000);

	return size;
}

/* ---- libcrypto ---- */

static void encrypt(const struct mode *mode, size_t key_size, size_t size, size_t aad_size)
{
	char stealing[] = "CS2", name[32];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, stealing, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher;
	int length;

	snprintf(name, sizeof(name), "AES-%zu-%s", 8 * key_size, mode->name);
	cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	assert_non_null(cipher);
	EVP_EncryptInit_ex2(context, cipher, NULL, NULL,
			    mode->mode == FIRESTEEL_CBC ? params : NULL);
	if (mode->mode == FIRESTEEL_CCM) {
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL);
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL);
	}
	assert_int_equal(EVP_EncryptInit_ex2(context, NULL, key, iv, NULL), 1);
	EVP_CIPHER_CTX_set_padding(context, 0);
	if (mode->mode == FIRESTEEL_CCM)
		EVP_EncryptUpdate(context, NULL, &length, NULL, (int)size);
	if (aad_size > 0)
		EVP_EncryptUpdate(context, NULL, &length, aad, (int)aad_size);
	assert_int_equal(EVP_EncryptUpdate(context, expected, &length, input, (int)size), 1);
	EVP_EncryptFinal_ex(context, expected + length, &length);
	if (mode->aead)
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, expected_tag);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

/* ---- both ways ---- */

static struct firesteel_request request_of(const struct mode *mode, size_t key_size, size_t size,
					   size_t aad_size)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = {
			.mode = mode->mode,
			.key = PART(key, mode->mode == FIRESTEEL_XTS ? 2 * key_size : key_size),
			.iv = PART(iv, mode->iv),
			.aad = PART(aad, aad_size),
			.in = PART(input, size),
			.out = SPACE(found, size),
			.tag = SPACE(tag, mode->aead ? 16 : 0),
			.total = size,
		},
	};
}

static void there_and_back(const struct mode *mode, size_t key_size, size_t size, size_t aad_size)
{
	struct firesteel_request request = request_of(mode, key_size, size, aad_size);

	encrypt(mode, key_size, size, aad_size);
	unit_run(device, &request, FIRESTEEL_OK);
	assert_memory_equal(found, expected, size);
	assert_memory_equal(tag, expected_tag, mode->aead ? 16 : 0);
	/* and in place */
	request.cipher.decrypt = true;
	request.cipher.in.data = found;
	request.cipher.tag.size = 0;
	request.cipher.expected = PART(tag, mode->aead ? 16 : 0);
	unit_run(device, &request, FIRESTEEL_OK);
	assert_memory_equal(found, input, size);
	if (!mode->aead)
		return;
	request.cipher.in.data = expected;
	tag[size % 16] ^= 4;
	unit_run(device, &request, FIRESTEEL_ERROR_TAG);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(found[i], 0);
}

static void ciphers(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(modes); i++) {
		for (unsigned round = 0; round < 8; round++) {
			const struct mode *mode = &modes[i];
			size_t key_size = 16 + 8 * (round % 3);
			size_t size = random_size(round);
			size_t aad_size = mode->aead ? (size_t)rand() % 16384 : 0;

			if (mode->mode == FIRESTEEL_XTS && key_size == 24)
				key_size = 32;
			unit_fill(input, size, round);
			unit_fill(key, sizeof(key), round + 100);
			unit_fill(iv, sizeof(iv), round + 200);
			unit_fill(aad, aad_size, round + 300);
			there_and_back(mode, key_size, mode->blocks ? size / 16 * 16 : size,
				       aad_size);
		}
	}
}

/* Just above and below what a slot holds: what is left at the end must do for stealing */
static void sizes_around_a_slot(void **state)
{
	(void)state;
	unit_fill(input, sizeof(input), 1);
	unit_fill(key, sizeof(key), 2);
	for (unsigned i = 0; i < COUNT(modes); i++)
		for (size_t size = 63488 - 20; size < 63488 + 40; size += modes[i].blocks ? 4 : 1)
			if (size % 16 == 0 || !modes[i].blocks)
				there_and_back(&modes[i], 16, size, 0);
}

/* Too long for a slot, in the cores' memory: without a copy */
static void without_a_copy(void **state)
{
	uint8_t *buffer = firesteel_buffer_new(device, LARGEST);
	struct firesteel_request request = request_of(&modes[6], 32, LARGEST, 100);
	struct firesteel_statistics before, after;

	(void)state;
	assert_non_null(buffer);
	encrypt(&modes[6], 32, LARGEST, 100);
	memcpy(buffer, input, LARGEST);
	request.cipher.in.data = buffer;
	request.cipher.out.data = buffer;
	firesteel_statistics(device, &before);
	unit_run(device, &request, FIRESTEEL_OK);
	firesteel_statistics(device, &after);
	assert_memory_equal(buffer, expected, LARGEST);
	assert_int_equal(after.copied, before.copied);
	assert_int_equal(after.bytes, before.bytes + LARGEST);
	firesteel_buffer_free(device, buffer);
}

static void buffers_run_out_and_come_back(void **state)
{
	struct firesteel_capabilities has;
	uint8_t *all, *one;

	(void)state;
	firesteel_capabilities(device, &has);
	assert_null(firesteel_buffer_new(device, has.pool_bytes + 1));
	assert_null(firesteel_buffer_new(device, 0));
	one = firesteel_buffer_new(device, 1);
	assert_non_null(one);
	assert_int_equal((uintptr_t)one % 64, 0);
	assert_null(firesteel_buffer_new(device, has.pool_bytes));
	*one = 0x55;
	firesteel_buffer_free(device, one);
	all = firesteel_buffer_new(device, has.pool_bytes);
	assert_ptr_equal(all, one);
	assert_int_equal(*all, 0); /* what was in it is gone */
	firesteel_buffer_free(device, all);
	firesteel_buffer_free(device, NULL);
	firesteel_buffer_free(device, all + 1);
}

/* ---- hashes ---- */

static const struct {
	enum firesteel_digest algorithm;
	const char *name;
} digests[] = {
	{ FIRESTEEL_SHA1, "SHA1" },     { FIRESTEEL_SHA224, "SHA224" },
	{ FIRESTEEL_SHA256, "SHA256" }, { FIRESTEEL_SHA384, "SHA384" },
	{ FIRESTEEL_SHA512, "SHA512" },
};

static void expect_digest(const EVP_MD *md, size_t size, size_t key_size, bool hmac)
{
	if (hmac)
		assert_non_null(HMAC(md, aad, (int)key_size, input, size, expected_tag, NULL));
	else
		EVP_Digest(input, size, expected_tag, NULL, md, NULL);
	assert_memory_equal(tag, expected_tag, (size_t)EVP_MD_get_size(md));
	memset(tag, 0, sizeof(tag));
}

static void run_hash(unsigned algorithm, size_t size, size_t key_size, bool hmac)
{
	const EVP_MD *md = EVP_get_digestbyname(digests[algorithm].name);
	struct firesteel_hash_context context = { 0 }, copy;
	struct firesteel_request request = {
		.operation = FIRESTEEL_HASH,
		.hash = { .algorithm = digests[algorithm].algorithm,
			  .hmac = hmac,
			  .key = PART(aad, key_size),
			  .in = PART(input, size),
			  .digest = SPACE(tag, (size_t)EVP_MD_get_size(md)) },
	};
	size_t first = size ? (size_t)rand() % size : 0;

	unit_run(device, &request, FIRESTEEL_OK);
	expect_digest(md, size, key_size, hmac);
	request.hash.context = &context;
	request.hash.more = true;
	request.hash.in.size = first;
	unit_run(device, &request, FIRESTEEL_OK);
	copy = context;
	request.hash.more = false;
	request.hash.in = PART(input + first, size - first);
	unit_run(device, &request, FIRESTEEL_OK);
	expect_digest(md, size, key_size, hmac);
	request.hash.context = &copy;
	unit_run(device, &request, FIRESTEEL_OK);
	expect_digest(md, size, key_size, hmac);
}

static void hashes(void **state)
{
	(void)state;
	for (unsigned algorithm = 0; algorithm < COUNT(digests); algorithm++) {
		for (unsigned round = 0; round < 8; round++) {
			size_t size = random_size(round);

			unit_fill(input, size, round);
			unit_fill(aad, sizeof(aad), round);
			run_hash(algorithm, size, 0, false);
			run_hash(algorithm, size, (size_t)rand() % 300, true);
		}
		for (size_t size = 0; size < 300; size += 11)
			run_hash(algorithm, size, size, size % 2);
	}
}

static int set_up(void **state)
{
	(void)state;
	srand(1);
	device = unit_open("model");
	return 0;
}

/* Results show what the core has written only after a refresh */
static int set_up_incoherent(void **state)
{
	(void)state;
	srand(1);
	device = unit_open("model:coherent=off,zero=on");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	firesteel_close(device);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ciphers),        cmocka_unit_test(sizes_around_a_slot),
		cmocka_unit_test(without_a_copy), cmocka_unit_test(buffers_run_out_and_come_back),
		cmocka_unit_test(hashes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down) +
	       cmocka_run_group_tests(tests, set_up_incoherent, tear_down);
}
