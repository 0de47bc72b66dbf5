/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public-key core for the time of one request: acquired, given operations, released.
 *
 * An operation is fs_pk_begin(), fs_pk_put() for each operand, and fs_pk_run(), which alone gives
 * its answer and its results.  It gives neither without evidence that this operation ran to its end
 * on this core (pk-evidence.h): then it returns FIRESTEEL_ERROR_FAULT or GONE.
 *
 * Errors: an operation that ends with an error in STATUS gives the library's error for it; the bits
 * are in `status`.
 */
#ifndef FS_PK_H
#define FS_PK_H

#include "../silex/ba414.h"
#include "device.h"
#include "number.h"
#include "pk-evidence.h"

struct fs_pk {
	struct firesteel *device;
	struct fs_transport *transport;
	uint32_t generation;
	bool protect; /* with countermeasures, as far as the core has them */

	/* the operation */
	uint32_t command;
	size_t size; /* of operands */
	size_t stride; /* of slots */
	bool little; /* operands are little-endian */
	uint32_t status; /* at its end, the error bits */
	struct fs_evidence evidence;
	bool unproven; /* an operation ended without evidence */
};

/* Where a result is, and where it goes: `size` bytes of the operation */
struct fs_pk_result {
	unsigned slot;
	uint8_t *bytes;
};

int fs_pk_acquire(struct firesteel *device, struct fs_pk *pk);

/* Clears operand RAM and releases the core */
void fs_pk_release(struct fs_pk *pk);

/* Waits until the core is free and writes COMMAND, for operands of `size` bytes.  With
 * countermeasures (SILEX_PK_RAND_*) a blinding factor too. */
int fs_pk_begin(struct fs_pk *pk, uint32_t command, size_t size);
int fs_pk_begin_little(struct fs_pk *pk, uint32_t command, size_t size);

/* An operand, in the operation's byte order; it must fit */
void fs_pk_put(struct fs_pk *pk, unsigned slot, struct firesteel_bytes number);

/* Starts it, waits for its end and reads its results, of which a check has none.  After an error
 * they are zeros.  FIRESTEEL_OK, and the errors with which the core answers, come with evidence. */
int fs_pk_run(struct fs_pk *pk, const struct fs_pk_result *results, size_t count);

/* ---- requests, when the core is acquired ---- */

typedef int fs_pk_request(struct fs_pk *pk, const struct firesteel_request *request);

fs_pk_request fs_pk_modexp, fs_pk_dh, fs_pk_rsa_public, fs_pk_rsa_private, fs_pk_rsa_crt,
	fs_pk_ecdsa_sign, fs_pk_ecdsa_verify, fs_pk_ecdh, fs_pk_ec_public, fs_pk_x25519,
	fs_pk_ed25519_public, fs_pk_ed25519_sign, fs_pk_ed25519_verify;

/* Whether a request is one, and whether the core can do it; `values`: operands are there and are
 * looked at */
typedef int fs_pk_check(const struct firesteel_capabilities *has,
			const struct firesteel_request *request, bool values);

fs_pk_check fs_pk_modexp_check, fs_pk_dh_check, fs_pk_rsa_public_check, fs_pk_rsa_private_check,
	fs_pk_rsa_crt_check, fs_pk_ecdsa_sign_check, fs_pk_ecdsa_verify_check, fs_pk_ecdh_check,
	fs_pk_ec_public_check, fs_pk_x25519_check, fs_pk_ed25519_public_check,
	fs_pk_ed25519_sign_check, fs_pk_ed25519_verify_check;

/* result = base ^ exponent, without countermeasures: what a signature is checked by */
int fs_pk_power(struct fs_pk *pk, uint32_t opcode, struct firesteel_bytes modulus,
		struct firesteel_bytes base, struct firesteel_bytes exponent, uint8_t *result);

/* Acquires the core, does the request, repeats it after a spurious "not invertible", releases the
 * core */
int fs_pk_do(struct firesteel *device, const struct firesteel_request *request);

#endif
