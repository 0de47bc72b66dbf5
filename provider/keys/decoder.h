/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoder of domain parameters for Diffie-Hellman in PKCS #3, the only kind for which the core
 * does anything.
 *
 * The default provider's decoders read keys from files, so these keys are its own; OpenSSL imports
 * them here at their first use.  But OpenSSL generates a key in the provider that holds the
 * parameters.  So this provider must decode parameters itself; otherwise the DHE keys of a server
 * with parameters in a file would never use the core.
 */
#ifndef FSP_DECODER_H
#define FSP_DECODER_H

#include <openssl/core_dispatch.h>

extern const OSSL_DISPATCH fsp_decoder_dh[];

#endif
