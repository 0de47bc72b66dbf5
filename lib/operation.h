/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All facts about an operation: a constant in the file of its family. operation-table.c lists the
 * families.
 */
#ifndef FS_OPERATION_H
#define FS_OPERATION_H

#include "expect.h"
#include "transport.h"

struct fs_pk;

/* Where an operand lies in a request */
enum fs_operand_kind {
	FS_OPERAND_NONE, /* ends a list */
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

#define FS_BYTES(member)  { FS_OPERAND_BYTES, offsetof(struct firesteel_request, member), 0 }
#define FS_OUTPUT(member) { FS_OPERAND_OUTPUT, offsetof(struct firesteel_request, member), 0 }
#define FS_CURVE(member)  { FS_OPERAND_CURVE, offsetof(struct firesteel_request, member), 0 }
#define FS_CONTEXT(member, type) \
	{ FS_OPERAND_CONTEXT, offsetof(struct firesteel_request, member), sizeof(type) }

#define FS_OPERANDS(...) ((const struct fs_operand[]){ __VA_ARGS__, { FS_OPERAND_NONE, 0, 0 } })

struct fs_operation {
	enum firesteel_operation name;
	enum fs_core core;
	bool secret; /* an operand is secret: the core needs countermeasures */
	const struct fs_operand *operands;

	/* Whether a request is valid, and such a device supports it: 0 or an error.  `values`:
	 * operands have data, which is checked too. */
	int (*check)(const struct firesteel_capabilities *has,
		     const struct firesteel_request *request, bool values);

	/* Does a valid request; the core decides which member is used */
	union {
		int (*pk)(struct fs_pk *pk, const struct firesteel_request *request);
		int (*cm)(struct firesteel *device, const struct firesteel_request *request);
	} run;

	/* Adds the time of a valid request, whose operands may have no data */
	void (*estimate)(struct fs_estimate *estimate, const struct firesteel_request *request);
};

/* Operations in one file */
struct fs_family {
	const struct fs_operation *operations;
	size_t count;
};

#define FS_FAMILY(operations) { operations, sizeof(operations) / sizeof(*(operations)) }

extern const struct fs_family fs_power_family, fs_rsa_family, fs_ec_family, fs_25519_family,
	fs_cipher_family, fs_hash_family;

#endif
