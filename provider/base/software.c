/* SPDX-License-Identifier: Apache-2.0 */
#include "base/software.h"

#include <openssl/provider.h>

#define NAME "default"

void fsp_software_open(struct fsp_provider *provider)
{
	if (OSSL_PROVIDER_available(provider->library, NAME))
		provider->software = OSSL_PROVIDER_try_load(provider->library, NAME, 1);
}

void fsp_software_close(struct fsp_provider *provider)
{
	if (provider->software)
		OSSL_PROVIDER_unload(provider->software);
}
