/* SPDX-License-Identifier: Apache-2.0 */
/* Records of TLS 1.2 with GCM and CCM: the explicit part of the IV, the payload, the tag. */
#ifndef FSP_AEAD_RECORD_H
#define FSP_AEAD_RECORD_H

#include "symmetric/aead.h"

/* Takes the 13 bytes that libssl passes for a record, and corrects the length; false: another
 * size */
bool fsp_aead_record_aad(struct fsp_aead *aead, const uint8_t *aad, size_t size);

/* How long the tag of a record is */
static inline size_t fsp_aead_record_tag(const struct fsp_aead *aead)
{
	return aead->kind->mode == FIRESTEEL_GCM ? FSP_TAG : aead->tag_size;
}

/*
 * A whole record in place, with IV and associated data set.  Returns whether it is good; *out_size
 * is the size of the rest.
 */
bool fsp_aead_record(struct fsp_aead *aead, uint8_t *record, size_t *out_size, size_t size);

#endif
