/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elliptic curves on the core: those over prime fields that it has in hardware (P-192 to P-521).  All
 * others, and curves by explicit parameters that are none of these, are software's.
 */
#ifndef FSP_EC_H
#define FSP_EC_H

#include "key.h"
#include "task.h"

#define FSP_EC_SIZE_MAX 66u /* of a coordinate or scalar: P-521 */

/* A key as the core wants it; components are big-endian, of size 0 where they are missing */
struct fsp_ec {
	struct firesteel_curve curve;
	size_t bits, size; /* of the field, and of the order */
	struct firesteel_bytes secret, x, y;
	atomic_bool broken; /* its components are inconsistent */
};

void *fsp_ec_components_new(struct fsp_provider *provider, EVP_PKEY *software);
void fsp_ec_components_free(void *components);

/* Generates a key on the curve of these parameters; NULL: software must do it */
EVP_PKEY *fsp_ec_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			  void **components);

/* The name of the curve that is tried: the shortest that the device has from P-256 on */
const char *fsp_ec_trial_curve(const struct fsp_provider *provider);

/* The effort of software relative to the curve of the trial */
uint64_t fsp_ec_effort(const struct fsp_provider *provider, const struct fsp_ec *ec);

/* Requests; without bytes, for estimates */
struct firesteel_request fsp_ecdsa_sign_request(const struct fsp_ec *ec,
						struct firesteel_bytes digest, uint8_t *r,
						uint8_t *s);
struct firesteel_request fsp_ecdsa_verify_request(const struct fsp_ec *ec,
						  struct firesteel_bytes digest, const uint8_t *r,
						  const uint8_t *s);
struct firesteel_request fsp_ecdh_request(const struct fsp_ec *ec, const struct fsp_ec *peer,
					  uint8_t *x);

/* The two integers of a signature (both of ec->size bytes) from DER and to DER.  false: it is none
 * that software would take, or there is no memory. */
bool fsp_ecdsa_decode(const struct fsp_ec *ec, const uint8_t *der, size_t size, uint8_t *r,
		      uint8_t *s);
bool fsp_ecdsa_encode(const struct fsp_ec *ec, const uint8_t *r, const uint8_t *s, uint8_t *der,
		      size_t *size);

enum fsp_trial fsp_ecdsa_trial_sign(struct fsp_provider *provider, int64_t *software_ns);
enum fsp_trial fsp_ecdsa_trial_verify(struct fsp_provider *provider, int64_t *software_ns);
enum fsp_trial fsp_ecdh_trial(struct fsp_provider *provider, int64_t *software_ns);

#endif
