/* SPDX-License-Identifier: Apache-2.0 */
/* Two ways to remove the padding of PKCS #1 v1.5 that libcrypto has, but does not export. */
#ifndef FSP_RSA_UNPAD_H
#define FSP_RSA_UNPAD_H

#include "keys/rsa.h"

/* Removes the padding of PKCS #1 v1.5 without revealing whether it was right; see rsa-unpad.c.  The
 * message's size, or a negative number: an error that reveals nothing secret. */
int fsp_rsa_unpad_implicit(const struct fsp_rsa *rsa, uint8_t *out, size_t capacity,
			   const uint8_t *padded, const uint8_t *in);

/* The same for the secret of 48 bytes of a TLS client, with two versions of which one may be 0 */
int fsp_rsa_unpad_tls(const struct fsp_rsa *rsa, uint8_t *out, const uint8_t *padded,
		      unsigned version, unsigned other_version);

#endif
