/* SPDX-License-Identifier: Apache-2.0 */
/* Keys on elliptic curves, for ECDSA and ECDH. */
#include <openssl/core_names.h>

#include "ec.h"
#include "key-table.h"

static const OSSL_PARAM types[] = {
	OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, NULL, 0),
	OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_ENCODING, NULL, 0),
	OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT, NULL, 0),
	OSSL_PARAM_utf8_string(OSSL_PKEY_PARAM_EC_FIELD_TYPE, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_P, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_A, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_B, NULL, 0),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_GENERATOR, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_ORDER, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_EC_COFACTOR, NULL, 0),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_EC_SEED, NULL, 0),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
	OSSL_PARAM_BN(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_USE_COFACTOR_ECDH, NULL),
	OSSL_PARAM_int(OSSL_PKEY_PARAM_EC_INCLUDE_PUBLIC, NULL),
	OSSL_PARAM_END,
};

const struct fsp_key_kind fsp_key_ec_kind = {
	.name = "EC",
	.signature = "ECDSA",
	.exchange = "ECDH",
	.private_part = OSSL_PKEY_PARAM_PRIV_KEY,
	.public_part = OSSL_PKEY_PARAM_PUB_KEY,
	/* Every curve has one; a name it may lack */
	.domain_part = OSSL_PKEY_PARAM_EC_ORDER,
	.types = types,
	.components_new = fsp_ec_components_new,
	.components_free = fsp_ec_components_free,
	.generate = fsp_ec_generate,
};
FSP_KEY_TABLE(ec);
