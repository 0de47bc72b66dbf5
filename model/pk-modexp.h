/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Exponentiation and the test for primes. */
#ifndef SILEX_PK_MODEXP_H
#define SILEX_PK_MODEXP_H

#include "pk-operation.h"

silex_pk_function silex_pk_modexp, silex_pk_miller_rabin;

#endif
