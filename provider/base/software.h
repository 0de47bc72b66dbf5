/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The default provider itself.
 *
 * The first fetch in a library context makes libcrypto list all names, and make all algorithms of
 * the operation.  That is too much for a program that only starts and ends.  To take the provider
 * does neither.
 *
 * Its functions are called as libcrypto calls them.  So whatever comes in goes on as it is, and what
 * comes back is software's answer, with software's errors.
 */
#ifndef FSP_SOFTWARE_H
#define FSP_SOFTWARE_H

#include "base/provider.h"

/* Looked up at the first call, and kept; NULL: the program has not loaded it yet */
OSSL_PROVIDER *fsp_software(struct fsp_provider *provider);

/* The functions of one of its algorithms */
#define FSP_FUNCTIONS 64

struct fsp_functions {
	int operation; /* OSSL_OP_* */
	const char *name, *property; /* of which they were wanted */
	void *context; /* the default provider's own */
	void (*at[FSP_FUNCTIONS])(void); /* by their numbers, OSSL_FUNC_*; NULL: no such function */
};

/*
 * The functions of the algorithm with this name and, unless NULL, this property.  They are looked
 * up at the first call, and kept; name and property are constants.  NULL: the default provider
 * lacks the algorithm.
 */
const struct fsp_functions *fsp_software_find(struct fsp_provider *provider, int operation,
					      const char *name, const char *property);

/* One of these functions, by its name and number: FSP_SOFT(functions, keymgmt_has,
 * KEYMGMT_HAS)(key, selection) */
#define FSP_SOFT(functions, name, NUMBER) \
	((OSSL_FUNC_##name##_fn *)(functions)->at[OSSL_FUNC_##NUMBER])

void fsp_software_close(struct fsp_provider *provider);

#endif
