/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of key management that are the same for all kinds. */
#ifndef FSP_KEYMGMT_H
#define FSP_KEYMGMT_H

#include <openssl/core_dispatch.h>

#include "keys/key.h"

extern OSSL_FUNC_keymgmt_free_fn fsp_key_free;
extern OSSL_FUNC_keymgmt_load_fn fsp_key_load;
extern OSSL_FUNC_keymgmt_has_fn fsp_key_has_parts;
extern OSSL_FUNC_keymgmt_match_fn fsp_key_match;
extern OSSL_FUNC_keymgmt_validate_fn fsp_key_validate;
extern OSSL_FUNC_keymgmt_import_fn fsp_key_import;
extern OSSL_FUNC_keymgmt_export_fn fsp_key_export;
extern OSSL_FUNC_keymgmt_dup_fn fsp_key_dup;
extern OSSL_FUNC_keymgmt_get_params_fn fsp_key_get_params;
extern OSSL_FUNC_keymgmt_set_params_fn fsp_key_set_params;

/* Functions that need to know the kind */
const OSSL_PARAM *fsp_key_gettable(void *provider, const struct fsp_key_kind *kind);
const OSSL_PARAM *fsp_key_settable(void *provider, const struct fsp_key_kind *kind);
const OSSL_PARAM *fsp_key_types(const struct fsp_key_kind *kind, int selection);
const char *fsp_key_operation(const struct fsp_key_kind *kind, int operation);

#endif
