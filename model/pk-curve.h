/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Curves and points on them, for the operations on elliptic curves.
 *
 * libgcrypt multiplies and adds points in projective coordinates with any odd modulus, prime or
 * not.  Where it would convert the result to x and y it complains on standard error when there is
 * no inverse; here that is done by hand, and is an error in STATUS.
 */
#ifndef SILEX_PK_CURVE_H
#define SILEX_PK_CURVE_H

#include "pk-operation.h"

/* y^2 = x^3 + a x + b; on a twisted Edwards curve -x^2 + y^2 = 1 + d x^2 y^2 d lies in b */
struct silex_pk_curve {
	gcry_mpi_t p;
	gcry_mpi_t n;
	gcry_mpi_t a;
	gcry_mpi_t b;
	gcry_mpi_t gx;
	gcry_mpi_t gy;
	bool edwards;
};

struct silex_pk_point {
	gcry_mpi_t x;
	gcry_mpi_t y;
};

/* Bytes of a hard-wired curve's operands; 0 for loaded parameters */
size_t silex_pk_curve_size(unsigned curve);

/* The parameters that COMMAND selects: only as far as the operand RAM has them (n, G) or with
 * checks of p, a and b, as libgcrypt will compute with them.  BAD_MODULUS, BAD_CURVE. */
uint32_t silex_pk_curve_read(struct silex_pk_operation *operation, struct silex_pk_curve *curve);
uint32_t silex_pk_curve_load(struct silex_pk_operation *operation, struct silex_pk_curve *curve);

/* 0 if the point in `slot` and the next has x, y < p: OUT_OF_RANGE */
uint32_t silex_pk_point_range(struct silex_pk_operation *operation,
			      const struct silex_pk_curve *curve, unsigned slot,
			      struct silex_pk_point *point);

/* The right side of a Weierstrass curve's equation */
void silex_pk_curve_right(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
			  gcry_mpi_t x, gcry_mpi_t result);
bool silex_pk_on_curve(struct silex_pk_operation *operation, const struct silex_pk_curve *curve,
		       const struct silex_pk_point *point);

/* A point in `slot` and the next, checked: OUT_OF_RANGE, NOT_ON_CURVE */
uint32_t silex_pk_point_take(struct silex_pk_operation *operation,
			     const struct silex_pk_curve *curve, unsigned slot,
			     struct silex_pk_point *point);
void silex_pk_point_put(struct silex_pk_operation *operation, unsigned slot,
			const struct silex_pk_point *point);

/* A point whose coordinates are to be set */
struct silex_pk_point silex_pk_point_new(struct silex_pk_operation *operation);

/*
 * result = k * point; result = k * point + l * other; result = point + point
 * Points must be on the curve.  INFINITY, NOT_INVERTIBLE (p is not prime).
 */
uint32_t silex_pk_point_multiply(struct silex_pk_operation *operation,
				 const struct silex_pk_curve *curve, struct silex_pk_point *result,
				 gcry_mpi_t k, const struct silex_pk_point *point);
uint32_t silex_pk_point_multiply_add(struct silex_pk_operation *operation,
				     const struct silex_pk_curve *curve,
				     struct silex_pk_point *result, gcry_mpi_t k,
				     const struct silex_pk_point *point, gcry_mpi_t l,
				     const struct silex_pk_point *other);
uint32_t silex_pk_point_double(struct silex_pk_operation *operation,
			       const struct silex_pk_curve *curve, struct silex_pk_point *result,
			       const struct silex_pk_point *point);

#endif
