/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fallback code that all kinds of AEAD share. */
#ifndef FIRESTEEL_FALLBACK_H
#define FIRESTEEL_FALLBACK_H

#include <crypto/internal/aead.h>

#include "request.h"

/* Does `request` by another transform, with `fallback` as its request */
static inline int firesteel_fallback_aead(struct aead_request *request,
					  struct crypto_aead *transform,
					  struct aead_request *fallback, bool decrypt)
{
	aead_request_set_tfm(fallback, transform);
	aead_request_set_callback(fallback, firesteel_fallback_flags(&request->base),
				  request->base.complete, request->base.data);
	aead_request_set_crypt(fallback, request->src, request->dst, request->cryptlen,
			       request->iv);
	aead_request_set_ad(fallback, request->assoclen);
	return decrypt ? crypto_aead_decrypt(fallback) : crypto_aead_encrypt(fallback);
}

/* Gives a fallback the key of `transform`, and its flags */
static inline int firesteel_fallback_aead_set_key(struct crypto_aead *transform,
						  struct crypto_aead *fallback, const u8 *key,
						  unsigned int size)
{
	crypto_aead_clear_flags(fallback, CRYPTO_TFM_REQ_MASK);
	crypto_aead_set_flags(fallback, crypto_aead_get_flags(transform) & CRYPTO_TFM_REQ_MASK);
	return crypto_aead_setkey(fallback, key, size);
}

#endif
