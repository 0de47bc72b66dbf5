/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The public-key core for the time of one request: acquired, given steps, released.
 *
 * A step is one operation of the core (struct fs_step); a call is a step with its operands and
 * where its results go.  Only fs_pk_run() does calls and returns the core's answer and results.
 * Without evidence that this step ran to its end on this core (pk-evidence.h), it returns
 * FIRESTEEL_ERROR_FAULT or GONE.
 *
 * Errors: a step that ends with an error in STATUS gives the library's error for it; the bits are in
 * `status`.
 */
#ifndef FS_PK_H
#define FS_PK_H

#include <stdlib.h>

#include "../silex/ba414.h"
#include "device.h"
#include "number.h"
#include "pk-evidence.h"

#define FS_PK_OPERANDS_MAX 12u
#define FS_PK_RESULTS_MAX  2u

struct fs_pk_call {
	const struct fs_step *step;
	uint32_t more; /* further bits of COMMAND */
	size_t size; /* of operands and results, bytes */
	unsigned bits; /* of the exponent; 0: the operands' length, or no exponent */

	unsigned operands, results; /* how many */
	struct {
		unsigned slot;
		struct firesteel_bytes number;
	} operand[FS_PK_OPERANDS_MAX];
	struct {
		unsigned slot;
		uint8_t *bytes;
	} result[FS_PK_RESULTS_MAX];
};

struct fs_pk {
	struct firesteel *device;
	struct fs_transport *transport;
	bool protect; /* with countermeasures, if the core has any */
	size_t stride; /* of slots */

	/* the call under way, or the last one */
	uint32_t command; /* as it was written */
	uint32_t status; /* at its end, the error bits */
	struct fs_evidence evidence;
	bool unproven; /* a step ended without evidence */
};

/* An operand, in the step's byte order; it must fit, and stay until the call is done */
static inline void fs_pk_put(struct fs_pk_call *call, unsigned slot, struct firesteel_bytes number)
{
	if (call->operands == FS_PK_OPERANDS_MAX)
		abort();
	call->operand[call->operands].slot = slot;
	call->operand[call->operands++].number = number;
}

/* Where a result goes */
static inline void fs_pk_get(struct fs_pk_call *call, unsigned slot, uint8_t *bytes)
{
	if (call->results == FS_PK_RESULTS_MAX)
		abort();
	call->result[call->results].slot = slot;
	call->result[call->results++].bytes = bytes;
}

int fs_pk_acquire(struct firesteel *device, struct fs_pk *pk);

/* Clears operand RAM and releases the core */
void fs_pk_release(struct fs_pk *pk);

/* Waits until the core is free, gives it the operands and, with countermeasures, a blinding factor,
 * starts it, waits for its end and reads its results.  After an error they are zeros.  FIRESTEEL_OK,
 * and the errors with which the core answers, come with evidence. */
int fs_pk_run(struct fs_pk *pk, const struct fs_pk_call *call);

/* Acquires the core, does a request, repeats it after a spurious "not invertible", releases the
 * core */
int fs_pk_do(struct firesteel *device,
	     int (*steps)(struct fs_pk *pk, const struct firesteel_request *request),
	     const struct firesteel_request *request);

#endif
