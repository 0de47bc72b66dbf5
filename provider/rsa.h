/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA on the core.
 *
 * The core only computes powers.  libcrypto adds and removes the padding: its padding functions are
 * called "low-level" and deprecated, but they are maintained, and their constant-time code is at
 * least as good as a new one would be.
 */
#ifndef FSP_RSA_H
#define FSP_RSA_H

#include "asym.h"
#include "key.h"
#include "task.h"

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
	bool private; /* it has d */
	bool crt; /* it has two primes, and consistent CRT components */
	int least_salt; /* of a restricted key for PSS; -1: any */
	atomic_bool broken; /* its components are inconsistent */
	struct firesteel_bytes part[FSP_RSA_PARTS]; /* size 0: missing */
	RSA *padding; /* n and e, for libcrypto's functions that want them */
};

void *fsp_rsa_components_new(struct fsp_provider *provider, EVP_PKEY *software);
void fsp_rsa_components_free(void *components);

/* The private and the public operation on the core: `in` and `out` have as many bytes as the
 * modulus.  false: software is to do it.  A private result has been checked. */
bool fsp_rsa_private(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out);
bool fsp_rsa_public(struct fsp_rsa *rsa, const uint8_t *in, uint8_t *out);

/* Whether the core should do it: call this first; it counts what software does */
bool fsp_rsa_private_wanted(struct fsp_rsa *rsa);
bool fsp_rsa_public_wanted(struct fsp_rsa *rsa);

/*
 * Decryption.  false: software is to do it; else *answer is what the operation returns.
 */
bool fsp_rsa_decrypt(struct fsp_asym *asym, uint8_t *out, size_t *size, size_t capacity,
		     const uint8_t *in, size_t in_size, int *answer);

/* Removes the padding of PKCS #1 v1.5 without revealing whether it was right; see rsa-unpad.c.
 * The message's size, or a negative number: an error that has to do with nothing secret. */
int fsp_rsa_unpad_implicit(const struct fsp_rsa *rsa, uint8_t *out, size_t capacity,
			   const uint8_t *padded, const uint8_t *in);

/* The same for the secret of 48 bytes of a TLS client, with two versions of which one may be 0 */
int fsp_rsa_unpad_tls(const struct fsp_rsa *rsa, uint8_t *out, const uint8_t *padded,
		      unsigned version, unsigned other_version);

enum fsp_trial fsp_rsa_trial_private(struct fsp_provider *provider, int64_t *software_ns);
enum fsp_trial fsp_rsa_trial_public(struct fsp_provider *provider, int64_t *software_ns);

/* Their requests; without bytes, for estimates */
struct firesteel_request fsp_rsa_private_request(const struct fsp_rsa *rsa, const uint8_t *in,
						 uint8_t *out);
struct firesteel_request fsp_rsa_public_request(const struct fsp_rsa *rsa, const uint8_t *in,
						uint8_t *out);

#endif
