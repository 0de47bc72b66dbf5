/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys on elliptic curves: those over prime fields that the core has in hardware (P-192 to P-521).  All
 * others, and curves by explicit parameters that are none of these, are software's.
 */
#ifndef FSP_KEYS_EC_H
#define FSP_KEYS_EC_H

#include "keys/core-generation.h"

#define FSP_EC_SIZE_MAX 66u /* of a coordinate or scalar: P-521 */

/* A key as the core wants it; components are big-endian, of size 0 where they are missing */
struct fsp_ec {
	struct firesteel_curve curve;
	size_t bits, size; /* of the field, and of the order */
	struct firesteel_bytes secret, x, y;
	atomic_bool broken; /* its components are inconsistent */
};

/* The curve of a key, with the sizes of its numbers, which suffice for an estimate.  Reading the
 * numbers of a new key would take software a tenth of an exchange. false: the device does not
 * support the curve. */
bool fsp_ec_curve(struct fsp_key *key, struct fsp_ec *curve);

/* The same for a task; a curve that the device lacks counts as unfit */
bool fsp_ec_curve_for(struct fsp_key *key, enum fsp_task task, struct fsp_ec *curve);

/* The policy's decision about a request on this curve */
bool fsp_ec_wants(struct fsp_provider *provider, enum fsp_task task,
		  const struct firesteel_request *request, const struct fsp_ec *curve);

/* The curve with the key's numbers */
void *fsp_ec_components_new(struct fsp_key *key);
void fsp_ec_components_free(void *components);

/* The name of the curve for the trial: the shortest one of the device from P-256 on */
const char *fsp_ec_trial_curve(const struct fsp_provider *provider);

/* The effort of software relative to the curve of the trial */
uint64_t fsp_ec_effort(const struct fsp_provider *provider, const struct fsp_ec *ec);

extern const struct fsp_generator fsp_ec_generator;

#endif
