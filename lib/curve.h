/* SPDX-License-Identifier: Apache-2.0 */
/* Curves of Weierstrass' form: the hard-wired ones, and those that come with their parameters. */
#ifndef FS_CURVE_H
#define FS_CURVE_H

#include "number.h"
#include "pk.h"

/* A curve as the core needs it */
struct fs_curve {
	const struct firesteel_curve_parameters *parameters; /* NULL: hard-wired */
	uint32_t select; /* in COMMAND */
	size_t size; /* of operands */
	size_t field_size; /* bytes of p */
	struct firesteel_bytes order; /* trimmed */
};

/* 0, or FIRESTEEL_ERROR_INVALID, ABSENT.  `values`: parameters are checked, too. */
int fs_curve_resolve(const struct firesteel_capabilities *has, const struct firesteel_curve *name,
		     bool values, struct fs_curve *curve);

/* Parameters into their slots, if they are to be loaded */
void fs_curve_put(struct fs_pk_call *call, const struct fs_curve *curve);

/* Coordinates of the generator */
void fs_curve_generator(const struct fs_curve *curve, const struct firesteel_curve *name,
			struct firesteel_bytes *x, struct firesteel_bytes *y);

#endif
