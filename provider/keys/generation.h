/* SPDX-License-Identifier: Apache-2.0 */
/* libcrypto's functions that generate keys and parameters. */
#ifndef FSP_GENERATION_H
#define FSP_GENERATION_H

#include <openssl/core_dispatch.h>

#include "keys/key.h"

extern OSSL_FUNC_keymgmt_gen_set_template_fn fsp_key_gen_set_template;
extern OSSL_FUNC_keymgmt_gen_set_params_fn fsp_key_gen_set_params;
extern OSSL_FUNC_keymgmt_gen_fn fsp_key_gen;
extern OSSL_FUNC_keymgmt_gen_cleanup_fn fsp_key_gen_cleanup;

void *fsp_key_gen_init(void *provider, const struct fsp_key_kind *kind, int selection,
		       const OSSL_PARAM params[]);
const OSSL_PARAM *fsp_key_gen_settable(void *generation, void *provider,
				       const struct fsp_key_kind *kind);

#endif
