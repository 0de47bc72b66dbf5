/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* ECDSA: opcodes 30, 31 and 32. */
#ifndef SILEX_PK_ECDSA_H
#define SILEX_PK_ECDSA_H

#include "pk-operation.h"

silex_pk_function silex_pk_ecdsa_sign, silex_pk_ecdsa_verify, silex_pk_ecdsa_check_params;

#endif
