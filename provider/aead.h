/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What GCM and CCM have in common.
 *
 * The core does a message whole: all associated data, then one update with all of the payload.  A
 * copy of the payload is kept; when it turns out that there is more, or the core says that a tag is
 * wrong, software does it all again.  So nobody is refused on the word of the core, and pieces come
 * out as from the default provider.
 */
#ifndef FSP_AEAD_H
#define FSP_AEAD_H

#include <string.h>

#include "cipher.h"

#define FSP_TAG      16u
#define FSP_IV_MAX   128u
#define FSP_AAD_MAX  16384u
#define FSP_TLS_AAD  13u
#define FSP_EXPLICIT 8u /* of a record's IV */
#define FSP_FIXED    4u

#define FSP_PAYLOAD_MAX (4 * FIRESTEEL_WHOLE) /* of a message on the core: a copy is kept */

enum fsp_aead_state {
	FSP_BEFORE, /* no payload yet; associated data are gathered */
	FSP_IN_CORE, /* the core has done what may be all */
	FSP_IN_SOFTWARE,
	FSP_AFTER, /* a message is over: a new IV, please */
};

struct fsp_aead {
	struct fsp_provider *provider;
	const struct fsp_cipher_kind *kind;
	const struct fsp_soft *software;
	void *soft; /* its context */
	bool soft_keyed; /* it has our key and direction */
	unsigned small; /* see fsp_wanted_now() */
	enum fsp_aead_state state;

	bool keyed, has_iv, decrypt;
	uint8_t key[32];
	uint8_t iv[FSP_IV_MAX]; /* as it is told to callers: of the next message, if it counts */
	uint8_t nonce[FSP_IV_MAX]; /* of this message */
	bool has_nonce;
	size_t iv_size;
	bool counts_ivs; /* GCM: IVs are made by counting */

	uint8_t tag[FSP_TAG];
	size_t tag_size;
	bool has_tag; /* to compare with; or, encrypting, one to give */
	bool tag_is_this; /* it was set for this message, before its payload */
	uint8_t computed[FSP_TAG]; /* GCM, decrypting on the core before the tag was told */
	bool has_computed;

	uint8_t *aad;
	size_t aad_size, aad_capacity;
	uint64_t total; /* CCM: of the payload */
	bool has_total;

	uint8_t *saved; /* payload that the core has done */
	size_t saved_size, saved_capacity;

	bool tls; /* the next update is a record */
	size_t tls_overhead; /* what it is longer by than its payload, without explicit IV */
};

void *fsp_aead_new(void *provider, const struct fsp_cipher_kind *kind);

/* Encrypting or decrypting; software takes the key anew where that changes */
void fsp_aead_set_direction(struct fsp_aead *aead, bool decrypt);

bool fsp_aead_set_key(struct fsp_aead *aead, const uint8_t *key, size_t size);

/* Another message, which keeps the key */
void fsp_aead_restart(struct fsp_aead *aead);

/* More associated data, kept or for software */
bool fsp_aead_aad(struct fsp_aead *aead, const uint8_t *in, size_t size);

/*
 * All of a message's payload on the core.  false: not done, `in` is as it was, and the same is to
 * be done in software.  An encryption has then its tag, a decryption has compared with it, or
 * has what to compare with it.
 */
bool fsp_aead_core(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size);

/* Software begins the message, with key, IV and associated data, and what the core has done of it */
bool fsp_aead_soft_begin(struct fsp_aead *aead);

bool fsp_aead_soft_update(struct fsp_aead *aead, uint8_t *out, const uint8_t *in, size_t size);

/* A tag that is told behind the payload: whether it is what the core has computed */
bool fsp_aead_core_end(const struct fsp_aead *aead);

/* Compares tags, or makes one */
bool fsp_aead_soft_end(struct fsp_aead *aead);

/* A record of TLS 1.2 in place, whose IV and associated data are set; `tag` follows the payload */
bool fsp_aead_record(struct fsp_aead *aead, uint8_t *payload, size_t size);

/* Takes the 13 bytes that libssl knows of a record, with the length put right; false: too short */
bool fsp_aead_tls_aad(struct fsp_aead *aead, const uint8_t *aad, size_t size);

/* For the size that is used a copy that the compiler can make */
static inline void fsp_aead_copy_iv(uint8_t *to, const uint8_t *from, size_t size)
{
	if (size == 12)
		memcpy(to, from, 12);
	else
		memcpy(to, from, size);
}

/* The IV is this message's */
void fsp_aead_use_iv(struct fsp_aead *aead);

/* GCM: the last bytes of the IV for the message that begins; `iv` is the next one's then */
bool fsp_gcm_next_iv(struct fsp_aead *aead, uint8_t *out, size_t size);

extern OSSL_FUNC_cipher_freectx_fn fsp_aead_free;
extern OSSL_FUNC_cipher_dupctx_fn fsp_aead_dup;
extern OSSL_FUNC_cipher_gettable_ctx_params_fn fsp_aead_gettable_ctx;
extern OSSL_FUNC_cipher_settable_ctx_params_fn fsp_aead_settable_ctx;
extern OSSL_FUNC_cipher_get_ctx_params_fn fsp_aead_get_ctx;

#endif
