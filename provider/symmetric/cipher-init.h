/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning of a message without a tag: key, IV and parameters. */
#ifndef FSP_CIPHER_INIT_H
#define FSP_CIPHER_INIT_H

#include <openssl/core_dispatch.h>

extern OSSL_FUNC_cipher_encrypt_init_fn fsp_cipher_encrypt_init;
extern OSSL_FUNC_cipher_decrypt_init_fn fsp_cipher_decrypt_init;

#endif
