/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider can offer to libcrypto. */
#ifndef FSP_ALGORITHM_H
#define FSP_ALGORITHM_H

#include <openssl/core.h>

#include "base/work.h"

/* An algorithm and the kind of work that it is; a table ends with a NULL name */
struct fsp_algorithm {
	OSSL_ALGORITHM algorithm;
	enum fsp_work work;
	unsigned needs; /* a bit of the capabilities' modes, digests or curves */
};

#endif
