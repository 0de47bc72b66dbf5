/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoder of domain parameters, of Diffie-Hellman's PKCS #3 alone: others the core does nothing for.
 *
 * Keys from files are the default provider's, as its decoders are, and come to us by import when
 * something is done with them.  But a key that is generated from parameters is made by whom the
 * parameters belong to: so these have to be ours from the beginning, or the DHE keys of a server with
 * parameters in a file would never come to the core.
 */
#ifndef FSP_DECODER_H
#define FSP_DECODER_H

#include <openssl/core_dispatch.h>

extern const OSSL_DISPATCH fsp_decoder_dh[];

#endif
