/* SPDX-License-Identifier: Apache-2.0 */
#include "base/software.h"

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

void fsp_software_close(struct fsp_provider *provider)
{
	OSSL_PROVIDER *software = atomic_load(&provider->software);

	if (software)
		OSSL_PROVIDER_unload(software);
}
