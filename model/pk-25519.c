/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Curve25519 as a Montgomery curve (X25519) and as a twisted Edwards curve (Ed25519).  The host
 * hashes, clamps scalars and masks points' top bits: all public drivers do.
 */
#include "pk-25519.h"

#include "pk-curve.h"
#include "pk-modulus.h"
#include "pk-root.h"

uint32_t silex_pk_x25519(struct silex_pk_operation *operation)
{
	gcry_mpi_t k = silex_pk_operand_b(operation);
	gcry_mpi_t reduced = silex_pk_number(operation);
	gcry_mpi_t x = silex_pk_number(operation);
	gcry_mpi_t z = silex_pk_number(operation);
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;
	gcry_mpi_mod(reduced, silex_pk_operand_a(operation), curve.p);

	gcry_mpi_point_t point = gcry_mpi_point_set(NULL, reduced, NULL, GCRYMPI_CONST_ONE);
	gcry_mpi_point_t result = gcry_mpi_point_new(0);

	gcry_mpi_ec_mul(result, k, point, operation->curve);
	gcry_mpi_point_release(point);
	gcry_mpi_point_snatch_get(x, NULL, z, result);
	/* the neutral element's x is 0, as RFC 7748 has it: z^(p - 2) is 0 */
	if (silex_pk_is_zero(z))
		gcry_mpi_set_ui(x, 0);
	silex_pk_result(operation, silex_pk_slot_c(operation), x);
	return 0;
}

static struct silex_pk_point base_point(const struct silex_pk_curve *curve)
{
	return (struct silex_pk_point){ curve->gx, curve->gy };
}

uint32_t silex_pk_eddsa_base_mul(struct silex_pk_operation *operation)
{
	gcry_mpi_t r = silex_pk_double_operand(operation, SILEX_PK_SLOT_EDDSA_R);
	gcry_mpi_t reduced = silex_pk_number(operation);
	struct silex_pk_point result = silex_pk_point_new(operation);
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;

	struct silex_pk_point base = base_point(&curve);

	gcry_mpi_mod(reduced, r, curve.n);
	error = silex_pk_point_multiply(operation, &curve, &result, reduced, &base);
	if (error)
		return error;
	silex_pk_point_put(operation, SILEX_PK_SLOT_ECC_OUT_X, &result);
	return 0;
}

/* S = r + k * secret mod n */
uint32_t silex_pk_eddsa_sign(struct silex_pk_operation *operation)
{
	gcry_mpi_t k = silex_pk_double_operand(operation, SILEX_PK_SLOT_EDDSA_K);
	gcry_mpi_t r = silex_pk_double_operand(operation, SILEX_PK_SLOT_EDDSA_R);
	gcry_mpi_t secret = silex_pk_operand(operation, SILEX_PK_SLOT_EDDSA_SECRET);
	gcry_mpi_t product = silex_pk_number(operation);
	gcry_mpi_t s = silex_pk_number(operation);
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;
	gcry_mpi_mulm(product, k, secret, curve.n);
	gcry_mpi_addm(s, product, r, curve.n);
	silex_pk_result(operation, SILEX_PK_SLOT_EDDSA_SIG, s);
	return 0;
}

/* The point with this y and this low bit of x: x^2 = (y^2 - 1) / (d y^2 + 1) */
static uint32_t decompress(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			   gcry_mpi_t y, bool odd, struct silex_pk_point *point)
{
	gcry_mpi_t y2 = silex_pk_number(operation);
	gcry_mpi_t above = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);
	gcry_mpi_t below = silex_pk_number(operation);
	gcry_mpi_t inverse = silex_pk_number(operation);
	gcry_mpi_t x2 = silex_pk_number(operation);

	gcry_mpi_mulm(y2, y, y, curve->p);
	gcry_mpi_subm(above, y2, GCRYMPI_CONST_ONE, curve->p);
	gcry_mpi_mulm(product, y2, curve->b, curve->p);
	gcry_mpi_addm(below, product, GCRYMPI_CONST_ONE, curve->p);
	if (silex_pk_invert(operation, inverse, below, curve->p))
		return SILEX_PK_STATUS_NOT_ON_CURVE;
	gcry_mpi_mulm(x2, above, inverse, curve->p);
	point->y = y;
	point->x = silex_pk_number(operation);
	if (silex_pk_square_root(operation, point->x, x2, curve->p, odd))
		return SILEX_PK_STATUS_NOT_ON_CURVE;
	return 0;
}

/* Whether S * B - k * A is R; the negative of a point has -x */
static uint32_t compare(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			gcry_mpi_t s, gcry_mpi_t k, const struct silex_pk_point *key)
{
	gcry_mpi_t y = silex_pk_operand(operation, SILEX_PK_SLOT_EDDSA_RY);
	struct silex_pk_point base = base_point(curve);
	struct silex_pk_point minus = { silex_pk_number(operation), key->y };
	struct silex_pk_point result = silex_pk_point_new(operation);

	gcry_mpi_subm(minus.x, silex_pk_small(operation, 0), key->x, curve->p);

	uint32_t error = silex_pk_point_multiply_add(operation, curve, &result, s, &base, k,
						     &minus);

	if (error || gcry_mpi_cmp(result.y, y) != 0 ||
	    silex_pk_is_odd(result.x) != !!(operation->command & SILEX_PK_FLAG_B))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_EDDSA_RY,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	return 0;
}

uint32_t silex_pk_eddsa_verify(struct silex_pk_operation *operation)
{
	gcry_mpi_t k = silex_pk_double_operand(operation, SILEX_PK_SLOT_EDDSA_K);
	gcry_mpi_t y = silex_pk_operand(operation, SILEX_PK_SLOT_EDDSA_AY);
	gcry_mpi_t s = silex_pk_operand(operation, SILEX_PK_SLOT_EDDSA_SIG);
	gcry_mpi_t reduced = silex_pk_number(operation);
	struct silex_pk_curve curve;
	struct silex_pk_point key;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (error)
		return error;
	if (gcry_mpi_cmp(s, curve.n) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_EDDSA_SIG,
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	if (gcry_mpi_cmp(y, curve.p) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_EDDSA_AY,
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	error = decompress(operation, &curve, y, operation->command & SILEX_PK_FLAG_A, &key);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_EDDSA_AY, error);
	gcry_mpi_mod(reduced, k, curve.n);
	return compare(operation, &curve, s, reduced, &key);
}

uint32_t silex_pk_edwards_mul(struct silex_pk_operation *operation)
{
	gcry_mpi_t k = silex_pk_operand(operation, SILEX_PK_SLOT_EDWARDS_K);
	struct silex_pk_point result = silex_pk_point_new(operation);
	struct silex_pk_point point;
	struct silex_pk_curve curve;
	uint32_t error = silex_pk_curve_load(operation, &curve);

	if (!error)
		error = silex_pk_point_take(operation, &curve, SILEX_PK_SLOT_EDWARDS_X, &point);
	if (!error)
		error = silex_pk_point_multiply(operation, &curve, &result, k, &point);
	if (error)
		return error;
	silex_pk_point_put(operation, SILEX_PK_SLOT_ECC_OUT_X, &result);
	return 0;
}
