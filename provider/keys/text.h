/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys as text, as EVP_PKEY_print_public() and the like write them: software's encoders, which get software's data.
 *
 * Without these functions libcrypto would export our keys to software's encoders, and only the part
 * that the text shows.  For the parameters of an RSA key that part is empty, and software's encoder
 * crashes on an empty key.
 */
#ifndef FSP_TEXT_H
#define FSP_TEXT_H

#include <openssl/core_dispatch.h>

extern const OSSL_DISPATCH fsp_text_rsa[], fsp_text_rsa_pss[], fsp_text_dh[], fsp_text_dhx[],
	fsp_text_ec[], fsp_text_x25519[], fsp_text_ed25519[];

#endif
