/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* DSA: opcodes 18, 19 and 1A. */
#ifndef SILEX_PK_DSA_H
#define SILEX_PK_DSA_H

#include "pk-operation.h"

silex_pk_function silex_pk_dsa_keygen, silex_pk_dsa_sign, silex_pk_dsa_verify;

/*
 * What DSA and ECDSA share, q being the order:
 * s = (hash + r * secret) / k; NOT_INVERTIBLE, or BAD_SIGNATURE when s is 0.
 */
uint32_t silex_pk_signature(struct silex_pk_operation *operation, gcry_mpi_t s, gcry_mpi_t hash,
			    gcry_mpi_t r, gcry_mpi_t secret, gcry_mpi_t k, gcry_mpi_t q);

/* u1 = hash / s, u2 = r / s; NOT_INVERTIBLE */
uint32_t silex_pk_verification(struct silex_pk_operation *operation, gcry_mpi_t u1, gcry_mpi_t u2,
			       gcry_mpi_t hash, gcry_mpi_t r, gcry_mpi_t s, gcry_mpi_t q);

#endif
