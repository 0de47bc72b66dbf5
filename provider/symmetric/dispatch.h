/* SPDX-License-Identifier: Apache-2.0 */
/* Dispatch tables of the AES algorithms, a file a family: cipher-table.c has those without a tag. */
#ifndef FSP_DISPATCH_H
#define FSP_DISPATCH_H

#include <openssl/core_dispatch.h>

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
