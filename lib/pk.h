/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public-key core for the time of one request: acquired, given steps, released.
 *
 * A step is one operation of the core (struct fs_step): fs_pk_begin(), fs_pk_put() for each operand,
 * and fs_pk_run(), which alone gives its answer and its results.  It gives neither without evidence
 * that this step ran to its end on this core (pk-evidence.h): then it returns FIRESTEEL_ERROR_FAULT
 * or GONE.
 *
 * Errors: a step that ends with an error in STATUS gives the library's error for it; the bits are in
 * `status`.
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
	bool protect; /* with countermeasures, as far as the core has them */

	/* the step */
	const struct fs_step *step;
	uint32_t command; /* as it was written */
	size_t size; /* of operands */
	size_t stride; /* of slots */
	uint32_t status; /* at its end, the error bits */
	struct fs_evidence evidence;
	bool unproven; /* a step ended without evidence */
};

/* Where a result is, and where it goes: `size` bytes of the step */
struct fs_pk_result {
	unsigned slot;
	uint8_t *bytes;
};

int fs_pk_acquire(struct firesteel *device, struct fs_pk *pk);

/* Clears operand RAM and releases the core */
void fs_pk_release(struct fs_pk *pk);

/* Waits until the core is free and writes COMMAND, with the bits `more`, for operands of `size`
 * bytes.  With countermeasures a blinding factor too. */
int fs_pk_begin(struct fs_pk *pk, const struct fs_step *step, uint32_t more, size_t size);

/* An operand, in the step's byte order; it must fit */
void fs_pk_put(struct fs_pk *pk, unsigned slot, struct firesteel_bytes number);

/* Starts it, waits for its end and reads its results, of which a check has none.  After an error
 * they are zeros.  FIRESTEEL_OK, and the errors with which the core answers, come with evidence. */
int fs_pk_run(struct fs_pk *pk, const struct fs_pk_result *results, size_t count);

/* Acquires the core, does a request, repeats it after a spurious "not invertible", releases the
 * core */
int fs_pk_do(struct firesteel *device,
	     int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
	     const struct firesteel_request *request);

#endif
