/* SPDX-License-Identifier: Apache-2.0 */
/* The MACs' dispatch tables. */
#ifndef FSP_MAC_H
#define FSP_MAC_H

#include <stdbool.h>
#include <stddef.h>

#include <openssl/core_dispatch.h>

#define FSP_MAC_FUNCTION(number, function) { OSSL_FUNC_MAC_##number, (void (*)(void))(function) }

extern const OSSL_DISPATCH fsp_hmac[], fsp_cmac[];

extern OSSL_FUNC_mac_gettable_ctx_params_fn fsp_mac_gettable_ctx;

/* The string of a parameter, which ends with a zero; its size may be given as 0, as strongSwan does.
 * false: it is none, or longer than `capacity`. */
bool fsp_mac_name(const OSSL_PARAM *param, char *name, size_t capacity);

#endif
