/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of all kinds. */
#ifndef FS_REQUEST_H
#define FS_REQUEST_H

#include "device.h"

/* Where an operand lies in a request */
enum fs_operand_kind {
	FS_OPERAND_BYTES, /* struct firesteel_bytes */
	FS_OPERAND_OUTPUT, /* struct firesteel_output */
	FS_OPERAND_CURVE, /* struct firesteel_curve */
	FS_OPERAND_CONTEXT, /* a pointer to a context, or NULL */
};

struct fs_operand {
	enum fs_operand_kind kind;
	size_t offset;
	size_t size; /* of a context */
};

/* The operands of an operation by number, from 0 on; NULL: no more */
const struct fs_operand *fs_request_operand(enum firesteel_operation operation, unsigned number);

/* The core that does it */
enum fs_core fs_request_core(enum firesteel_operation operation);

/* Whether it is valid, and such a device can do it; `values`: operands have data */
int fs_request_check(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values);

#endif
