/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider itself.
 *
 * Whoever fetches one algorithm of a provider has libcrypto make all of that operation, and there are more
 * than a hundred ciphers and twenty-odd hashes: too much for a program that only starts and ends.  The
 * default provider's asymmetric ciphers are two.
 */
#ifndef FSP_SOFTWARE_H
#define FSP_SOFTWARE_H

#include "base/provider.h"

/* Finds it; where it is not loaded, there is no software */
void fsp_software_open(struct fsp_provider *provider);

/* NULL: it is not loaded */
const OSSL_PROVIDER *fsp_software(const struct fsp_provider *provider);

void fsp_software_close(struct fsp_provider *provider);

#endif
