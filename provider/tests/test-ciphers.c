/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain modes of AES, ours beside the default provider's, call by call: any pieces, any place,
 * copies in mid-message; all on the core, some of it, and none.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/err.h>

#include "unit.h"

#define LONGEST 70000u

static const char *const stems[] = { "ECB", "CBC", "CTR", "CFB", "OFB" };
static const unsigned bits[] = { 128, 192, 256 };

/* The same message by two implementations */
struct pair {
	EVP_CIPHER *algorithm[2];
	EVP_CIPHER_CTX *context[2];
	uint8_t in[LONGEST], out[2][LONGEST + 64];
};

static struct pair pair;

static void fetch(struct unit *unit, const char *name)
{
	pair.algorithm[0] = EVP_CIPHER_fetch(unit->library, name, OURS);
	pair.algorithm[1] = EVP_CIPHER_fetch(unit->library, name, THEIRS);
	CHECK(pair.algorithm[0] && pair.algorithm[1]);
	for (unsigned i = 0; i < 2; i++)
		CHECK((pair.context[i] = EVP_CIPHER_CTX_new()));
}

static void drop(void)
{
	for (unsigned i = 0; i < 2; i++) {
		EVP_CIPHER_CTX_free(pair.context[i]);
		EVP_CIPHER_free(pair.algorithm[i]);
	}
}

static void same_descriptions(void)
{
	EVP_CIPHER *a = pair.algorithm[0], *b = pair.algorithm[1];

	CHECK(EVP_CIPHER_get_block_size(a) == EVP_CIPHER_get_block_size(b));
	CHECK(EVP_CIPHER_get_iv_length(a) == EVP_CIPHER_get_iv_length(b));
	CHECK(EVP_CIPHER_get_key_length(a) == EVP_CIPHER_get_key_length(b));
	CHECK(EVP_CIPHER_get_mode(a) == EVP_CIPHER_get_mode(b));
	CHECK(EVP_CIPHER_get_flags(a) == EVP_CIPHER_get_flags(b));
	CHECK(EVP_CIPHER_get_nid(a) == EVP_CIPHER_get_nid(b));
}

static void same_ivs(void)
{
	uint8_t iv[2][16] = { { 0 } };
	int size = EVP_CIPHER_CTX_get_iv_length(pair.context[1]);

	CHECK(EVP_CIPHER_CTX_get_iv_length(pair.context[0]) == size);
	if (size == 0)
		return;
	for (unsigned i = 0; i < 2; i++)
		CHECK(EVP_CIPHER_CTX_get_updated_iv(pair.context[i], iv[i], 16));
	CHECK(memcmp(iv[0], iv[1], 16) == 0);
	for (unsigned i = 0; i < 2; i++)
		CHECK(EVP_CIPHER_CTX_get_original_iv(pair.context[i], iv[i], 16));
	CHECK(memcmp(iv[0], iv[1], 16) == 0);
}

static void replace_by_copy(unsigned i)
{
	EVP_CIPHER_CTX *copy = EVP_CIPHER_CTX_new();

	CHECK(copy && EVP_CIPHER_CTX_copy(copy, pair.context[i]));
	EVP_CIPHER_CTX_free(pair.context[i]);
	pair.context[i] = copy;
}

/* One update by both; how many bytes come out */
static int update(uint8_t *const out[2], const uint8_t *const in[2], int size)
{
	int got[2], good[2];

	good[1] = EVP_CipherUpdate(pair.context[1], out[1], &got[1], in[1], size);
	ERR_clear_error();
	good[0] = EVP_CipherUpdate(pair.context[0], out[0], &got[0], in[0], size);
	CHECK(good[0] == good[1]);
	/* libssl would take it for that of a later call */
	CHECK(!good[0] || !ERR_peek_error());
	if (!good[0])
		return -1;
	CHECK(got[0] == got[1] && memcmp(out[0], out[1], (size_t)got[0]) == 0);
	return got[0];
}

/* A message in pieces; how many bytes come out, and less than 0 for an end that is refused */
static int message(size_t size, bool in_place)
{
	size_t done = 0;
	int out = 0, got[2], good[2];

	for (unsigned i = 0; i < 2 && in_place; i++)
		memcpy(pair.out[i], pair.in, size);
	while (done < size) {
		size_t left = size - done, part = 1 + unit_random((unsigned)left);

		if (unit_random(3) == 0 && part > 40)
			part = 1 + unit_random(40);
		uint8_t *to[2] = { pair.out[0] + out, pair.out[1] + out };
		const uint8_t *from[2] = { pair.in + done, pair.in + done };

		if (in_place) {
			from[0] = to[0];
			from[1] = to[1];
		}
		out += update(to, from, (int)part);
		done += part;
		if (unit_random(4) == 0)
			replace_by_copy(0);
		if (unit_random(4) == 0)
			same_ivs();
	}
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_CipherFinal_ex(pair.context[i], pair.out[i] + out, &got[i]);
	CHECK(good[0] == good[1]);
	if (!good[0])
		return -1;
	CHECK(got[0] == got[1]);
	CHECK(memcmp(pair.out[0], pair.out[1], (size_t)(out + got[0])) == 0);
	return out + got[0];
}

static void begin(bool encrypt, bool padding, bool new_key, bool new_iv)
{
	uint8_t key[64], iv[16];

	/* The default provider needs a new key to change its direction */
	if (!new_key)
		encrypt = EVP_CIPHER_CTX_is_encrypting(pair.context[0]);
	unit_fill(key, sizeof(key));
	unit_fill(iv, sizeof(iv));
	for (unsigned i = 0; i < 2; i++) {
		const EVP_CIPHER *algorithm = new_key ? pair.algorithm[i] : NULL;

		CHECK(EVP_CipherInit_ex2(pair.context[i], algorithm, new_key ? key : NULL,
					 new_iv ? iv : NULL, encrypt, NULL));
		CHECK(EVP_CIPHER_CTX_set_padding(pair.context[i], padding));
	}
}

static size_t any_size(void)
{
	static const unsigned limits[] = { 20, 100, 2000, 20000, LONGEST };

	return unit_random(limits[unit_random(COUNT(limits))]);
}

static void streams_and_blocks(struct unit *unit)
{
	char name[32];

	for (unsigned i = 0; i < COUNT(stems) * COUNT(bits); i++) {
		bool stream = i / COUNT(bits) >= 2;

		snprintf(name, sizeof(name), "AES-%u-%s", bits[i % COUNT(bits)],
			 stems[i / COUNT(bits)]);
		fetch(unit, name);
		same_descriptions();
		for (unsigned round = 0; round < 40; round++) {
			bool again = round > 0;

			unit_fill(pair.in, LONGEST);
			begin(unit_random(2), unit_random(2), !again || unit_random(3) == 0,
			      !again || unit_random(3) > 0);
			message(any_size(), stream && unit_random(2));
		}
		drop();
	}
}

/* What was encrypted is decrypted, by padding that is right */
static void there_and_back(struct unit *unit)
{
	static uint8_t text[2000];
	uint8_t key[32], iv[16];

	unit_fill(key, sizeof(key));
	unit_fill(iv, sizeof(iv));
	for (unsigned round = 0; round < 50; round++) {
		size_t size = unit_random(sizeof(text)), crypt;

		fetch(unit, "AES-256-CBC");
		unit_fill(text, size);
		memcpy(pair.in, text, size);
		for (unsigned i = 0; i < 2; i++)
			CHECK(EVP_EncryptInit_ex2(pair.context[i], pair.algorithm[i], key, iv,
						  NULL));
		crypt = (size_t)message(size, false);
		CHECK(crypt == size / 16 * 16 + 16);
		memcpy(pair.in, pair.out[0], crypt);
		for (unsigned i = 0; i < 2; i++)
			CHECK(EVP_DecryptInit_ex2(pair.context[i], NULL, key, iv, NULL));
		CHECK(message(crypt, false) == (int)size);
		CHECK(memcmp(pair.out[0], text, size) == 0);
		drop();
	}
}

/* XTS and CBC-CTS: a message is one update, and too short ones are refused */
static void whole(struct unit *unit, const char *name, const char *stealing)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string("cts_mode", (char *)stealing, 0),
		OSSL_PARAM_construct_end(),
	};

	fetch(unit, name);
	same_descriptions();
	for (unsigned round = 0; round < 60; round++) {
		size_t size = 1 + any_size();
		bool in_place = unit_random(2);
		uint8_t *out[2] = { pair.out[0], pair.out[1] };
		const uint8_t *in[2] = { pair.in, pair.in };

		unit_fill(pair.in, LONGEST);
		begin(unit_random(2), true, round == 0 || unit_random(3) == 0, true);
		for (unsigned i = 0; i < 2; i++) {
			if (*stealing)
				CHECK(EVP_CIPHER_CTX_set_params(pair.context[i], params));
			memcpy(pair.out[i], pair.in, size);
			if (in_place)
				in[i] = pair.out[i];
		}
		CHECK(update(out, in, (int)size) == (size < 16 ? -1 : (int)size));
	}
	drop();
}

static void refusals(struct unit *unit)
{
	uint8_t key[64] = { 0 }, byte[16];
	EVP_CIPHER *xts = EVP_CIPHER_fetch(unit->library, "AES-256-XTS", OURS);
	EVP_CIPHER *cbc = EVP_CIPHER_fetch(unit->library, "AES-256-CBC", OURS);
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got;

	CHECK(xts && cbc && context);
	/* both halves of the key are the same */
	CHECK(!EVP_EncryptInit_ex2(context, xts, key, key, NULL));
	EVP_CIPHER_CTX_reset(context);
	CHECK(EVP_EncryptInit_ex2(context, cbc, NULL, key, NULL));
	CHECK(!EVP_EncryptUpdate(context, byte, &got, key, 16));
	CHECK(!EVP_CIPHER_CTX_set_key_length(context, 24));
	CHECK(EVP_EncryptInit_ex2(context, NULL, key, key, NULL));
	CHECK(EVP_CIPHER_CTX_set_padding(context, 0));
	CHECK(EVP_EncryptUpdate(context, byte, &got, key, 15) && got == 0);
	CHECK(!EVP_EncryptFinal_ex(context, byte, &got));
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cbc);
	EVP_CIPHER_free(xts);
}

static void all(const char *device, const char *thresholds, bool core)
{
	static const char *const works[] = { "ecb", "cbc", "ctr", "cfb", "ofb", "xts", "cts" };
	struct unit unit = unit_open(device, thresholds);

	streams_and_blocks(&unit);
	there_and_back(&unit);
	whole(&unit, "AES-128-XTS", "");
	whole(&unit, "AES-256-XTS", "");
	whole(&unit, "AES-128-CBC-CTS", "CS1");
	whole(&unit, "AES-192-CBC-CTS", "CS2");
	whole(&unit, "AES-256-CBC-CTS", "CS3");
	refusals(&unit);
	for (unsigned i = 0; i < COUNT(works); i++)
		CHECK((unit_count(works[i], UNIT_HARDWARE) > 0) == core);
	unit_close(&unit);
}

int main(void)
{
	all("model", "all=1", true);
	all("model", "all=200", true);
	all("model", "all=1000000", false);
	/* a counter of 32 bits, and no stealing: the rest is software's */
	all("model:aes_counter_bits=32", "all=16", true);
	/* a core that fails now and then: what it does not do is done */
	all("model:faults=dma-error:rate=5", "all=16", true);
	return 0;
}
