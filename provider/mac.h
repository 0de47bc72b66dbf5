/* SPDX-License-Identifier: Apache-2.0 */
/* The MACs' dispatch tables. */
#ifndef FSP_MAC_H
#define FSP_MAC_H

#include <openssl/core_dispatch.h>

#define FSP_MAC_FUNCTION(number, function) { OSSL_FUNC_MAC_##number, (void (*)(void))(function) }

extern const OSSL_DISPATCH fsp_hmac[], fsp_cmac[];

#endif
