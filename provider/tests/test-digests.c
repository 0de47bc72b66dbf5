/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hashes and HMAC beside the default provider's: any pieces, copies in mid-message, keys of any
 * length, a new message with the old key; digests that the core has not; the MAC of a TLS record
 * whose length is secret.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <openssl/err.h>
#include <openssl/hmac.h>

#include "unit.h"

#define LONGEST 70000u

static const char *const digests[] = { "SHA1", "SHA224", "SHA256", "SHA384", "SHA512" };

static uint8_t text[LONGEST];

static size_t any_size(void)
{
	static const unsigned limits[] = { 20, 200, 2000, 20000, LONGEST };

	return unit_random(limits[unit_random(COUNT(limits))]);
}

/* ---- hashes ---- */

static void same_descriptions(const EVP_MD *a, const EVP_MD *b)
{
	CHECK(EVP_MD_get_size(a) == EVP_MD_get_size(b));
	CHECK(EVP_MD_get_block_size(a) == EVP_MD_get_block_size(b));
	CHECK(EVP_MD_get_flags(a) == EVP_MD_get_flags(b));
	CHECK(EVP_MD_get_type(a) == EVP_MD_get_type(b));
}

static void hash_in_pieces(EVP_MD *algorithm, EVP_MD_CTX **context, size_t size, uint8_t *out)
{
	size_t done = 0;
	unsigned got;

	CHECK(EVP_DigestInit_ex2(*context, algorithm, NULL));
	while (done < size) {
		size_t part = 1 + unit_random((unsigned)(size - done));

		CHECK(EVP_DigestUpdate(*context, text + done, part));
		done += part;
		if (unit_random(4) == 0) {
			EVP_MD_CTX *copy = EVP_MD_CTX_new();

			CHECK(EVP_MD_CTX_copy_ex(copy, *context));
			EVP_MD_CTX_free(*context);
			*context = copy;
		}
	}
	CHECK(EVP_DigestFinal_ex(*context, out, &got));
	CHECK(got == (unsigned)EVP_MD_get_size(algorithm));
}

static void hashes(struct unit *unit, const char *name)
{
	EVP_MD *ours = EVP_MD_fetch(unit->library, name, OURS);
	EVP_MD *theirs = EVP_MD_fetch(unit->library, name, THEIRS);
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(ours && theirs && context);
	same_descriptions(ours, theirs);
	for (unsigned round = 0; round < 40; round++) {
		uint8_t here[EVP_MAX_MD_SIZE], there[EVP_MAX_MD_SIZE];
		size_t size = any_size();

		unit_fill(text, size);
		CHECK(EVP_Digest(text, size, there, NULL, theirs, NULL));
		hash_in_pieces(ours, &context, size, here);
		CHECK(memcmp(here, there, (size_t)EVP_MD_get_size(theirs)) == 0);
	}
	EVP_MD_CTX_free(context);
	EVP_MD_free(ours);
	EVP_MD_free(theirs);
}

/* ---- MACs ---- */

static size_t mac(EVP_MAC_CTX **context, const uint8_t *key, size_t key_size,
		  const OSSL_PARAM *params, size_t size, uint8_t *out)
{
	size_t done = 0, got;

	CHECK(EVP_MAC_init(*context, key, key_size, params));
	while (done < size) {
		size_t part = 1 + unit_random((unsigned)(size - done));

		CHECK(EVP_MAC_update(*context, text + done, part));
		done += part;
		if (unit_random(4) == 0) {
			EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(*context);

			CHECK(copy);
			EVP_MAC_CTX_free(*context);
			*context = copy;
		}
	}
	CHECK(EVP_MAC_final(*context, out, &got, EVP_MAX_MD_SIZE));
	CHECK(got == EVP_MAC_CTX_get_mac_size(*context));
	return got;
}

/* `fixed` is the size of CMAC's key; 0 means HMAC and keys of any size */
static void macs(struct unit *unit, const char *name, const char *under, size_t fixed)
{
	const char *which = fixed ? OSSL_MAC_PARAM_CIPHER : OSSL_MAC_PARAM_DIGEST;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(which, (char *)under, 0),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, THEIRS, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm[2] = { EVP_MAC_fetch(unit->library, name, OURS),
				  EVP_MAC_fetch(unit->library, name, THEIRS) };
	EVP_MAC_CTX *context[2];

	for (unsigned i = 0; i < 2; i++)
		CHECK(algorithm[i] && (context[i] = EVP_MAC_CTX_new(algorithm[i])));
	for (unsigned round = 0; round < 40; round++) {
		uint8_t key[300], out[2][EVP_MAX_MD_SIZE];
		bool new_key = round == 0 || unit_random(3) > 0;
		size_t size = any_size(), got[2];
		size_t key_size = fixed ? fixed : unit_random(sizeof(key));

		unit_fill(text, size);
		unit_fill(key, sizeof(key));
		/* names have their ends: programs leave their sizes out */
		params[0].data_size = round % 2 ? strlen(under) : 0;
		for (unsigned i = 0; i < 2; i++)
			got[i] = mac(&context[i], new_key ? key : NULL, new_key ? key_size : 0,
				     new_key ? params : NULL, size, out[i]);
		CHECK(got[0] == got[1] && memcmp(out[0], out[1], got[0]) == 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		EVP_MAC_CTX_free(context[i]);
		EVP_MAC_free(algorithm[i]);
	}
}

/* As libssl calls it for a record with CBC: head, then all data of which some count */
static void records(struct unit *unit)
{
	const unsigned long long unfit = unit_count("hmac", UNIT_UNFIT);

	for (size_t padding = 0; padding < 256; padding += 15) {
		uint8_t key[20] = { 3 }, head[13] = { 0 }, out[2][EVP_MAX_MD_SIZE];
		const size_t real = 300, all = real + 20 + padding + 1;
		size_t room = all, got;

		head[11] = (uint8_t)(real >> 8);
		head[12] = (uint8_t)real;
		for (unsigned i = 0; i < 2; i++) {
			EVP_MAC *algorithm = EVP_MAC_fetch(unit->library, "HMAC",
							   i ? THEIRS : OURS);
			EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
			OSSL_PARAM params[] = {
				OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA1", 0),
				OSSL_PARAM_construct_end(),
			};
			OSSL_PARAM size[] = {
				OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_TLS_DATA_SIZE, &room),
				OSSL_PARAM_construct_end(),
			};

			CHECK(EVP_MAC_init(context, key, sizeof(key), params));
			CHECK(EVP_MAC_CTX_set_params(context, size));
			CHECK(EVP_MAC_update(context, head, sizeof(head)));
			CHECK(EVP_MAC_update(context, text, real));
			CHECK(EVP_MAC_final(context, out[i], &got, EVP_MAX_MD_SIZE) && got == 20);
			EVP_MAC_CTX_free(context);
			EVP_MAC_free(algorithm);
		}
		CHECK(memcmp(out[0], out[1], 20) == 0);
	}
	CHECK(unit_count("hmac", UNIT_UNFIT) == unfit + 18);
}

/* As OpenVPN: digest and key come along with each message, mostly those of the one before */
static void again_and_again(struct unit *unit)
{
	static const char *const names[] = {
		"SHA256", "SHA256", "SHA1", "SHA512", "MD5", "SHA512"
	};
	EVP_MAC *algorithm[2] = { EVP_MAC_fetch(unit->library, "HMAC", OURS),
				  EVP_MAC_fetch(unit->library, "HMAC", THEIRS) };
	EVP_MAC_CTX *context[2];
	uint8_t key[32];

	for (unsigned i = 0; i < 2; i++)
		CHECK(algorithm[i] && (context[i] = EVP_MAC_CTX_new(algorithm[i])));
	for (unsigned round = 0; round < 60; round++) {
		uint8_t out[2][EVP_MAX_MD_SIZE];
		const bool by_param = round % 5 == 4;
		OSSL_PARAM params[] = {
			OSSL_PARAM_construct_utf8_string(
				OSSL_MAC_PARAM_DIGEST, (char *)names[round / 2 % COUNT(names)], 0),
			by_param ? OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, 32)
				 : OSSL_PARAM_construct_end(),
			OSSL_PARAM_construct_end(),
		};
		size_t size = any_size(), got[2];

		unit_fill(text, size);
		if (round % 7 == 0)
			unit_fill(key, sizeof(key));
		for (unsigned i = 0; i < 2; i++)
			got[i] = mac(&context[i], by_param ? NULL : key, by_param ? 0 : 32, params,
				     size, out[i]);
		CHECK(got[0] == got[1] && memcmp(out[0], out[1], got[0]) == 0);
	}
	for (unsigned i = 0; i < 2; i++) {
		EVP_MAC_CTX_free(context[i]);
		EVP_MAC_free(algorithm[i]);
	}
}

/* A digest is taken, and the key beside it is none: what follows must not be of the two mixed */
static void settings_refused_in_their_midst(struct unit *unit)
{
	OSSL_PARAM good[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_end(),
	};
	OSSL_PARAM bad[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA512", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_KEY, "no bytes", 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm = EVP_MAC_fetch(unit->library, "HMAC", OURS);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
	uint8_t key[16] = { 1 }, out[EVP_MAX_MD_SIZE], expected[EVP_MAX_MD_SIZE];
	size_t got;

	CHECK(EVP_MAC_init(context, key, sizeof(key), good));
	CHECK(!EVP_MAC_CTX_set_params(context, bad));
	CHECK(!EVP_MAC_update(context, text, 100));
	CHECK(EVP_MAC_init(context, key, sizeof(key), bad) == 0);
	bad[1] = OSSL_PARAM_construct_end();
	CHECK(EVP_MAC_init(context, key, sizeof(key), bad));
	CHECK(EVP_MAC_update(context, text, 100));
	CHECK(EVP_MAC_final(context, out, &got, sizeof(out)) && got == 64);
	CHECK(HMAC(EVP_sha512(), key, sizeof(key), text, 100, expected, NULL));
	CHECK(memcmp(out, expected, 64) == 0);
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
	ERR_clear_error();
}

/* A short message is one request of the core, in however many pieces it comes */
static void one_request_a_message(struct unit *unit)
{
	const unsigned long long before = unit_count("hmac", UNIT_HARDWARE);
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm = EVP_MAC_fetch(unit->library, "HMAC", OURS);
	EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
	uint8_t key[16] = { 2 }, out[EVP_MAX_MD_SIZE];

	for (unsigned i = 0; i < 10; i++)
		CHECK(mac(&context, key, sizeof(key), params, 1408, out) == 32);
	CHECK(unit_count("hmac", UNIT_HARDWARE) == before + 10);
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
}

static void short_messages(void)
{
	struct unit unit = unit_open("model:hash=on", "all=1");

	one_request_a_message(&unit);
	again_and_again(&unit);
	settings_refused_in_their_midst(&unit);
	unit_close(&unit);
}

/* More than a descriptor of the core can have, which is 24 bits, at once and behind a first piece */
static void longer_than_a_descriptor(void)
{
	const size_t size = (1u << 24) + 4321;
	struct unit unit = unit_open("model:hash=on", "all=1");
	uint8_t *bytes = OPENSSL_zalloc(size), out[2][EVP_MAX_MD_SIZE];
	const char *const whose[] = { OURS, THEIRS };

	CHECK(bytes);
	for (size_t at = 0; at < size; at += 997)
		bytes[at] = (uint8_t)(at >> 8);
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD *algorithm = EVP_MD_fetch(unit.library, "SHA256", whose[i]);
		EVP_MD_CTX *context = EVP_MD_CTX_new();

		CHECK(EVP_Digest(bytes, size, out[i], NULL, algorithm, NULL));
		CHECK(EVP_DigestInit_ex2(context, algorithm, NULL));
		CHECK(EVP_DigestUpdate(context, bytes, 17));
		CHECK(EVP_DigestUpdate(context, bytes + 17, size - 17));
		CHECK(EVP_DigestFinal_ex(context, out[i] + 32, NULL));
		CHECK(memcmp(out[i], out[i] + 32, 32) == 0);
		CHECK(EVP_Q_mac(unit.library, "HMAC", whose[i], "SHA256", NULL, "key", 3, bytes,
				size, out[i] + 32, 32, NULL));
		EVP_MD_CTX_free(context);
		EVP_MD_free(algorithm);
	}
	CHECK(memcmp(out[0], out[1], 64) == 0);
	CHECK(unit_count("digest", UNIT_HARDWARE) > 0 && unit_count("hmac", UNIT_HARDWARE) > 0);
	OPENSSL_free(bytes);
	unit_close(&unit);
}

/* HMAC alone is offered then: symmetric/hmac.c says why */
static void without_a_hash_core(void)
{
	struct unit unit = unit_open("model:hash=off", "all=1");

	CHECK(!EVP_MD_fetch(unit.library, "SHA256", OURS));
	ERR_clear_error();
	macs(&unit, "HMAC", "SHA256", 0);
	again_and_again(&unit);
	records(&unit);
	settings_refused_in_their_midst(&unit);
	CHECK(unit_count("hmac", UNIT_HARDWARE) == 0);
	unit_close(&unit);
}

static void all(const char *device, const char *thresholds, bool core)
{
	struct unit unit = unit_open(device, thresholds);

	for (unsigned i = 0; i < COUNT(digests); i++) {
		hashes(&unit, digests[i]);
		macs(&unit, "HMAC", digests[i], 0);
	}
	macs(&unit, "HMAC", "MD5", 0);
	macs(&unit, "HMAC", "SHA3-256", 0);
	macs(&unit, "HMAC", "SHA512-256", 0);
	macs(&unit, "CMAC", "AES-128-CBC", 16);
	macs(&unit, "CMAC", "AES192", 24);
	macs(&unit, "CMAC", "AES-256-CBC", 32);
	macs(&unit, "CMAC", "CAMELLIA-128-CBC", 16);
	records(&unit);
	CHECK((unit_count("cmac", UNIT_HARDWARE) > 0) == core);
	CHECK((unit_count("digest", UNIT_HARDWARE) > 0) == core);
	CHECK((unit_count("hmac", UNIT_HARDWARE) > 0) == core);
	unit_close(&unit);
}

int main(void)
{
	short_messages();
	longer_than_a_descriptor();
	without_a_hash_core();
	all("model:hash=on", "all=1", true);
	all("model:hash=on", "all=500", true);
	all("model:hash=on", "all=1000000", false);
	all("model:hash=on,faults=dma-error:rate=5", "all=1", true);
	return 0;
}
