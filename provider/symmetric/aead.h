/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GCM and CCM have in common.
 *
 * The core processes a message as a whole: all associated data, then one update with all of the
 * payload.  A copy of the payload is kept; if more payload follows, or the core rejects a tag, software
 * does everything again.  So only software rejects a message, and messages in pieces give the same
 * results as with the default provider.
 */
#ifndef FSP_AEAD_H
#define FSP_AEAD_H

#include <openssl/core_dispatch.h>

#include "base/policy.h"
#include "symmetric/aead-state.h"

#define FSP_PAYLOAD_MAX (4 * FIRESTEEL_WHOLE) /* of a message on the core: a copy is kept */

void *fsp_aead_new(void *provider, const struct fsp_cipher_kind *kind);

/* Encrypting or decrypting; if that changes, software gets the key again */
void fsp_aead_set_direction(struct fsp_aead *aead, bool decrypt);

bool fsp_aead_set_key(struct fsp_aead *aead, const uint8_t *key, size_t size);

/* Keeps associated data for the message; false: too many, or no memory */
bool fsp_aead_collect(struct fsp_aead *aead, const uint8_t *in, size_t size);

/* Adds associated data, collected or for software */
bool fsp_aead_aad(struct fsp_aead *aead, const uint8_t *in, size_t size);

/* fsp_aead_core() from where the core is wanted */
bool fsp_aead_wanted(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size);

/*
 * Processes all of a message's payload on the core. false: not done, `in` is unchanged, and
 * software must do it.  Otherwise an encryption has its tag, and a decryption has compared the tag
 * or computed it for a later comparison.
 */
static inline bool fsp_aead_core(struct fsp_aead *aead, uint8_t *out, const uint8_t *in,
				 size_t size)
{
	return fsp_policy_wants_piece(aead->provider, aead->kind->task, size, &aead->small) &&
	       fsp_aead_wanted(aead, out, in, size);
}

/* Software starts the message, with key, IV and associated data, and repeats what the core has done */
bool fsp_aead_soft_begin(struct fsp_aead *aead);

bool fsp_aead_soft_update(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size);

/* Whether a tag that is set after the payload equals the one that the core has computed */
bool fsp_aead_core_end(const struct fsp_aead *aead);

/* What a decryption ends with that was given no tag: false; OpenSSL says why from 4.0 on */
bool fsp_aead_no_tag(void);

/* Compares tags, or computes one */
bool fsp_aead_soft_end(struct fsp_aead *aead);

extern OSSL_FUNC_cipher_freectx_fn fsp_aead_free;
extern OSSL_FUNC_cipher_dupctx_fn fsp_aead_dup;

#endif
