/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Curve25519 in both its forms: opcodes 28 and 3B to 3E.  Drivers use them little-endian. */
#ifndef SILEX_PK_25519_H
#define SILEX_PK_25519_H

#include "pk-operation.h"

silex_pk_function silex_pk_x25519, silex_pk_eddsa_base_mul, silex_pk_eddsa_sign,
	silex_pk_eddsa_verify, silex_pk_edwards_mul;

#endif
