/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* ECDSA.  The host has truncated the hash to the length of the order n. */
#include "pk-ecdsa.h"

#include "pk-curve.h"
#include "pk-dsa.h"
#include "pk-modulus.h"
#include "pk-point.h"

/* The curve, with an order that can be computed with and a generator on the curve */
static uint32_t take_curve(struct silex_pk_operation *operation, struct silex_pk_curve *curve,
			   struct silex_pk_point *generator)
{
	uint32_t error = silex_pk_curve_load(operation, curve);

	if (!error)
		error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_ECC_N, curve->n);
	if (error)
		return error;
	*generator = (struct silex_pk_point){ curve->gx, curve->gy };
	if (gcry_mpi_cmp(curve->gx, curve->p) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_GX,
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	if (gcry_mpi_cmp(curve->gy, curve->p) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_GY,
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	if (!silex_pk_on_curve(operation, curve, generator))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_GX,
				       SILEX_PK_STATUS_NOT_ON_CURVE);
	return 0;
}

/* r = x(k * G) mod n */
static uint32_t first_part(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			   const struct silex_pk_point *generator, gcry_mpi_t k, gcry_mpi_t r)
{
	struct silex_pk_point point = silex_pk_point_new(operation);
	uint32_t error = silex_pk_point_multiply(operation, curve, &point, k, generator);

	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_K, error);
	gcry_mpi_mod(r, point.x, curve->n);
	if (silex_pk_is_zero(r))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_R,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	return 0;
}

uint32_t silex_pk_ecdsa_sign(struct silex_pk_operation *operation)
{
	gcry_mpi_t d = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_D);
	gcry_mpi_t k = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_K);
	gcry_mpi_t hash = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_H);
	gcry_mpi_t r = silex_pk_number(operation);
	gcry_mpi_t s = silex_pk_number(operation);
	struct silex_pk_curve curve;
	struct silex_pk_point generator;
	uint32_t error = take_curve(operation, &curve, &generator);

	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_ECDSA_D, d, curve.n);
	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_ECDSA_K, k, curve.n);
	if (!error)
		error = first_part(operation, &curve, &generator, k, r);
	if (error)
		return error;
	error = silex_pk_signature(operation, s, hash, r, d, k, curve.n);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_K, error);
	silex_pk_result(operation, SILEX_PK_SLOT_ECDSA_R, r);
	silex_pk_result(operation, SILEX_PK_SLOT_ECDSA_S, s);
	return 0;
}

/* Whether r is x(u1 * G + u2 * Q) mod n */
static uint32_t compare(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			const struct silex_pk_point *generator, const struct silex_pk_point *key,
			gcry_mpi_t r, gcry_mpi_t s)
{
	gcry_mpi_t hash = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_H);
	gcry_mpi_t u1 = silex_pk_number(operation);
	gcry_mpi_t u2 = silex_pk_number(operation);
	gcry_mpi_t v = silex_pk_number(operation);
	struct silex_pk_point point = silex_pk_point_new(operation);
	uint32_t error = silex_pk_verification(operation, u1, u2, hash, r, s, curve->n);

	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_S, error);
	error = silex_pk_point_multiply_add(operation, curve, &point, u1, generator, u2, key);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_R,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	gcry_mpi_mod(v, point.x, curve->n);
	if (gcry_mpi_cmp(v, r) != 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECDSA_R,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	return 0;
}

uint32_t silex_pk_ecdsa_verify(struct silex_pk_operation *operation)
{
	gcry_mpi_t r = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_R);
	gcry_mpi_t s = silex_pk_operand(operation, SILEX_PK_SLOT_ECDSA_S);
	struct silex_pk_curve curve;
	struct silex_pk_point generator;
	struct silex_pk_point key;
	uint32_t error = take_curve(operation, &curve, &generator);

	if (!error)
		error = silex_pk_point_take(operation, &curve, SILEX_PK_SLOT_ECDSA_QX, &key);
	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_ECDSA_R, r, curve.n);
	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_ECDSA_S, s, curve.n);
	if (error)
		return error;
	return compare(operation, &curve, &generator, &key, r, s);
}

/* The parameters as a whole: a and b, n is not p, G is on the curve and of order n */
uint32_t silex_pk_ecdsa_check_params(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point generator;
	struct silex_pk_point result = silex_pk_point_new(operation);
	uint32_t error = silex_pk_ecc_check_ab(operation);

	gcry_ctx_release(operation->curve);
	operation->curve = NULL;
	if (!error)
		error = take_curve(operation, &curve, &generator);
	if (error)
		return error;
	if (gcry_mpi_cmp(curve.n, curve.p) == 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_N, SILEX_PK_STATUS_BAD_CURVE);
	error = silex_pk_point_multiply(operation, &curve, &result, curve.n, &generator);
	if (error != SILEX_PK_STATUS_INFINITY)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_N, SILEX_PK_STATUS_BAD_ORDER);
	return 0;
}
