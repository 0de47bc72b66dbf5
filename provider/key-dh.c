/* SPDX-License-Identifier: Apache-2.0 */
/* Diffie-Hellman keys: PKCS #3 (DH), and X9.42 (DHX), which tell the order of their group. */
#include <openssl/core_names.h>

#include "dh.h"
#include "key-table.h"

static const OSSL_PARAM types[] = {
	OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_FFC_P, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_FFC_Q, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_FFC_G, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_FFC_COFACTOR, NULL, 0),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_FFC_GINDEX, NULL),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_FFC_PCOUNTER, NULL),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_FFC_H, NULL),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_DH_PRIV_LEN, NULL),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_FFC_SEED, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
	OSSL_PARAM_END,
};

#define DH_KIND(id, NAME)                                  \
	const struct fsp_key_kind fsp_key_##id##_kind = {  \
		.name = NAME,                              \
		.exchange = "DH",                          \
		.private_part = OSSL_PKEY_PARAM_PRIV_KEY,  \
		.public_part = OSSL_PKEY_PARAM_PUB_KEY,    \
		.domain_part = OSSL_PKEY_PARAM_FFC_P,      \
		.types = types,                            \
		.components_new = fsp_dh_components_new,   \
		.components_free = fsp_dh_components_free, \
		.generate = fsp_dh_generate,               \
		.tell = fsp_dh_tell,                       \
	};                                                 \
	FSP_KEY_TABLE(id)

DH_KIND(dh, "DH");
DH_KIND(dhx, "DHX");
