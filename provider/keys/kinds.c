/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/kinds.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "keys/dh.h"
#include "keys/ec.h"
#include "keys/ecx.h"
#include "keys/generation.h"
#include "keys/keymgmt.h"
#include "keys/rsa.h"

#define FSP_KEY_FUNCTION(number, function) \
	{ OSSL_FUNC_KEYMGMT_##number, (void (*)(void))(function) }

/* fsp_key_ID, a dispatch table for struct fsp_key_kind fsp_key_ID_kind */
#define FSP_KEY_TABLE(id)                                                                    \
	static void *new_##id(void *provider)                                                \
	{                                                                                    \
		return fsp_key_new(provider, &fsp_key_##id##_kind);                          \
	}                                                                                    \
	static void *gen_init_##id(void *provider, int selection, const OSSL_PARAM params[]) \
	{                                                                                    \
		return fsp_key_gen_init(provider, &fsp_key_##id##_kind, selection, params);  \
	}                                                                                    \
	static const OSSL_PARAM *gettable_##id(void *provider)                               \
	{                                                                                    \
		return fsp_key_gettable(provider, &fsp_key_##id##_kind);                     \
	}                                                                                    \
	static const OSSL_PARAM *settable_##id(void *provider)                               \
	{                                                                                    \
		return fsp_key_settable(provider, &fsp_key_##id##_kind);                     \
	}                                                                                    \
	static const OSSL_PARAM *gen_settable_##id(void *generation, void *provider)         \
	{                                                                                    \
		return fsp_key_gen_settable(generation, provider, &fsp_key_##id##_kind);     \
	}                                                                                    \
	static const OSSL_PARAM *types_##id(int selection)                                   \
	{                                                                                    \
		return fsp_key_types(&fsp_key_##id##_kind, selection);                       \
	}                                                                                    \
	static const char *operation_##id(int operation)                                     \
	{                                                                                    \
		return fsp_key_operation(&fsp_key_##id##_kind, operation);                   \
	}                                                                                    \
	const OSSL_DISPATCH fsp_key_##id[] = {                                               \
		FSP_KEY_FUNCTION(NEW, new_##id),                                             \
		FSP_KEY_FUNCTION(FREE, fsp_key_free),                                        \
		FSP_KEY_FUNCTION(LOAD, fsp_key_load),                                        \
		FSP_KEY_FUNCTION(HAS, fsp_key_has_parts),                                    \
		FSP_KEY_FUNCTION(MATCH, fsp_key_match),                                      \
		FSP_KEY_FUNCTION(VALIDATE, fsp_key_validate),                                \
		FSP_KEY_FUNCTION(IMPORT, fsp_key_import),                                    \
		FSP_KEY_FUNCTION(IMPORT_TYPES, types_##id),                                  \
		FSP_KEY_FUNCTION(EXPORT, fsp_key_export),                                    \
		FSP_KEY_FUNCTION(EXPORT_TYPES, types_##id),                                  \
		FSP_KEY_FUNCTION(DUP, fsp_key_dup),                                          \
		FSP_KEY_FUNCTION(GET_PARAMS, fsp_key_get_params),                            \
		FSP_KEY_FUNCTION(GETTABLE_PARAMS, gettable_##id),                            \
		FSP_KEY_FUNCTION(SET_PARAMS, fsp_key_set_params),                            \
		FSP_KEY_FUNCTION(SETTABLE_PARAMS, settable_##id),                            \
		FSP_KEY_FUNCTION(GEN_INIT, gen_init_##id),                                   \
		FSP_KEY_FUNCTION(GEN_SET_TEMPLATE, fsp_key_gen_set_template),                \
		FSP_KEY_FUNCTION(GEN_SET_PARAMS, fsp_key_gen_set_params),                    \
		FSP_KEY_FUNCTION(GEN_SETTABLE_PARAMS, gen_settable_##id),                    \
		FSP_KEY_FUNCTION(GEN, fsp_key_gen),                                          \
		FSP_KEY_FUNCTION(GEN_CLEANUP, fsp_key_gen_cleanup),                          \
		FSP_KEY_FUNCTION(QUERY_OPERATION_NAME, operation_##id),                      \
		{ 0, NULL },                                                                 \
	}

/* ---- RSA, for any use and for PSS alone ---- */

/* More than three factors, which RFC 8017 allows, come and go as software has them */
static const OSSL_PARAM rsa_types[] = {
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
	.types = rsa_types,
	.components_new = fsp_rsa_components_new,
	.components_free = fsp_rsa_components_free,
};
FSP_KEY_TABLE(rsa);

const struct fsp_key_kind fsp_key_rsa_pss_kind = {
	.name = "RSA-PSS",
	.signature = "RSA",
	.cipher = "RSA", /* which refuses it */
	.types = rsa_types,
	.components_new = fsp_rsa_components_new,
	.components_free = fsp_rsa_components_free,
};
FSP_KEY_TABLE(rsa_pss);

/* ---- Diffie-Hellman: PKCS #3, and X9.42 (DHX), which tells the order of its group ---- */

static const OSSL_PARAM dh_types[] = {
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
		.has_domain = true,                        \
		.types = dh_types,                         \
		.components_new = fsp_dh_components_new,   \
		.components_free = fsp_dh_components_free, \
		.generator = &fsp_dh_generator,            \
		.tell = fsp_dh_tell,                       \
	};                                                 \
	FSP_KEY_TABLE(id)

DH_KIND(dh, "DH");
DH_KIND(dhx, "DHX");

/* ---- elliptic curves, for ECDSA and ECDH ---- */

static const OSSL_PARAM ec_types[] = {
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
	.has_domain = true,
	.types = ec_types,
	.components_new = fsp_ec_components_new,
	.components_free = fsp_ec_components_free,
	.generator = &fsp_ec_generator,
};
FSP_KEY_TABLE(ec);

/* ---- X25519 and Ed25519 ---- */

static const OSSL_PARAM ecx_types[] = {
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PUB_KEY, NULL, 0),
	OSSL_PARAM_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, NULL, 0),
	OSSL_PARAM_END,
};

const struct fsp_key_kind fsp_key_x25519_kind = {
	.name = "X25519",
	.exchange = "X25519",
	.types = ecx_types,
	.components_new = fsp_ecx_components_new,
	.components_free = fsp_ecx_components_free,
	.generator = &fsp_x25519_generator,
};
FSP_KEY_TABLE(x25519);

const struct fsp_key_kind fsp_key_ed25519_kind = {
	.name = "ED25519",
	.signature = "ED25519",
	.types = ecx_types,
	.components_new = fsp_ecx_components_new,
	.components_free = fsp_ecx_components_free,
};
FSP_KEY_TABLE(ed25519);
