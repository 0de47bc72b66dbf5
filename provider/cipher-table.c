/* SPDX-License-Identifier: Apache-2.0 */
/* The AES ciphers by name. */
#include "cipher.h"

#include <openssl/core_names.h>

#define KIND(id, bits, ID, MODE, EVP, work_, bytes, iv, block, is_cts) \
	static const struct fsp_cipher_kind id##_##bits = {            \
		.name = "AES-" #bits "-" ID,                           \
		.work = work_,                                         \
		.mode = MODE,                                          \
		.evp_mode = EVP,                                       \
		.key_size = bytes,                                     \
		.iv_size = iv,                                         \
		.block_size = block,                                   \
		.cts = is_cts,                                         \
		.custom_iv = MODE == FIRESTEEL_XTS,                    \
	}

#define PLAIN(id, bits, ID, UP, block, iv, update, final, cipher, is_cts, mode)                    \
	KIND(id, bits, ID, FIRESTEEL_##mode, EVP_CIPH_##mode##_MODE, FSP_##UP, bits / 8, iv,       \
	     block, is_cts);                                                                       \
	FSP_CIPHER_TABLE(id, bits, fsp_cipher, fsp_cipher, fsp_cipher_settable_ctx, update, final, \
			 cipher)

#define THREE(...)                  \
	PLAIN_OF(128, __VA_ARGS__); \
	PLAIN_OF(192, __VA_ARGS__); \
	PLAIN_OF(256, __VA_ARGS__)
#define PLAIN_OF(bits, id, ...) PLAIN(id, bits, __VA_ARGS__)

THREE(ecb, "ECB", ECB, 16, 0, fsp_block_update, fsp_block_final, fsp_block_cipher, false, ECB);
THREE(cbc, "CBC", CBC, 16, 16, fsp_block_update, fsp_block_final, fsp_block_cipher, false, CBC);
THREE(ctr, "CTR", CTR, 1, 16, fsp_stream_update, fsp_stream_final, fsp_stream_cipher, false, CTR);
THREE(cfb, "CFB", CFB, 1, 16, fsp_stream_update, fsp_stream_final, fsp_stream_cipher, false, CFB);
THREE(ofb, "OFB", OFB, 1, 16, fsp_stream_update, fsp_stream_final, fsp_stream_cipher, false, OFB);
THREE(cts, "CBC-CTS", CTS, 16, 16, fsp_cts_update, fsp_stream_final, fsp_cts_cipher, true, CBC);

KIND(xts, 128, "XTS", FIRESTEEL_XTS, EVP_CIPH_XTS_MODE, FSP_XTS, 32, 16, 1, false);
KIND(xts, 256, "XTS", FIRESTEEL_XTS, EVP_CIPH_XTS_MODE, FSP_XTS, 64, 16, 1, false);
FSP_CIPHER_TABLE(xts, 128, fsp_cipher, fsp_cipher, fsp_xts_settable_ctx, fsp_xts_update,
		 fsp_stream_final, fsp_xts_cipher);
FSP_CIPHER_TABLE(xts, 256, fsp_cipher, fsp_cipher, fsp_xts_settable_ctx, fsp_xts_update,
		 fsp_stream_final, fsp_xts_cipher);

#define OFFER(names, table, work, mode) \
	{ { names, "provider=firesteel", table, NULL }, work, 1u << (mode) }

#define AES_ARC "2.16.840.1.101.3.4.1."

/* Names and numbers are the default provider's: one number that is not drops the algorithm */
const struct fsp_algorithm fsp_ciphers[] = {
	OFFER("AES-256-ECB:" AES_ARC "41", fsp_ecb_256, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-192-ECB:" AES_ARC "21", fsp_ecb_192, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-128-ECB:" AES_ARC "1", fsp_ecb_128, FSP_ECB, FIRESTEEL_ECB),
	OFFER("AES-256-CBC:AES256:" AES_ARC "42", fsp_cbc_256, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-192-CBC:AES192:" AES_ARC "22", fsp_cbc_192, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-128-CBC:AES128:" AES_ARC "2", fsp_cbc_128, FSP_CBC, FIRESTEEL_CBC),
	OFFER("AES-256-OFB:" AES_ARC "43", fsp_ofb_256, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-192-OFB:" AES_ARC "23", fsp_ofb_192, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-128-OFB:" AES_ARC "3", fsp_ofb_128, FSP_OFB, FIRESTEEL_OFB),
	OFFER("AES-256-CFB:" AES_ARC "44", fsp_cfb_256, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-192-CFB:" AES_ARC "24", fsp_cfb_192, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-128-CFB:" AES_ARC "4", fsp_cfb_128, FSP_CFB, FIRESTEEL_CFB),
	OFFER("AES-256-CTR", fsp_ctr_256, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-192-CTR", fsp_ctr_192, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-128-CTR", fsp_ctr_128, FSP_CTR, FIRESTEEL_CTR),
	OFFER("AES-256-CBC-CTS", fsp_cts_256, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-192-CBC-CTS", fsp_cts_192, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-128-CBC-CTS", fsp_cts_128, FSP_CTS, FIRESTEEL_CBC),
	OFFER("AES-256-XTS:1.3.111.2.1619.0.1.2", fsp_xts_256, FSP_XTS, FIRESTEEL_XTS),
	OFFER("AES-128-XTS:1.3.111.2.1619.0.1.1", fsp_xts_128, FSP_XTS, FIRESTEEL_XTS),
	OFFER("AES-256-GCM:id-aes256-GCM:" AES_ARC "46", fsp_gcm_256, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-192-GCM:id-aes192-GCM:" AES_ARC "26", fsp_gcm_192, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-128-GCM:id-aes128-GCM:" AES_ARC "6", fsp_gcm_128, FSP_GCM, FIRESTEEL_GCM),
	OFFER("AES-256-CCM:id-aes256-CCM:" AES_ARC "47", fsp_ccm_256, FSP_CCM, FIRESTEEL_CCM),
	OFFER("AES-192-CCM:id-aes192-CCM:" AES_ARC "27", fsp_ccm_192, FSP_CCM, FIRESTEEL_CCM),
	OFFER("AES-128-CCM:id-aes128-CCM:" AES_ARC "7", fsp_ccm_128, FSP_CCM, FIRESTEEL_CCM),
	{ { NULL, NULL, NULL, NULL }, FSP_WORKS, 0 },
};
