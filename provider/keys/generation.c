/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Software gets all parameters that we get.  A template comes after the parameters, and software takes
 * it at the beginning: so parameters are kept, and given to software when all is known.
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
	int selection;
	struct fsp_key *template; /* NULL: none */
	OSSL_PARAM *params; /* all that were set */
	EVP_PKEY_CTX *soft; /* software's, which has all of this; NULL: it must be made */
	OSSL_CALLBACK *progress;
	void *argument;
};

void fsp_key_gen_cleanup(void *opaque)
{
	struct generation *generation = opaque;

	if (!generation)
		return;
	EVP_PKEY_CTX_free(generation->soft);
	fsp_key_drop(generation->template);
	OSSL_PARAM_free(generation->params);
	OPENSSL_free(generation);
}

/* A software context with the parameters set so far, or NULL */
static EVP_PKEY_CTX *begin(const struct generation *generation, const OSSL_PARAM params[])
{
	struct fsp_provider *provider = generation->provider;
	EVP_PKEY_CTX *context;
	int good;

	if (generation->template)
		context = EVP_PKEY_CTX_new_from_pkey(provider->library,
						     generation->template->software, FSP_SOFTWARE);
	else
		context = EVP_PKEY_CTX_new_from_name(provider->library, generation->kind->name,
						     FSP_SOFTWARE);
	if (!context)
		return NULL;
	good = generation->selection & OSSL_KEYMGMT_SELECT_KEYPAIR
		       ? EVP_PKEY_keygen_init(context)
		       : EVP_PKEY_paramgen_init(context);
	if (good > 0 && (!params || EVP_PKEY_CTX_set_params(context, params) > 0))
		return context;
	EVP_PKEY_CTX_free(context);
	return NULL;
}

int fsp_key_gen_set_params(void *opaque, const OSSL_PARAM params[])
{
	struct generation *generation = opaque;
	OSSL_PARAM *all, *copy;
	EVP_PKEY_CTX *context;

	if (!params || !params->key)
		return 1;
	/* Errors are reported at once */
	context = begin(generation, params);
	if (!context)
		return 0;
	/* What was set before is not in it */
	if (generation->params) {
		EVP_PKEY_CTX_free(context);
		context = NULL;
	}
	EVP_PKEY_CTX_free(generation->soft);
	generation->soft = context;
	all = generation->params ? OSSL_PARAM_merge(generation->params, params) : NULL;
	copy = generation->params && !all ? NULL : OSSL_PARAM_dup(all ? all : params);
	OSSL_PARAM_free(all);
	if (!copy)
		return 0;
	OSSL_PARAM_free(generation->params);
	generation->params = copy;
	return 1;
}

int fsp_key_gen_set_template(void *opaque, void *template)
{
	struct generation *generation = opaque;

	if (!template || !((struct fsp_key *)template)->software)
		return 0;
	EVP_PKEY_CTX_free(generation->soft);
	generation->soft = NULL;
	fsp_key_drop(generation->template);
	generation->template = fsp_key_hold(template);
	return 1;
}

void *fsp_key_gen_init(void *provider, const struct fsp_key_kind *kind, int selection,
		       const OSSL_PARAM params[])
{
	struct generation *generation = OPENSSL_zalloc(sizeof(*generation));

	if (!generation)
		return NULL;
	generation->provider = provider;
	generation->kind = kind;
	generation->selection = selection;
	if (fsp_key_gen_set_params(generation, params))
		return generation;
	fsp_key_gen_cleanup(generation);
	return NULL;
}

/* Passes software's progress on to the caller */
static int tell(EVP_PKEY_CTX *context)
{
	const struct generation *generation = EVP_PKEY_CTX_get_app_data(context);
	int potential = EVP_PKEY_CTX_get_keygen_info(context, 0);
	int iteration = EVP_PKEY_CTX_get_keygen_info(context, 1);
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_GEN_PARAM_POTENTIAL, &potential),
		OSSL_PARAM_construct_int(OSSL_GEN_PARAM_ITERATION, &iteration),
		OSSL_PARAM_construct_end(),
	};

	return generation->progress(params, generation->argument);
}

/* The domain parameters, if nothing else was set: from the template or by name */
static struct fsp_key *parameters_of(const struct generation *generation)
{
	const OSSL_PARAM *params = generation->params;
	const char *name;

	if (!params && generation->template)
		return fsp_key_hold(generation->template);
	if (generation->template || !params || params[1].key ||
	    strcmp(params->key, OSSL_PKEY_PARAM_GROUP_NAME) != 0 ||
	    !OSSL_PARAM_get_utf8_string_ptr(params, &name))
		return NULL;
	return fsp_group_find(generation->provider, generation->kind, name);
}

/* Whether nothing was set that matters to a kind without parameters: the group's name is its own */
static bool is_bare(const struct generation *generation)
{
	const OSSL_PARAM *params = generation->params;

	return !params || (!params[1].key && strcmp(params->key, OSSL_PKEY_PARAM_GROUP_NAME) == 0);
}

static EVP_PKEY *generate_with_core(const struct generation *generation, void **components)
{
	const struct fsp_key_kind *kind = generation->kind;
	struct fsp_key *parameters;
	EVP_PKEY *made = NULL;

	if (!kind->generator || !(generation->selection & OSSL_KEYMGMT_SELECT_KEYPAIR))
		return NULL;
	if (!kind->domain_part)
		return is_bare(generation)
			       ? fsp_core_generate(kind->generator, generation->provider, NULL,
						   components)
			       : NULL;
	ERR_set_mark();
	parameters = parameters_of(generation);
	ERR_pop_to_mark();
	if (parameters)
		made = fsp_core_generate(kind->generator, generation->provider, parameters,
					 components);
	fsp_key_drop(parameters);
	return made;
}

static EVP_PKEY *generate(struct generation *generation, void **components)
{
	EVP_PKEY *made = generate_with_core(generation, components);
	EVP_PKEY_CTX *context;

	if (made)
		return made;
	context = generation->soft ? generation->soft : begin(generation, generation->params);
	generation->soft = NULL;
	if (!context)
		return NULL;
	EVP_PKEY_CTX_set_app_data(context, generation);
	if (generation->progress)
		EVP_PKEY_CTX_set_cb(context, tell);
	if (EVP_PKEY_generate(context, &made) <= 0)
		made = NULL;
	EVP_PKEY_CTX_free(context);
	return made;
}

void *fsp_key_gen(void *opaque, OSSL_CALLBACK *progress, void *argument)
{
	struct generation *generation = opaque;
	struct fsp_key *key = fsp_key_new(generation->provider, generation->kind);
	void *components = NULL;

	if (!key)
		return NULL;
	generation->progress = progress;
	generation->argument = argument;
	key->software = generate(generation, &components);
	atomic_store(&key->components, components);
	if (key->software)
		return key;
	fsp_key_drop(key);
	return NULL;
}
