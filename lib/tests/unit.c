/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <openssl/bn.h>
#include <stdio.h>
#include <string.h>

struct firesteel *unit_open(const char *name)
{
	char message[FIRESTEEL_MESSAGE_SIZE];
	struct firesteel *device;

	if (firesteel_open(name, &device, message) < 0)
		fail_msg("%s: %s", name, message);
	return device;
}

void unit_run(struct firesteel *device, const struct firesteel_request *request, int expected)
{
	int error = firesteel_run(device, request);

	if (error != expected)
		fail_msg("operation %d: %s, not: %s", request->operation,
			 firesteel_error_text(error), firesteel_error_text(expected));
}

void unit_fill(void *bytes, size_t size, unsigned seed)
{
	uint8_t *at = bytes;
	uint32_t state = 2654435761u * (seed + 1);

	for (size_t i = 0; i < size; i++) {
		state = 1664525u * state + 1013904223u;
		at[i] = (uint8_t)(state >> 24);
	}
}

size_t unit_hex(const char *text, uint8_t *bytes, size_t capacity)
{
	size_t size = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;

	assert_true(size <= capacity);
	for (size_t i = 0; i < size; i++)
		assert_int_equal(sscanf(text + 2 * i, "%2hhx", &bytes[i]), 1);
	return size;
}

static const uint8_t modulus[64] = { [0] = 0xc5, [20] = 0x17, [40] = 0x9b, [63] = 0x61 };
static const uint8_t base[3] = { 0x12, 0x34, 0x56 };
static const uint8_t exponent[5] = { 0x9a, 0xbc, 0xde, 0xf0, 0x11 };

struct firesteel_request unit_modexp(uint8_t result[64])
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_MODEXP,
		.modexp = { BYTES(modulus), BYTES(base), BYTES(exponent), SPACE(result, 64) },
	};
}

void unit_check_modexp(const uint8_t result[64])
{
	BIGNUM *n = BN_bin2bn(modulus, sizeof(modulus), NULL);
	BIGNUM *a = BN_bin2bn(base, sizeof(base), NULL);
	BIGNUM *e = BN_bin2bn(exponent, sizeof(exponent), NULL);
	BN_CTX *context = BN_CTX_new();
	uint8_t expected[64];

	BN_mod_exp(a, a, e, n, context);
	BN_bn2binpad(a, expected, sizeof(expected));
	BN_CTX_free(context);
	BN_free(n);
	BN_free(a);
	BN_free(e);
	assert_memory_equal(result, expected, sizeof(expected));
}

struct firesteel_request unit_cbc(uint8_t *bytes, size_t size)
{
	static const uint8_t key[32] = { 1, 2, 3 }, iv[16] = { 4, 5, 6 };

	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_CBC,
			    .key = BYTES(key),
			    .iv = BYTES(iv),
			    .in = { bytes, size },
			    .out = { bytes, size } },
	};
}
