/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman on the core. */
#ifndef FSP_DH_H
#define FSP_DH_H

#include "key.h"
#include "task.h"

/* A key as the core wants it; components are big-endian, of size 0 where they are missing */
struct fsp_dh {
	size_t bits, size; /* of the prime */
	struct firesteel_bytes prime, generator, order, secret, public;
	bool safe; /* the group is a named one, whose order is (prime - 1) / 2 */
};

void *fsp_dh_components_new(struct fsp_provider *provider, EVP_PKEY *software);
void fsp_dh_components_free(void *components);

#define FSP_DH_BITS_MIN 512u /* software refuses less */

/* The effort of software for an exponent of this many bytes */
uint64_t fsp_dh_effort(const struct fsp_dh *dh, size_t exponent);

/* Generates a key in the group of these parameters; NULL: software must do it */
EVP_PKEY *fsp_dh_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			  void **components);

/* Prime, generator and public part without software */
bool fsp_dh_tell(const void *components, OSSL_PARAM *param);

enum fsp_trial fsp_dh_trial(struct fsp_provider *provider, int64_t *software_ns);

#endif
