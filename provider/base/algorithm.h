/* SPDX-License-Identifier: Apache-2.0 */
/* What the provider can offer to libcrypto. */
#ifndef FSP_ALGORITHM_H
#define FSP_ALGORITHM_H

#include <openssl/core.h>

#include "base/work.h"

/*
 * Properties of every algorithm.  Only this provider has the second.  A program that asks for
 * `provider!=fips` or the like replaces the configuration's default query for `provider`, but not
 * the query for `firesteel.cores`.
 */
#define FSP_PROPERTIES "provider=firesteel,firesteel.cores=yes"

/* An algorithm and its kind of work; a table ends with a NULL name */
struct fsp_algorithm {
	OSSL_ALGORITHM algorithm;
	enum fsp_work work;
	unsigned needs; /* a bit of the capabilities' modes, digests or curves */
};

#endif
