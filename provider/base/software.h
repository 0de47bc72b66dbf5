/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider itself.
 *
 * Whoever fetches the first algorithm in a library context has libcrypto list all names there are, and make
 * all algorithms of the operation: too much for a program that only starts and ends.  To take the provider
 * does neither.
 */
#ifndef FSP_SOFTWARE_H
#define FSP_SOFTWARE_H

#include "base/provider.h"

/* It is taken at the first call, and kept; NULL: the program has not loaded it yet */
OSSL_PROVIDER *fsp_software(struct fsp_provider *provider);

void fsp_software_close(struct fsp_provider *provider);

#endif
