/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Modular arithmetic.  Operands beyond the modulus are reduced first (assumption: drivers give
 * reduced ones).
 */
#include "pk-arithmetic.h"

#include "pk-modulus.h"
#include "pk-root.h"

/* 0 if pointer N's operand is an even modulus, else BAD_MODULUS */
static uint32_t even_modulus(struct silex_pk_operation *operation, gcry_mpi_t modulus)
{
	if (silex_pk_is_odd(modulus) || silex_pk_is_zero(modulus))
		return silex_pk_refuse(operation, silex_pk_slot_n(operation),
				       SILEX_PK_STATUS_BAD_MODULUS);
	return 0;
}

typedef void combine(gcry_mpi_t result, gcry_mpi_t a, gcry_mpi_t b, gcry_mpi_t modulus);

static uint32_t add_or_subtract(struct silex_pk_operation *operation, combine *with)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	gcry_mpi_t result = silex_pk_number(operation);

	if (silex_pk_is_zero(n))
		return silex_pk_refuse(operation, silex_pk_slot_n(operation),
				       SILEX_PK_STATUS_BAD_MODULUS);
	with(result, silex_pk_operand_a(operation), silex_pk_operand_b(operation), n);
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

uint32_t silex_pk_modadd(struct silex_pk_operation *operation)
{
	return add_or_subtract(operation, gcry_mpi_addm);
}

uint32_t silex_pk_modsub(struct silex_pk_operation *operation)
{
	return add_or_subtract(operation, gcry_mpi_subm);
}

uint32_t silex_pk_modmul(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	gcry_mpi_t result = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	if (error)
		return error;
	gcry_mpi_mulm(result, silex_pk_operand_a(operation), silex_pk_operand_b(operation), n);
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

uint32_t silex_pk_mul(struct silex_pk_operation *operation)
{
	gcry_mpi_t result = silex_pk_number(operation);

	gcry_mpi_mul(result, silex_pk_operand_a(operation), silex_pk_operand_b(operation));
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

/* C = 1 / B, a modulus of either kind having been found good */
static uint32_t invert_b(struct silex_pk_operation *operation, gcry_mpi_t n)
{
	gcry_mpi_t inverse = silex_pk_number(operation);
	uint32_t error = silex_pk_invert(operation, inverse, silex_pk_operand_b(operation), n);

	if (error)
		return silex_pk_refuse(operation, silex_pk_slot_b(operation), error);
	silex_pk_result(operation, silex_pk_slot_c(operation), inverse);
	return 0;
}

uint32_t silex_pk_modinv_odd(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	return error ? error : invert_b(operation, n);
}

uint32_t silex_pk_modinv_even(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	uint32_t error = even_modulus(operation, n);

	return error ? error : invert_b(operation, n);
}

uint32_t silex_pk_moddiv(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	gcry_mpi_t inverse = silex_pk_number(operation);
	gcry_mpi_t result = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	if (error)
		return error;
	error = silex_pk_invert(operation, inverse, silex_pk_operand_b(operation), n);
	if (error)
		return silex_pk_refuse(operation, silex_pk_slot_b(operation), error);
	gcry_mpi_mulm(result, silex_pk_operand_a(operation), inverse, n);
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

static uint32_t reduce_b(struct silex_pk_operation *operation, gcry_mpi_t n)
{
	gcry_mpi_t result = silex_pk_number(operation);

	gcry_mpi_mod(result, silex_pk_operand_b(operation), n);
	silex_pk_result(operation, silex_pk_slot_c(operation), result);
	return 0;
}

uint32_t silex_pk_reduce_odd(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	return error ? error : reduce_b(operation, n);
}

uint32_t silex_pk_reduce_even(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	uint32_t error = even_modulus(operation, n);

	return error ? error : reduce_b(operation, n);
}

uint32_t silex_pk_modsqrt(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand_n(operation);
	gcry_mpi_t value = silex_pk_number(operation);
	gcry_mpi_t root = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, silex_pk_slot_n(operation), n);

	if (error)
		return error;
	gcry_mpi_mod(value, silex_pk_operand_a(operation), n);
	error = silex_pk_square_root(operation, root, value, n, false);
	if (error)
		return silex_pk_refuse(operation, silex_pk_slot_a(operation), error);
	silex_pk_result(operation, silex_pk_slot_c(operation), root);
	return 0;
}
