/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman on elliptic curves, on the core. */
#ifndef FSP_ECDH_H
#define FSP_ECDH_H

#include "keys/ec.h"

struct firesteel_request fsp_ecdh_request(const struct fsp_ec *ec, const struct fsp_ec *peer,
					  uint8_t *x);

#endif
