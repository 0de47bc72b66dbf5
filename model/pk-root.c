/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Square roots modulo a prime, by Cipolla's method: its time does not depend on the prime's form,
 * as that of Tonelli and Shanks does (a prime that is 1 modulo 2^4000 would take it hours).
 * Squaring the result detects a modulus that is not prime.
 *
 * In the field of p^2 elements a + b * w, w * w = t * t - v, a non-residue, the element
 * (t + w)^((p + 1) / 2) is a root of v.
 */
#include "pk-root.h"

#define TRIES 128u /* of t; each fails with a probability of one half */

/* An element of the field, and numbers to work with */
struct element {
	gcry_mpi_t a;
	gcry_mpi_t b;
};

struct field {
	gcry_mpi_t p;
	gcry_mpi_t square; /* of w */
	gcry_mpi_t s[4];
};

/* Jacobi's symbol of (value / odd): -1, 0 or 1.  Both numbers are used up. */
static int jacobi(struct silex_pk_operation *operation, gcry_mpi_t value, gcry_mpi_t odd)
{
	gcry_mpi_t a = gcry_mpi_set(silex_pk_number(operation), value);
	gcry_mpi_t n = gcry_mpi_set(silex_pk_number(operation), odd);
	int sign = 1;

	while (!silex_pk_is_zero(a)) {
		unsigned twos = 0;

		while (!gcry_mpi_test_bit(a, twos))
			twos++;
		gcry_mpi_rshift(a, a, twos);
		/* (2 / n) is -1 if n is 3 or 5 modulo 8 */
		if (twos % 2 && gcry_mpi_test_bit(n, 1) != gcry_mpi_test_bit(n, 2))
			sign = -sign;
		/* reciprocity: both 3 modulo 4 */
		if (gcry_mpi_test_bit(a, 1) && gcry_mpi_test_bit(n, 1))
			sign = -sign;
		gcry_mpi_swap(a, n);
		gcry_mpi_mod(a, a, n);
	}
	return gcry_mpi_cmp_ui(n, 1) == 0 ? sign : 0;
}

/* x = x * y; a*c + b*d*w^2, a*d + b*c */
static void multiply(struct field *field, struct element *x, const struct element *y)
{
	gcry_mpi_t p = field->p;

	gcry_mpi_mulm(field->s[0], x->b, y->b, p);
	gcry_mpi_mulm(field->s[1], field->s[0], field->square, p);
	gcry_mpi_mulm(field->s[0], x->a, y->a, p);
	gcry_mpi_mulm(field->s[2], x->a, y->b, p);
	gcry_mpi_mulm(field->s[3], x->b, y->a, p);
	gcry_mpi_addm(x->a, field->s[0], field->s[1], p);
	gcry_mpi_addm(x->b, field->s[2], field->s[3], p);
}

/* Finds t whose t * t - value is no square; false when there seems to be none */
static bool find(struct silex_pk_operation *operation, struct field *field, gcry_mpi_t value,
		 unsigned *t)
{
	gcry_mpi_t number = silex_pk_number(operation);

	for (*t = 1; *t <= TRIES; ++*t) {
		unsigned numbers = operation->numbers;

		gcry_mpi_set_ui(number, *t);
		gcry_mpi_mulm(field->s[0], number, number, field->p);
		gcry_mpi_subm(field->square, field->s[0], value, field->p);

		int symbol = jacobi(operation, field->square, field->p);

		while (operation->numbers > numbers)
			gcry_mpi_release(operation->number[--operation->numbers]);
		if (symbol < 0)
			return true;
	}
	return false;
}

/* The power's real part, into root */
static void power(struct silex_pk_operation *operation, struct field *field, unsigned t,
		  gcry_mpi_t root)
{
	struct element base = { silex_pk_small(operation, t), silex_pk_small(operation, 1) };
	struct element result = { silex_pk_small(operation, 1), silex_pk_number(operation) };
	gcry_mpi_t exponent = silex_pk_number(operation);

	gcry_mpi_add_ui(exponent, field->p, 1);
	for (unsigned bit = gcry_mpi_get_nbits(exponent); bit-- > 1;) {
		multiply(field, &result, &result);
		if (gcry_mpi_test_bit(exponent, bit))
			multiply(field, &result, &base);
	}
	gcry_mpi_set(root, result.a);
}

/* For p of 3 modulo 4: value^((p + 1) / 4) */
static void power_of_value(struct silex_pk_operation *operation, gcry_mpi_t root, gcry_mpi_t value,
			   gcry_mpi_t p)
{
	gcry_mpi_t next = silex_pk_number(operation);
	gcry_mpi_t exponent = silex_pk_number(operation);

	gcry_mpi_add_ui(next, p, 1);
	gcry_mpi_rshift(exponent, next, 2);
	gcry_mpi_powm(root, value, exponent, p);
}

static uint32_t extract(struct silex_pk_operation *operation, gcry_mpi_t root, gcry_mpi_t value,
			gcry_mpi_t p)
{
	struct field field = { .p = p, .square = silex_pk_number(operation) };
	unsigned t;

	if (jacobi(operation, value, p) < 0)
		return SILEX_PK_STATUS_NO_ROOT;
	if (gcry_mpi_test_bit(p, 1)) {
		power_of_value(operation, root, value, p);
		return 0;
	}
	for (unsigned i = 0; i < 4; i++)
		field.s[i] = silex_pk_number(operation);
	if (!find(operation, &field, value, &t))
		return SILEX_PK_STATUS_NO_ROOT;
	power(operation, &field, t, root);
	return 0;
}

uint32_t silex_pk_square_root(struct silex_pk_operation *operation, gcry_mpi_t root,
			      gcry_mpi_t value, gcry_mpi_t prime, bool odd)
{
	gcry_mpi_t found = silex_pk_number(operation);
	gcry_mpi_t square = silex_pk_number(operation);
	uint32_t error = extract(operation, found, value, prime);

	if (error)
		return error;
	gcry_mpi_mulm(square, found, found, prime);
	if (gcry_mpi_cmp(square, value) != 0)
		return SILEX_PK_STATUS_NO_ROOT;
	if (silex_pk_is_odd(found) == odd || silex_pk_is_zero(found))
		gcry_mpi_set(root, found);
	else
		gcry_mpi_sub(root, prime, found);
	return 0;
}
