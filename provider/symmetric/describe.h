/* SPDX-License-Identifier: Apache-2.0 */
/* What AES algorithms say of themselves, without a context. */
#ifndef FSP_DESCRIBE_H
#define FSP_DESCRIBE_H

#include <openssl/core_dispatch.h>

#include "symmetric/kind.h"

extern OSSL_FUNC_cipher_gettable_params_fn fsp_cipher_gettable;

int fsp_cipher_describe(OSSL_PARAM params[], const struct fsp_cipher_kind *kind);

#endif
