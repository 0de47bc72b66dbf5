/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Operations on points and curve parameters of Weierstrass curves: opcodes 20 to 27 and 29. */
#ifndef SILEX_PK_POINT_H
#define SILEX_PK_POINT_H

#include "pk-operation.h"

silex_pk_function silex_pk_ecc_double, silex_pk_ecc_add, silex_pk_ecc_mul, silex_pk_ecc_check_ab,
	silex_pk_ecc_check_n, silex_pk_ecc_check_xy, silex_pk_ecc_on_curve, silex_pk_ecc_decompress,
	silex_pk_ecc_check_order;

#endif
