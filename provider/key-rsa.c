/* SPDX-License-Identifier: Apache-2.0 */
/* RSA keys, for any use and for PSS alone. */
#include <openssl/core_names.h>

#include "key-table.h"
#include "rsa.h"

/* More than three factors, which RFC 8017 allows, come and go as software has them */
static const OSSL_PARAM types[] = {
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_N, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_E, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_D, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR1, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR2, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_FACTOR3, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT1, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT2, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_EXPONENT3, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_COEFFICIENT1, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_RSA_COEFFICIENT2, NULL, 0),
	OSSL_PARAM_END,
};

const struct fsp_key_kind fsp_key_rsa_kind = {
	.name = "RSA",
	.signature = "RSA",
	.cipher = "RSA",
	.private_part = OSSL_PKEY_PARAM_RSA_D,
	.public_part = OSSL_PKEY_PARAM_RSA_N,
	.types = types,
	.components_new = fsp_rsa_components_new,
	.components_free = fsp_rsa_components_free,
};
FSP_KEY_TABLE(rsa);

const struct fsp_key_kind fsp_key_rsa_pss_kind = {
	.name = "RSA-PSS",
	.signature = "RSA",
	.private_part = OSSL_PKEY_PARAM_RSA_D,
	.public_part = OSSL_PKEY_PARAM_RSA_N,
	.types = types,
	.components_new = fsp_rsa_components_new,
	.components_free = fsp_rsa_components_free,
};
FSP_KEY_TABLE(rsa_pss);
