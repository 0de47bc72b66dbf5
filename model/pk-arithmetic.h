/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Modular arithmetic: opcodes 01 to 0A, and what other operations share of it. */
#ifndef SILEX_PK_ARITHMETIC_H
#define SILEX_PK_ARITHMETIC_H

#include "pk-operation.h"

silex_pk_function silex_pk_modadd, silex_pk_modsub, silex_pk_modmul, silex_pk_moddiv,
	silex_pk_modinv_odd, silex_pk_modinv_even, silex_pk_reduce_odd, silex_pk_reduce_even,
	silex_pk_modsqrt, silex_pk_mul;

/* 0 if the slot holds an odd modulus, not 1, else refuses with BAD_MODULUS */
uint32_t silex_pk_odd_modulus(struct silex_pk_operation *operation, unsigned slot,
			      gcry_mpi_t modulus);

/* inverse = 1 / value mod modulus (over 1): 0, or NOT_INVERTIBLE */
uint32_t silex_pk_invert(struct silex_pk_operation *operation, gcry_mpi_t inverse, gcry_mpi_t value,
			 gcry_mpi_t modulus);

/*
 * root * root = value mod prime (odd): 0, or NO_ROOT when there is none or `prime` is not prime.
 * Of the two roots the one that is even, or odd.
 */
uint32_t silex_pk_square_root(struct silex_pk_operation *operation, gcry_mpi_t root,
			      gcry_mpi_t value, gcry_mpi_t prime, bool odd);

#endif
