/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* BA414E keeps no copy of a secret operand: when its RAM is cleared after the operation, nothing
 * of it is left in the whole process.  SILEX_SEED chooses the operands. */
#include <stdlib.h>
#include <string.h>

#include "memory-search.h"
#include "numbers.h"
#include "public-key.h"
#include "unit.h"

#define NEEDLE  16u /* bytes that are looked for: no chance finds as much */
#define LARGEST 256u
#define SLOTS   8u
#define TRIES   50u /* what has no inverse is tried again */

/* Points that are on their curves: SEC 2, RFC 8032 */
#define P256_X "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
#define P256_Y "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
#define B_X    "216936d3cd6e53fec0a4e231fdd6dc5c692cc7609525a7b2c9562d608f25d51a"
#define B_Y    "6666666666666666666666666666666666666666666666666666666666666658"

/* Freed memory stays as it was left, so that a search finds what was left in it */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "max_free_fill_size=0";
}

static const char half_size[] = "";

struct operand {
	unsigned slot;
	const char *value; /* hexadecimal; NULL: random and odd; half_size: also half as long */
};

struct operation {
	const char *name;
	uint32_t command;
	size_t size;
	bool little;
	unsigned secret; /* slot of what is looked for */
	struct operand operand[SLOTS]; /* the others */
	unsigned operands;
};

#define OPERATION(op) SILEX_PK_OP_##op
#define SLOT(name)    SILEX_PK_SLOT_##name
#define ON(curve)     SILEX_PK_CURVE(SILEX_PK_CURVE_##curve)
#define BLINDED_EXP   SILEX_PK_PROTECT_EXP
#define BLINDED_ECC   SILEX_PK_PROTECT_ECC
#define BLINDING      { SLOT(BLINDING), "8000000000000001" }
#define RANDOM(name)  { SLOT(name), NULL }
#define HALF(name)    { SLOT(name), half_size }
#define POINT(x, y)             \
	{ SLOT(x), P256_X },    \
	{                       \
		SLOT(y), P256_Y \
	}

static const struct operation operations[] = {
	{ "exponent",
	  OPERATION(MODEXP) | SILEX_PK_CALC_R2,
	  256,
	  false,
	  SLOT(B),
	  { RANDOM(N), RANDOM(A) },
	  2 },
	{ "inverse",
	  OPERATION(MODINV_ODD) | SILEX_PK_CALC_R2,
	  256,
	  false,
	  SLOT(B),
	  { RANDOM(N) },
	  1 },
	{ "product",
	  OPERATION(MODMUL) | SILEX_PK_CALC_R2,
	  256,
	  false,
	  SLOT(B),
	  { RANDOM(N), RANDOM(A) },
	  2 },
	{ "RSA d",
	  OPERATION(RSA_PRIVATE) | SILEX_PK_CALC_R2,
	  256,
	  false,
	  SLOT(RSA_D),
	  { RANDOM(RSA_N), RANDOM(RSA_LAMBDA), RANDOM(RSA_IN) },
	  3 },
	{ "RSA d, blinded",
	  OPERATION(RSA_PRIVATE) | SILEX_PK_CALC_R2 | BLINDED_EXP,
	  256,
	  false,
	  SLOT(RSA_D),
	  { RANDOM(RSA_N), RANDOM(RSA_LAMBDA), RANDOM(RSA_IN), BLINDING },
	  4 },
	{ "RSA p",
	  OPERATION(RSA_KEYGEN),
	  256,
	  false,
	  SLOT(RSA_P),
	  { HALF(RSA_Q), RANDOM(RSA_E) },
	  2 },
	{ "RSA q",
	  OPERATION(RSA_CRT_PARAMS),
	  256,
	  false,
	  SLOT(RSA_Q),
	  { HALF(RSA_P), RANDOM(RSA_D) },
	  2 },
	{ "RSA CRT p",
	  OPERATION(RSA_CRT),
	  256,
	  false,
	  SLOT(RSA_P),
	  { HALF(RSA_Q), RANDOM(RSA_IN), HALF(RSA_DP), HALF(RSA_DQ), HALF(RSA_QINV) },
	  5 },
	{ "RSA CRT dP",
	  OPERATION(RSA_CRT),
	  256,
	  false,
	  SLOT(RSA_DP),
	  { HALF(RSA_P), HALF(RSA_Q), RANDOM(RSA_IN), HALF(RSA_DQ), HALF(RSA_QINV) },
	  5 },
	{ "RSA CRT dQ, blinded",
	  OPERATION(RSA_CRT) | BLINDED_EXP,
	  256,
	  false,
	  SLOT(RSA_DQ),
	  { HALF(RSA_P), HALF(RSA_Q), RANDOM(RSA_IN), HALF(RSA_DP), HALF(RSA_QINV), BLINDING },
	  6 },
	{ "DSA x",
	  OPERATION(DSA_SIGN),
	  128,
	  false,
	  SLOT(DSA_X),
	  { RANDOM(DSA_P), RANDOM(DSA_Q), RANDOM(DSA_G), { SLOT(DSA_K), "3" }, RANDOM(DSA_H) },
	  5 },
	{ "DSA k",
	  OPERATION(DSA_SIGN),
	  128,
	  false,
	  SLOT(DSA_K),
	  { RANDOM(DSA_P), RANDOM(DSA_Q), RANDOM(DSA_G), { SLOT(DSA_X), "3" }, RANDOM(DSA_H) },
	  5 },
	{ "scalar",
	  OPERATION(ECC_MUL) | ON(P256),
	  32,
	  false,
	  SLOT(ECC_K),
	  { POINT(ECC_PX, ECC_PY) },
	  2 },
	{ "scalar, blinded",
	  OPERATION(ECC_MUL) | ON(P256) | BLINDED_ECC,
	  32,
	  false,
	  SLOT(ECC_K),
	  { POINT(ECC_PX, ECC_PY), BLINDING },
	  3 },
	{ "ECDSA d",
	  OPERATION(ECDSA_SIGN) | ON(P256),
	  32,
	  false,
	  SLOT(ECDSA_D),
	  { { SLOT(ECDSA_K), "123456789" }, { SLOT(ECDSA_H), P256_X } },
	  2 },
	{ "ECDSA k",
	  OPERATION(ECDSA_SIGN) | ON(P256),
	  32,
	  false,
	  SLOT(ECDSA_K),
	  { { SLOT(ECDSA_D), "123456789" }, { SLOT(ECDSA_H), P256_X } },
	  2 },
	{ "X25519 k",
	  OPERATION(X25519) | ON(X25519),
	  32,
	  true,
	  SLOT(X25519_K),
	  { { SLOT(X25519_P), "9" } },
	  1 },
	{ "Ed25519 r",
	  OPERATION(EDDSA_BASE_MUL) | ON(ED25519),
	  32,
	  true,
	  SLOT(EDDSA_R),
	  { RANDOM(A) },
	  1 },
	{ "Ed25519 s",
	  OPERATION(EDDSA_SIGN) | ON(ED25519),
	  32,
	  true,
	  SLOT(EDDSA_SECRET),
	  { { SLOT(EDDSA_K), P256_X }, { SLOT(EDDSA_R), P256_Y } },
	  2 },
	{ "Edwards scalar",
	  OPERATION(EDWARDS_MUL) | ON(ED25519),
	  32,
	  true,
	  SLOT(EDWARDS_K),
	  { { SLOT(EDWARDS_X), B_X }, { SLOT(EDWARDS_Y), B_Y } },
	  2 },
};

#define OPERATIONS (sizeof(operations) / sizeof(*operations))

static struct pk pk;
static struct dice dice;
static uint8_t masked[LARGEST]; /* the secret, most significant byte first */

/* ---- operands ---- */

static size_t secret_size(const struct operation *operation)
{
	return operation->size > 32 ? operation->size / 2 : 28;
}

/* The secret's byte of a significance; only whole words of it are ever in one place */
static uint8_t secret_byte(const struct operation *operation, size_t significance)
{
	size_t size = secret_size(operation);

	return significance < size ? masked[size - 1 - significance] ^ SEARCH_MASK : 0;
}

/* Some bytes of a secret: not the lowest, which differ in a factor less 1 */
static uint8_t *needle_of(size_t size)
{
	return masked + size - NEEDLE - 4;
}

/* An odd number that is shorter than its operand, so that it is smaller than every modulus, and as
 * long as a factor of RSA's */
static void invent_secret(const struct operation *operation)
{
	size_t size = secret_size(operation);

	dice_fill(&dice, masked, size);
	masked[0] = SEARCH_MASK ^ 0xc1;
	masked[size - 1] = SEARCH_MASK ^ 0x4b;
	/* a search for a byte that is as common as 0 takes several times as long */
	needle_of(size)[0] = needle_of(size)[NEEDLE - 1] = SEARCH_MASK ^ 0xd3;
}

static void put_secret(const struct operation *operation)
{
	size_t words = operation->size / 4;

	for (size_t i = 0; i < words; i++) {
		uint32_t word = 0;

		for (size_t byte = 0; byte < 4; byte++) {
			size_t place = 4 * i + byte;
			size_t significance = operation->little ? place
								: operation->size - 1 - place;

			word |= (uint32_t)secret_byte(operation, significance) << (8 * byte);
		}
		pk_put_word(&pk, operation->secret, i, word);
	}
}

static void put(const struct operation *operation, const struct operand *operand)
{
	bool half = operand->value == half_size;
	BIGNUM *value = NULL;

	if (operand->value && !half) {
		assert_true(BN_hex2bn(&value, operand->value));
	} else {
		unsigned bits = (unsigned)operation->size * (half ? 4 : 8);

		value = number_of(&dice, bits, true);
		BN_set_bit(value, (int)bits - 2);
	}
	pk_put(&pk, operand->slot, value);
	BN_free(value);
}

static uint32_t run(const struct operation *operation)
{
	invent_secret(operation);
	pk_begin(&pk, operation->command, operation->size, operation->little);
	put_secret(operation);
	for (unsigned i = 0; i < operation->operands; i++)
		put(operation, &operation->operand[i]);
	return pk_run(&pk);
}

/* ---- looking ---- */

static unsigned copies(const struct operation *operation)
{
	return memory_search(needle_of(secret_size(operation)), NEEDLE);
}

static void leaves_no_copy(const struct operation *operation)
{
	uint32_t errors = SILEX_PK_STATUS_ERRORS;
	unsigned left;

	for (unsigned i = 0; i < TRIES && errors; i++)
		errors = run(operation);
	if (errors)
		fail_msg("%s: STATUS %08x with all operands that were tried", operation->name,
			 errors);
	left = copies(operation);
	if (left != 1)
		fail_msg("%s: %u copies after the operation, not one", operation->name, left);
	pk_begin(&pk, OPERATION(CLEAR_MEMORY), 4, false);
	assert_int_equal(pk_run(&pk), 0);
	left = copies(operation);
	if (left != 0)
		fail_msg("%s: %u copies are left", operation->name, left);
}

static void no_operation_leaves_a_copy(void **state)
{
	(void)state;
	pk_open(&pk, "zero=on");
	for (unsigned i = 0; i < OPERATIONS; i++)
		leaves_no_copy(&operations[i]);
	pk_close(&pk);
}

static void a_core_that_is_freed_leaves_no_copy(void **state)
{
	(void)state;
	pk_open(&pk, "zero=on");
	run(&operations[0]);
	assert_int_equal(copies(&operations[0]), 1);
	pk_close(&pk);
	assert_int_equal(copies(&operations[0]), 0);
}

/* The search itself: in either order, and in memory that is freed */
static void a_copy_is_found(void **state)
{
	static uint8_t straight[NEEDLE], reverse[NEEDLE];
	uint8_t needle[NEEDLE];

	(void)state;
	dice_fill(&dice, needle, NEEDLE);
	assert_int_equal(memory_search(needle, NEEDLE), 0);
	for (unsigned i = 0; i < NEEDLE; i++)
		straight[i] = reverse[NEEDLE - 1 - i] = needle[i] ^ SEARCH_MASK;
	assert_int_equal(memory_search(needle, NEEDLE), 2);
	memset(straight, 0, NEEDLE);
	assert_int_equal(memory_search(needle, NEEDLE), 1);

	volatile uint8_t *heap = malloc(3 * NEEDLE);

	for (unsigned i = 0; i < NEEDLE; i++)
		heap[NEEDLE + i] = reverse[i];
	free((void *)heap);
	assert_int_equal(memory_search(needle, NEEDLE), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_is_found),
		cmocka_unit_test(no_operation_leaves_a_copy),
		cmocka_unit_test(a_core_that_is_freed_leaves_no_copy),
	};

	dice_begin(&dice, dice_seed());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
