/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of RSA. */
#ifndef FSP_KEYS_RSA_H
#define FSP_KEYS_RSA_H

#include "keys/key.h"

/* A key as the core wants it; components are big-endian */
enum fsp_rsa_part {
	FSP_RSA_N,
	FSP_RSA_E,
	FSP_RSA_D,
	FSP_RSA_P,
	FSP_RSA_Q,
	FSP_RSA_DP,
	FSP_RSA_DQ,
	FSP_RSA_QINV,
	FSP_RSA_PARTS
};

struct fsp_rsa {
	struct fsp_provider *provider;
	size_t bits, size; /* of the modulus */
	bool private; /* it has d, and not more than two primes */
	size_t exponent_bits; /* of e */
	bool crt; /* it has two primes, and consistent CRT components */
	int least_salt; /* of a restricted key for PSS; -1: any */
	atomic_bool broken; /* its components are inconsistent */
	struct firesteel_bytes part[FSP_RSA_PARTS]; /* size 0: missing */
	RSA *padding; /* n and e, for libcrypto's functions that want them */
};

void *fsp_rsa_components_new(struct fsp_key *key);
void fsp_rsa_components_free(void *components);

#endif
