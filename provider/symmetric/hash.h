/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-1 and SHA-2 in pieces, each to core or software.
 *
 * The state is software's: libcrypto's low-level structures, which contain the chaining values of
 * FIPS 180-4.  A run of whole blocks goes to the core with the state as its context, which comes
 * back the same way; so either can continue where the other stopped.
 */
#ifndef FSP_HASH_H
#define FSP_HASH_H

#include <openssl/sha.h>

#include "base/provider.h"

#define FSP_HASH_BLOCK_MAX 128u
#define FSP_HASH_SIZE_MAX  64u

struct fsp_hash;

/* One algorithm; a constant */
struct fsp_hash_kind {
	const char *name, *standard; /* as libcrypto writes it: "SHA256", "SHA2-256" */
	enum firesteel_digest digest;
	size_t size, block;
	size_t words, word_size; /* of the state */
	void (*begin)(struct fsp_hash *hash);
	void (*update)(struct fsp_hash *hash, const uint8_t *in, size_t size);
	void (*final)(struct fsp_hash *hash, uint8_t *out);
	void (*count)(struct fsp_hash *hash, size_t size); /* what the core has done */
};

struct fsp_hash {
	struct fsp_provider *provider;
	const struct fsp_hash_kind *kind;
	enum fsp_task task;
	union {
		SHA_CTX sha1;
		SHA256_CTX sha256;
		SHA512_CTX sha512;
	} soft;
};

extern const struct fsp_hash_kind fsp_hash_kinds[FIRESTEEL_DIGESTS];

void fsp_hash_begin(struct fsp_hash *hash, struct fsp_provider *provider,
		    const struct fsp_hash_kind *kind, enum fsp_task task);
void fsp_hash_update(struct fsp_hash *hash, const uint8_t *in, size_t size);
void fsp_hash_final(struct fsp_hash *hash, uint8_t *out); /* kind->size bytes */

/* Processes whole blocks on the core, whatever the threshold.  After an error of enum
 * firesteel_error nothing is done.  Does not count trials. */
int fsp_hash_core(struct fsp_hash *hash, const uint8_t *in, size_t size, bool trial);

#endif
