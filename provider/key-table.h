/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch tables of all that has to do with public keys. */
#ifndef FSP_KEY_TABLE_H
#define FSP_KEY_TABLE_H

#include "asym.h"
#include "exchange.h"
#include "key.h"
#include "signature.h"

extern const OSSL_DISPATCH fsp_key_rsa[], fsp_key_rsa_pss[], fsp_key_dh[], fsp_key_dhx[],
	fsp_key_ec[], fsp_key_x25519[], fsp_key_ed25519[];
extern const OSSL_DISPATCH fsp_signature_rsa[], fsp_signature_ecdsa[], fsp_signature_ed25519[];
extern const OSSL_DISPATCH fsp_exchange_dh[], fsp_exchange_ecdh[], fsp_exchange_x25519[];

#endif
