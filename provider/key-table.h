/* SPDX-License-Identifier: Apache-2.0 */
/* The dispatch tables of all that has to do with public keys. */
#ifndef FSP_KEY_TABLE_H
#define FSP_KEY_TABLE_H

#include "asym.h"
#include "exchange.h"
#include "key.h"
#include "signature.h"

extern const OSSL_DISPATCH fsp_key_rsa[], fsp_key_rsa_pss[], fsp_key_dh[], fsp_key_dhx[];
extern const OSSL_DISPATCH fsp_signature_rsa[];
extern const OSSL_DISPATCH fsp_exchange_dh[];

#endif
