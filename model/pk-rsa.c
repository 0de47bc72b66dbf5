/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* RSA's private side. */
#include "pk-rsa.h"

#include "pk-modulus.h"

/* The two factors of the modulus, and each less 1 */
struct factors {
	gcry_mpi_t p;
	gcry_mpi_t q;
	gcry_mpi_t p1;
	gcry_mpi_t q1;
};

static uint32_t take_factors(struct silex_pk_operation *operation, struct factors *factors)
{
	factors->p = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_P);
	factors->q = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_Q);
	factors->p1 = silex_pk_number(operation);
	factors->q1 = silex_pk_number(operation);

	uint32_t error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_RSA_P, factors->p);

	if (!error)
		error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_RSA_Q, factors->q);
	if (error)
		return error;
	gcry_mpi_sub_ui(factors->p1, factors->p, 1);
	gcry_mpi_sub_ui(factors->q1, factors->q, 1);
	return 0;
}

uint32_t silex_pk_rsa_keygen(struct silex_pk_operation *operation)
{
	struct factors factors;
	uint32_t error = take_factors(operation, &factors);

	if (error)
		return error;

	gcry_mpi_t n = silex_pk_number(operation);
	gcry_mpi_t common = silex_pk_number(operation);
	gcry_mpi_t part = silex_pk_number(operation);
	gcry_mpi_t lambda = silex_pk_number(operation);
	gcry_mpi_t d = silex_pk_number(operation);

	gcry_mpi_mul(n, factors.p, factors.q);
	gcry_mpi_gcd(common, factors.p1, factors.q1);
	gcry_mpi_div(part, NULL, factors.p1, common, 0);
	gcry_mpi_mul(lambda, part, factors.q1);
	error = silex_pk_invert(operation, d, silex_pk_operand(operation, SILEX_PK_SLOT_RSA_E),
				lambda);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_RSA_E, error);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_N, n);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_LAMBDA, lambda);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_D, d);
	return 0;
}

uint32_t silex_pk_rsa_crt_params(struct silex_pk_operation *operation)
{
	struct factors factors;
	uint32_t error = take_factors(operation, &factors);

	if (error)
		return error;

	gcry_mpi_t d = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_D);
	gcry_mpi_t dp = silex_pk_number(operation);
	gcry_mpi_t dq = silex_pk_number(operation);
	gcry_mpi_t qinv = silex_pk_number(operation);

	error = silex_pk_invert(operation, qinv, factors.q, factors.p);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_RSA_Q, error);
	gcry_mpi_mod(dp, d, factors.p1);
	gcry_mpi_mod(dq, d, factors.q1);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_DP, dp);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_DQ, dq);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_QINV, qinv);
	return 0;
}

/* input^(the operand in slot `exponent`) mod factor */
static gcry_mpi_t half(struct silex_pk_operation *operation, gcry_mpi_t input, unsigned exponent,
		       gcry_mpi_t factor)
{
	gcry_mpi_t reduced = silex_pk_number(operation);
	gcry_mpi_t result = silex_pk_number(operation);

	gcry_mpi_mod(reduced, input, factor);
	gcry_mpi_powm(result, reduced, silex_pk_operand(operation, exponent), factor);
	return result;
}

uint32_t silex_pk_rsa_crt(struct silex_pk_operation *operation)
{
	struct factors factors;
	uint32_t error = take_factors(operation, &factors);

	if (error)
		return error;

	gcry_mpi_t input = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_IN);
	gcry_mpi_t qinv = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_QINV);
	gcry_mpi_t m1 = half(operation, input, SILEX_PK_SLOT_RSA_DP, factors.p);
	gcry_mpi_t m2 = half(operation, input, SILEX_PK_SLOT_RSA_DQ, factors.q);
	gcry_mpi_t difference = silex_pk_number(operation);
	gcry_mpi_t h = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);
	gcry_mpi_t result = silex_pk_number(operation);

	gcry_mpi_subm(difference, m1, m2, factors.p);
	gcry_mpi_mulm(h, difference, qinv, factors.p);
	gcry_mpi_mul(product, h, factors.q);
	gcry_mpi_add(result, product, m2);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_OUT, result);
	return 0;
}

uint32_t silex_pk_rsa_private(struct silex_pk_operation *operation)
{
	gcry_mpi_t n = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_N);
	gcry_mpi_t lambda = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_LAMBDA);
	gcry_mpi_t d = silex_pk_operand(operation, SILEX_PK_SLOT_RSA_D);
	gcry_mpi_t result = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_RSA_N, n);

	if (error)
		return error;
	gcry_mpi_powm(result, silex_pk_operand(operation, SILEX_PK_SLOT_RSA_IN),
		      silex_pk_blinded(operation, d, lambda), n);
	silex_pk_result(operation, SILEX_PK_SLOT_RSA_OUT, result);
	return 0;
}
