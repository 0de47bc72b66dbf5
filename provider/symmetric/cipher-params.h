/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of contexts of the modes without a tag. */
#ifndef FSP_CIPHER_PARAMS_H
#define FSP_CIPHER_PARAMS_H

#include <openssl/core_dispatch.h>

extern OSSL_FUNC_cipher_gettable_ctx_params_fn fsp_cipher_gettable_ctx;
extern OSSL_FUNC_cipher_settable_ctx_params_fn fsp_cipher_settable_ctx, fsp_xts_settable_ctx;
extern OSSL_FUNC_cipher_get_ctx_params_fn fsp_cipher_get_ctx;
extern OSSL_FUNC_cipher_set_ctx_params_fn fsp_cipher_set_ctx;

#endif
