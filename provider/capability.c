/* SPDX-License-Identifier: Apache-2.0 */
#include "capability.h"

#include <string.h>
#include <strings.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/provider.h>

#include "base/software.h"

#define GROUPS "TLS-GROUP"

struct telling {
	const struct fsp_provider *provider;
	OSSL_CALLBACK *callback;
	void *argument;
};

/* The name that comes first is the one that groups have their keys under */
static const OSSL_ALGORITHM *find_key(const struct fsp_provider *provider, const char *name)
{
	const OSSL_ALGORITHM *key = provider->keys;
	size_t length = strlen(name);

	for (; key->algorithm_names; key++)
		if (strncmp(key->algorithm_names, name, length) == 0 &&
		    (key->algorithm_names[length] == ':' || key->algorithm_names[length] == '\0'))
			return key;
	return NULL;
}

static int tell_ours(const OSSL_PARAM params[], void *argument)
{
	const struct telling *telling = argument;
	const OSSL_PARAM *name = OSSL_PARAM_locate_const(params, OSSL_CAPABILITY_TLS_GROUP_ALG);
	const char *text;

	if (!name || !OSSL_PARAM_get_utf8_string_ptr(name, &text) ||
	    !find_key(telling->provider, text))
		return 1;
	return telling->callback(params, telling->argument);
}

int fsp_capabilities(void *opaque, const char *capability, OSSL_CALLBACK *callback, void *argument)
{
	struct fsp_provider *provider = opaque;
	struct telling telling = { provider, callback, argument };
	OSSL_PROVIDER *software;

	if (strcasecmp(capability, GROUPS) != 0)
		return 0;
	if (!provider->keys[0].algorithm_names)
		return 1;
	software = fsp_software(provider);
	return software && OSSL_PROVIDER_get_capabilities(software, GROUPS, tell_ours, &telling);
}
