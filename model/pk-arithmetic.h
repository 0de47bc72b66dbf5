/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Modular arithmetic: opcodes 01 to 0A. */
#ifndef SILEX_PK_ARITHMETIC_H
#define SILEX_PK_ARITHMETIC_H

#include "pk-operation.h"

silex_pk_function silex_pk_modadd, silex_pk_modsub, silex_pk_modmul, silex_pk_moddiv,
	silex_pk_modinv_odd, silex_pk_modinv_even, silex_pk_reduce_odd, silex_pk_reduce_even,
	silex_pk_modsqrt, silex_pk_mul;

#endif
