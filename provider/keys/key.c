/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/key.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

char fsp_key_no_components;

/* ---- life ---- */

static void free_data(const struct fsp_functions *software, void *data)
{
	if (data)
		FSP_SOFT(software, keymgmt_free, KEYMGMT_FREE)(data);
}

void *fsp_key_wrap(struct fsp_provider *provider, const struct fsp_key_kind *kind, void *data)
{
	const struct fsp_functions *software = fsp_key_software(provider, kind);
	struct fsp_key *key = data ? OPENSSL_zalloc(sizeof(*key)) : NULL;

	if (!key) {
		free_data(software, data);
		return NULL;
	}
	key->provider = provider;
	key->kind = kind;
	key->software = software;
	key->data = data;
	atomic_store(&key->users, 1);
	return key;
}

void *fsp_key_new(void *provider, const struct fsp_key_kind *kind)
{
	const struct fsp_functions *software = fsp_key_software(provider, kind);

	if (!software)
		return NULL;
	return fsp_key_wrap(provider, kind,
			    FSP_SOFT(software, keymgmt_new, KEYMGMT_NEW)(software->context));
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

	atomic_store(&key->group, 0);
	if (components && components != &fsp_key_no_components)
		key->kind->components_free(components);
}

void fsp_key_drop(struct fsp_key *key)
{
	if (!key || atomic_fetch_sub(&key->users, 1) != 1)
		return;
	fsp_key_forget_components(key);
	free_data(key->software, key->data);
	OPENSSL_free(key);
}

/* ---- components ---- */

void *fsp_key_make_components(struct fsp_key *key)
{
	void *components, *there = NULL;

	if (!key->kind->components_new)
		return NULL;
	ERR_set_mark();
	components = key->kind->components_new(key);
	ERR_pop_to_mark();
	if (!components)
		components = &fsp_key_no_components;
	if (atomic_compare_exchange_strong(&key->components, &there, components))
		return components;
	/* Another thread was faster */
	if (components != &fsp_key_no_components)
		key->kind->components_free(components);
	return there;
}

/* ---- what software says ---- */

bool fsp_key_get(const struct fsp_key *key, OSSL_PARAM params[])
{
	return FSP_SOFT(key->software, keymgmt_get_params, KEYMGMT_GET_PARAMS)(key->data, params);
}

int fsp_key_number(const struct fsp_key *key, const char *name)
{
	int number = 0;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(name, &number),
		OSSL_PARAM_construct_end(),
	};

	ERR_set_mark();
	if (!fsp_key_get(key, params) || !OSSL_PARAM_modified(params))
		number = 0;
	ERR_pop_to_mark();
	return number;
}

void fsp_key_group(const struct fsp_key *key, char name[FSP_KEY_NAME])
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, name, FSP_KEY_NAME),
		OSSL_PARAM_construct_end(),
	};

	*name = '\0';
	ERR_set_mark();
	if (!fsp_key_get(key, params))
		*name = '\0';
	ERR_pop_to_mark();
}

size_t fsp_key_size(const struct fsp_key *key)
{
	int size = fsp_key_number(key, OSSL_PKEY_PARAM_MAX_SIZE);

	return size > 0 ? (size_t)size : 0;
}

/* ---- data of software's ---- */

static bool import(const struct fsp_functions *software, void *data, int selection,
		   const OSSL_PARAM params[])
{
	return FSP_SOFT(software, keymgmt_import, KEYMGMT_IMPORT)(data, selection, params);
}

void *fsp_key_data(const struct fsp_functions *software, int selection, const OSSL_PARAM params[])
{
	void *data = FSP_SOFT(software, keymgmt_new, KEYMGMT_NEW)(software->context);

	if (!data || import(software, data, selection, params))
		return data;
	free_data(software, data);
	return NULL;
}

/* What is to be added to what software exports, and where both go */
struct addition {
	const struct fsp_functions *software;
	int selection;
	const OSSL_PARAM *params;
	void *data;
};

static int add(const OSSL_PARAM params[], void *opaque)
{
	struct addition *addition = opaque;
	OSSL_PARAM *all = OSSL_PARAM_merge(params, addition->params);

	if (all)
		addition->data = fsp_key_data(addition->software, addition->selection, all);
	OSSL_PARAM_free(all); /* its values are those of the two */
	return addition->data != NULL;
}

void *fsp_key_data_like(const struct fsp_key *like, int selection, const OSSL_PARAM params[])
{
	struct addition addition = {
		.software = like->software,
		.selection = selection | OSSL_KEYMGMT_SELECT_ALL_PARAMETERS,
		.params = params,
	};

	if (FSP_SOFT(like->software, keymgmt_export, KEYMGMT_EXPORT)(
		    like->data, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, add, &addition))
		return addition.data;
	free_data(like->software, addition.data);
	return NULL;
}

/* ---- keys of EVP's ---- */

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

static int take(const OSSL_PARAM params[], void *opaque)
{
	const struct fsp_key *key = opaque;

	return import(key->software, key->data, OSSL_KEYMGMT_SELECT_ALL, params);
}

struct fsp_key *fsp_key_like(struct fsp_provider *provider, const struct fsp_key_kind *kind,
			     const EVP_PKEY *key)
{
	struct fsp_key *like = fsp_key_new(provider, kind);

	if (like && EVP_PKEY_export(key, OSSL_KEYMGMT_SELECT_ALL, take, like))
		return like;
	fsp_key_drop(like);
	return NULL;
}
