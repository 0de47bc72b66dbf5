/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence that an operation ran to its end on the core that got its operands.  STATUS does not
 * suffice: it is 0 after a reset as well. docs/library.md ("Evidence") has the argument.
 *
 * A canary of 64 random bits lies in operand RAM from before the first operand until after the last
 * result.  COMMAND keeps the operation, and TIMER, set to 0, counts its cycles.  A reset or a loss
 * of power clears operand RAM and COMMAND; registers that read all zeros or all ones match neither.
 */
#ifndef FS_PK_EVIDENCE_H
#define FS_PK_EVIDENCE_H

#include <stdint.h>

#include "random.h"
#include "transport.h"

#define FS_EVIDENCE_WORDS 2u

struct fs_evidence {
	uint32_t command; /* that was written */
	uint32_t generation; /* of the core when it was acquired */
	uint32_t offset; /* of the canary, in the window */
	uint8_t canary[4 * FS_EVIDENCE_WORDS];
};

/* Call after COMMAND is written, and before any operand is.  Slots are `stride` bytes long;
 * `little`: operands are little-endian. */
void fs_evidence_prepare(struct fs_evidence *evidence, struct fs_transport *transport,
			 struct fs_random *random, size_t stride, bool little);

/* Call after the results are read.  0: evidence; FIRESTEEL_ERROR_FAULT: no evidence; GONE: no
 * core. */
int fs_evidence_check(const struct fs_evidence *evidence, struct fs_transport *transport);

#endif
