/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Square roots modulo a prime. */
#ifndef SILEX_PK_ROOT_H
#define SILEX_PK_ROOT_H

#include "pk-operation.h"

/*
 * root * root = value mod prime (odd): 0, or NO_ROOT when there is none or `prime` is not prime.
 * Of the two roots the one that is even, or odd.
 */
uint32_t silex_pk_square_root(struct silex_pk_operation *operation, gcry_mpi_t root,
			      gcry_mpi_t value, gcry_mpi_t prime, bool odd);

#endif
