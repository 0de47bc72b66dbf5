/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: what all kinds have in common.
 *
 * A key is a key of the default provider together with the components that the core needs.  The default
 * provider's key management answers everything that libcrypto asks of a key (its parts, parameters, import
 * and export, checks, generation).  Programs load keys with the default provider's decoders, which
 * import them here; so keys of any form and origin work, or fail with software's error.
 *
 * A new kind needs a struct fsp_key_kind and FSP_KEY_TABLE() (kinds.c).
 */
#ifndef FSP_KEY_H
#define FSP_KEY_H

#include "base/software.h"

struct fsp_key;
struct fsp_generator;

/* A kind of key; a constant */
struct fsp_key_kind {
	const char *name; /* the default provider's */
	const char *signature, *exchange, *cipher; /* what it is used with; NULL: not for that */
	bool has_domain; /* keys share domain parameters */
	/* The parameters for import and export.  libcrypto asks for them without a context, so the
	 * question cannot be passed on to software. */
	const OSSL_PARAM *types;
	/* The components for the core, or NULL if it cannot use this key */
	void *(*components_new)(struct fsp_key *key);
	void (*components_free)(void *components); /* wipes them */
	/* How a key is generated if the core computes its public part; NULL: only software
	 * generates keys */
	const struct fsp_generator *generator;
	/* Returns a parameter that is among the components; false: ask software.  NULL: always ask
	 * software. libssl asks for Diffie-Hellman's parameters with buffers of 2 KiB, which
	 * software fills byte by byte. */
	bool (*tell)(const void *components, OSSL_PARAM *param);
};

struct fsp_key {
	struct fsp_provider *provider;
	const struct fsp_key_kind *kind;
	atomic_int users;
	const struct fsp_functions *software; /* the default provider's key management */
	void *data; /* its key */
	_Atomic(void *) components; /* NULL: not needed yet */
	atomic_uint group; /* its kind's number for its group; 0: not known yet */
};

/* Take and drop a reference.  NULL is allowed. */
struct fsp_key *fsp_key_hold(struct fsp_key *key);
void fsp_key_drop(struct fsp_key *key);

/* An empty key */
void *fsp_key_new(void *provider, const struct fsp_key_kind *kind);

/* A key that takes over this data, even if it fails; NULL if the data is NULL */
void *fsp_key_wrap(struct fsp_provider *provider, const struct fsp_key_kind *kind, void *data);

/* The default provider's functions for a kind; NULL: no such functions */
static inline const struct fsp_functions *fsp_key_software(struct fsp_provider *provider,
							   const struct fsp_key_kind *kind)
{
	return fsp_software_find(provider, OSSL_OP_KEYMGMT, kind->name, NULL);
}

/* ---- components ---- */

/* Stands for components that the core cannot use */
extern char fsp_key_no_components;

/* The first call of fsp_key_core() */
void *fsp_key_make_components(struct fsp_key *key);

/* The components for the core, created at the first call; NULL: the core cannot use this key */
static inline void *fsp_key_components(struct fsp_key *key)
{
	void *components = atomic_load(&key->components);

	if (!components)
		components = fsp_key_make_components(key);
	return components == &fsp_key_no_components ? NULL : components;
}

/* The same if there was a first call; NULL otherwise */
static inline const void *fsp_key_known_components(struct fsp_key *key)
{
	const void *components = atomic_load(&key->components);

	return components == &fsp_key_no_components ? NULL : components;
}

/* The key's data has changed */
void fsp_key_forget_components(struct fsp_key *key);

/* ---- what software says of a key ---- */

bool fsp_key_get(const struct fsp_key *key, OSSL_PARAM params[]);

/* A number; 0: not known, and no error is raised */
int fsp_key_number(const struct fsp_key *key, const char *name);

#define FSP_KEY_NAME 80u

/* The name of its group; empty: no name */
void fsp_key_group(const struct fsp_key *key, char name[FSP_KEY_NAME]);

/* The most bytes of a result with this key */
size_t fsp_key_size(const struct fsp_key *key);

/* ---- data of software's ---- */

/* From parameters; NULL: software refuses them */
void *fsp_key_data(const struct fsp_functions *software, int selection, const OSSL_PARAM params[]);

/* The same, with all domain parameters of another key */
void *fsp_key_data_like(const struct fsp_key *like, int selection, const OSSL_PARAM params[]);

/* A key of EVP, and the same key of this provider */
EVP_PKEY *fsp_key_make(struct fsp_provider *provider, const char *name, int selection,
		       const OSSL_PARAM params[]);
struct fsp_key *fsp_key_like(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			     const EVP_PKEY *key);

#endif
