/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* DSA.  Operands are all as long as p; the host has truncated the hash to the length of q. */
#include "pk-dsa.h"

#include "pk-modulus.h"

struct group {
	gcry_mpi_t p;
	gcry_mpi_t q;
	gcry_mpi_t g;
};

static uint32_t take_group(struct silex_pk_operation *operation, struct group *group)
{
	group->p = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_P);
	group->q = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_Q);
	group->g = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_G);

	uint32_t error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_DSA_P, group->p);

	return error ? error : silex_pk_odd_modulus(operation, SILEX_PK_SLOT_DSA_Q, group->q);
}

uint32_t silex_pk_dsa_keygen(struct silex_pk_operation *operation)
{
	gcry_mpi_t p = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_P);
	gcry_mpi_t g = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_G);
	gcry_mpi_t x = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_X);
	gcry_mpi_t y = silex_pk_number(operation);
	uint32_t error = silex_pk_odd_modulus(operation, SILEX_PK_SLOT_DSA_P, p);

	if (error)
		return error;
	gcry_mpi_powm(y, g, x, p);
	silex_pk_result(operation, SILEX_PK_SLOT_DSA_Y, y);
	return 0;
}

uint32_t silex_pk_signature(struct silex_pk_operation *operation, gcry_mpi_t s, gcry_mpi_t hash,
			    gcry_mpi_t r, gcry_mpi_t secret, gcry_mpi_t k, gcry_mpi_t q)
{
	gcry_mpi_t inverse = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);
	gcry_mpi_t sum = silex_pk_number(operation);
	uint32_t error = silex_pk_invert(operation, inverse, k, q);

	if (error)
		return error;
	gcry_mpi_mulm(product, r, secret, q);
	gcry_mpi_addm(sum, product, hash, q);
	gcry_mpi_mulm(s, sum, inverse, q);
	return silex_pk_is_zero(s) ? SILEX_PK_STATUS_BAD_SIGNATURE : 0;
}

uint32_t silex_pk_verification(struct silex_pk_operation *operation, gcry_mpi_t u1, gcry_mpi_t u2,
			       gcry_mpi_t hash, gcry_mpi_t r, gcry_mpi_t s, gcry_mpi_t q)
{
	gcry_mpi_t inverse = silex_pk_number(operation);
	uint32_t error = silex_pk_invert(operation, inverse, s, q);

	if (error)
		return error;
	gcry_mpi_mulm(u1, hash, inverse, q);
	gcry_mpi_mulm(u2, r, inverse, q);
	return 0;
}

uint32_t silex_pk_dsa_sign(struct silex_pk_operation *operation)
{
	struct group group;
	gcry_mpi_t k = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_K);
	gcry_mpi_t x = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_X);
	gcry_mpi_t hash = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_H);
	uint32_t error = take_group(operation, &group);

	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_DSA_K, k, group.q);
	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_DSA_X, x, group.q);
	if (error)
		return error;

	gcry_mpi_t power = silex_pk_number(operation);
	gcry_mpi_t r = silex_pk_number(operation);
	gcry_mpi_t s = silex_pk_number(operation);

	gcry_mpi_powm(power, group.g, k, group.p);
	gcry_mpi_mod(r, power, group.q);
	if (silex_pk_is_zero(r))
		return silex_pk_refuse(operation, SILEX_PK_SLOT_DSA_R,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	error = silex_pk_signature(operation, s, hash, r, x, k, group.q);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_DSA_K, error);
	silex_pk_result(operation, SILEX_PK_SLOT_DSA_R, r);
	silex_pk_result(operation, SILEX_PK_SLOT_DSA_S, s);
	return 0;
}

/* Whether r is (g^u1 * y^u2 mod p) mod q */
static uint32_t compare(struct silex_pk_operation *operation, const struct group *group,
			gcry_mpi_t u1, gcry_mpi_t u2, gcry_mpi_t r)
{
	gcry_mpi_t power1 = silex_pk_number(operation);
	gcry_mpi_t power2 = silex_pk_number(operation);
	gcry_mpi_t product = silex_pk_number(operation);
	gcry_mpi_t v = silex_pk_number(operation);

	gcry_mpi_powm(power1, group->g, u1, group->p);
	gcry_mpi_powm(power2, silex_pk_operand(operation, SILEX_PK_SLOT_DSA_Y), u2, group->p);
	gcry_mpi_mulm(product, power1, power2, group->p);
	gcry_mpi_mod(v, product, group->q);
	if (gcry_mpi_cmp(v, r) != 0)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_DSA_R,
				       SILEX_PK_STATUS_BAD_SIGNATURE);
	return 0;
}

uint32_t silex_pk_dsa_verify(struct silex_pk_operation *operation)
{
	struct group group;
	gcry_mpi_t r = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_R);
	gcry_mpi_t s = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_S);
	gcry_mpi_t hash = silex_pk_operand(operation, SILEX_PK_SLOT_DSA_H);
	gcry_mpi_t u1 = silex_pk_number(operation);
	gcry_mpi_t u2 = silex_pk_number(operation);
	uint32_t error = take_group(operation, &group);

	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_DSA_R, r, group.q);
	if (!error)
		error = silex_pk_within(operation, SILEX_PK_SLOT_DSA_S, s, group.q);
	if (error)
		return error;
	error = silex_pk_verification(operation, u1, u2, hash, r, s, group.q);
	if (error)
		return silex_pk_refuse(operation, SILEX_PK_SLOT_DSA_S, error);
	return compare(operation, &group, u1, u2, r);
}
