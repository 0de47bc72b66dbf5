/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * One operation of BA414E: its operands, its results and the numbers in between.
 *
 * Life of an operation:
 *  1. pk.c fills in what the registers say and asks pk-timing.h how long it takes;
 *  2. when that time is over silex_pk_run() finds the opcode's function in its table;
 *  3. the function takes operands out of their slots, computes, and writes results only when it
 *     ends without an error; numbers that it makes belong to the operation;
 *  4. silex_pk_run() releases them all.  libgcrypt overwrites a number's digits on release
 *     (checked in 1.10 and 1.11); what grows a number would leave a copy behind, so numbers are
 *     made with room for everything.
 */
#ifndef SILEX_PK_OPERATION_H
#define SILEX_PK_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <gcrypt.h>

#include "../silex/ba414.h"
#include "silex-model.h"

/* Numbers that one operation may make: Ed25519's verification makes the most, 51.  How many does not
 * depend on operands, so making more is a mistake of ours, and ends the program. */
#define SILEX_PK_NUMBERS 96u

struct silex_pk_operation {
	const struct silex_config *config;
	uint8_t *ram; /* slots; an operand is big-endian at the end of its slot */
	size_t stride; /* of slots, bytes */
	uint32_t command;
	uint32_t pointers;
	size_t size; /* of operands, bytes */

	unsigned fail; /* slot of the operand that was refused */
	uint32_t results; /* slots written, a bit each */

	gcry_mpi_t number[SILEX_PK_NUMBERS];
	unsigned numbers;
	gcry_ctx_t curve; /* NULL: none in use */
};

/* What an opcode's function does: returns error bits of STATUS, 0 for success */
typedef uint32_t silex_pk_function(struct silex_pk_operation *operation);

/* Where an operand's most significant byte lies */
uint8_t *silex_pk_place(const struct silex_pk_operation *operation, unsigned slot);

/* Bits of the operand in a slot, without leading zeros */
unsigned silex_pk_bits(const struct silex_pk_operation *operation, unsigned slot);

/* A new number, 0, with room for products of four operands */
gcry_mpi_t silex_pk_number(struct silex_pk_operation *operation);
gcry_mpi_t silex_pk_small(struct silex_pk_operation *operation, unsigned value);

/* Takes over a number that was made elsewhere */
gcry_mpi_t silex_pk_adopt(struct silex_pk_operation *operation, gcry_mpi_t number);

/* The operand in a slot: as such, as the low half of a number whose high half follows in the next
 * slot, and the slot that a pointer names.  Not to be written to: there is no room. */
gcry_mpi_t silex_pk_operand(struct silex_pk_operation *operation, unsigned slot);
gcry_mpi_t silex_pk_double_operand(struct silex_pk_operation *operation, unsigned slot);
gcry_mpi_t silex_pk_operand_a(struct silex_pk_operation *operation);
gcry_mpi_t silex_pk_operand_b(struct silex_pk_operation *operation);
gcry_mpi_t silex_pk_operand_n(struct silex_pk_operation *operation);

/* The slot after one, which a point's y is in */
unsigned silex_pk_next(unsigned slot);
unsigned silex_pk_slot_a(const struct silex_pk_operation *operation);
unsigned silex_pk_slot_b(const struct silex_pk_operation *operation);
unsigned silex_pk_slot_c(const struct silex_pk_operation *operation);
unsigned silex_pk_slot_n(const struct silex_pk_operation *operation);

/* Writes a result: the low bytes of a number that is too long */
void silex_pk_result(struct silex_pk_operation *operation, unsigned slot, gcry_mpi_t value);

/* Notes the slot at fault and returns `status` */
uint32_t silex_pk_refuse(struct silex_pk_operation *operation, unsigned slot, uint32_t status);

/* 0 if 0 < value < limit, else refuses with OUT_OF_RANGE */
uint32_t silex_pk_within(struct silex_pk_operation *operation, unsigned slot, gcry_mpi_t value,
			 gcry_mpi_t limit);

/* The blinding factor: the last bytes of its slot */
uint64_t silex_pk_blinding(const struct silex_pk_operation *operation);

/*
 * The exponent that a core with countermeasures uses when COMMAND asks for it: exponent + blinding
 * factor * order, which gives the same result if `order` is a multiple of the base's order.
 */
gcry_mpi_t silex_pk_blinded(struct silex_pk_operation *operation, gcry_mpi_t exponent,
			    gcry_mpi_t order);

static inline bool silex_pk_is_odd(gcry_mpi_t value)
{
	return gcry_mpi_test_bit(value, 0);
}

static inline bool silex_pk_is_zero(gcry_mpi_t value)
{
	return gcry_mpi_cmp_ui(value, 0) == 0;
}

#endif
