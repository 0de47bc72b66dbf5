/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: what all kinds have in common.
 *
 * A key is a software key, an EVP_PKEY of the default provider, together with the components that the
 * core needs.  Software answers everything that libcrypto asks of a key (its parts, parameters, import
 * and export, checks, generation).  Programs load keys with the default provider's decoders, which
 * import them here; so keys of any form and origin work, or fail with software's error.
 *
 * A new kind needs a struct fsp_key_kind and FSP_KEY_TABLE() (kinds.c).
 */
#ifndef FSP_KEY_H
#define FSP_KEY_H

#include "base/provider.h"

struct fsp_key;
struct fsp_generator;

/* What libcrypto keeps of a key when it makes one, in its own words: bits, bits of security, and the
 * most bytes of what is made with it */
struct fsp_key_sizes {
	int bits, security_bits, most;
};

/* A kind of key; a constant */
struct fsp_key_kind {
	const char *name; /* the default provider's */
	const char *signature, *exchange, *cipher; /* what it is used with; NULL: not for that */
	/* The parameters that show that a key has this part; NULL: there is no such part, or it is
	 * never missing */
	const char *private_part, *public_part, *domain_part;
	/* Of a kind whose keys are all of one size: a key that has nothing yet has it too, and a
	 * server makes such a key for each peer.  NULL: only software knows. */
	const struct fsp_key_sizes *sizes;
	/* The parameters for import and export.  libcrypto asks for them without a context, so the
	 * question cannot be passed on to software. */
	const OSSL_PARAM *types;
	/* The components for the core, or NULL: it cannot do anything with this key */
	void *(*components_new)(struct fsp_provider *provider, EVP_PKEY *software);
	void (*components_free)(void *components); /* wipes them */
	/* How a key is generated whose public part the core computes; NULL: software does it alone */
	const struct fsp_generator *generator;
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

void *fsp_key_new(void *provider, const struct fsp_key_kind *kind);

/* Stands for components that the core cannot use */
extern char fsp_key_no_components;

/* The first call; see the next one */
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

/* What they were made of has changed */
void fsp_key_forget_components(struct fsp_key *key);

/* A software key from parameters */
EVP_PKEY *fsp_key_make(struct fsp_provider *provider, const char *name, int selection,
		       const OSSL_PARAM params[]);

/* The same, with the parts `had` of another key, and with more of `selection` from parameters */
EVP_PKEY *fsp_key_make_from(struct fsp_provider *provider, const char *name, const EVP_PKEY *from,
			    int had, int selection, const OSSL_PARAM params[]);

#endif
