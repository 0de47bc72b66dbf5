/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of elliptic curves, by the provider on the model: runs the vectors of a file
 * (vectors_curves.py tells its lines) and prints how many agreed.
 *
 *     answers-curves FILE
 *
 * A wrong answer ends it with an error, and so does a kind of which there is no vector.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "unit.h"

#define VALUES 6u
#define MOST   256u

static struct unit unit;

struct value {
	uint8_t *data;
	long size;
};

struct vector {
	const char *curve, *digest;
	struct value value[VALUES];
};

/* A key on a curve; without a secret the public part alone.  NULL: refused. */
static EVP_PKEY *ec_key(const char *curve, const struct value *secret, const struct value point[2])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "EC", OURS);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *number = secret ? BN_bin2bn(secret->data, (int)secret->size, NULL) : NULL;
	uint8_t encoded[MOST] = { POINT_CONVERSION_UNCOMPRESSED };
	size_t size = (size_t)point[0].size;
	OSSL_PARAM *params;
	EVP_PKEY *key = NULL;

	memcpy(encoded + 1, point[0].data, size);
	memcpy(encoded + 1 + size, point[1].data, size);
	CHECK(OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0));
	CHECK(OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, encoded,
					       1 + 2 * size));
	if (number)
		CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, number));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params && EVP_PKEY_fromdata_init(context) > 0);
	if (EVP_PKEY_fromdata(context, &key, secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY,
			      params) <= 0)
		key = NULL;
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	BN_free(number);
	EVP_PKEY_CTX_free(context);
	return key;
}

static bool verify(EVP_PKEY *key, const char *digest, struct value text, const uint8_t *bytes,
		   size_t size)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	bool good;

	CHECK(EVP_DigestVerifyInit_ex(context, NULL, digest, unit.library, OURS, key, NULL) > 0);
	good = EVP_DigestVerify(context, bytes, size, text.data, (size_t)text.size) > 0;
	EVP_MD_CTX_free(context);
	return good;
}

static bool ecdsa(const struct vector *vector)
{
	const struct value *value = vector->value;
	EVP_PKEY *key = ec_key(vector->curve, NULL, value);
	ECDSA_SIG *signature = ECDSA_SIG_new();
	uint8_t *der = NULL;
	bool good;
	int size;

	CHECK(ECDSA_SIG_set0(signature, BN_bin2bn(value[2].data, (int)value[2].size, NULL),
			     BN_bin2bn(value[3].data, (int)value[3].size, NULL)));
	size = i2d_ECDSA_SIG(signature, &der);
	CHECK(size > 0);
	good = key && verify(key, vector->digest, value[4], der, (size_t)size);
	OPENSSL_free(der);
	ECDSA_SIG_free(signature);
	EVP_PKEY_free(key);
	return good;
}

static bool derive(EVP_PKEY *key, EVP_PKEY *peer, struct value shared)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, OURS);
	uint8_t out[MOST];
	size_t size = sizeof(out);
	bool good;

	CHECK(key && peer && EVP_PKEY_derive_init(context) > 0);
	CHECK(EVP_PKEY_derive_set_peer(context, peer) > 0);
	good = EVP_PKEY_derive(context, out, &size) > 0 && size == (size_t)shared.size &&
	       memcmp(out, shared.data, size) == 0;
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
	EVP_PKEY_free(peer);
	return good;
}

static bool ecdh(const struct vector *vector)
{
	const struct value *value = vector->value;

	return derive(ec_key(vector->curve, &value[0], &value[1]),
		      ec_key(vector->curve, NULL, &value[3]), value[5]);
}

static bool point(const struct vector *vector)
{
	EVP_PKEY *key = ec_key(vector->curve, NULL, vector->value);

	EVP_PKEY_free(key);
	return key != NULL;
}

static EVP_PKEY *raw_secret(const char *type, struct value value)
{
	return EVP_PKEY_new_raw_private_key_ex(unit.library, type, OURS, value.data,
					       (size_t)value.size);
}

static EVP_PKEY *raw_public(const char *type, struct value value)
{
	return EVP_PKEY_new_raw_public_key_ex(unit.library, type, OURS, value.data,
					      (size_t)value.size);
}

static bool x25519(const struct vector *vector)
{
	const struct value *value = vector->value;

	return derive(raw_secret("X25519", value[0]), raw_public("X25519", value[1]), value[2]);
}

static bool ed25519(const struct vector *vector)
{
	const struct value *value = vector->value;
	EVP_PKEY *key = raw_secret("ED25519", value[0]);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[64];
	size_t size = sizeof(out);
	bool good;

	CHECK(EVP_DigestSignInit_ex(context, NULL, NULL, unit.library, OURS, key, NULL) > 0);
	good = EVP_DigestSign(context, out, &size, value[2].data, (size_t)value[2].size) > 0 &&
	       size == (size_t)value[3].size && memcmp(out, value[3].data, size) == 0;
	size = sizeof(out);
	good = good && EVP_PKEY_get_raw_public_key(key, out, &size) > 0 &&
	       memcmp(out, value[1].data, size) == 0;
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
	return good;
}

static bool ed25519_signature(const struct vector *vector)
{
	const struct value *value = vector->value;
	EVP_PKEY *key = raw_public("ED25519", value[0]);
	bool good = verify(key, NULL, value[1], value[2].data, (size_t)value[2].size);

	EVP_PKEY_free(key);
	return good;
}

static struct kind {
	const char *name;
	bool (*run)(const struct vector *vector);
	bool both; /* there are bad ones */
	unsigned agreed[2]; /* bad and good ones */
} kinds[] = {
	{ "ecdsa", ecdsa, true, { 0, 0 } },
	{ "ecdh", ecdh, false, { 0, 0 } },
	{ "point", point, true, { 0, 0 } },
	{ "x25519", x25519, false, { 0, 0 } },
	{ "ed25519", ed25519, false, { 0, 0 } },
	{ "ed25519-signature", ed25519_signature, true, { 0, 0 } },
};

static void run(char *text, unsigned line)
{
	struct vector vector = { .curve = NULL };
	const char *name = strsep(&text, " \n"), *verdict;
	bool good;

	vector.curve = strsep(&text, " \n");
	vector.digest = strsep(&text, " \n");
	verdict = strsep(&text, " \n");
	CHECK(verdict);
	good = strcmp(verdict, "good") == 0;
	for (unsigned i = 0; i < VALUES && text && *text; i++) {
		const char *word = strsep(&text, " \n");

		/* an empty message is none that libcrypto's function takes */
		vector.value[i].data = strcmp(word, "-") == 0
					       ? OPENSSL_zalloc(1)
					       : OPENSSL_hexstr2buf(word, &vector.value[i].size);
		CHECK(vector.value[i].data);
	}
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		if (strcmp(name, kinds[i].name) != 0)
			continue;
		if (kinds[i].run(&vector) != good)
			fprintf(stderr, "line %u: another answer\n", line);
		else
			kinds[i].agreed[good]++;
	}
	ERR_clear_error();
	for (unsigned i = 0; i < VALUES; i++)
		OPENSSL_free(vector.value[i].data);
}

int main(int count, char **arguments)
{
	unsigned lines = 0, agreed = 0;
	char *text = NULL;
	size_t capacity = 0;
	FILE *file;

	CHECK(count == 2 && (file = fopen(arguments[1], "r")));
	unit = unit_open("model", "all=1");
	while (getline(&text, &capacity, file) > 0)
		run(text, ++lines);
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		printf("%s: %u good, %u bad\n", kinds[i].name, kinds[i].agreed[1],
		       kinds[i].agreed[0]);
		CHECK(kinds[i].agreed[1] > 0 && (kinds[i].agreed[0] > 0) == kinds[i].both);
		agreed += kinds[i].agreed[0] + kinds[i].agreed[1];
	}
	CHECK(agreed == lines);
	CHECK(unit_count("ecdsa", UNIT_HARDWARE) > 200 && unit_count("ecdh", UNIT_HARDWARE) > 100);
	CHECK(unit_count("x25519", UNIT_HARDWARE) >= 2 &&
	      unit_count("ed25519", UNIT_HARDWARE) > 1000);
	free(text);
	fclose(file);
	unit_close(&unit);
	return 0;
}
