/* SPDX-License-Identifier: Apache-2.0 */
/* Digests and MACs: beginnings, pieces and ends in any order, copies, parameters. */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "input.h"

#define STEPS    40u
#define PIECE    700u
#define DIGESTS  5u
#define MAC_TEXT 20u

static uint8_t piece[PIECE];

/* Bytes whose values do not matter much, and their number does */
static size_t take_piece(struct input *in)
{
	size_t size = (take_byte(in) * 3u) % PIECE;

	memset(piece, take_byte(in), size);
	return size;
}

/* ---- digests ---- */

static void copy_digests(EVP_MD_CTX *contexts[2])
{
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD_CTX *copy = EVP_MD_CTX_new();

		demand(copy && EVP_MD_CTX_copy_ex(copy, contexts[i]));
		EVP_MD_CTX_free(contexts[i]);
		contexts[i] = copy;
	}
}

/* false: it is over */
static bool digest_step(struct input *in, EVP_MD_CTX *contexts[2])
{
	uint8_t out[2][EVP_MAX_MD_SIZE] = { { 0 } };
	unsigned got[2] = { 0 };
	int good[2];
	size_t size;

	switch (take_below(in, 6)) {
	case 0:
		for (unsigned i = 0; i < 2; i++)
			good[i] = EVP_DigestFinal_ex(contexts[i], out[i], &got[i]);
		demand(good[0] == good[1] && got[0] == got[1]);
		demand(memcmp(out[0], out[1], sizeof(out[0])) == 0);
		for (unsigned i = 0; i < 2; i++)
			demand(EVP_DigestInit_ex2(contexts[i], NULL, NULL));
		return good[0];
	case 1:
		copy_digests(contexts);
		return true;
	default:
		size = take_piece(in);
		for (unsigned i = 0; i < 2; i++)
			good[i] = EVP_DigestUpdate(contexts[i], piece, size);
		demand(good[0] == good[1]);
		return good[0];
	}
}

void fuzz_digest(struct input *in, OSSL_LIB_CTX *library)
{
	static const char *const names[DIGESTS] = { "SHA1", "SHA224", "SHA256", "SHA384",
						    "SHA512" };
	const char *name = names[take_below(in, DIGESTS)];
	EVP_MD_CTX *contexts[2];

	fuzz_algorithm = name;
	for (unsigned i = 0; i < 2; i++) {
		EVP_MD *digest = EVP_MD_fetch(library, name, i ? THEIRS : OURS);

		contexts[i] = EVP_MD_CTX_new();
		demand(digest && contexts[i] && EVP_DigestInit_ex2(contexts[i], digest, NULL));
		EVP_MD_free(digest);
	}
	for (unsigned i = 0; i < STEPS && in->next < in->end && digest_step(in, contexts); i++)
		;
	for (unsigned i = 0; i < 2; i++)
		EVP_MD_CTX_free(contexts[i]);
}

/* ---- MACs ---- */

/* Up to three parameters: with names and texts that make sense, or do not */
static void take_params(struct input *in, bool cmac, OSSL_PARAM params[4],
			uint8_t data[3][MAC_TEXT])
{
	static const char *const keys[] = { OSSL_MAC_PARAM_DIGEST, OSSL_MAC_PARAM_CIPHER,
					    OSSL_MAC_PARAM_KEY, OSSL_MAC_PARAM_SIZE, "nonsense" };
	static const char *const texts[2][4] = {
		{ "SHA256", "SHA1", "SHA512", "SHA3-256" },
		{ "AES-128-CBC", "AES-256-CBC", "CAMELLIA-128-CBC", "AES-128-GCM" },
	};
	unsigned count = take_below(in, 4);

	for (unsigned i = 0; i < count; i++) {
		unsigned key = take_below(in, 5);

		take_bytes(in, data[i], MAC_TEXT);
		if (key < 2 && data[i][0] < 200) {
			const char *text = texts[cmac][data[i][0] % 4];

			params[i] = OSSL_PARAM_construct_utf8_string(cmac ? OSSL_MAC_PARAM_CIPHER
									  : OSSL_MAC_PARAM_DIGEST,
								     (char *)(uintptr_t)text, 0);
		} else if (key < 2) {
			data[i][MAC_TEXT - 1] = '\0';
			params[i] = OSSL_PARAM_construct_utf8_string(keys[key], (char *)data[i], 0);
		} else {
			params[i] = OSSL_PARAM_construct_octet_string(keys[key], data[i],
								      data[i][0] % MAC_TEXT);
		}
	}
	params[count] = OSSL_PARAM_construct_end();
}

static bool mac_init(struct input *in, EVP_MAC_CTX *contexts[2], bool cmac)
{
	uint8_t data[3][MAC_TEXT], key[200];
	OSSL_PARAM params[4];
	size_t size = take_below(in, 4) ? 16 : take_below(in, sizeof(key));
	bool keyed = take_below(in, 4);
	int good[2];

	take_params(in, cmac, params, data);
	/* With the default provider a new digest or cipher does nothing until there is a new key */
	keyed |= params[0].key != NULL;
	memset(key, take_byte(in), sizeof(key));
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MAC_init(contexts[i], keyed ? key : NULL, keyed ? size : 0, params);
	fuzz_trace("init: key %d, %zu bytes: %d, %d", keyed, size, good[0], good[1]);
	for (unsigned i = 0; params[i].key; i++)
		fuzz_trace("  %s, %zu bytes: %.*s", params[i].key, params[i].data_size,
			   (int)params[i].data_size, (const char *)params[i].data);
	demand(good[0] == good[1]);
	return good[0];
}

static bool mac_final(EVP_MAC_CTX *contexts[2])
{
	uint8_t out[2][EVP_MAX_MD_SIZE] = { { 0 } };
	size_t got[2] = { 0 };
	int good[2];

	demand(EVP_MAC_CTX_get_mac_size(contexts[0]) == EVP_MAC_CTX_get_mac_size(contexts[1]));
	for (unsigned i = 0; i < 2; i++)
		good[i] = EVP_MAC_final(contexts[i], out[i], &got[i], sizeof(out[i]));
	demand(good[0] == good[1]);
	demand(!good[0] || (got[0] == got[1] && memcmp(out[0], out[1], got[0]) == 0));
	return good[0];
}

/* false: it is over */
static bool mac_step(struct input *in, EVP_MAC_CTX *contexts[2], bool cmac, bool *begun)
{
	size_t size;
	int good[2];

	switch (*begun ? take_below(in, 8) : 0) {
	case 0:
		*begun = true;
		return mac_init(in, contexts, cmac);
	case 1:
		*begun = false;
		return mac_final(contexts);
	case 2:
		for (unsigned i = 0; i < 2; i++) {
			EVP_MAC_CTX *copy = EVP_MAC_CTX_dup(contexts[i]);

			demand(copy != NULL);
			EVP_MAC_CTX_free(contexts[i]);
			contexts[i] = copy;
		}
		return true;
	default:
		size = take_piece(in);
		for (unsigned i = 0; i < 2; i++)
			good[i] = EVP_MAC_update(contexts[i], piece, size);
		demand(good[0] == good[1]);
		return good[0];
	}
}

void fuzz_mac(struct input *in, OSSL_LIB_CTX *library)
{
	bool cmac = take_below(in, 2), begun = false;
	EVP_MAC_CTX *contexts[2];

	fuzz_algorithm = cmac ? "CMAC" : "HMAC";
	for (unsigned i = 0; i < 2; i++) {
		EVP_MAC *mac = EVP_MAC_fetch(library, cmac ? "CMAC" : "HMAC", i ? THEIRS : OURS);

		contexts[i] = mac ? EVP_MAC_CTX_new(mac) : NULL;
		demand(contexts[i] != NULL);
		EVP_MAC_free(mac);
	}
	for (unsigned i = 0;
	     i < STEPS && in->next < in->end && mac_step(in, contexts, cmac, &begun); i++)
		;
	for (unsigned i = 0; i < 2; i++)
		EVP_MAC_CTX_free(contexts[i]);
}
