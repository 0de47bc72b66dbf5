/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/keymgmt.h"

#include <openssl/params.h>

/* ---- life ---- */

void fsp_key_free(void *key)
{
	fsp_key_drop(key);
}

/* A reference of ours is a pointer to a pointer; the key becomes the caller's */
void *fsp_key_load(const void *reference, size_t size)
{
	struct fsp_key **place = (struct fsp_key **)reference;
	struct fsp_key *key;

	if (!reference || size != sizeof(key))
		return NULL;
	key = *place;
	*place = NULL;
	return key;
}

/* ---- what a key has ---- */

int fsp_key_has_parts(const void *opaque, int selection)
{
	const struct fsp_key *key = opaque;

	return key && FSP_SOFT(key->software, keymgmt_has, KEYMGMT_HAS)(key->data, selection);
}

int fsp_key_match(const void *one, const void *other, int selection)
{
	const struct fsp_key *a = one, *b = other;

	return FSP_SOFT(a->software, keymgmt_match, KEYMGMT_MATCH)(a->data, b->data, selection);
}

int fsp_key_validate(const void *opaque, int selection, int type)
{
	const struct fsp_key *key = opaque;

	return FSP_SOFT(key->software, keymgmt_validate, KEYMGMT_VALIDATE)(key->data, selection,
									   type);
}

/* ---- import, export, copies ---- */

int fsp_key_import(void *opaque, int selection, const OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;

	fsp_key_forget_components(key);
	return FSP_SOFT(key->software, keymgmt_import, KEYMGMT_IMPORT)(key->data, selection,
								       params);
}

int fsp_key_export(void *opaque, int selection, OSSL_CALLBACK *callback, void *argument)
{
	const struct fsp_key *key = opaque;

	return FSP_SOFT(key->software, keymgmt_export, KEYMGMT_EXPORT)(key->data, selection,
								       callback, argument);
}

void *fsp_key_dup(const void *opaque, int selection)
{
	const struct fsp_key *from = opaque;

	return fsp_key_wrap(
		from->provider, from->kind,
		FSP_SOFT(from->software, keymgmt_dup, KEYMGMT_DUP)(from->data, selection));
}

/* ---- parameters ---- */

int fsp_key_get_params(void *opaque, OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;
	const void *components = fsp_key_known_components(key);

	if (key->kind->tell && components && params[0].key && !params[1].key &&
	    key->kind->tell(components, params))
		return 1;
	return fsp_key_get(key, params);
}

/* Kinds that have nothing to set succeed, as with libcrypto */
int fsp_key_set_params(void *opaque, const OSSL_PARAM params[])
{
	struct fsp_key *key = opaque;
	OSSL_FUNC_keymgmt_set_params_fn *set = FSP_SOFT(key->software, keymgmt_set_params,
							KEYMGMT_SET_PARAMS);

	fsp_key_forget_components(key);
	return !set || set(key->data, params);
}

/* ---- what software says of a kind ---- */

const OSSL_PARAM *fsp_key_gettable(void *provider, const struct fsp_key_kind *kind)
{
	const struct fsp_functions *software = fsp_key_software(provider, kind);

	return software ? FSP_SOFT(software, keymgmt_gettable_params,
				   KEYMGMT_GETTABLE_PARAMS)(software->context)
			: NULL;
}

const OSSL_PARAM *fsp_key_settable(void *provider, const struct fsp_key_kind *kind)
{
	const struct fsp_functions *software = fsp_key_software(provider, kind);
	OSSL_FUNC_keymgmt_settable_params_fn *settable = software
								 ? FSP_SOFT(software,
									    keymgmt_settable_params,
									    KEYMGMT_SETTABLE_PARAMS)
								 : NULL;

	return settable ? settable(software->context) : NULL;
}

const OSSL_PARAM *fsp_key_types(const struct fsp_key_kind *kind, int selection)
{
	return selection & OSSL_KEYMGMT_SELECT_ALL ? kind->types : NULL;
}

const char *fsp_key_operation(const struct fsp_key_kind *kind, int operation)
{
	switch (operation) {
	case OSSL_OP_SIGNATURE:
		return kind->signature;
	case OSSL_OP_KEYEXCH:
		return kind->exchange;
	case OSSL_OP_ASYM_CIPHER:
		return kind->cipher;
	default:
		return NULL;
	}
}
