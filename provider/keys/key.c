/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/key.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

char fsp_key_no_components;

/* ---- life ---- */

void *fsp_key_new(void *provider, const struct fsp_key_kind *kind)
{
	struct fsp_key *key = OPENSSL_zalloc(sizeof(*key));

	if (!key)
		return NULL;
	key->provider = provider;
	key->kind = kind;
	atomic_store(&key->users, 1);
	return key;
}

struct fsp_key *fsp_key_hold(struct fsp_key *key)
{
	if (key)
		atomic_fetch_add(&key->users, 1);
	return key;
}

void fsp_key_forget_components(struct fsp_key *key)
{
	void *components = atomic_exchange(&key->components, NULL);

	if (components && components != &fsp_key_no_components)
		key->kind->components_free(components);
}

void fsp_key_drop(struct fsp_key *key)
{
	if (!key || atomic_fetch_sub(&key->users, 1) != 1)
		return;
	fsp_key_forget_components(key);
	EVP_PKEY_free(key->software);
	OPENSSL_free(key);
}

/* ---- components ---- */

void *fsp_key_make_components(struct fsp_key *key)
{
	void *components, *there = NULL;

	if (!key->software || !key->kind->components_new)
		return NULL;
	components = key->kind->components_new(key->provider, key->software);
	if (!components)
		components = &fsp_key_no_components;
	if (atomic_compare_exchange_strong(&key->components, &there, components))
		return components;
	/* Another thread was faster */
	if (components != &fsp_key_no_components)
		key->kind->components_free(components);
	return there;
}

/* ---- software keys ---- */

EVP_PKEY *fsp_key_make(struct fsp_provider *provider, const char *name, int selection,
		       const OSSL_PARAM params[])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(provider->library, name, FSP_SOFTWARE);
	EVP_PKEY *key = NULL;

	if (!context || EVP_PKEY_fromdata_init(context) <= 0 ||
	    EVP_PKEY_fromdata(context, &key, selection, (OSSL_PARAM *)params) <= 0)
		key = NULL;
	EVP_PKEY_CTX_free(context);
	return key;
}

EVP_PKEY *fsp_key_make_from(struct fsp_provider *provider, const char *name, const EVP_PKEY *from,
			    int had, int selection, const OSSL_PARAM params[])
{
	OSSL_PARAM *before = NULL, *all = NULL;
	EVP_PKEY *made = NULL;

	if (EVP_PKEY_todata(from, had, &before))
		all = OSSL_PARAM_merge(before, params);
	if (all)
		made = fsp_key_make(provider, name, had | selection, all);
	OSSL_PARAM_free(all); /* its values are those of the two */
	OSSL_PARAM_free(before);
	return made;
}
