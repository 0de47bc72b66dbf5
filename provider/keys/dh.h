/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of Diffie-Hellman. */
#ifndef FSP_KEYS_DH_H
#define FSP_KEYS_DH_H

#include "keys/core-generation.h"

#define FSP_DH_BITS_MIN 512u /* software refuses less */

/* A key as the core wants it; components are big-endian, of size 0 where they are missing */
struct fsp_dh {
	size_t bits, size; /* of the prime */
	struct firesteel_bytes prime, generator, order, secret, public;
	size_t length; /* bits of secrets in a named group whose order is (prime - 1) / 2; 0: another */
};

/* Whether the order of its group is ours to choose: software has no order, or a named group's */
static inline bool fsp_dh_is_simple(const struct fsp_dh *dh)
{
	return dh->order.size == 0 || dh->length > 0;
}

void *fsp_dh_components_new(struct fsp_key *key);
void fsp_dh_components_free(void *components);

/* The effort of software for an exponent of this many bytes */
uint64_t fsp_dh_effort(const struct fsp_dh *dh, size_t exponent);

/* Prime, generator and public part without software */
bool fsp_dh_tell(const void *components, OSSL_PARAM *param);

extern const struct fsp_generator fsp_dh_generator;

#endif
