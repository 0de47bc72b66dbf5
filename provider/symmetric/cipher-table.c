/* SPDX-License-Identifier: Apache-2.0 */
/* The AES algorithms without a tag. */
#include "symmetric/cipher-init.h"
#include "symmetric/cipher-params.h"
#include "symmetric/cipher.h"
#include "symmetric/describe.h"
#include "symmetric/dispatch.h"
#include "symmetric/modes.h"

#define KIND(id, bits, ID, MODE, EVP, task_, bytes, iv, block, is_cts) \
	static const struct fsp_cipher_kind id##_##bits = {            \
		.name = "AES-" #bits "-" ID,                           \
		.task = task_,                                         \
		.mode = MODE,                                          \
		.evp_mode = EVP,                                       \
		.key_size = bytes,                                     \
		.iv_size = iv,                                         \
		.block_size = block,                                   \
		.cts = is_cts,                                         \
		.custom_iv = MODE == FIRESTEEL_XTS,                    \
	}

#define PLAIN(id, bits, ID, UP, block, iv, update, final, cipher, is_cts, mode)                    \
	KIND(id, bits, ID, FIRESTEEL_##mode, EVP_CIPH_##mode##_MODE, FSP_TASK_##UP, bits / 8, iv,  \
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
THREE(cts, "CBC-CTS", CTS, 16, 16, fsp_cts_update, fsp_unit_final, fsp_cts_cipher, true, CBC);

KIND(xts, 128, "XTS", FIRESTEEL_XTS, EVP_CIPH_XTS_MODE, FSP_TASK_XTS, 32, 16, 1, false);
KIND(xts, 256, "XTS", FIRESTEEL_XTS, EVP_CIPH_XTS_MODE, FSP_TASK_XTS, 64, 16, 1, false);
FSP_CIPHER_TABLE(xts, 128, fsp_cipher, fsp_cipher, fsp_xts_settable_ctx, fsp_xts_update,
		 fsp_unit_final, fsp_xts_cipher);
FSP_CIPHER_TABLE(xts, 256, fsp_cipher, fsp_cipher, fsp_xts_settable_ctx, fsp_xts_update,
		 fsp_unit_final, fsp_xts_cipher);
