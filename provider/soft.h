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

/* One algorithm of the default provider; created at its first use, and kept */
struct fsp_soft {
	EVP_CIPHER *algorithm; /* keeps the provider that the functions belong to */
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
};

struct fsp_provider;
struct fsp_cipher_kind;

/* NULL: the default provider does not have it */
const struct fsp_soft *fsp_soft_find(struct fsp_provider *provider,
				     const struct fsp_cipher_kind *kind);

/* Frees all that were found */
void fsp_soft_free(struct fsp_provider *provider);

/* A copy of a context of this algorithm, NULL if that fails; NULL for NULL */
void *fsp_soft_dup(const struct fsp_soft *soft, void *context);

/* The chaining value: what the next block is chained to */
bool fsp_soft_updated_iv(const struct fsp_soft *soft, void *context, uint8_t *iv, size_t size);

#endif
