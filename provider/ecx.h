/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 (RFC 7748) and Ed25519 (RFC 8032) on the core. */
#ifndef FSP_ECX_H
#define FSP_ECX_H

#include "key.h"
#include "task.h"

#define FSP_ECX_SIZE 32u /* of keys and shared secrets */
#define FSP_ECX_BITS 255u /* of the field */

/* A key as the core wants it */
struct fsp_ecx {
	bool has_secret, has_public;
	uint8_t secret[FSP_ECX_SIZE], public[FSP_ECX_SIZE];
	atomic_bool broken; /* its components are inconsistent */
};

void *fsp_ecx_components_new(struct fsp_provider *provider, EVP_PKEY *software);
void fsp_ecx_components_free(void *components);

/* Generates a key for X25519; NULL: software must do it */
EVP_PKEY *fsp_x25519_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			      void **components);

enum fsp_trial fsp_x25519_trial(struct fsp_provider *provider, int64_t *software_ns);
enum fsp_trial fsp_ed25519_trial_sign(struct fsp_provider *provider, int64_t *software_ns);
enum fsp_trial fsp_ed25519_trial_verify(struct fsp_provider *provider, int64_t *software_ns);

#endif
