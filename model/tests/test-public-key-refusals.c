/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What BA414E refuses: the error in STATUS, FailPtr with the slot at fault, and no result. */
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "public-key.h"
#include "unit.h"

#define OPERANDS 8u

/* What an operand is near */
enum base { ZERO, P, N, GX, GY, A, B, FIELD, ORDER, BASES };

/* P-256's parameters as above, and Curve25519's p and the order of its base point */
static BIGNUM *bases[BASES];

struct operand {
	unsigned slot;
	enum base base;
	int more; /* than `base` */
};

struct refusal {
	const char *name;
	uint32_t command;
	uint32_t status; /* error bits; 0: it is not refused */
	unsigned fail; /* slot */
	struct operand operand[OPERANDS]; /* all others are 0 */
};

#define OP(name)               SILEX_PK_OP_##name
#define ERROR(name)            SILEX_PK_STATUS_##name
#define IN(name)               SILEX_PK_SLOT_##name
#define IS(name, value)        { SILEX_PK_SLOT_##name, ZERO, value }
#define NEAR(name, base, more) { SILEX_PK_SLOT_##name, base, more }
#define POINT(x, y)            { SILEX_PK_SLOT_##x, GX, 0 }, { SILEX_PK_SLOT_##y, GY, 0 }

/* ---- numbers, of 64 bytes ---- */

/* A group for DSA: 2 is of order 11 modulo 23; 8 is the key of 3 */
#define GROUP IS(DSA_P, 23), IS(DSA_Q, 11), IS(DSA_G, 2)

static const struct refusal numbers[] = {
	{ "even modulus", OP(MODMUL), ERROR(BAD_MODULUS), IN(N), { IS(N, 16), IS(A, 1) } },
	{ "modulus 1", OP(MODMUL), ERROR(BAD_MODULUS), IN(N), { IS(N, 1), IS(A, 1) } },
	{ "modulus 0", OP(MODADD), ERROR(BAD_MODULUS), IN(N), { IS(A, 1) } },
	{ "odd modulus", OP(MODINV_EVEN), ERROR(BAD_MODULUS), IN(N), { IS(N, 15), IS(B, 7) } },
	{ "no inverse", OP(MODINV_ODD), ERROR(NOT_INVERTIBLE), IN(B), { IS(N, 15), IS(B, 5) } },
	{ "no inverse", OP(MODINV_EVEN), ERROR(NOT_INVERTIBLE), IN(B), { IS(N, 16), IS(B, 6) } },
	{ "no quotient",
	  OP(MODDIV),
	  ERROR(NOT_INVERTIBLE),
	  IN(B),
	  { IS(N, 15), IS(A, 1), IS(B, 3) } },
	{ "no root", OP(MODSQRT), ERROR(NO_ROOT), IN(A), { IS(N, 7), IS(A, 3) } },
	{ "a root", OP(MODSQRT), 0, 0, { IS(N, 7), IS(A, 2) } },
	{ "composite", OP(MILLER_RABIN), ERROR(COMPOSITE), IN(N), { IS(N, 21), IS(A, 2) } },
	{ "prime", OP(MILLER_RABIN), 0, 0, { IS(N, 23), IS(A, 2) } },
	{ "exponentiation", OP(MODEXP), ERROR(BAD_MODULUS), IN(N), { IS(N, 8), IS(A, 1) } },
	{ "even factor",
	  OP(MODEXP) | SILEX_PK_RAND_MOD,
	  ERROR(BAD_MODULUS),
	  IN(BLINDING),
	  { IS(N, 15), IS(A, 1), IS(BLINDING, 2) } },
	{ "no factor",
	  OP(RSA_CRT) | SILEX_PK_PROTECT_EXP,
	  ERROR(BAD_MODULUS),
	  IN(BLINDING),
	  { IS(RSA_P, 7), IS(RSA_Q, 5), IS(RSA_IN, 2) } },
	{ "odd factor",
	  OP(MODEXP) | SILEX_PK_RAND_MOD,
	  0,
	  0,
	  { IS(N, 15), IS(A, 1), IS(BLINDING, 3) } },
	{ "even factor of the exponent",
	  OP(MODEXP) | SILEX_PK_RAND_KE,
	  0,
	  0,
	  { IS(N, 15), IS(A, 1), IS(BLINDING, 2) } },
	{ "no opcode", 0x50, ERROR(NOT_IMPLEMENTED), 0, { IS(A, 1) } },

	{ "RSA p",
	  OP(RSA_KEYGEN),
	  ERROR(BAD_MODULUS),
	  IN(RSA_P),
	  { IS(RSA_P, 10), IS(RSA_Q, 17), IS(RSA_E, 3) } },
	{ "RSA q",
	  OP(RSA_KEYGEN),
	  ERROR(BAD_MODULUS),
	  IN(RSA_Q),
	  { IS(RSA_P, 11), IS(RSA_Q, 16), IS(RSA_E, 3) } },
	{ "RSA e",
	  OP(RSA_KEYGEN),
	  ERROR(NOT_INVERTIBLE),
	  IN(RSA_E),
	  { IS(RSA_P, 11), IS(RSA_Q, 17), IS(RSA_E, 5) } },
	{ "RSA key", OP(RSA_KEYGEN), 0, 0, { IS(RSA_P, 11), IS(RSA_Q, 17), IS(RSA_E, 3) } },
	{ "q = p",
	  OP(RSA_CRT_PARAMS),
	  ERROR(NOT_INVERTIBLE),
	  IN(RSA_Q),
	  { IS(RSA_P, 11), IS(RSA_Q, 11), IS(RSA_D, 3) } },
	{ "RSA CRT p", OP(RSA_CRT), ERROR(BAD_MODULUS), IN(RSA_P), { IS(RSA_Q, 11) } },
	{ "RSA n", OP(RSA_PRIVATE), ERROR(BAD_MODULUS), IN(RSA_N), { IS(RSA_N, 22) } },

	{ "DSA p",
	  OP(DSA_SIGN),
	  ERROR(BAD_MODULUS),
	  IN(DSA_P),
	  { IS(DSA_P, 22), IS(DSA_Q, 11), IS(DSA_G, 2), IS(DSA_K, 4), IS(DSA_X, 3) } },
	{ "DSA q",
	  OP(DSA_SIGN),
	  ERROR(BAD_MODULUS),
	  IN(DSA_Q),
	  { IS(DSA_P, 23), IS(DSA_Q, 10), IS(DSA_G, 2), IS(DSA_K, 4), IS(DSA_X, 3) } },
	{ "DSA k = 0", OP(DSA_SIGN), ERROR(OUT_OF_RANGE), IN(DSA_K), { GROUP, IS(DSA_X, 3) } },
	{ "DSA k = q",
	  OP(DSA_SIGN),
	  ERROR(OUT_OF_RANGE),
	  IN(DSA_K),
	  { GROUP, IS(DSA_X, 3), IS(DSA_K, 11) } },
	{ "DSA x = 0", OP(DSA_SIGN), ERROR(OUT_OF_RANGE), IN(DSA_X), { GROUP, IS(DSA_K, 4) } },
	{ "DSA x = q",
	  OP(DSA_SIGN),
	  ERROR(OUT_OF_RANGE),
	  IN(DSA_X),
	  { GROUP, IS(DSA_K, 4), IS(DSA_X, 11) } },
	{ "DSA s = 0",
	  OP(DSA_SIGN),
	  ERROR(BAD_SIGNATURE),
	  IN(DSA_K),
	  { GROUP, IS(DSA_K, 4), IS(DSA_X, 3), IS(DSA_H, 7) } },
	{ "DSA", OP(DSA_SIGN), 0, 0, { GROUP, IS(DSA_K, 4), IS(DSA_X, 3), IS(DSA_H, 5) } },
	{ "DSA r = 0",
	  OP(DSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(DSA_R),
	  { GROUP, IS(DSA_Y, 8), IS(DSA_H, 5), IS(DSA_R, 0), IS(DSA_S, 5) } },
	{ "DSA s = q",
	  OP(DSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(DSA_S),
	  { GROUP, IS(DSA_Y, 8), IS(DSA_H, 5), IS(DSA_R, 5), IS(DSA_S, 11) } },
	{ "DSA forged",
	  OP(DSA_VERIFY),
	  ERROR(BAD_SIGNATURE),
	  IN(DSA_R),
	  { GROUP, IS(DSA_Y, 8), IS(DSA_H, 6), IS(DSA_R, 5), IS(DSA_S, 5) } },
	{ "DSA good",
	  OP(DSA_VERIFY),
	  0,
	  0,
	  { GROUP, IS(DSA_Y, 8), IS(DSA_H, 5), IS(DSA_R, 5), IS(DSA_S, 5) } },
};

/* ---- P-256, loaded, of which a parameter may be another ---- */

static const struct refusal curves[] = {
	{ "good a and b", OP(ECC_CHECK_AB), 0, 0, { IS(C, 0) } },
	{ "a = p", OP(ECC_CHECK_AB), ERROR(BAD_CURVE), IN(ECC_A), { NEAR(ECC_A, P, 0) } },
	{ "a < p", OP(ECC_CHECK_AB), 0, 0, { NEAR(ECC_A, P, -1) } },
	{ "b = p", OP(ECC_CHECK_AB), ERROR(BAD_CURVE), IN(ECC_B), { NEAR(ECC_B, P, 0) } },
	{ "b < p", OP(ECC_CHECK_AB), 0, 0, { NEAR(ECC_B, P, -1) } },
	{ "a = b = 0",
	  OP(ECC_CHECK_AB),
	  ERROR(BAD_CURVE),
	  IN(ECC_A),
	  { IS(ECC_A, 0), IS(ECC_B, 0) } },
	/* 4 a^3 + 27 b^2 = 0 */
	{ "a = -3, b = 2",
	  OP(ECC_CHECK_AB),
	  ERROR(BAD_CURVE),
	  IN(ECC_A),
	  { NEAR(ECC_A, P, -3), IS(ECC_B, 2) } },
	{ "a = -12, b = -16",
	  OP(ECC_CHECK_AB),
	  ERROR(BAD_CURVE),
	  IN(ECC_A),
	  { NEAR(ECC_A, P, -12), NEAR(ECC_B, P, -16) } },
	{ "a = -3, b = 3", OP(ECC_CHECK_AB), 0, 0, { NEAR(ECC_A, P, -3), IS(ECC_B, 3) } },
	{ "a = 3, b = 2", OP(ECC_CHECK_AB), 0, 0, { IS(ECC_A, 3), IS(ECC_B, 2) } },
	{ "even p", OP(ECC_CHECK_AB), ERROR(BAD_MODULUS), IN(ECC_P), { NEAR(ECC_P, P, 1) } },

	{ "n is not p", OP(ECC_CHECK_N), 0, 0, { IS(C, 0) } },
	{ "n = p", OP(ECC_CHECK_N), ERROR(BAD_CURVE), IN(ECC_N), { NEAR(ECC_N, P, 0) } },
	{ "n = p - 2", OP(ECC_CHECK_N), 0, 0, { NEAR(ECC_N, P, -2) } },

	{ "x and y", OP(ECC_CHECK_XY), 0, 0, { NEAR(ECC_X1, P, -1), NEAR(ECC_Y1, P, -1) } },
	{ "x = p", OP(ECC_CHECK_XY), ERROR(OUT_OF_RANGE), IN(ECC_X1), { NEAR(ECC_X1, P, 0) } },
	{ "y = p", OP(ECC_CHECK_XY), ERROR(OUT_OF_RANGE), IN(ECC_Y1), { NEAR(ECC_Y1, P, 0) } },

	{ "on the curve", OP(ECC_ON_CURVE), 0, 0, { POINT(ECC_PX, ECC_PY) } },
	{ "off the curve",
	  OP(ECC_ON_CURVE),
	  ERROR(NOT_ON_CURVE),
	  IN(ECC_PX),
	  { NEAR(ECC_PX, GX, 0), NEAR(ECC_PY, GY, 1) } },
	{ "y = p",
	  OP(ECC_ON_CURVE),
	  ERROR(OUT_OF_RANGE),
	  IN(ECC_PY),
	  { NEAR(ECC_PX, GX, 0), NEAR(ECC_PY, P, 0) } },

	{ "order", OP(ECC_CHECK_ORDER), 0, 0, { POINT(ECC_X1, ECC_Y1) } },
	{ "order + 2",
	  OP(ECC_CHECK_ORDER),
	  ERROR(BAD_ORDER),
	  IN(ECC_X1),
	  { POINT(ECC_X1, ECC_Y1), NEAR(ECC_N, N, 2) } },
	{ "order 1",
	  OP(ECC_CHECK_ORDER),
	  ERROR(BAD_ORDER),
	  IN(ECC_X1),
	  { POINT(ECC_X1, ECC_Y1), IS(ECC_N, 1) } },
	{ "order 0",
	  OP(ECC_CHECK_ORDER),
	  ERROR(BAD_ORDER),
	  IN(ECC_X1),
	  { POINT(ECC_X1, ECC_Y1), IS(ECC_N, 0) } },
	{ "order of no point",
	  OP(ECC_CHECK_ORDER),
	  ERROR(NOT_ON_CURVE),
	  IN(ECC_X1),
	  { NEAR(ECC_X1, GX, 1), NEAR(ECC_Y1, GY, 0) } },

	{ "good parameters", OP(ECDSA_CHECK_PARAMS), 0, 0, { IS(C, 0) } },
	{ "singular",
	  OP(ECDSA_CHECK_PARAMS),
	  ERROR(BAD_CURVE),
	  IN(ECC_A),
	  { NEAR(ECC_A, P, -3), IS(ECC_B, 2) } },
	{ "a = p", OP(ECDSA_CHECK_PARAMS), ERROR(BAD_CURVE), IN(ECC_A), { NEAR(ECC_A, P, 0) } },
	{ "Gy = p",
	  OP(ECDSA_CHECK_PARAMS),
	  ERROR(OUT_OF_RANGE),
	  IN(ECC_GY),
	  { NEAR(ECC_GY, P, 0) } },
	{ "n = p", OP(ECDSA_CHECK_PARAMS), ERROR(BAD_CURVE), IN(ECC_N), { NEAR(ECC_N, P, 0) } },
	{ "n + 2", OP(ECDSA_CHECK_PARAMS), ERROR(BAD_ORDER), IN(ECC_N), { NEAR(ECC_N, N, 2) } },
	{ "even n", OP(ECDSA_CHECK_PARAMS), ERROR(BAD_MODULUS), IN(ECC_N), { NEAR(ECC_N, N, 1) } },
	{ "G off the curve",
	  OP(ECDSA_CHECK_PARAMS),
	  ERROR(NOT_ON_CURVE),
	  IN(ECC_GX),
	  { NEAR(ECC_GX, GX, 1) } },
	{ "Gx = p",
	  OP(ECDSA_CHECK_PARAMS),
	  ERROR(OUT_OF_RANGE),
	  IN(ECC_GX),
	  { NEAR(ECC_GX, P, 0) } },

	{ "no y", OP(ECC_DECOMPRESS), ERROR(NO_ROOT), IN(ECC_X1), { IS(ECC_X1, 1) } },
	{ "no such x",
	  OP(ECC_DECOMPRESS),
	  ERROR(OUT_OF_RANGE),
	  IN(ECC_X1),
	  { NEAR(ECC_X1, P, 5) } },
	{ "second point",
	  OP(ECC_ADD),
	  ERROR(NOT_ON_CURVE),
	  IN(ECC_X2),
	  { POINT(ECC_X1, ECC_Y1), IS(ECC_X2, 1) } },
	{ "doubling", OP(ECC_DOUBLE), ERROR(NOT_ON_CURVE), IN(ECC_X1), { IS(ECC_X1, 1) } },
	{ "multiplication", OP(ECC_MUL), ERROR(NOT_ON_CURVE), IN(ECC_PX), { IS(ECC_K, 5) } },
	{ "no factor",
	  OP(ECC_MUL) | SILEX_PK_RAND_PROJ,
	  ERROR(OUT_OF_RANGE),
	  IN(BLINDING),
	  { POINT(ECC_PX, ECC_PY), IS(ECC_K, 5) } },
	{ "even factor",
	  OP(ECC_ON_CURVE) | SILEX_PK_PROTECT_ECC,
	  0,
	  0,
	  { POINT(ECC_PX, ECC_PY), IS(BLINDING, 2) } },
	{ "infinity",
	  OP(ECC_MUL),
	  ERROR(INFINITY),
	  IN(ECC_PX),
	  { POINT(ECC_PX, ECC_PY), NEAR(ECC_K, N, 0) } },

	{ "d = 0", OP(ECDSA_SIGN), ERROR(OUT_OF_RANGE), IN(ECDSA_D), { IS(ECDSA_K, 3) } },
	{ "d = n",
	  OP(ECDSA_SIGN),
	  ERROR(OUT_OF_RANGE),
	  IN(ECDSA_D),
	  { NEAR(ECDSA_D, N, 0), IS(ECDSA_K, 3) } },
	{ "k = 0", OP(ECDSA_SIGN), ERROR(OUT_OF_RANGE), IN(ECDSA_K), { IS(ECDSA_D, 3) } },
	{ "k = n",
	  OP(ECDSA_SIGN),
	  ERROR(OUT_OF_RANGE),
	  IN(ECDSA_K),
	  { IS(ECDSA_D, 3), NEAR(ECDSA_K, N, 0) } },
	{ "key",
	  OP(ECDSA_VERIFY),
	  ERROR(NOT_ON_CURVE),
	  IN(ECDSA_QX),
	  { IS(ECDSA_QX, 1), IS(ECDSA_R, 1), IS(ECDSA_S, 1) } },
	{ "r = 0",
	  OP(ECDSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(ECDSA_R),
	  { POINT(ECDSA_QX, ECDSA_QY), IS(ECDSA_R, 0), IS(ECDSA_S, 1) } },
	{ "s = n",
	  OP(ECDSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(ECDSA_S),
	  { POINT(ECDSA_QX, ECDSA_QY), IS(ECDSA_R, 1), NEAR(ECDSA_S, N, 0) } },
	{ "forged",
	  OP(ECDSA_VERIFY),
	  ERROR(BAD_SIGNATURE),
	  IN(ECDSA_R),
	  { POINT(ECDSA_QX, ECDSA_QY), IS(ECDSA_R, 1), IS(ECDSA_S, 1), IS(ECDSA_H, 9) } },
};

/* ---- Ed25519 ---- */

static const struct refusal edwards[] = {
	{ "s = order",
	  OP(EDDSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(EDDSA_SIG),
	  { IS(EDDSA_AY, 3), NEAR(EDDSA_SIG, ORDER, 0) } },
	{ "key's y = p",
	  OP(EDDSA_VERIFY),
	  ERROR(OUT_OF_RANGE),
	  IN(EDDSA_AY),
	  { NEAR(EDDSA_AY, FIELD, 0), IS(EDDSA_SIG, 1) } },
	{ "no such key",
	  OP(EDDSA_VERIFY),
	  ERROR(NOT_ON_CURVE),
	  IN(EDDSA_AY),
	  { IS(EDDSA_AY, 2), IS(EDDSA_SIG, 1) } },
	{ "forged",
	  OP(EDDSA_VERIFY),
	  ERROR(BAD_SIGNATURE),
	  IN(EDDSA_RY),
	  { IS(EDDSA_AY, 3), IS(EDDSA_SIG, 1), IS(EDDSA_RY, 1) } },
	{ "no such point",
	  OP(EDWARDS_MUL),
	  ERROR(NOT_ON_CURVE),
	  IN(EDWARDS_X),
	  { IS(EDWARDS_X, 1), IS(EDWARDS_Y, 2), IS(EDWARDS_K, 3) } },
};

/* ---- running ---- */

static const struct operand loaded[] = {
	{ SILEX_PK_SLOT_ECC_P, P, 0 },   { SILEX_PK_SLOT_ECC_N, N, 0 },
	{ SILEX_PK_SLOT_ECC_GX, GX, 0 }, { SILEX_PK_SLOT_ECC_GY, GY, 0 },
	{ SILEX_PK_SLOT_ECC_A, A, 0 },   { SILEX_PK_SLOT_ECC_B, B, 0 },
};

static void put(struct pk *pk, const struct operand *operand)
{
	BIGNUM *value = BN_dup(bases[operand->base]);

	if (operand->more < 0)
		BN_sub_word(value, (unsigned)-operand->more);
	else
		BN_add_word(value, (unsigned)operand->more);
	pk_put(pk, operand->slot, value);
	BN_free(value);
}

/* The first that is not has all members 0; a parameter of a curve can be given as 0 */
static bool is_given(const struct operand *operand)
{
	return operand->slot || operand->base || operand->more;
}

/* A core, and how its operands are written */
struct setting {
	struct pk *pk;
	bool old; /* FailPtr is in STATUS 3:0 */
	uint32_t flags;
	size_t size;
	bool little;
	bool load; /* a curve */
};

static uint32_t run(const struct setting *setting, const struct refusal *refusal)
{
	struct pk *pk = setting->pk;

	pk_begin(pk, refusal->command | setting->flags, setting->size, setting->little);
	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++)
		pk_put_small(pk, slot, 0);
	for (unsigned i = 0; setting->load && i < sizeof(loaded) / sizeof(*loaded); i++)
		put(pk, &loaded[i]);
	for (unsigned i = 0; i < OPERANDS && is_given(&refusal->operand[i]); i++)
		put(pk, &refusal->operand[i]);
	pk_start(pk);
	return pk_wait(pk);
}

/* The last result of every operation is in one of these, unless that is an operand */
static void expect_no_result(const struct setting *setting, const struct refusal *refusal)
{
	static const unsigned results[] = { SILEX_PK_SLOT_C, SILEX_PK_SLOT_ECC_OUT_Y,
					    SILEX_PK_SLOT_RSA_OUT, SILEX_PK_SLOT_RSA_QINV };

	for (unsigned i = 0; i < sizeof(results) / sizeof(*results); i++) {
		bool operand = setting->load && results[i] == SILEX_PK_SLOT_ECC_B;

		for (unsigned k = 0; k < OPERANDS; k++)
			operand |= refusal->operand[k].slot == results[i];
		if (!operand)
			pk_expect_small(setting->pk, results[i], 0);
	}
}

static void check(const struct setting *setting, const struct refusal *refusal)
{
	uint32_t status = run(setting, refusal);
	unsigned new_place = SILEX_PK_STATUS_FAIL_POINTER_OF(status);
	unsigned old_place = SILEX_PK_STATUS_FAIL_POINTER_OLD_OF(status);
	unsigned fail = refusal->status ? refusal->fail : 0;

	if ((status & SILEX_PK_STATUS_ERRORS) != refusal->status ||
	    new_place != (setting->old ? 0 : fail) || old_place != (setting->old ? fail : 0))
		fail_msg("opcode %02x, %s: STATUS %08x, not errors %04x and slot %u",
			 refusal->command, refusal->name, status, refusal->status, fail);
	if (refusal->status)
		expect_no_result(setting, refusal);
}

static void check_all(const char *configuration, bool old)
{
	struct pk pk;
	const struct setting plain = { &pk, old, SILEX_PK_CALC_R2, 64, false, false };
	const struct setting curve = { &pk, old, 0, 32, false, true };
	const struct setting twisted = { &pk, old,  SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519),
					 32,  true, false };

	pk_open(&pk, configuration);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		check(&plain, &numbers[i]);
	for (unsigned i = 0; i < sizeof(curves) / sizeof(*curves); i++)
		check(&curve, &curves[i]);
	for (unsigned i = 0; i < sizeof(edwards) / sizeof(*edwards); i++)
		check(&twisted, &edwards[i]);
	pk_close(&pk);
}

static void the_slot_at_fault_is_told(void **state)
{
	(void)state;
	check_all("zero=on", false);
}

static void older_cores_tell_it_elsewhere(void **state)
{
	(void)state;
	check_all("zero=on,pk_fail_pointer_old=on", true);
}

/* Whatever slots POINTERS names */
static void pointers_are_followed(void **state)
{
	struct pk pk;
	uint32_t status;

	(void)state;
	pk_open(&pk, "zero=on");
	pk_begin(&pk, SILEX_PK_OP_MODDIV | SILEX_PK_CALC_R2, 64, false);
	pk.bus->write(pk.bus, PK(SILEX_PK_POINTERS),
		      SILEX_PK_POINTER_A(1) | SILEX_PK_POINTER_B(13) | SILEX_PK_POINTER_C(3) |
			      SILEX_PK_POINTER_N(14));
	pk_put_small(&pk, 14, 15);
	pk_put_small(&pk, 1, 1);
	pk_put_small(&pk, 13, 5);
	pk_start(&pk);
	status = pk_wait(&pk);
	assert_int_equal(status & SILEX_PK_STATUS_ERRORS, SILEX_PK_STATUS_NOT_INVERTIBLE);
	assert_int_equal(SILEX_PK_STATUS_FAIL_POINTER_OF(status), 13);
	pk_put_small(&pk, 14, 16);
	pk_start(&pk);
	status = pk_wait(&pk);
	assert_int_equal(status & SILEX_PK_STATUS_ERRORS, SILEX_PK_STATUS_BAD_MODULUS);
	assert_int_equal(SILEX_PK_STATUS_FAIL_POINTER_OF(status), 14);
	pk_close(&pk);
}

static void the_next_start_clears_what_was_told(void **state)
{
	static const char *const configurations[] = { NULL, "pk_fail_pointer_old=on" };
	struct pk pk;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		pk_open(&pk, configurations[i]);
		run(&(struct setting){ &pk, i, SILEX_PK_CALC_R2, 64, false, false }, &numbers[4]);
		pk_put_small(&pk, SILEX_PK_SLOT_B, 7);
		pk_start(&pk);
		assert_int_equal(pk_status(&pk), SILEX_PK_STATUS_BUSY);
		assert_int_equal(pk_wait(&pk), SILEX_PK_STATUS_IRQ);
		pk_close(&pk);
	}
}

static void sizes_must_fit(void **state)
{
	struct pk pk;

	(void)state;
	pk_open(&pk, "zero=on");
	pk_begin(&pk, SILEX_PK_OP_MODADD, 513, false);
	assert_int_equal(pk_run(&pk), SILEX_PK_STATUS_OUT_OF_RANGE);
	pk_begin(&pk, SILEX_PK_OP_ECC_CHECK_AB | SILEX_PK_CURVE(SILEX_PK_CURVE_P384), 47, false);
	assert_int_equal(pk_run(&pk), SILEX_PK_STATUS_BAD_CURVE);
	pk_begin(&pk, SILEX_PK_OP_ECC_CHECK_AB | SILEX_PK_CURVE(SILEX_PK_CURVE_P384), 48, false);
	assert_int_equal(pk_run(&pk), 0);
	pk_close(&pk);
}

static void wired_curves_are_good(void **state)
{
	static const struct {
		unsigned select;
		size_t size;
	} wired[] = {
		{ SILEX_PK_CURVE_P192, 24 },
		{ SILEX_PK_CURVE_P256, 32 },
		{ SILEX_PK_CURVE_P384, 48 },
		{ SILEX_PK_CURVE_P521, 66 },
	};
	static const uint32_t checks[] = { OP(ECC_CHECK_AB), OP(ECC_CHECK_N),
					   OP(ECDSA_CHECK_PARAMS) };
	struct pk pk;

	(void)state;
	pk_open(&pk, "zero=on");
	for (unsigned i = 0; i < sizeof(wired) / sizeof(*wired); i++) {
		for (unsigned k = 0; k < sizeof(checks) / sizeof(*checks); k++) {
			pk_begin(&pk, checks[k] | SILEX_PK_CURVE(wired[i].select), wired[i].size,
				 false);
			assert_int_equal(pk_run(&pk), 0);
		}
	}
	pk_close(&pk);
}

static int set_up(void **state)
{
	EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);

	(void)state;
	for (unsigned i = 0; i < BASES; i++)
		bases[i] = BN_new();
	EC_GROUP_get_curve(group, bases[P], bases[A], bases[B], NULL);
	BN_copy(bases[N], EC_GROUP_get0_order(group));
	EC_POINT_get_affine_coordinates(group, EC_GROUP_get0_generator(group), bases[GX], bases[GY],
					NULL);
	EC_GROUP_free(group);
	/* RFC 8032, table 1 */
	BN_set_bit(bases[FIELD], 255);
	BN_sub_word(bases[FIELD], 19);
	BN_hex2bn(&bases[ORDER],
		  "1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < BASES; i++)
		BN_free(bases[i]);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_slot_at_fault_is_told),
		cmocka_unit_test(older_cores_tell_it_elsewhere),
		cmocka_unit_test(pointers_are_followed),
		cmocka_unit_test(the_next_start_clears_what_was_told),
		cmocka_unit_test(sizes_must_fit),
		cmocka_unit_test(wired_curves_are_good),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
