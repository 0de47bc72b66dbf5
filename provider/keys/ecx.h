/* SPDX-License-Identifier: Apache-2.0 */
/* Keys for X25519 (RFC 7748) and Ed25519 (RFC 8032), which have no parameters. */
#ifndef FSP_ECX_H
#define FSP_ECX_H

#include "keys/core-generation.h"

#define FSP_ECX_SIZE 32u /* of keys and shared secrets */
#define FSP_ECX_BITS 255u /* of the field */

/* A key as the core wants it */
struct fsp_ecx {
	bool has_secret, has_public;
	uint8_t secret[FSP_ECX_SIZE], public[FSP_ECX_SIZE];
	atomic_bool broken; /* its components are inconsistent */
};

void *fsp_ecx_components_new(struct fsp_key *key);
void fsp_ecx_components_free(void *components);

/* NULL for the peer is the base point: a public key */
struct firesteel_request fsp_x25519_request(const uint8_t *secret, const uint8_t *peer,
					    uint8_t *out);

/* For X25519.  Software generates keys for Ed25519: they are long-lived, and a wrong public key from a
 * faulty core would be noticed too late. */
extern const struct fsp_generator fsp_x25519_generator;

#endif
