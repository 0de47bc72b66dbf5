/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence that an operation ran to its end on the core that got its operands.  STATUS does not tell:
 * it is 0 after a reset as well.  docs/library.md ("Evidence") has the argument.
 *
 * A canary of 64 random bits lies in operand RAM from before the first operand until after the last
 * result, COMMAND keeps the operation, and TIMER, set to 0, counts it.  A reset or a loss of power
 * clears operand RAM and COMMAND; registers that read all zeros or all ones match neither.
 */
#ifndef FS_PK_EVIDENCE_H
#define FS_PK_EVIDENCE_H

#include <stdint.h>

struct fs_pk;

#define FS_EVIDENCE_WORDS 2u

struct fs_evidence {
	uint8_t canary[4 * FS_EVIDENCE_WORDS];
};

/* When COMMAND is written and no operand is */
void fs_evidence_prepare(struct fs_pk *pk);

/* When the results are read: 0, FIRESTEEL_ERROR_FAULT or GONE */
int fs_evidence_check(struct fs_pk *pk);

#endif
