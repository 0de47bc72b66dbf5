/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "pk-opcode.h"

#include "pk-25519.h"
#include "pk-arithmetic.h"
#include "pk-curve.h"
#include "pk-dsa.h"
#include "pk-ecdsa.h"
#include "pk-modexp.h"
#include "pk-point.h"
#include "pk-rsa.h"

#define ROW(name, function, family, shape, slot)                                              \
	{ SILEX_PK_OP_##name, silex_pk_##function, SILEX_PK_##family, SILEX_PK_SHAPE_##shape, \
	  SILEX_PK_SLOT_##slot }

/* The last column counts only where there is an exponent or scalar */
static const struct silex_pk_opcode opcodes[] = {
	ROW(MODADD, modadd, ARITHMETIC, ADD, WHOLE),
	ROW(MODSUB, modsub, ARITHMETIC, ADD, WHOLE),
	ROW(MODMUL, modmul, ARITHMETIC, MULTIPLY, WHOLE),
	ROW(REDUCE_ODD, reduce_odd, ARITHMETIC, REDUCE, WHOLE),
	ROW(MODDIV, moddiv, ARITHMETIC, INVERT, WHOLE),
	ROW(MODINV_ODD, modinv_odd, ARITHMETIC, INVERT, WHOLE),
	ROW(MODSQRT, modsqrt, ARITHMETIC, ROOT, WHOLE),
	ROW(MUL, mul, ARITHMETIC, MULTIPLY, WHOLE),
	ROW(MODINV_EVEN, modinv_even, ARITHMETIC, INVERT, WHOLE),
	ROW(REDUCE_EVEN, reduce_even, ARITHMETIC, REDUCE, WHOLE),
	ROW(MODEXP, modexp, EXPONENTIATION, POWER, POINTER_B),
	ROW(RSA_KEYGEN, rsa_keygen, EXPONENTIATION, RSA_KEY, WHOLE),
	ROW(RSA_CRT_PARAMS, rsa_crt_params, EXPONENTIATION, CRT_KEY, WHOLE),
	ROW(RSA_CRT, rsa_crt, EXPONENTIATION, CRT, WHOLE),
	ROW(RSA_PUBLIC, modexp, EXPONENTIATION, POWER, POINTER_B),
	ROW(RSA_PRIVATE, rsa_private, EXPONENTIATION, POWER, RSA_D),
	ROW(DSA_KEYGEN, dsa_keygen, EXPONENTIATION, POWER, DSA_X),
	ROW(DSA_SIGN, dsa_sign, EXPONENTIATION, DSA_SIGN, DSA_K),
	ROW(DSA_VERIFY, dsa_verify, EXPONENTIATION, DSA_VERIFY, DSA_Q),
	ROW(MILLER_RABIN, miller_rabin, EXPONENTIATION, POWER, WHOLE),
	ROW(ECC_DOUBLE, ecc_double, WEIERSTRASS, POINT, WHOLE),
	ROW(ECC_ADD, ecc_add, WEIERSTRASS, POINT, WHOLE),
	ROW(ECC_MUL, ecc_mul, WEIERSTRASS, SCALAR, POINTER_B),
	ROW(ECC_CHECK_AB, ecc_check_ab, WEIERSTRASS, CHECK, WHOLE),
	ROW(ECC_CHECK_N, ecc_check_n, WEIERSTRASS, CHECK, WHOLE),
	ROW(ECC_CHECK_XY, ecc_check_xy, WEIERSTRASS, CHECK, WHOLE),
	ROW(ECC_ON_CURVE, ecc_on_curve, WEIERSTRASS, CHECK, WHOLE),
	ROW(ECC_DECOMPRESS, ecc_decompress, WEIERSTRASS, ROOT, WHOLE),
	ROW(ECC_CHECK_ORDER, ecc_check_order, WEIERSTRASS, SCALAR, WHOLE),
	ROW(ECDSA_SIGN, ecdsa_sign, WEIERSTRASS, ECDSA_SIGN, ECDSA_K),
	ROW(ECDSA_VERIFY, ecdsa_verify, WEIERSTRASS, ECDSA_VERIFY, WHOLE),
	ROW(ECDSA_CHECK_PARAMS, ecdsa_check_params, WEIERSTRASS, SCALAR, WHOLE),
	ROW(X25519, x25519, MONTGOMERY, LADDER, POINTER_B),
	ROW(EDDSA_BASE_MUL, eddsa_base_mul, TWISTED_EDWARDS, EDWARDS, WHOLE),
	ROW(EDDSA_SIGN, eddsa_sign, TWISTED_EDWARDS, MULTIPLY, WHOLE),
	ROW(EDDSA_VERIFY, eddsa_verify, TWISTED_EDWARDS, EDWARDS_VERIFY, WHOLE),
	ROW(EDWARDS_MUL, edwards_mul, TWISTED_EDWARDS, EDWARDS, WHOLE),
};

/* The bit of HWCONFIG that says that a hard-wired curve is there */
static uint32_t presence(unsigned curve)
{
	static const uint32_t bit[] = {
		[SILEX_PK_CURVE_P256] = SILEX_PK_HWCONFIG_P256,
		[SILEX_PK_CURVE_P384] = SILEX_PK_HWCONFIG_P384,
		[SILEX_PK_CURVE_P521] = SILEX_PK_HWCONFIG_P521,
		[SILEX_PK_CURVE_P192] = SILEX_PK_HWCONFIG_P192,
		[SILEX_PK_CURVE_X25519] = SILEX_PK_HWCONFIG_25519,
		[SILEX_PK_CURVE_ED25519] = SILEX_PK_HWCONFIG_25519,
	};

	return curve < sizeof(bit) / sizeof(bit[0]) ? bit[curve] : 0;
}

/* Whether the core has the curve that a command selects, and whether it is of the right kind */
static bool has_curve(const struct silex_config *config, enum silex_pk_family family,
		      uint32_t command)
{
	unsigned curve = SILEX_PK_CURVE_OF(command);

	if (family == SILEX_PK_ARITHMETIC || family == SILEX_PK_EXPONENTIATION)
		return true;
	if (command & SILEX_PK_EDWARDS)
		return false;
	if (curve == SILEX_PK_CURVE_LOADED)
		return family == SILEX_PK_WEIERSTRASS;
	if (!(config->pk_curves & presence(curve)))
		return false;
	if (curve == SILEX_PK_CURVE_X25519)
		return family == SILEX_PK_MONTGOMERY;
	if (curve == SILEX_PK_CURVE_ED25519)
		return family == SILEX_PK_TWISTED_EDWARDS;
	return family == SILEX_PK_WEIERSTRASS;
}

const struct silex_pk_opcode *silex_pk_find_opcode(const struct silex_config *config,
						   uint32_t command)
{
	uint8_t opcode = command & SILEX_PK_OPCODE_MASK;

	if (command & SILEX_PK_FIELD_2M)
		return NULL;
	for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++)
		if (opcodes[i].opcode == opcode)
			return has_curve(config, opcodes[i].family, command) ? &opcodes[i] : NULL;
	return NULL;
}

bool silex_pk_takes_r2(const struct silex_pk_opcode *opcode)
{
	return opcode->family == SILEX_PK_ARITHMETIC || opcode->opcode == SILEX_PK_OP_MODEXP ||
	       opcode->opcode == SILEX_PK_OP_RSA_PUBLIC ||
	       opcode->opcode == SILEX_PK_OP_RSA_PRIVATE;
}

/* Operands of a size that the core, or the hard-wired curve, does not take */
static uint32_t check_size(const struct silex_pk_operation *operation,
			   const struct silex_pk_opcode *opcode)
{
	size_t wanted = silex_pk_curve_size(SILEX_PK_CURVE_OF(operation->command));

	if (operation->size > operation->config->pk_max_bytes)
		return SILEX_PK_STATUS_OUT_OF_RANGE;
	if (opcode->family != SILEX_PK_ARITHMETIC && opcode->family != SILEX_PK_EXPONENTIATION &&
	    wanted && wanted != operation->size)
		return SILEX_PK_STATUS_BAD_CURVE;
	return 0;
}

/*
 * A blinding factor that the operation cannot be blinded with.  RAND_MOD computes modulo a multiple
 * of the modulus, which an even factor makes even; RAND_KE and RAND_PROJ multiply by the factor.
 * Which error says so is not public (assumption: none of those that drivers try again for).
 */
static uint32_t check_blinding(struct silex_pk_operation *operation,
			       const struct silex_pk_opcode *opcode)
{
	uint32_t command = operation->command;
	uint64_t factor = silex_pk_blinding(operation);

	if (!operation->config->pk_protection)
		return 0;
	if (opcode->family == SILEX_PK_ARITHMETIC || opcode->family == SILEX_PK_EXPONENTIATION)
		return command & SILEX_PK_RAND_MOD && !(factor & 1)
			       ? silex_pk_refuse(operation, SILEX_PK_SLOT_BLINDING,
						 SILEX_PK_STATUS_BAD_MODULUS)
			       : 0;
	return command & SILEX_PK_PROTECT_ECC && factor == 0
		       ? silex_pk_refuse(operation, SILEX_PK_SLOT_BLINDING,
					 SILEX_PK_STATUS_OUT_OF_RANGE)
		       : 0;
}

uint32_t silex_pk_run(struct silex_pk_operation *operation)
{
	const struct silex_pk_opcode *opcode = silex_pk_find_opcode(operation->config,
								    operation->command);
	uint32_t error;

	if (!opcode)
		return SILEX_PK_STATUS_NOT_IMPLEMENTED;
	error = check_size(operation, opcode);
	if (!error)
		error = check_blinding(operation, opcode);
	if (error)
		return error;
	error = opcode->run(operation);
	for (unsigned i = 0; i < operation->numbers; i++)
		gcry_mpi_release(operation->number[i]);
	operation->numbers = 0;
	gcry_ctx_release(operation->curve);
	operation->curve = NULL;
	return error;
}
