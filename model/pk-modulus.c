/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "pk-modulus.h"

uint32_t silex_pk_odd_modulus(struct silex_pk_operation *operation, unsigned slot,
			      gcry_mpi_t modulus)
{
	if (!silex_pk_is_odd(modulus) || gcry_mpi_cmp_ui(modulus, 1) == 0)
		return silex_pk_refuse(operation, slot, SILEX_PK_STATUS_BAD_MODULUS);
	return 0;
}

uint32_t silex_pk_invert(struct silex_pk_operation *operation, gcry_mpi_t inverse, gcry_mpi_t value,
			 gcry_mpi_t modulus)
{
	gcry_mpi_t reduced = silex_pk_number(operation);
	gcry_mpi_t common = silex_pk_number(operation);

	gcry_mpi_mod(reduced, value, modulus);
	if (!gcry_mpi_gcd(common, reduced, modulus) || !gcry_mpi_invm(inverse, reduced, modulus))
		return SILEX_PK_STATUS_NOT_INVERTIBLE;
	return 0;
}
