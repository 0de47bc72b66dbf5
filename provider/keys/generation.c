/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software gets all that we get, and generates the key unless the core is to compute its public part.  The core
 * does so for keys of a named group, or of a template's, and if nothing else was asked for.
 */
#include "keys/generation.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "keys/core-generation.h"
#include "keys/group.h"

struct generation {
	struct fsp_provider *provider;
	const struct fsp_key_kind *kind;
	const struct fsp_functions *software;
	void *soft; /* software's generation */
	bool pair; /* a key, and not parameters alone */
	struct fsp_key *template; /* NULL: none */
	char group[FSP_KEY_NAME]; /* its name; empty: not set */
	bool special; /* something else was set */
};

void fsp_key_gen_cleanup(void *opaque)
{
	struct generation *generation = opaque;

	if (!generation)
		return;
	if (generation->soft)
		FSP_SOFT(generation->software, keymgmt_gen_cleanup,
			 KEYMGMT_GEN_CLEANUP)(generation->soft);
	fsp_key_drop(generation->template);
	OPENSSL_free(generation);
}

/* ---- what is asked for ---- */

static void note(struct generation *generation, const OSSL_PARAM params[])
{
	for (; params && params->key; params++) {
		char *group = generation->group;

		if (strcmp(params->key, OSSL_PKEY_PARAM_GROUP_NAME) != 0 ||
		    !OSSL_PARAM_get_utf8_string(params, &group, sizeof(generation->group)))
			generation->special = true;
	}
}

int fsp_key_gen_set_params(void *opaque, const OSSL_PARAM params[])
{
	struct generation *generation = opaque;
	OSSL_FUNC_keymgmt_gen_set_params_fn *set = FSP_SOFT(
		generation->software, keymgmt_gen_set_params, KEYMGMT_GEN_SET_PARAMS);

	ERR_set_mark();
	note(generation, params);
	ERR_pop_to_mark();
	return !set || set(generation->soft, params);
}

/* Kinds without parameters ignore a template, as libcrypto does */
int fsp_key_gen_set_template(void *opaque, void *template)
{
	struct generation *generation = opaque;
	OSSL_FUNC_keymgmt_gen_set_template_fn *set = FSP_SOFT(
		generation->software, keymgmt_gen_set_template, KEYMGMT_GEN_SET_TEMPLATE);

	fsp_key_drop(generation->template);
	generation->template = fsp_key_hold(template);
	return !set || set(generation->soft, ((struct fsp_key *)template)->data);
}

void *fsp_key_gen_init(void *provider, const struct fsp_key_kind *kind, int selection,
		       const OSSL_PARAM params[])
{
	const struct fsp_functions *software = fsp_key_software(provider, kind);
	struct generation *generation = software ? OPENSSL_zalloc(sizeof(*generation)) : NULL;

	if (!generation)
		return NULL;
	generation->provider = provider;
	generation->kind = kind;
	generation->software = software;
	generation->pair = selection & OSSL_KEYMGMT_SELECT_KEYPAIR;
	generation->soft = FSP_SOFT(software, keymgmt_gen_init,
				    KEYMGMT_GEN_INIT)(software->context, selection, params);
	ERR_set_mark();
	note(generation, params);
	ERR_pop_to_mark();
	if (generation->soft)
		return generation;
	fsp_key_gen_cleanup(generation);
	return NULL;
}

const OSSL_PARAM *fsp_key_gen_settable(void *opaque, void *provider,
				       const struct fsp_key_kind *kind)
{
	const struct generation *generation = opaque;
	const struct fsp_functions *software = fsp_key_software(provider, kind);
	OSSL_FUNC_keymgmt_gen_settable_params_fn
		*settable = software ? FSP_SOFT(software, keymgmt_gen_settable_params,
						KEYMGMT_GEN_SETTABLE_PARAMS)
				     : NULL;

	return settable ? settable(generation ? generation->soft : NULL, software->context) : NULL;
}

/* ---- generation ---- */

/* The domain parameters, from the template or by name; NULL: there is more to it */
static struct fsp_key *parameters_of(const struct generation *generation)
{
	if (generation->special)
		return NULL;
	if (!*generation->group)
		return fsp_key_hold(generation->template);
	return generation->template
		       ? NULL
		       : fsp_group_find(generation->provider, generation->kind, generation->group);
}

/* NULL: software is to do it */
static void *generate_with_core(const struct generation *generation, void **components)
{
	const struct fsp_key_kind *kind = generation->kind;
	struct fsp_key *parameters = NULL;
	void *made = NULL;

	if (!kind->generator || !generation->pair)
		return NULL;
	/* Without parameters the group's name is the kind's own */
	ERR_set_mark();
	if (kind->has_domain)
		parameters = parameters_of(generation);
	ERR_pop_to_mark();
	if (kind->has_domain ? parameters != NULL : !generation->special)
		made = fsp_core_generate(kind->generator, generation->provider,
					 generation->software, parameters, components);
	fsp_key_drop(parameters);
	return made;
}

void *fsp_key_gen(void *opaque, OSSL_CALLBACK *progress, void *argument)
{
	struct generation *generation = opaque;
	void *components = NULL, *data = generate_with_core(generation, &components);
	struct fsp_key *key;

	if (!data)
		data = FSP_SOFT(generation->software, keymgmt_gen, KEYMGMT_GEN)(generation->soft,
										progress, argument);
	key = fsp_key_wrap(generation->provider, generation->kind, data);
	if (key)
		atomic_store(&key->components, components);
	else if (components)
		generation->kind->components_free(components);
	return key;
}
