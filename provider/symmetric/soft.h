/* SPDX-License-Identifier: Apache-2.0 */
/*
 * AES in software: the default provider's functions, called as libcrypto calls them.
 *
 * A second EVP_CIPHER_CTX under each of ours would do the same and cost about 100 ns a message, as
 * much as some messages take altogether.
 */
#ifndef FSP_SOFT_H
#define FSP_SOFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <openssl/core_dispatch.h>
#include <openssl/evp.h>

#include "base/provider.h"
#include "symmetric/kind.h"

/* One algorithm of the default provider; created at its first use, and kept */
struct fsp_soft {
	void *provider; /* the provider's own context */
	OSSL_FUNC_cipher_newctx_fn *newctx;
	OSSL_FUNC_cipher_freectx_fn *freectx;
	OSSL_FUNC_cipher_dupctx_fn *dupctx;
	OSSL_FUNC_cipher_encrypt_init_fn *encrypt_init;
	OSSL_FUNC_cipher_decrypt_init_fn *decrypt_init;
	OSSL_FUNC_cipher_update_fn *update;
	OSSL_FUNC_cipher_final_fn *final;
	OSSL_FUNC_cipher_cipher_fn *cipher; /* without padding */
	OSSL_FUNC_cipher_get_ctx_params_fn *get;
	OSSL_FUNC_cipher_set_ctx_params_fn *set;
	bool ends_empty; /* CCM: a message that ends without payload is processed as an empty one */
};

/* Frees all algorithms */
void fsp_soft_free(struct fsp_provider *provider);

/* ---- contexts ---- */

/* Software's side of one of our contexts, with direction and key; zeros at first */
struct fsp_soft_context {
	const struct fsp_soft *software;
	void *context; /* software's own */
	bool keyed; /* it has our key and direction */
};

/* Makes software's side; false: the default provider lacks the algorithm, or no memory */
bool fsp_soft_make(struct fsp_soft_context *soft, struct fsp_provider *provider,
		   const struct fsp_cipher_kind *kind);

/* The same if it was not made yet */
static inline bool fsp_soft_open(struct fsp_soft_context *soft, struct fsp_provider *provider,
				 const struct fsp_cipher_kind *kind)
{
	return soft->context || fsp_soft_make(soft, provider, kind);
}

/* Software's answer.  NULL keeps the key, or the IV. */
static inline bool fsp_soft_init(struct fsp_soft_context *soft, bool decrypt, const uint8_t *key,
				 size_t key_size, const uint8_t *iv, size_t iv_size,
				 const OSSL_PARAM params[])
{
	OSSL_FUNC_cipher_encrypt_init_fn *init = decrypt ? soft->software->decrypt_init
							 : soft->software->encrypt_init;

	return init(soft->context, key, key ? key_size : 0, iv, iv ? iv_size : 0, params);
}

static inline bool fsp_soft_update(struct fsp_soft_context *soft, uint8_t *out, const uint8_t *in,
				   size_t size)
{
	size_t got;

	return soft->software->update(soft->context, out, &got, size, in, size);
}

/* Without padding, and all at once */
static inline bool fsp_soft_cipher(struct fsp_soft_context *soft, uint8_t *out, const uint8_t *in,
				   size_t size)
{
	size_t got;

	return soft->software->cipher(soft->context, out, &got, size, in, size);
}

/* Replaces a member-wise copy of software's side by a separate copy; false: no memory, and the side
 * is empty */
bool fsp_soft_dup(struct fsp_soft_context *soft);

void fsp_soft_close(struct fsp_soft_context *soft);

/* The chaining value for the next block */
bool fsp_soft_updated_iv(const struct fsp_soft_context *soft, uint8_t *iv, size_t size);

#endif
