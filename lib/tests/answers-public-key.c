/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known answers of public-key requests: runs the vectors of a file through the library and prints
 * how many agreed.  Lines are those of model/tests/vectors_public_key.py, of which some are for
 * the core alone and are left out, and those of vectors_ed25519.py.
 *
 *     answers-public-key FILE
 *
 * A wrong answer ends it with an error, and so does a kind of which there is no vector.
 */
#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#define VALUES  12u
#define LARGEST 2048u

struct vector {
	const char *name;
	size_t size;
	bool good;
	struct firesteel_bytes value[VALUES];
	unsigned values;
};

struct kind {
	const char *name;
	void (*run)(struct vector *vector);
	unsigned values;
	bool refuses; /* there are bad ones, too */
	unsigned agreed[2];
};

static const char *path;
static unsigned line_number;
static struct firesteel *device;
static uint8_t one[LARGEST], two[LARGEST];

static void wrong(const struct vector *vector, const char *what)
{
	fail_msg("%s:%u: %s: %s", path, line_number, vector->name, what);
}

/* ---- results ---- */

static void run(struct vector *vector, const struct firesteel_request *request, int bad)
{
	int error = firesteel_run(device, request);

	if (error != (vector->good ? FIRESTEEL_OK : bad))
		wrong(vector, firesteel_error_text(error));
}

static void expect(struct vector *vector, const uint8_t *found, size_t size, unsigned value)
{
	BIGNUM *a = BN_bin2bn(found, (int)size, NULL);
	BIGNUM *b = BN_bin2bn(vector->value[value].data, (int)vector->value[value].size, NULL);

	if (vector->good && BN_cmp(a, b) != 0)
		wrong(vector, "wrong result");
	BN_free(a);
	BN_free(b);
}

static struct firesteel_curve curve(const struct vector *vector)
{
	const size_t size = vector->size;

	return (struct firesteel_curve){ size == 24   ? FIRESTEEL_P192
					 : size == 32 ? FIRESTEEL_P256
					 : size == 48 ? FIRESTEEL_P384
						      : FIRESTEEL_P521,
					 NULL };
}

/* ---- kinds: values as vectors_public_key.py orders them ---- */

static void rsa_public(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run(vector,
	    &(struct firesteel_request){
		    .operation = FIRESTEEL_RSA_PUBLIC,
		    .rsa_public = { .modulus = v[0],
				    .input = v[1],
				    .exponent = v[2],
				    .result = { one, vector->size } },
	    },
	    FIRESTEEL_OK);
	expect(vector, one, vector->size, 3);
}

/* Both ways: with countermeasures, and without */
static void run_both(struct vector *vector, struct firesteel_request request, unsigned result)
{
	run(vector, &request, FIRESTEEL_OK);
	expect(vector, one, vector->size, result);
	request.flags = FIRESTEEL_UNPROTECTED;
	run(vector, &request, FIRESTEEL_OK);
	expect(vector, one, vector->size, result);
}

static void rsa_crt(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;
	uint8_t modulus[LARGEST];
	BIGNUM *p = BN_bin2bn(v[0].data, (int)v[0].size, NULL);
	BIGNUM *q = BN_bin2bn(v[1].data, (int)v[1].size, NULL);
	BN_CTX *context = BN_CTX_new();

	BN_mul(p, p, q, context);
	BN_bn2binpad(p, modulus, (int)vector->size);
	BN_CTX_free(context);
	BN_free(p);
	BN_free(q);
	run_both(vector,
		 (struct firesteel_request){
			 .operation = FIRESTEEL_RSA_CRT,
			 .rsa_crt = { .p = v[0],
				      .q = v[1],
				      .input = v[2],
				      .dp = v[3],
				      .dq = v[4],
				      .qinv = v[5],
				      .modulus = { modulus, vector->size },
				      .result = { one, vector->size } },
		 },
		 6);
}

static void rsa_private(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;
	struct firesteel_request request = {
		.operation = FIRESTEEL_RSA_PRIVATE,
		.rsa_private = { .modulus = v[0],
				 .lambda = v[1],
				 .input = v[2],
				 .secret = v[3],
				 .result = { one, vector->size } },
	};

	run_both(vector, request, 4);
	request.rsa_private.lambda.size = 0;
	run_both(vector, request, 4);
}

static void dh(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run_both(vector,
		 (struct firesteel_request){
			 .operation = FIRESTEEL_DH,
			 .dh = { .prime = v[0],
				 .peer = v[1],
				 .secret = v[2],
				 .result = { one, vector->size } },
		 },
		 3);
}

static void on_curve(struct vector *vector)
{
	static const uint8_t three[] = { 3 };

	run(vector,
	    &(struct firesteel_request){
		    .operation = FIRESTEEL_ECDH,
		    .ecdh = { .curve = curve(vector),
			      .secret = BYTES(three),
			      .peer_x = vector->value[0],
			      .peer_y = vector->value[1],
			      .x = { one, vector->size } },
	    },
	    FIRESTEEL_ERROR_REFUSED);
}

static void ecdh(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run_both(vector,
		 (struct firesteel_request){
			 .operation = FIRESTEEL_ECDH,
			 .ecdh = { .curve = curve(vector),
				   .secret = v[0],
				   .peer_x = v[1],
				   .peer_y = v[2],
				   .x = { one, vector->size },
				   .y = { two, vector->size } },
		 },
		 3);
}

/* The digest has been truncated to the order's bits: for all bits to count it is made as long.
 * For P-521 it is always shorter, and counts as it is. */
static struct firesteel_bytes digest(const struct vector *vector, struct firesteel_bytes value)
{
	static uint8_t bytes[64];
	size_t size = vector->size < sizeof(bytes) ? vector->size : sizeof(bytes);

	memset(bytes, 0, sizeof(bytes));
	memcpy(bytes + size - value.size, value.data, value.size);
	return PART(bytes, size);
}

static void ecdsa_sign(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run(vector,
	    &(struct firesteel_request){
		    .operation = FIRESTEEL_ECDSA_SIGN,
		    .ecdsa_sign = { .curve = curve(vector),
				    .secret = v[0],
				    .nonce = v[1],
				    .digest = digest(vector, v[2]),
				    .r = { one, vector->size },
				    .s = { two, vector->size } },
	    },
	    FIRESTEEL_OK);
	expect(vector, one, vector->size, 3);
	expect(vector, two, vector->size, 4);
}

static void ecdsa_verify(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run(vector,
	    &(struct firesteel_request){
		    .operation = FIRESTEEL_ECDSA_VERIFY,
		    .ecdsa_verify = { .curve = curve(vector),
				      .public_x = v[0],
				      .public_y = v[1],
				      .digest = digest(vector, v[2]),
				      .r = v[3],
				      .s = v[4] },
	    },
	    FIRESTEEL_ERROR_SIGNATURE);
}

static struct firesteel_bytes reversed(struct firesteel_bytes value, uint8_t bytes[32])
{
	memset(bytes, 0, 32);
	for (size_t i = 0; i < value.size && i < 32; i++)
		bytes[i] = value.data[value.size - 1 - i];
	return PART(bytes, 32);
}

static void x25519(struct vector *vector)
{
	uint8_t peer[32], secret[32], expected[32];

	reversed(vector->value[2], expected);
	run(vector,
	    &(struct firesteel_request){
		    .operation = FIRESTEEL_X25519,
		    .x25519 = { .secret = reversed(vector->value[1], secret),
				.peer = reversed(vector->value[0], peer),
				.result = { one, 32 } },
	    },
	    FIRESTEEL_OK);
	if (memcmp(one, expected, 32) != 0)
		wrong(vector, "wrong result");
}

/* seed, public key, message, signature: as bytes */
static void ed25519(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;
	struct firesteel_request sign = {
		.operation = FIRESTEEL_ED25519_SIGN,
		.ed25519_sign = { v[0], v[1], v[2], { one, 64 } },
	};

	run(vector,
	    &(struct firesteel_request){ .operation = FIRESTEEL_ED25519_PUBLIC,
					 .ed25519_public = { v[0], { two, 32 } } },
	    FIRESTEEL_OK);
	run(vector, &sign, FIRESTEEL_OK);
	if (memcmp(two, v[1].data, 32) != 0 || memcmp(one, v[3].data, 64) != 0)
		wrong(vector, "wrong key or signature");
	sign.flags = FIRESTEEL_CHECK;
	sign.ed25519_sign.public_key.size = 0;
	run(vector, &sign, FIRESTEEL_OK);
	if (memcmp(one, v[3].data, 64) != 0)
		wrong(vector, "wrong signature");
}

static void ed25519_verify(struct vector *vector)
{
	const struct firesteel_bytes *v = vector->value;

	run(vector,
	    &(struct firesteel_request){ .operation = FIRESTEEL_ED25519_VERIFY,
					 .ed25519_verify = { v[0], v[1], v[2] } },
	    FIRESTEEL_ERROR_SIGNATURE);
}

static struct kind kinds[] = {
	{ "RSA-PUBLIC", rsa_public, 4, false, { 0 } },
	{ "RSA-CRT", rsa_crt, 7, false, { 0 } },
	{ "RSA-PRIVATE", rsa_private, 5, false, { 0 } },
	{ "DH", dh, 4, false, { 0 } },
	{ "ON-CURVE", on_curve, 2, true, { 0 } },
	{ "ECDH", ecdh, 4, false, { 0 } },
	{ "ECDSA-SIGN", ecdsa_sign, 5, false, { 0 } },
	{ "ECDSA-VERIFY", ecdsa_verify, 5, true, { 0 } },
	{ "X25519", x25519, 3, false, { 0 } },
	{ "ED25519", ed25519, 4, false, { 0 } },
	{ "ED25519-SIGNATURE", ed25519_verify, 3, true, { 0 } },
};

/* ---- reading ---- */

/* Numbers may have an odd number of digits */
static void read_value(struct vector *vector, const char *text)
{
	static uint8_t bytes[VALUES][LARGEST];
	uint8_t *to = bytes[vector->values];
	char even[2 * LARGEST + 2];

	assert_true(vector->values < VALUES && strlen(text) < sizeof(even) - 1);
	snprintf(even, sizeof(even), "%s%s", strlen(text) % 2 && strcmp(text, "-") ? "0" : "",
		 text);
	vector->value[vector->values++] = PART(to, unit_hex(even, to, LARGEST));
}

static void read_vector(struct vector *vector, char *line)
{
	const char *word;

	*vector = (struct vector){ .name = strsep(&line, " ") };
	vector->size = (size_t)atoi(strsep(&line, " "));
	strsep(&line, " "); /* flags are the core's */
	vector->good = strcmp(strsep(&line, " "), "good") == 0;
	while ((word = strsep(&line, " ")))
		read_value(vector, word);
}

static void run_vector(struct vector *vector)
{
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		if (strcmp(kinds[i].name, vector->name) != 0)
			continue;
		if (vector->values != kinds[i].values)
			wrong(vector, "wrong number of values");
		kinds[i].run(vector);
		kinds[i].agreed[vector->good]++;
	}
}

static void known_answers(void **state)
{
	FILE *file = fopen(path, "r");
	struct vector vector;
	char *line = NULL;
	size_t capacity = 0;

	(void)state;
	assert_non_null(file);
	device = unit_open("model");
	while (getline(&line, &capacity, file) > 0) {
		line_number++;
		line[strcspn(line, "\n")] = '\0';
		read_vector(&vector, line);
		run_vector(&vector);
	}
	free(line);
	fclose(file);
	firesteel_close(device);
}

static void no_kind_is_empty(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNT(kinds); i++) {
		print_message("%-18s %5u accepted %5u refused\n", kinds[i].name, kinds[i].agreed[1],
			      kinds[i].agreed[0]);
		assert_true(kinds[i].agreed[1] > 0);
		assert_true(kinds[i].agreed[0] > 0 || !kinds[i].refuses);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(no_kind_is_empty),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: answers-public-key FILE\n");
		return 2;
	}
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
