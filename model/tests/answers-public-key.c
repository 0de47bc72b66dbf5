/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Known answers of public-key operations: runs the vectors of a file (vectors_public_key.py tells
 * its lines) through registers and operand RAM, and prints how many agreed.
 *
 *     answers-public-key FILE
 *
 * A wrong answer ends it with an error, and so does a set of vectors that is empty: each operation
 * has one for each of the sizes in its row.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "public-key.h"
#include "unit.h"

#define VALUES   10u
#define SIZES    6u
#define WIDE     0x100u /* two slots, low half first */
#define NO_VALUE 0xffffu

enum curves { NO_CURVE, WEIERSTRASS, MONTGOMERY, EDWARDS };

/* An operation: what its values are, operands first and then results */
struct row {
	const char *name;
	uint32_t command;
	enum curves curves;
	unsigned operand[VALUES]; /* slots, then NO_VALUE */
	unsigned result[VALUES];
	uint32_t refusals; /* error bits that a bad vector may end with, 0: there are none */
	size_t size[SIZES]; /* of operands that must be there */
	unsigned agreed[SIZES + 1][2]; /* by size, others last; bad and good */
};

#define SLOT(name)       SILEX_PK_SLOT_##name
#define OPERATION(name)  SILEX_PK_OP_##name
#define STATUS(name)     SILEX_PK_STATUS_##name
#define REFUSED          (STATUS(BAD_SIGNATURE) | STATUS(OUT_OF_RANGE) | STATUS(NOT_ON_CURVE))
#define MODULI           { 128, 256 }
#define FIELDS           { 24, 32, 48, 66 }
#define DSA_GROUP        SLOT(DSA_P), SLOT(DSA_Q), SLOT(DSA_G)
#define PRIMES           SLOT(RSA_P), SLOT(RSA_Q)
#define CRT              SLOT(RSA_DP), SLOT(RSA_DQ), SLOT(RSA_QINV)
#define POINT            SLOT(ECC_OUT_X), SLOT(ECC_OUT_Y)
#define LIST(...)        { __VA_ARGS__, NO_VALUE }
#define NOTHING          { NO_VALUE }
#define WITH_MODULUS(op) (OPERATION(op) | SILEX_PK_CALC_R2)

static struct row rows[] = {
	{ "RSA-PUBLIC",
	  WITH_MODULUS(RSA_PUBLIC),
	  NO_CURVE,
	  LIST(SLOT(N), SLOT(A), SLOT(B)),
	  LIST(SLOT(C)),
	  0,
	  { 128, 192, 256, 384, 512 },
	  { { 0 } } },
	{ "RSA-KEY",
	  OPERATION(RSA_KEYGEN),
	  NO_CURVE,
	  LIST(PRIMES, SLOT(RSA_E)),
	  LIST(SLOT(RSA_N), SLOT(RSA_LAMBDA), SLOT(RSA_D)),
	  0,
	  { 128, 192, 256, 384, 512 },
	  { { 0 } } },
	{ "RSA-CRT-KEY",
	  OPERATION(RSA_CRT_PARAMS),
	  NO_CURVE,
	  LIST(PRIMES, SLOT(RSA_D)),
	  LIST(CRT),
	  0,
	  MODULI,
	  { { 0 } } },
	{ "RSA-CRT",
	  OPERATION(RSA_CRT),
	  NO_CURVE,
	  LIST(PRIMES, SLOT(RSA_IN), CRT),
	  LIST(SLOT(RSA_OUT)),
	  0,
	  MODULI,
	  { { 0 } } },
	{ "RSA-PRIVATE",
	  WITH_MODULUS(RSA_PRIVATE),
	  NO_CURVE,
	  LIST(SLOT(RSA_N), SLOT(RSA_LAMBDA), SLOT(RSA_IN), SLOT(RSA_D)),
	  LIST(SLOT(RSA_OUT)),
	  0,
	  MODULI,
	  { { 0 } } },
	{ "DH",
	  WITH_MODULUS(MODEXP),
	  NO_CURVE,
	  LIST(SLOT(N), SLOT(A), SLOT(B)),
	  LIST(SLOT(C)),
	  0,
	  MODULI,
	  { { 0 } } },
	{ "DSA-KEY",
	  OPERATION(DSA_KEYGEN),
	  NO_CURVE,
	  LIST(DSA_GROUP, SLOT(DSA_X)),
	  LIST(SLOT(DSA_Y)),
	  0,
	  { 128, 256, 384 },
	  { { 0 } } },
	{ "DSA-SIGN",
	  OPERATION(DSA_SIGN),
	  NO_CURVE,
	  LIST(DSA_GROUP, SLOT(DSA_K), SLOT(DSA_X), SLOT(DSA_H)),
	  LIST(SLOT(DSA_R), SLOT(DSA_S)),
	  0,
	  { 128, 256, 384 },
	  { { 0 } } },
	{ "DSA-VERIFY",
	  OPERATION(DSA_VERIFY),
	  NO_CURVE,
	  LIST(DSA_GROUP, SLOT(DSA_Y), SLOT(DSA_H), SLOT(DSA_R), SLOT(DSA_S)),
	  NOTHING,
	  REFUSED,
	  { 128, 256, 384 },
	  { { 0 } } },
	{ "ON-CURVE",
	  OPERATION(ECC_ON_CURVE),
	  WEIERSTRASS,
	  LIST(SLOT(ECC_PX), SLOT(ECC_PY)),
	  NOTHING,
	  REFUSED,
	  FIELDS,
	  { { 0 } } },
	{ "ECDH",
	  OPERATION(ECC_MUL),
	  WEIERSTRASS,
	  LIST(SLOT(ECC_K), SLOT(ECC_PX), SLOT(ECC_PY)),
	  LIST(SLOT(ECC_OUT_X)),
	  0,
	  FIELDS,
	  { { 0 } } },
	{ "ECDSA-SIGN",
	  OPERATION(ECDSA_SIGN),
	  WEIERSTRASS,
	  LIST(SLOT(ECDSA_D), SLOT(ECDSA_K), SLOT(ECDSA_H)),
	  LIST(SLOT(ECDSA_R), SLOT(ECDSA_S)),
	  0,
	  FIELDS,
	  { { 0 } } },
	{ "ECDSA-VERIFY",
	  OPERATION(ECDSA_VERIFY),
	  WEIERSTRASS,
	  LIST(SLOT(ECDSA_QX), SLOT(ECDSA_QY), SLOT(ECDSA_H), SLOT(ECDSA_R), SLOT(ECDSA_S)),
	  NOTHING,
	  REFUSED,
	  FIELDS,
	  { { 0 } } },
	{ "X25519",
	  OPERATION(X25519),
	  MONTGOMERY,
	  LIST(SLOT(X25519_P), SLOT(X25519_K)),
	  LIST(SLOT(X25519_OUT)),
	  0,
	  { 32 },
	  { { 0 } } },
	{ "ED25519-POINT",
	  OPERATION(EDDSA_BASE_MUL),
	  EDWARDS,
	  LIST(SLOT(EDDSA_R) | WIDE),
	  LIST(POINT),
	  0,
	  { 32 },
	  { { 0 } } },
	{ "ED25519-SIGN",
	  OPERATION(EDDSA_SIGN),
	  EDWARDS,
	  LIST(SLOT(EDDSA_K) | WIDE, SLOT(EDDSA_R) | WIDE, SLOT(EDDSA_SECRET)),
	  LIST(SLOT(EDDSA_SIG)),
	  0,
	  { 32 },
	  { { 0 } } },
	{ "ED25519-VERIFY",
	  OPERATION(EDDSA_VERIFY),
	  EDWARDS,
	  LIST(SLOT(EDDSA_K) | WIDE, SLOT(EDDSA_AY), SLOT(EDDSA_SIG), SLOT(EDDSA_RY)),
	  NOTHING,
	  REFUSED,
	  { 32 },
	  { { 0 } } },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* A line */
struct vector {
	struct row *row;
	size_t size;
	uint32_t flags;
	bool good;
	char *values; /* what is left of the line */
	unsigned line;
};

static const char *path;
static struct pk pk;

/* ---- reading ---- */

static void wrong(const struct vector *vector, const char *what)
{
	fail_msg("%s:%u: %s", path, vector->line, what);
}

static const char *field(struct vector *vector)
{
	const char *text = strsep(&vector->values, " ");

	if (!text)
		wrong(vector, "not all fields");
	return text;
}

static BIGNUM *value(struct vector *vector)
{
	BIGNUM *number = NULL;

	if (!BN_hex2bn(&number, field(vector)))
		wrong(vector, "a field is no hexadecimal number");
	return number;
}

static void find_row(struct vector *vector, const char *name)
{
	for (unsigned i = 0; i < ROWS; i++) {
		if (strcmp(rows[i].name, name) == 0) {
			vector->row = &rows[i];
			return;
		}
	}
	wrong(vector, "an unknown name");
}

static bool read_line(struct vector *vector, FILE *file)
{
	static char *line;
	static size_t capacity;
	const char *flags;

	if (getline(&line, &capacity, file) < 0) {
		free(line);
		return false;
	}
	vector->line++;
	line[strcspn(line, "\n")] = '\0';
	vector->values = line;
	find_row(vector, field(vector));
	vector->size = (size_t)atoi(field(vector));
	flags = field(vector);
	vector->flags = (strchr(flags, 'a') ? SILEX_PK_FLAG_A : 0) |
			(strchr(flags, 'b') ? SILEX_PK_FLAG_B : 0);
	vector->good = strcmp(field(vector), "good") == 0;
	return true;
}

/* ---- running ---- */

static uint32_t curve(const struct vector *vector)
{
	switch (vector->row->curves) {
	case MONTGOMERY:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_X25519);
	case EDWARDS:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519);
	case WEIERSTRASS:
		break;
	default:
		return 0;
	}
	switch (vector->size) {
	case 24:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_P192);
	case 32:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_P256);
	case 48:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_P384);
	case 66:
		return SILEX_PK_CURVE(SILEX_PK_CURVE_P521);
	default:
		wrong(vector, "no curve is of this size");
		return 0;
	}
}

static void put(struct vector *vector, unsigned slot)
{
	BIGNUM *number = value(vector);

	if (slot & WIDE)
		pk_put_double(&pk, slot & ~WIDE, number);
	else
		pk_put(&pk, slot, number);
	BN_free(number);
}

static void expect(struct vector *vector, unsigned slot)
{
	BIGNUM *number = value(vector), *found = pk_get(&pk, slot);

	if (BN_cmp(found, number) != 0)
		wrong(vector, "wrong result");
	BN_free(number);
	BN_free(found);
}

static void run(struct vector *vector)
{
	const struct row *row = vector->row;
	bool little = row->curves == MONTGOMERY || row->curves == EDWARDS;
	uint32_t errors;

	pk_begin(&pk, row->command | curve(vector) | vector->flags, vector->size, little);
	for (unsigned i = 0; row->operand[i] != NO_VALUE; i++)
		put(vector, row->operand[i]);
	errors = pk_run(&pk);
	if (vector->good && errors)
		wrong(vector, "the core refuses");
	if (!vector->good && (!errors || errors & ~row->refusals))
		wrong(vector, "the core does not refuse for the right reason");
	for (unsigned i = 0; vector->good && row->result[i] != NO_VALUE; i++)
		expect(vector, row->result[i]);
	if (vector->values)
		wrong(vector, "too many fields");
}

static void count(const struct vector *vector)
{
	struct row *row = vector->row;
	unsigned i = 0;

	while (i < SIZES && row->size[i] != vector->size)
		i++;
	row->agreed[i][vector->good]++;
}

/* ---- the sets ---- */

static void known_answers(void **state)
{
	struct vector vector = { 0 };
	FILE *file = fopen(path, "r");

	(void)state;
	assert_non_null(file);
	pk_open(&pk, "zero=on");
	while (read_line(&vector, file)) {
		run(&vector);
		count(&vector);
	}
	pk_close(&pk);
	fclose(file);
}

static void print_set(const struct row *row)
{
	for (unsigned i = 0; i <= SIZES; i++) {
		const unsigned *agreed = row->agreed[i];

		if (i < SIZES && row->size[i])
			print_message("%-14s %5u accepted %5u refused, %zu bytes\n", row->name,
				      agreed[1], agreed[0], row->size[i]);
		else if (agreed[1])
			print_message("%-14s %5u accepted, other sizes\n", row->name, agreed[1]);
	}
}

static void no_set_is_empty(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROWS; i++) {
		print_set(&rows[i]);
		for (unsigned size = 0; size < SIZES && rows[i].size[size]; size++) {
			assert_true(rows[i].agreed[size][1] > 0);
			assert_true(rows[i].agreed[size][0] > 0 || !rows[i].refusals);
		}
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(no_set_is_empty),
	};

	if (argc != 2) {
		fprintf(stderr, "usage: answers-public-key FILE\n");
		return 2;
	}
	path = argv[1];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
