/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of keys, and their dispatch tables. */
#ifndef FSP_KINDS_H
#define FSP_KINDS_H

#include <openssl/core_dispatch.h>

#include "keys/key.h"

extern const struct fsp_key_kind fsp_key_rsa_kind, fsp_key_rsa_pss_kind, fsp_key_dh_kind,
	fsp_key_dhx_kind, fsp_key_ec_kind, fsp_key_x25519_kind, fsp_key_ed25519_kind;

extern const OSSL_DISPATCH fsp_key_rsa[], fsp_key_rsa_pss[], fsp_key_dh[], fsp_key_dhx[],
	fsp_key_ec[], fsp_key_x25519[], fsp_key_ed25519[];

#endif
