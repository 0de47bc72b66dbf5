/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA's two operations on the core.
 *
 * The core only computes powers. libcrypto adds and removes the padding.  Its "low-level" padding
 * functions are deprecated, but maintained, and their constant-time code is at least as good as new
 * code would be.
 */
#ifndef FSP_RSA_H
#define FSP_RSA_H

#include "keys/rsa.h"

/* The private and the public operation on the core: `in` and `out` have as many bytes as the
 * modulus. false: software must do it.  A private result has been checked. */
bool fsp_rsa_private(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out);
bool fsp_rsa_public(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out);

/* Whether the core should do it.  Call this first; it counts the requests for software. */
bool fsp_rsa_private_wanted(struct fsp_rsa *rsa);
bool fsp_rsa_public_wanted(struct fsp_rsa *rsa);

/* Their requests; without bytes, for estimates */
struct firesteel_request fsp_rsa_private_request(const struct fsp_rsa *rsa, const uint8_t *in,
						 uint8_t *out);
struct firesteel_request fsp_rsa_public_request(const struct fsp_rsa *rsa, const uint8_t *in,
						uint8_t *out);

#endif
