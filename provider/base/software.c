/* SPDX-License-Identifier: Apache-2.0 */
#include "base/software.h"

#include <string.h>

#include <openssl/provider.h>

#define NAME "default"

OSSL_PROVIDER *fsp_software(struct fsp_provider *provider)
{
	OSSL_PROVIDER *there = atomic_load(&provider->software), *taken;

	/* To load it where the program has not would be to decide for the program */
	if (there || !OSSL_PROVIDER_available(provider->library, NAME))
		return there;
	taken = OSSL_PROVIDER_try_load(provider->library, NAME, 1);
	if (!taken || atomic_compare_exchange_strong(&provider->software, &there, taken))
		return taken;
	/* Another thread was faster */
	OSSL_PROVIDER_unload(taken);
	return there;
}

/* ---- functions ---- */

/* Whether a text is one of those between separators */
static bool has_part(const char *parts, char separator, const char *part)
{
	size_t length = strlen(part);

	while (*parts) {
		const char *end = strchrnul(parts, separator);

		if ((size_t)(end - parts) == length &&
		    OPENSSL_strncasecmp(parts, part, length) == 0)
			return true;
		parts = *end ? end + 1 : end;
	}
	return false;
}

static bool is_wanted(const OSSL_ALGORITHM *algorithm, const struct fsp_functions *wanted)
{
	return has_part(algorithm->algorithm_names, ':', wanted->name) &&
	       (!wanted->property ||
		has_part(algorithm->property_definition, ',', wanted->property));
}

static void take(struct fsp_functions *functions, const OSSL_DISPATCH *table)
{
	for (; table->function_id; table++)
		if (table->function_id < FSP_FUNCTIONS)
			functions->at[table->function_id] = table->function;
}

static bool look_up(struct fsp_provider *provider, struct fsp_functions *functions)
{
	OSSL_PROVIDER *software = fsp_software(provider);
	const OSSL_ALGORITHM *all, *one;
	bool found = false;
	int no_cache;

	if (!software)
		return false;
	functions->context = OSSL_PROVIDER_get0_provider_ctx(software);
	all = OSSL_PROVIDER_query_operation(software, functions->operation, &no_cache);
	for (one = all; one && one->algorithm_names && !found; one++)
		if ((found = is_wanted(one, functions)))
			take(functions, one->implementation);
	OSSL_PROVIDER_unquery_operation(software, functions->operation, all);
	return found;
}

static bool is(const struct fsp_functions *functions, int operation, const char *name,
	       const char *property)
{
	return functions->operation == operation && strcmp(functions->name, name) == 0 &&
	       functions->property == property;
}

/* Keeps them in the first free slot, unless another thread was faster; NULL: there is no slot */
static const struct fsp_functions *keep(struct fsp_provider *provider, struct fsp_functions *found)
{
	for (unsigned i = 0; i < FSP_ALGORITHMS; i++) {
		struct fsp_functions *there = NULL;

		if (atomic_compare_exchange_strong(&provider->functions[i], &there, found))
			return found;
		if (is(there, found->operation, found->name, found->property)) {
			OPENSSL_free(found);
			return there;
		}
	}
	OPENSSL_free(found);
	return NULL;
}

const struct fsp_functions *fsp_software_find(struct fsp_provider *provider, int operation,
					      const char *name, const char *property)
{
	struct fsp_functions *there;

	for (unsigned i = 0; i < FSP_ALGORITHMS; i++) {
		there = atomic_load_explicit(&provider->functions[i], memory_order_acquire);
		if (!there)
			break;
		if (is(there, operation, name, property))
			return there;
	}
	there = OPENSSL_zalloc(sizeof(*there));
	if (!there)
		return NULL;
	there->operation = operation;
	there->name = name;
	there->property = property;
	if (look_up(provider, there))
		return keep(provider, there);
	OPENSSL_free(there);
	return NULL;
}

void fsp_software_close(struct fsp_provider *provider)
{
	OSSL_PROVIDER *software = atomic_load(&provider->software);

	for (unsigned i = 0; i < FSP_ALGORITHMS; i++)
		OPENSSL_free(atomic_load(&provider->functions[i]));
	if (software)
		OSSL_PROVIDER_unload(software);
}
