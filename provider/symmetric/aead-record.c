/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/aead-record.h"

#include "symmetric/aead-iv.h"

#define TLS_AAD 13u

bool fsp_aead_record_aad(struct fsp_aead *aead, const uint8_t *aad, size_t size)
{
	size_t less = FSP_EXPLICIT + (aead->decrypt ? fsp_aead_record_tag(aead) : 0), length;

	/* As the default provider: what follows is taken for a record even if its length is wrong */
	if (!aad || size != TLS_AAD || !fsp_aead_step(aead, FSP_ON_HEAD) ||
	    !fsp_aead_collect(aead, aad, size))
		return false;
	length = (size_t)aad[TLS_AAD - 2] << 8 | aad[TLS_AAD - 1];
	if (length < less)
		return false;
	length -= less;
	aead->aad[TLS_AAD - 2] = (uint8_t)(length >> 8);
	aead->aad[TLS_AAD - 1] = (uint8_t)length;
	aead->tls_overhead = fsp_aead_record_tag(aead);
	return true;
}

/* The tag follows the payload */
static bool process(struct fsp_aead *aead, uint8_t *payload, size_t size)
{
	bool good;

	aead->total = size;
	if (aead->decrypt) {
		memcpy(aead->tag, payload + size, aead->tag_size);
		aead->has_tag = true;
		aead->tag_is_this = true;
	}
	good = fsp_aead_core(aead, payload, payload, size) ||
	       (fsp_aead_soft_begin(aead) && fsp_aead_soft_update(aead, payload, payload, size) &&
		fsp_aead_soft_end(aead));
	if (!aead->decrypt && good)
		memcpy(payload + size, aead->tag, aead->tag_size);
	if (aead->decrypt && !good)
		firesteel_wipe(payload, size);
	aead->saved_size = 0;
	aead->has_tag = false;
	return good;
}

bool fsp_aead_record(struct fsp_aead *aead, uint8_t *record, size_t *out_size, size_t size)
{
	const size_t around = FSP_EXPLICIT + aead->tag_size;
	bool good;

	fsp_aead_copy_iv(aead->nonce, aead->iv, aead->iv_size);
	good = process(aead, record + FSP_EXPLICIT, size - around);
	*out_size = !good ? 0 : aead->decrypt ? size - around : size;
	return good;
}
