/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Curves and points on them. */
#include "pk-curve.h"

#include "pk-modulus.h"

/* Hard-wired curves by SILEX_PK_CURVE_*: libgcrypt's name, bytes of an operand */
static const struct {
	const char *name;
	size_t size;
} wired[] = {
	[SILEX_PK_CURVE_P256] = { "NIST P-256", 32 },
	[SILEX_PK_CURVE_P384] = { "NIST P-384", 48 },
	[SILEX_PK_CURVE_P521] = { "NIST P-521", 66 },
	[SILEX_PK_CURVE_P192] = { "NIST P-192", 24 },
	[SILEX_PK_CURVE_X25519] = { "Curve25519", 32 },
	[SILEX_PK_CURVE_ED25519] = { "Ed25519", 32 },
};

size_t silex_pk_curve_size(unsigned curve)
{
	return curve < sizeof(wired) / sizeof(wired[0]) ? wired[curve].size : 0;
}

static gcry_mpi_t parameter(struct silex_pk_operation *operation, const char *name)
{
	gcry_mpi_t value = gcry_mpi_ec_get_mpi(name, operation->curve, 1);

	return value ? silex_pk_adopt(operation, value) : silex_pk_number(operation);
}

/* A parameter that libgcrypt may give as a negative number */
static gcry_mpi_t coefficient(struct silex_pk_operation *operation, const char *name, gcry_mpi_t p)
{
	gcry_mpi_t value = silex_pk_number(operation);

	gcry_mpi_mod(value, parameter(operation, name), p);
	return value;
}

static uint32_t read_wired(struct silex_pk_operation *operation, struct silex_pk_curve *curve,
			   unsigned number)
{
	if (gcry_mpi_ec_new(&operation->curve, NULL, wired[number].name))
		return SILEX_PK_STATUS_NOT_IMPLEMENTED;
	curve->p = parameter(operation, "p");
	curve->n = parameter(operation, "n");
	curve->a = coefficient(operation, "a", curve->p);
	curve->b = coefficient(operation, "b", curve->p);
	curve->gx = parameter(operation, "g.x");
	curve->gy = parameter(operation, "g.y");
	curve->edwards = number == SILEX_PK_CURVE_ED25519;
	return 0;
}

uint32_t silex_pk_curve_read(struct silex_pk_operation *operation, struct silex_pk_curve *curve)
{
	unsigned number = SILEX_PK_CURVE_OF(operation->command);

	if (number != SILEX_PK_CURVE_LOADED)
		return read_wired(operation, curve, number);
	curve->p = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_P);
	curve->n = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_N);
	curve->a = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_A);
	curve->b = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_B);
	curve->gx = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_GX);
	curve->gy = silex_pk_operand(operation, SILEX_PK_SLOT_ECC_GY);
	curve->edwards = false;
	return 0;
}

uint32_t silex_pk_curve_load(struct silex_pk_operation *operation, struct silex_pk_curve *curve)
{
	uint32_t error = silex_pk_curve_read(operation, curve);
	gcry_sexp_t parameters;

	if (error || operation->curve)
		return error;
	if (!silex_pk_is_odd(curve->p) || gcry_mpi_cmp_ui(curve->p, 5) < 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_P, SILEX_PK_STATUS_BAD_MODULUS);
	if (gcry_mpi_cmp(curve->a, curve->p) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_A, SILEX_PK_STATUS_BAD_CURVE);
	if (gcry_mpi_cmp(curve->b, curve->p) >= 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_ECC_B, SILEX_PK_STATUS_BAD_CURVE);
	if (gcry_sexp_build(&parameters, NULL, "(ecc(p%m)(a%m)(b%m))", curve->p, curve->a,
			    curve->b))
		return SILEX_PK_STATUS_NOT_IMPLEMENTED;

	gcry_error_t failed = gcry_mpi_ec_new(&operation->curve, parameters, NULL);

	gcry_sexp_release(parameters);
	return failed ? SILEX_PK_STATUS_NOT_IMPLEMENTED : 0;
}

uint32_t silex_pk_point_range(struct silex_pk_operation *operation,
			      const struct silex_pk_curve *curve, unsigned slot,
			      struct silex_pk_point *point)
{
	point->x = silex_pk_operand(operation, slot);
	point->y = silex_pk_operand(operation, silex_pk_next(slot));
	if (gcry_mpi_cmp(point->x, curve->p) >= 0)
		return silex_pk_refuse(operation, slot, SILEX_PK_STATUS_OUT_OF_RANGE);
	if (gcry_mpi_cmp(point->y, curve->p) >= 0)
		return silex_pk_refuse(operation, silex_pk_next(slot),
				       SILEX_PK_STATUS_OUT_OF_RANGE);
	return 0;
}

void silex_pk_curve_right(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			  gcry_mpi_t x, gcry_mpi_t result)
{
	gcry_mpi_t square = silex_pk_number(operation);
	gcry_mpi_t sum = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);

	gcry_mpi_mulm(square, x, x, curve->p);
	gcry_mpi_addm(sum, square, curve->a, curve->p);
	gcry_mpi_mulm(product, sum, x, curve->p);
	gcry_mpi_addm(result, product, curve->b, curve->p);
}

/* y^2 - x^2 = 1 + d x^2 y^2 */
static bool on_edwards(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
		       const struct silex_pk_point *point)
{
	gcry_mpi_t x2 = silex_pk_number(operation);
	gcry_mpi_t y2 = silex_pk_number(operation);
	gcry_mpi_t left = silex_pk_number(operation);
	gcry_mpi_t right = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);

	gcry_mpi_mulm(x2, point->x, point->x, curve->p);
	gcry_mpi_mulm(y2, point->y, point->y, curve->p);
	gcry_mpi_subm(left, y2, x2, curve->p);
	gcry_mpi_mulm(product, x2, y2, curve->p);
	gcry_mpi_mulm(x2, product, curve->b, curve->p);
	gcry_mpi_addm(right, x2, GCRYMPI_CONST_ONE, curve->p);
	return gcry_mpi_cmp(left, right) == 0;
}

bool silex_pk_on_curve(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
		       const struct silex_pk_point *point)
{
	if (curve->edwards)
		return on_edwards(operation, curve, point);

	gcry_mpi_t left = silex_pk_number(operation);
	gcry_mpi_t right = silex_pk_number(operation);

	gcry_mpi_mulm(left, point->y, point->y, curve->p);
	silex_pk_curve_right(operation, curve, point->x, right);
	return gcry_mpi_cmp(left, right) == 0;
}

uint32_t silex_pk_point_take(struct silex_pk_operation *operation,
			     const struct silex_pk_curve *curve, unsigned slot,
			     struct silex_pk_point *point)
{
	uint32_t error = silex_pk_point_range(operation, curve, slot, point);

	if (error)
		return error;
	if (!silex_pk_on_curve(operation, curve, point))
		return silex_pk_refuse(operation, slot, SILEX_PK_STATUS_NOT_ON_CURVE);
	return 0;
}

void silex_pk_point_put(struct silex_pk_operation *operation, unsigned slot,
			const struct silex_pk_point *point)
{
	silex_pk_result(operation, slot, point->x);
	silex_pk_result(operation, silex_pk_next(slot), point->y);
}

struct silex_pk_point silex_pk_point_new(struct silex_pk_operation *operation)
{
	return (struct silex_pk_point){ silex_pk_number(operation), silex_pk_number(operation) };
}

static gcry_mpi_point_t project(const struct silex_pk_point *point)
{
	return gcry_mpi_point_set(NULL, point->x, point->y, GCRYMPI_CONST_ONE);
}

/* x and y of a point in projective coordinates, which is released: on a Weierstrass curve Jacobian
 * ones, X / Z^2 and Y / Z^3, on an Edwards curve X / Z and Y / Z */
static uint32_t affine(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
		       struct silex_pk_point *result, gcry_mpi_point_t point)
{
	gcry_mpi_t x = silex_pk_number(operation);
	gcry_mpi_t y = silex_pk_number(operation);
	gcry_mpi_t z = silex_pk_number(operation);
	gcry_mpi_t over = silex_pk_number(operation);
	gcry_mpi_t over2 = silex_pk_number(operation);
	gcry_mpi_t over3 = silex_pk_number(operation);

	gcry_mpi_point_snatch_get(x, y, z, point);
	if (silex_pk_is_zero(z))
		return SILEX_PK_STATUS_INFINITY;
	if (silex_pk_invert(operation, over, z, curve->p))
		return SILEX_PK_STATUS_NOT_INVERTIBLE;
	gcry_mpi_mulm(over2, over, over, curve->p);
	gcry_mpi_mulm(over3, over2, over, curve->p);
	gcry_mpi_mulm(result->x, x, curve->edwards ? over : over2, curve->p);
	gcry_mpi_mulm(result->y, y, curve->edwards ? over : over3, curve->p);
	return 0;
}

/* k * point, projective */
static gcry_mpi_point_t multiple(struct silex_pk_operation *operation, gcry_mpi_t k,
				 const struct silex_pk_point *point)
{
	gcry_mpi_point_t from = project(point);
	gcry_mpi_point_t result = gcry_mpi_point_new(0);

	gcry_mpi_ec_mul(result, k, from, operation->curve);
	gcry_mpi_point_release(from);
	return result;
}

uint32_t silex_pk_point_multiply(struct silex_pk_operation *operation,
				 const struct silex_pk_curve *curve, struct silex_pk_point *result,
				 gcry_mpi_t k, const struct silex_pk_point *point)
{
	return affine(operation, curve, result, multiple(operation, k, point));
}

uint32_t silex_pk_point_multiply_add(struct silex_pk_operation *operation,
				     const struct silex_pk_curve *curve,
				     struct silex_pk_point *result, gcry_mpi_t k,
				     const struct silex_pk_point *point, gcry_mpi_t l,
				     const struct silex_pk_point *other)
{
	gcry_mpi_point_t one = multiple(operation, k, point);
	gcry_mpi_point_t two = multiple(operation, l, other);
	gcry_mpi_point_t sum = gcry_mpi_point_new(0);

	gcry_mpi_ec_add(sum, one, two, operation->curve);
	gcry_mpi_point_release(one);
	gcry_mpi_point_release(two);
	return affine(operation, curve, result, sum);
}

uint32_t silex_pk_point_double(struct silex_pk_operation *operation,
			       const struct silex_pk_curve *curve, struct silex_pk_point *result,
			       const struct silex_pk_point *point)
{
	gcry_mpi_point_t from = project(point);
	gcry_mpi_point_t twice = gcry_mpi_point_new(0);

	gcry_mpi_ec_dup(twice, from, operation->curve);
	gcry_mpi_point_release(from);
	return affine(operation, curve, result, twice);
}
