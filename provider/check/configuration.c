/* SPDX-License-Identifier: Apache-2.0 */
#include "check/configuration.h"

#include <stdio.h>
#include <stdlib.h>

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/provider.h>

/* The first error that says something of its own */
static const char *first_error(void)
{
	const char *data;
	int flags;

	while (ERR_get_error_all(NULL, NULL, NULL, &data, &flags))
		if (flags & ERR_TXT_STRING && *data)
			return data;
	return "it does not name the provider";
}

bool configuration_loads(char *why, size_t size)
{
	OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
	char *file = CONF_get1_default_config_file();
	bool loads;

	/* This process counts for nobody */
	setenv("FIRESTEEL_PROVIDER_STATISTICS", "", 1);
	ERR_clear_error();
	loads = library && file && OSSL_LIB_CTX_load_config(library, file) > 0 &&
		OSSL_PROVIDER_available(library, "firesteel");
	if (!loads)
		snprintf(why, size, "%s: %s", file ? file : "no file", first_error());
	OSSL_LIB_CTX_free(library);
	OPENSSL_free(file);
	return loads;
}
