/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Operations on points and curve parameters of Weierstrass curves. */
#include "pk-point.h"

#include "pk-curve.h"
#include "pk-root.h"

/* Writes a point if it was found without an error */
static uint32_t finish(struct silex_pk_operation *operation, const struct silex_pk_point *point,
		       unsigned slot, uint32_t error)
{
	if (error)
		return silex_pk_refuse(operation, slot, error);
	silex_pk_point_put(operation, silex_pk_slot_c(operation), point);
	return 0;
}

/* The curve, and a point on it */
static uint32_t load(struct silex_pk_operation *operation, struct silex_pk_curve *curve,
		     unsigned slot, struct silex_pk_point *point)
{
	uint32_t error = silex_pk_curve_load(operation, curve);

	return error ? error : silex_pk_point_take(operation, curve, slot, point);
}

uint32_t silex_pk_ecc_double(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;
	struct silex_pk_point result = silex_pk_point_new(operation);
	uint32_t error = load(operation, &curve, silex_pk_slot_a(operation), &point);

	if (error)
		return error;
	error = silex_pk_point_double(operation, &curve, &result, &point);
	return finish(operation, &result, silex_pk_slot_a(operation), error);
}

uint32_t silex_pk_ecc_add(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;
	struct silex_pk_point other;
	struct silex_pk_point result = silex_pk_point_new(operation);
	uint32_t error = load(operation, &curve, silex_pk_slot_a(operation), &point);

	if (!error)
		error = silex_pk_point_take(operation, &curve, silex_pk_slot_b(operation), &other);
	if (error)
		return error;
	error = silex_pk_point_multiply_add(operation, &curve, &result, GCRYMPI_CONST_ONE, &point,
					    GCRYMPI_CONST_ONE, &other);
	return finish(operation, &result, silex_pk_slot_a(operation), error);
}

uint32_t silex_pk_ecc_mul(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;
	struct silex_pk_point result = silex_pk_point_new(operation);
	uint32_t error = load(operation, &curve, silex_pk_slot_a(operation), &point);

	if (error)
		return error;

	gcry_mpi_t k = silex_pk_blinded(operation, silex_pk_operand_b(operation), curve.n);

	error = silex_pk_point_multiply(operation, &curve, &result, k, &point);
	return finish(operation, &result, silex_pk_slot_a(operation), error);
}

/* a, b < p and 4 a^3 + 27 b^2 is not 0 */
uint32_t silex_pk_ecc_check_ab(struct silex_pk_operation *operation)
{
	gcry_mpi_t square = silex_pk_number(operation);
	gcry_mpi_t cube = silex_pk_number(operation);
	gcry_mpi_t left = silex_pk_number(operation);
	gcry_mpi_t right = silex_pk_number(operation);
	gcry_mpi_t sum = silex_pk_number(operation);
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;
	gcry_mpi_mulm(square, curve.a, curve.a, curve.p);
	gcry_mpi_mulm(cube, square, curve.a, curve.p);
	gcry_mpi_mulm(left, cube, silex_pk_small(operation, 4), curve.p);
	gcry_mpi_mulm(square, curve.b, curve.b, curve.p);
	gcry_mpi_mulm(right, square, silex_pk_small(operation, 27), curve.p);
	gcry_mpi_addm(sum, left, right, curve.p);
	if (silex_pk_is_zero(sum))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_A, SILEX_PK_STATUS_BAD_CURVE);
	return 0;
}

uint32_t silex_pk_ecc_check_n(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_read(operation, &curve);

	if (error)
		return error;
	if (gcry_mpi_cmp(curve.n, curve.p) == 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_N, SILEX_PK_STATUS_BAD_CURVE);
	return 0;
}

uint32_t silex_pk_ecc_check_xy(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;
	uint32_t error = silex_pk_curve_read(operation, &curve);

	if (error)
		return error;
	return silex_pk_point_range(operation, &curve, silex_pk_slot_a(operation), &point);
}

uint32_t silex_pk_ecc_on_curve(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;

	return load(operation, &curve, silex_pk_slot_a(operation), &point);
}

uint32_t silex_pk_ecc_decompress(struct silex_pk_operation *operation)
{
	gcry_mpi_t x = silex_pk_operand_a(operation);
	gcry_mpi_t right = silex_pk_number(operation);
	gcry_mpi_t y = silex_pk_number(operation);
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;
	if (gcry_mpi_cmp(x, curve.p) >= 0)
		return silex_pk_refuse(operation, silex_pk_slot_a(operation),
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	silex_pk_curve_right(operation, &curve, x, right);
	error = silex_pk_square_root(operation, y, right, curve.p,
				     operation->command & SILEX_PK_FLAG_A);
	if (error)
		return silex_pk_refuse(operation, silex_pk_slot_a(operation), error);
	silex_pk_result(operation, silex_pk_slot_c(operation), y);
	return 0;
}

uint32_t silex_pk_ecc_check_order(struct silex_pk_operation *operation)
{
	struct silex_pk_curve curve;
	struct silex_pk_point point;
	struct silex_pk_point result = silex_pk_point_new(operation);
	uint32_t error = load(operation, &curve, silex_pk_slot_a(operation), &point);

	if (error)
		return error;
	error = silex_pk_point_multiply(operation, &curve, &result, curve.n, &point);
	if (error != SILEX_PK_STATUS_INFINITY || silex_pk_is_zero(curve.n))
		return silex_pk_refuse(operation, silex_pk_slot_a(operation),
				       SILEX_PK_STATUS_BAD_ORDER);
	return 0;
}
