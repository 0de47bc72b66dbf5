/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Encryption with public keys, which only RSA has.
 *
 * A software context takes all parameters, and encrypts.  Decryption goes to the core where that
 * pays; see rsa-decrypt.c.
 */
#ifndef FSP_ASYM_H
#define FSP_ASYM_H

#include <openssl/core_dispatch.h>

extern const OSSL_DISPATCH fsp_asym_rsa[];

#endif
