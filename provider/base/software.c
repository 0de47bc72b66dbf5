/* SPDX-License-Identifier: Apache-2.0 */
#include "base/software.h"

#include <openssl/err.h>

void fsp_software_open(struct fsp_provider *provider)
{
	ERR_set_mark();
	provider->software = EVP_ASYM_CIPHER_fetch(provider->library, "RSA", FSP_SOFTWARE);
	ERR_pop_to_mark();
}

const OSSL_PROVIDER *fsp_software(const struct fsp_provider *provider)
{
	return provider->software ? EVP_ASYM_CIPHER_get0_provider(provider->software) : NULL;
}

void fsp_software_close(struct fsp_provider *provider)
{
	EVP_ASYM_CIPHER_free(provider->software);
}
