/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Generation of keys whose public part the core computes: the same for all kinds.
 *
 * A kind says what is to be computed (plan, request), where the secret comes from (random), and how
 * software takes the pair (assemble).
 */
#ifndef FSP_CORE_GENERATION_H
#define FSP_CORE_GENERATION_H

#include "keys/key.h"

/* A key that is generated */
struct fsp_generation {
	struct fsp_provider *provider;
	const struct fsp_functions *software; /* key management of the kind */
	struct fsp_key *parameters; /* the domain's; NULL of a kind without them */
	size_t bits; /* for the user's threshold */
	uint64_t effort; /* of software: policy.h */
	struct firesteel_output secret, public; /* a plan sets only the sizes */
	/* Diffie-Hellman: the length of the secret, and whether the parameters contain it */
	size_t secret_bits;
	bool told;
	void *components; /* of the new key, if they are known already */
};

/* How a kind of key is generated; a constant */
struct fsp_generator {
	enum fsp_task task;
	/* Sizes and effort; false: software generates the key, which is counted if it must be */
	bool (*plan)(struct fsp_generation *generation);
	struct firesteel_request (*request)(const struct fsp_generation *generation);
	/* A secret with the length and randomness of software's secrets */
	bool (*random)(struct fsp_generation *generation);
	void *(*assemble)(struct fsp_generation *generation); /* software's data */
	bool checked; /* software refuses to assemble what a faulty core has computed */
};

/* Software's data of a new key; NULL: software must do it.  Known components of the key go to *components. */
void *fsp_core_generate(const struct fsp_generator *generator, struct fsp_provider *provider,
			const struct fsp_functions *software, struct fsp_key *parameters,
			void **components);

#endif
