/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Moduli, and inverses modulo them. */
#ifndef SILEX_PK_MODULUS_H
#define SILEX_PK_MODULUS_H

#include "pk-operation.h"

/* 0 if the slot holds an odd modulus, not 1, else refuses with BAD_MODULUS */
uint32_t silex_pk_odd_modulus(struct silex_pk_operation *operation, unsigned slot,
			      gcry_mpi_t modulus);

/* inverse = 1 / value mod modulus (over 1): 0, or NOT_INVERTIBLE */
uint32_t silex_pk_invert(struct silex_pk_operation *operation, gcry_mpi_t inverse, gcry_mpi_t value,
			 gcry_mpi_t modulus);

#endif
