/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The opcodes that the model knows; any other is not implemented. */
#ifndef SILEX_PK_OPCODE_H
#define SILEX_PK_OPCODE_H

#include "pk-operation.h"

/* What an operation works on; statistics and the check of curves go by it */
enum silex_pk_family {
	SILEX_PK_ARITHMETIC,
	SILEX_PK_EXPONENTIATION,
	SILEX_PK_WEIERSTRASS,
	SILEX_PK_MONTGOMERY,
	SILEX_PK_TWISTED_EDWARDS,
};

/* What takes the time in an operation: pk-timing.c has a formula for each */
enum silex_pk_shape {
	SILEX_PK_SHAPE_ADD, /* an addition or subtraction */
	SILEX_PK_SHAPE_MULTIPLY, /* one product */
	SILEX_PK_SHAPE_REDUCE,
	SILEX_PK_SHAPE_INVERT,
	SILEX_PK_SHAPE_ROOT,
	SILEX_PK_SHAPE_POWER, /* one exponentiation */
	SILEX_PK_SHAPE_CRT, /* two of half the size, and their recombination */
	SILEX_PK_SHAPE_RSA_KEY,
	SILEX_PK_SHAPE_CRT_KEY,
	SILEX_PK_SHAPE_DSA_SIGN,
	SILEX_PK_SHAPE_DSA_VERIFY,
	SILEX_PK_SHAPE_POINT, /* one addition or doubling */
	SILEX_PK_SHAPE_CHECK, /* a few products on a curve */
	SILEX_PK_SHAPE_SCALAR, /* one multiplication of a point */
	SILEX_PK_SHAPE_ECDSA_SIGN,
	SILEX_PK_SHAPE_ECDSA_VERIFY,
	SILEX_PK_SHAPE_LADDER, /* one on a Montgomery curve */
	SILEX_PK_SHAPE_EDWARDS, /* one on a twisted Edwards curve */
	SILEX_PK_SHAPE_EDWARDS_VERIFY,
};

/* As the slot of an exponent: all bits of an operand count; the slot is that of pointer B */
#define SILEX_PK_SLOT_WHOLE     16u
#define SILEX_PK_SLOT_POINTER_B 17u

/* A row of the table of opcodes */
struct silex_pk_opcode {
	uint8_t opcode;
	silex_pk_function *run;
	enum silex_pk_family family;
	enum silex_pk_shape shape;
	uint8_t exponent; /* slot of the exponent or scalar whose bits count, or one of: */
};

/* The row of a command's opcode if this core runs that command, else NULL */
const struct silex_pk_opcode *silex_pk_find_opcode(const struct silex_config *config,
						   uint32_t command);

/*
 * Whether COMMAND's CALC_R2 counts: arithmetic and plain exponentiation.  Source: the register
 * description of a Microchip device header; which operations it means follows from drivers, which
 * set CALC_R2 for these and for 15.
 */
bool silex_pk_takes_r2(const struct silex_pk_opcode *opcode);

/* Computes: results go to operand RAM; returns error bits of STATUS */
uint32_t silex_pk_run(struct silex_pk_operation *operation);

#endif
