/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of RSA with padding, by the provider on the model: runs the vectors of a file
 * (vectors_rsa.py tells its lines) and prints how many agreed.
 *
 *     answers-rsa FILE
 *
 * A wrong answer ends it with an error, and so does a kind of which there is no vector.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "unit.h"

#define PARTS 8u
#define WORDS (5u + PARTS + 2u)
#define MOST  1024u

static struct unit unit;

struct bytes {
	uint8_t *data;
	long size;
};

static EVP_PKEY *read_key(char *const words[PARTS])
{
	static const char *const names[PARTS] = {
		OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
		OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
		OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
		OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
	};
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", OURS);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *numbers[PARTS] = { NULL };
	OSSL_PARAM *params;
	EVP_PKEY *key = NULL;

	for (unsigned i = 0; i < PARTS; i++)
		if (strcmp(words[i], "-") != 0)
			CHECK(BN_hex2bn(&numbers[i], words[i]) &&
			      OSSL_PARAM_BLD_push_BN(builder, names[i], numbers[i]));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params) > 0);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	for (unsigned i = 0; i < PARTS; i++)
		BN_free(numbers[i]);
	EVP_PKEY_CTX_free(context);
	return key;
}

static int padding_of(const char *name)
{
	return strcmp(name, "pss") == 0    ? RSA_PKCS1_PSS_PADDING
	       : strcmp(name, "oaep") == 0 ? RSA_PKCS1_OAEP_PADDING
					   : RSA_PKCS1_PADDING;
}

static bool verify(EVP_PKEY *key, char *const words[], struct bytes text, struct bytes bytes)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY_CTX *parameters;
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, &parameters, words[2], unit.library, OURS, key,
				      NULL) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(parameters, padding_of(words[1])) > 0);
	good = EVP_DigestVerify(context, bytes.data, (size_t)bytes.size, text.data,
				(size_t)text.size) > 0;
	EVP_MD_CTX_free(context);
	return good;
}

static bool sign(EVP_PKEY *key, char *const words[], struct bytes text, struct bytes bytes)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[MOST];
	size_t size = sizeof(out);

	CHECK(EVP_DigestSignInit_ex(context, NULL, words[2], unit.library, OURS, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, out, &size, text.data, (size_t)text.size) > 0);
	EVP_MD_CTX_free(context);
	return size == (size_t)bytes.size && memcmp(out, bytes.data, size) == 0;
}

static bool decrypt(EVP_PKEY *key, char *const words[], struct bytes text, struct bytes bytes)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, OURS);
	uint8_t out[MOST];
	size_t size = sizeof(out);

	CHECK(EVP_PKEY_decrypt_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, padding_of(words[1])) > 0);
	if (strcmp(words[1], "oaep") == 0)
		CHECK(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_get_digestbyname(words[2])) > 0 &&
		      EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_get_digestbyname(words[3])) > 0);
	CHECK(EVP_PKEY_decrypt(context, out, &size, bytes.data, (size_t)bytes.size) > 0);
	EVP_PKEY_CTX_free(context);
	return size == (size_t)text.size && memcmp(out, text.data, size) == 0;
}

static struct kind {
	const char *name;
	bool (*run)(EVP_PKEY *key, char *const words[], struct bytes text, struct bytes bytes);
	unsigned agreed[2]; /* bad and good ones */
} kinds[] = {
	{ "verify", verify, { 0, 0 } },
	{ "sign", sign, { 0, 0 } },
	{ "decrypt", decrypt, { 0, 0 } },
};

static void run(char *const words[WORDS], unsigned line)
{
	EVP_PKEY *key = read_key(words + 5);
	struct bytes text, bytes;
	bool good = strcmp(words[4], "good") == 0;

	text.data = OPENSSL_hexstr2buf(words[5 + PARTS], &text.size);
	bytes.data = OPENSSL_hexstr2buf(words[6 + PARTS], &bytes.size);
	CHECK(text.data && bytes.data);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		if (strcmp(words[0], kinds[i].name) != 0)
			continue;
		if (kinds[i].run(key, words, text, bytes) != good)
			fprintf(stderr, "line %u: another answer\n", line);
		else
			kinds[i].agreed[good]++;
	}
	ERR_clear_error();
	OPENSSL_free(text.data);
	OPENSSL_free(bytes.data);
	EVP_PKEY_free(key);
}

static unsigned all_lines(FILE *file)
{
	size_t capacity = 0;
	char *text = NULL;
	unsigned line = 0;

	while (getline(&text, &capacity, file) > 0) {
		char *words[WORDS], *rest = text;

		line++;
		for (unsigned i = 0; i < WORDS; i++) {
			words[i] = strsep(&rest, " \n");
			CHECK(words[i] && *words[i]);
		}
		run(words, line);
	}
	free(text);
	return line;
}

int main(int count, char **arguments)
{
	unsigned lines, agreed = 0;
	FILE *file;

	CHECK(count == 2 && (file = fopen(arguments[1], "r")));
	unit = unit_open("model", "all=1");
	lines = all_lines(file);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		printf("%s: %u good, %u bad\n", kinds[i].name, kinds[i].agreed[1],
		       kinds[i].agreed[0]);
		CHECK(kinds[i].agreed[1] > 0 && (i > 0 || kinds[i].agreed[0] > 0));
		agreed += kinds[i].agreed[0] + kinds[i].agreed[1];
	}
	CHECK(agreed == lines);
	CHECK(unit_count("rsa", UNIT_HARDWARE) >= lines * 9 / 10);
	fclose(file);
	unit_close(&unit);
	return 0;
}
