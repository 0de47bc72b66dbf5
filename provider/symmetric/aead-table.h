/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of GCM and CCM have alike: beginnings, parameters of bytes, and dispatch tables. */
#ifndef FSP_AEAD_TABLE_H
#define FSP_AEAD_TABLE_H

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "symmetric/aead-params.h"
#include "symmetric/aead.h"
#include "symmetric/describe.h"
#include "symmetric/dispatch.h"

/* Passes a parameter of bytes on; false: another type, or a refusal */
static inline bool fsp_aead_take(struct fsp_aead *aead, const OSSL_PARAM *param,
				 bool (*take)(struct fsp_aead *aead, const uint8_t *in,
					      size_t size))
{
	return param->data_type == OSSL_PARAM_OCTET_STRING &&
	       take(aead, param->data, param->data_size);
}

/* The two beginnings from init(), which takes a direction */
#define FSP_AEAD_INITS(id)                                                                     \
	static int id##_encrypt_init(void *context, const unsigned char *key, size_t key_size, \
				     const unsigned char *iv, size_t iv_size,                  \
				     const OSSL_PARAM params[])                                \
	{                                                                                      \
		return init(context, key, key_size, iv, iv_size, params, false);               \
	}                                                                                      \
	static int id##_decrypt_init(void *context, const unsigned char *key, size_t key_size, \
				     const unsigned char *iv, size_t iv_size,                  \
				     const OSSL_PARAM params[])                                \
	{                                                                                      \
		return init(context, key, key_size, iv, iv_size, params, true);                \
	}

#define FSP_AEAD_KIND(id, ID, bits)                         \
	static const struct fsp_cipher_kind id##_##bits = { \
		.name = "AES-" #bits "-" #ID,               \
		.task = FSP_TASK_##ID,                      \
		.mode = FIRESTEEL_##ID,                     \
		.evp_mode = EVP_CIPH_##ID##_MODE,           \
		.key_size = bits / 8,                       \
		.iv_size = 12,                              \
		.block_size = 1,                            \
		.aead = true,                               \
		.custom_iv = true,                          \
	};                                                  \
	FSP_CIPHER_TABLE(id, bits, fsp_aead, id, fsp_aead_settable_ctx, update, final, cipher)

/* For all sizes of keys, with ID_encrypt_init(), ID_decrypt_init() and ID_set_ctx() */
#define FSP_AEAD_TABLES(id, ID)     \
	FSP_AEAD_KIND(id, ID, 128); \
	FSP_AEAD_KIND(id, ID, 192); \
	FSP_AEAD_KIND(id, ID, 256)

#endif
