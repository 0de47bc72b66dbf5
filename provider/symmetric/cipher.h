/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the AES ciphers have in common.
 *
 * A message comes in pieces, each done by core or software.  Only whole blocks go to the core.
 * Software is a context of the default provider (soft.h).  `iv` is the current chaining value,
 * unless software did the last piece.  Then `soft_stands` is set, and software gives its value
 * before the core continues.
 */
#ifndef FSP_CIPHER_H
#define FSP_CIPHER_H

#include <openssl/core_dispatch.h>

#include "base/provider.h"
#include "symmetric/kind.h"
#include "symmetric/soft.h"

struct fsp_cipher {
	struct fsp_provider *provider;
	const struct fsp_cipher_kind *kind;
	struct fsp_soft_context soft;
	bool soft_stands; /* software's chaining value is current */

	unsigned small; /* see fsp_policy_wants_piece() */

	bool keyed, has_iv, decrypt;
	uint8_t key[FSP_KEY_MAX];
	uint8_t first_iv[FSP_BLOCK]; /* as set by the caller */
	uint8_t iv[FSP_BLOCK];

	bool padding;
	uint8_t part[FSP_BLOCK]; /* of a block, not processed yet */
	size_t part_size;
	unsigned offset; /* of a stream: bytes into the block */
	unsigned cts_variant; /* 1, 2 or 3: how CBC-CTS orders its last blocks */

	unsigned tls_version; /* 0: no TLS */
	size_t mac_size; /* of a record to decrypt */
	uint8_t mac[EVP_MAX_MD_SIZE]; /* of the last one */
	uint8_t no_mac[EVP_MAX_MD_SIZE]; /* random: replaces `mac` if the padding was wrong */
};

void *fsp_cipher_new(void *provider, const struct fsp_cipher_kind *kind);
extern OSSL_FUNC_cipher_freectx_fn fsp_cipher_free;
extern OSSL_FUNC_cipher_dupctx_fn fsp_cipher_dup;

/* Processes whole blocks, by core or software; `in` may be `out`.  false: raises an error. */
bool fsp_cipher_blocks(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size);

/* The same, as far as the core can; returns the number of bytes done */
size_t fsp_cipher_core(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size);

/* Reads the chaining value from software; false: an error */
bool fsp_cipher_recall(struct fsp_cipher *cipher);

/* Processes any number of bytes in software, from the current chaining value */
bool fsp_cipher_soft(struct fsp_cipher *cipher, uint8_t *out, const uint8_t *in, size_t size);

/* Prepares software, with the context's key */
bool fsp_cipher_soft_ready(struct fsp_cipher *cipher);

#endif
