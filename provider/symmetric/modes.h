/* SPDX-License-Identifier: Apache-2.0 */
/* What each family of modes without a tag adds to the common functions: a file each, of its name. */
#ifndef FSP_MODES_H
#define FSP_MODES_H

#include <openssl/core_dispatch.h>

extern OSSL_FUNC_cipher_update_fn fsp_block_update, fsp_stream_update, fsp_xts_update,
	fsp_cts_update;
/* The last update function is for XTS and CTS, where one update is the whole unit; it needs no
 * key */
extern OSSL_FUNC_cipher_final_fn fsp_block_final, fsp_stream_final, fsp_unit_final;
extern OSSL_FUNC_cipher_cipher_fn fsp_block_cipher, fsp_stream_cipher, fsp_xts_cipher,
	fsp_cts_cipher;

#endif
