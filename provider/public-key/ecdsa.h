/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA on the core. */
#ifndef FSP_ECDSA_H
#define FSP_ECDSA_H

#include "keys/ec.h"

struct firesteel_request fsp_ecdsa_sign_request(const struct fsp_ec *ec,
						struct firesteel_bytes digest, uint8_t *r,
						uint8_t *s);
struct firesteel_request fsp_ecdsa_verify_request(const struct fsp_ec *ec,
						  struct firesteel_bytes digest, const uint8_t *r,
						  const uint8_t *s);

/* The two integers of a signature (both of ec->size bytes) from DER and to DER.  false: it is none
 * that software would take, or there is no memory. */
bool fsp_ecdsa_decode(const struct fsp_ec *ec, const uint8_t *der, size_t size, uint8_t *r,
		      uint8_t *s);
bool fsp_ecdsa_encode(const struct fsp_ec *ec, const uint8_t *r, const uint8_t *s, uint8_t *der,
		      size_t *size);

#endif
