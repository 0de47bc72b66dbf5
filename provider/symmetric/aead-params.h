/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of contexts of GCM and CCM that can be read and written by name. */
#ifndef FSP_AEAD_PARAMS_H
#define FSP_AEAD_PARAMS_H

#include <openssl/core_dispatch.h>

extern OSSL_FUNC_cipher_gettable_ctx_params_fn fsp_aead_gettable_ctx;
extern OSSL_FUNC_cipher_settable_ctx_params_fn fsp_aead_settable_ctx;
extern OSSL_FUNC_cipher_get_ctx_params_fn fsp_aead_get_ctx;

#endif
