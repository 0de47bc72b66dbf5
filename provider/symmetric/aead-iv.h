/* SPDX-License-Identifier: Apache-2.0 */
/* GCM: IVs that the context generates by counting, for TLS 1.2 and OpenSSH. */
#ifndef FSP_AEAD_IV_H
#define FSP_AEAD_IV_H

#include "symmetric/aead.h"

#define FSP_EXPLICIT 8u /* of a record's IV */
#define FSP_FIXED    4u

/* The fixed part; all of it if `size` is -1 */
bool fsp_aead_set_fixed_iv(struct fsp_aead *aead, const uint8_t *in, size_t size);

/* The other side's explicit part, for the message that starts */
bool fsp_aead_set_explicit_iv(struct fsp_aead *aead, const uint8_t *in, size_t size);

/* The last `size` bytes of the IV of the message that starts; all of it if `size` is 0 or too
 * large.  Afterwards `iv` is the next message's. false: IVs are not counted. */
bool fsp_aead_next_iv(struct fsp_aead *aead, uint8_t *out, size_t size);

/* Whether IVs are counted: with a key, and if the IV has room for the count */
bool fsp_aead_can_count(const struct fsp_aead *aead);

/* The explicit part belongs to the next message; only if IVs are counted */
void fsp_aead_count_iv(struct fsp_aead *aead);

/* For an encryption without an IV from the caller; false: no IV is possible */
bool fsp_aead_random_iv(struct fsp_aead *aead);

#endif
