/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: what all kinds have in common.
 *
 * A key is a software key, an EVP_PKEY of the default provider, together with the components that the
 * core needs.  Software answers everything that libcrypto asks of a key (its parts, parameters, import
 * and export, checks, generation).  Programs load keys with the default provider's decoders, which
 * import them here; so keys of any form and origin work, or fail with software's error.
 *
 * A new kind needs a struct fsp_key_kind and FSP_KEY_TABLE() (key-table.c).
 */
#ifndef FSP_KEY_H
#define FSP_KEY_H

#include <openssl/core_dispatch.h>

#include "provider.h"

struct fsp_key;

/* A kind of key; a constant */
struct fsp_key_kind {
	const char *name; /* the default provider's */
	const char *signature, *exchange, *cipher; /* what it is used with; NULL: not for that */
	/* The parameters that show that a key has this part; NULL: there is no such part, or it is
	 * never missing */
	const char *private_part, *public_part, *domain_part;
	/* The parameters for import and export.  libcrypto asks for them without a context, so the
	 * question cannot be passed on to software. */
	const OSSL_PARAM *types;
	/* The components for the core, or NULL: it cannot do anything with this key */
	void *(*components_new)(struct fsp_provider *provider, EVP_PKEY *software);
	void (*components_free)(void *components); /* wipes them */
	/* Generates a software key with the help of the core, for domain parameters given as a key or
	 * by the group's name; NULL for a kind without them.  Known components of the new key go to
	 * *components.  If it is NULL or returns NULL, software generates the key alone. */
	EVP_PKEY *(*generate)(struct fsp_provider *provider, struct fsp_key *parameters,
			      void **components);
	/* Returns a parameter that is among the components; false: ask software.  NULL: always ask it.
	 * libssl asks for those of Diffie-Hellman with buffers of 2 KiB, which software fills byte by
	 * byte. */
	bool (*tell)(const void *components, OSSL_PARAM *param);
};

struct fsp_key {
	struct fsp_provider *provider;
	const struct fsp_key_kind *kind;
	atomic_int users;
	EVP_PKEY *software; /* NULL: nothing imported yet */
	_Atomic(void *) components; /* NULL: not needed yet */
};

/* Take and drop a reference.  NULL is allowed. */
struct fsp_key *fsp_key_hold(struct fsp_key *key);
void fsp_key_drop(struct fsp_key *key);

/* The components for the core, created at the first call; NULL: the core cannot use this key */
void *fsp_key_components(struct fsp_key *key);

#define FSP_KEY_COMPONENTS_MAX 16u

/*
 * Components of a software key, none longer than `most` bytes: without leading zeros; missing ones
 * have size 0.  Reads all at once, because each query is expensive.  false: no memory, or one is
 * longer.  Free them by fsp_key_cleanse().
 */
bool fsp_key_read(const EVP_PKEY *key, const char *const names[], unsigned count, size_t most,
		  struct firesteel_bytes components[]);

/* In native byte order, like libcrypto's parameters, padded with zeros to `size`; it must fit */
void fsp_key_native(struct firesteel_bytes number, uint8_t *bytes, size_t size);

/* Without leading zeros, in newly allocated memory; false: no memory */
bool fsp_key_keep(struct firesteel_bytes bytes, struct firesteel_bytes *number);

/* Wipes and frees components */
void fsp_key_cleanse(struct firesteel_bytes components[], unsigned count);

/* The parts that a software key has: OSSL_KEYMGMT_SELECT_* */
bool fsp_key_has(const struct fsp_key *key, int selection);

/* A software key from parameters */
EVP_PKEY *fsp_key_make(struct fsp_provider *provider, const char *name, int selection,
		       const OSSL_PARAM params[]);

/* The same, with the parts `had` of another key, and with more of `selection` from parameters */
EVP_PKEY *fsp_key_make_from(struct fsp_provider *provider, const char *name, const EVP_PKEY *from,
			    int had, int selection, const OSSL_PARAM params[]);

/* The functions that are the same for all kinds (key.c, key-gen.c) */
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
extern OSSL_FUNC_keymgmt_gen_set_template_fn fsp_key_gen_set_template;
extern OSSL_FUNC_keymgmt_gen_set_params_fn fsp_key_gen_set_params;
extern OSSL_FUNC_keymgmt_gen_fn fsp_key_gen;
extern OSSL_FUNC_keymgmt_gen_cleanup_fn fsp_key_gen_cleanup;

/* Those that need to know the kind */
void *fsp_key_new(void *provider, const struct fsp_key_kind *kind);
void *fsp_key_gen_init(void *provider, const struct fsp_key_kind *kind, int selection,
		       const OSSL_PARAM params[]);
const OSSL_PARAM *fsp_key_gettable(void *provider, const struct fsp_key_kind *kind);
const OSSL_PARAM *fsp_key_settable(void *provider, const struct fsp_key_kind *kind);
const OSSL_PARAM *fsp_key_gen_settable(void *provider, const struct fsp_key_kind *kind);
const OSSL_PARAM *fsp_key_types(const struct fsp_key_kind *kind, int selection);
const char *fsp_key_operation(const struct fsp_key_kind *kind, int operation);

extern const struct fsp_key_kind fsp_key_rsa_kind, fsp_key_rsa_pss_kind, fsp_key_dh_kind,
	fsp_key_dhx_kind, fsp_key_ec_kind, fsp_key_x25519_kind, fsp_key_ed25519_kind;

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
		(void)generation;                                                            \
		return fsp_key_gen_settable(provider, &fsp_key_##id##_kind);                 \
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

#endif
