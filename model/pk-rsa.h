/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* RSA: opcodes 11, 12, 13 and 15.  The public operation is pk-modexp.h's. */
#ifndef SILEX_PK_RSA_H
#define SILEX_PK_RSA_H

#include "pk-operation.h"

silex_pk_function silex_pk_rsa_keygen, silex_pk_rsa_crt_params, silex_pk_rsa_crt,
	silex_pk_rsa_private;

#endif
