/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider can offer to libcrypto. */
#ifndef FSP_ALGORITHM_H
#define FSP_ALGORITHM_H

#include <openssl/core.h>

#include "base/work.h"

/*
 * Properties of every algorithm.  The second is ours alone: a program that asks for `provider!=fips` or
 * the like replaces what the configuration's default query says of `provider`, but not what it says of
 * `firesteel.cores`.
 */
#define FSP_PROPERTIES "provider=firesteel,firesteel.cores=yes"

/* An algorithm and the kind of work that it is; a table ends with a NULL name */
struct fsp_algorithm {
	OSSL_ALGORITHM algorithm;
	enum fsp_work work;
	unsigned needs; /* a bit of the capabilities' modes, digests or curves */
};

#endif
