/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the AES ciphers have in common.
 *
 * A message comes in pieces, each done by core or software.  Only whole blocks go to the core.  Software
 * is a context of the default provider (soft.h); `iv` is the current chaining value, unless software
 * did the last piece: then software has it (`soft_stands`), and is asked before the core continues.
 */
#ifndef FSP_CIPHER_H
#define FSP_CIPHER_H

#include <openssl/core_dispatch.h>

#include "provider.h"

#define FSP_BLOCK   16u
#define FSP_KEY_MAX 64u

/* One algorithm; a constant */
struct fsp_cipher_kind {
	const char *name; /* the default provider's */
	enum fsp_work work;
	enum firesteel_mode mode;
	unsigned evp_mode;
	size_t key_size, iv_size;
	size_t block_size; /* 1: a stream */
	bool aead, custom_iv, cts;
};

struct fsp_cipher {
	struct fsp_provider *provider;
	const struct fsp_cipher_kind *kind;
	const struct fsp_soft *software;
	void *soft; /* its context */
	bool soft_keyed; /* it has our key and direction */
	bool soft_stands; /* its chaining value is current */

	unsigned small; /* see fsp_wanted_now() */

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
int fsp_cipher_describe(OSSL_PARAM params[], const struct fsp_cipher_kind *kind);

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

/* One TLS record in place, with padding (cipher-tls.c) */
bool fsp_cipher_record(struct fsp_cipher *cipher, uint8_t *record, size_t *size, size_t capacity);

/* Whether `out` is large enough for this; otherwise an error is raised */
bool fsp_cipher_fits(size_t capacity, size_t wanted);

/* What each family of modes adds to the common functions */
extern OSSL_FUNC_cipher_update_fn fsp_block_update, fsp_stream_update, fsp_xts_update,
	fsp_cts_update;
extern OSSL_FUNC_cipher_final_fn fsp_block_final, fsp_stream_final;
extern OSSL_FUNC_cipher_cipher_fn fsp_block_cipher, fsp_stream_cipher, fsp_xts_cipher,
	fsp_cts_cipher;

/* The common functions */
extern OSSL_FUNC_cipher_freectx_fn fsp_cipher_free;
extern OSSL_FUNC_cipher_dupctx_fn fsp_cipher_dup;
extern OSSL_FUNC_cipher_encrypt_init_fn fsp_cipher_encrypt_init;
extern OSSL_FUNC_cipher_decrypt_init_fn fsp_cipher_decrypt_init;
extern OSSL_FUNC_cipher_gettable_params_fn fsp_cipher_gettable;
extern OSSL_FUNC_cipher_gettable_ctx_params_fn fsp_cipher_gettable_ctx;
extern OSSL_FUNC_cipher_settable_ctx_params_fn fsp_cipher_settable_ctx, fsp_xts_settable_ctx;
extern OSSL_FUNC_cipher_get_ctx_params_fn fsp_cipher_get_ctx;
extern OSSL_FUNC_cipher_set_ctx_params_fn fsp_cipher_set_ctx;

/* Dispatch tables (cipher-table.c for plain modes, cipher-gcm.c, cipher-ccm.c) */
#define FSP_FUNCTION(number, function) { OSSL_FUNC_CIPHER_##number, (void (*)(void))(function) }

#define FSP_CIPHER_TABLE(id, bits, family, inits, settable, update, final, cipher) \
	static void *new_##id##_##bits(void *provider)                             \
	{                                                                          \
		return family##_new(provider, &id##_##bits);                       \
	}                                                                          \
	static int get_##id##_##bits(OSSL_PARAM params[])                          \
	{                                                                          \
		return fsp_cipher_describe(params, &id##_##bits);                  \
	}                                                                          \
	const OSSL_DISPATCH fsp_##id##_##bits[] = {                                \
		FSP_FUNCTION(NEWCTX, new_##id##_##bits),                           \
		FSP_FUNCTION(FREECTX, family##_free),                              \
		FSP_FUNCTION(DUPCTX, family##_dup),                                \
		FSP_FUNCTION(ENCRYPT_INIT, inits##_encrypt_init),                  \
		FSP_FUNCTION(DECRYPT_INIT, inits##_decrypt_init),                  \
		FSP_FUNCTION(UPDATE, update),                                      \
		FSP_FUNCTION(FINAL, final),                                        \
		FSP_FUNCTION(CIPHER, cipher),                                      \
		FSP_FUNCTION(GET_PARAMS, get_##id##_##bits),                       \
		FSP_FUNCTION(GETTABLE_PARAMS, fsp_cipher_gettable),                \
		FSP_FUNCTION(GET_CTX_PARAMS, family##_get_ctx),                    \
		FSP_FUNCTION(SET_CTX_PARAMS, inits##_set_ctx),                     \
		FSP_FUNCTION(GETTABLE_CTX_PARAMS, family##_gettable_ctx),          \
		FSP_FUNCTION(SETTABLE_CTX_PARAMS, settable),                       \
		{ 0, NULL },                                                       \
	}

#define FSP_THREE(id) \
	extern const OSSL_DISPATCH fsp_##id##_128[], fsp_##id##_192[], fsp_##id##_256[]

FSP_THREE(ecb);
FSP_THREE(cbc);
FSP_THREE(ctr);
FSP_THREE(cfb);
FSP_THREE(ofb);
FSP_THREE(cts);
FSP_THREE(gcm);
FSP_THREE(ccm);
extern const OSSL_DISPATCH fsp_xts_128[], fsp_xts_256[];

#endif
