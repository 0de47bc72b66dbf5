/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Operands, results and the numbers in between. */
#include "pk-operation.h"

#include <stdlib.h>
#include <string.h>

#include "wipe.h"

/* The core is taken to write whole words of this size, so that a driver which reads results by
 * words finds zeros above them (assumption) */
#define WORD 8u

uint8_t *silex_pk_place(const struct silex_pk_operation *operation, unsigned slot)
{
	return operation->ram + (slot + 1) * operation->stride - operation->size;
}

unsigned silex_pk_bits(const struct silex_pk_operation *operation, unsigned slot)
{
	const uint8_t *bytes = silex_pk_place(operation, slot);
	size_t zeros = 0;

	while (zeros < operation->size && bytes[zeros] == 0)
		zeros++;
	if (zeros == operation->size)
		return 0;

	unsigned bits = 8 * (unsigned)(operation->size - zeros - 1);

	for (unsigned top = bytes[zeros]; top; top >>= 1)
		bits++;
	return bits;
}

gcry_mpi_t silex_pk_adopt(struct silex_pk_operation *operation, gcry_mpi_t number)
{
	if (operation->numbers == SILEX_PK_NUMBERS)
		abort();
	operation->number[operation->numbers++] = number;
	return number;
}

gcry_mpi_t silex_pk_number(struct silex_pk_operation *operation)
{
	unsigned bits = 8 * (unsigned)(4 * operation->size + 2 * WORD);

	return silex_pk_adopt(operation, gcry_mpi_new(bits));
}

gcry_mpi_t silex_pk_small(struct silex_pk_operation *operation, unsigned value)
{
	return gcry_mpi_set_ui(silex_pk_number(operation), value);
}

static gcry_mpi_t scan(struct silex_pk_operation *operation, const uint8_t *bytes, size_t size)
{
	gcry_mpi_t number = NULL;

	if (gcry_mpi_scan(&number, GCRYMPI_FMT_USG, bytes, size, NULL))
		return silex_pk_number(operation);
	return silex_pk_adopt(operation, number);
}

gcry_mpi_t silex_pk_operand(struct silex_pk_operation *operation, unsigned slot)
{
	return scan(operation, silex_pk_place(operation, slot), operation->size);
}

gcry_mpi_t silex_pk_double_operand(struct silex_pk_operation *operation, unsigned slot)
{
	gcry_mpi_t low = silex_pk_operand(operation, slot);
	gcry_mpi_t high = silex_pk_operand(operation, silex_pk_next(slot));
	gcry_mpi_t both = silex_pk_number(operation);

	gcry_mpi_mul_2exp(both, high, 8 * operation->size);
	gcry_mpi_add(both, both, low);
	return both;
}

unsigned silex_pk_next(unsigned slot)
{
	return (slot + 1) % SILEX_PK_SLOTS;
}

unsigned silex_pk_slot_a(const struct silex_pk_operation *operation)
{
	return operation->pointers & SILEX_PK_POINTER_MASK;
}

unsigned silex_pk_slot_b(const struct silex_pk_operation *operation)
{
	return operation->pointers >> 8 & SILEX_PK_POINTER_MASK;
}

unsigned silex_pk_slot_c(const struct silex_pk_operation *operation)
{
	return operation->pointers >> 16 & SILEX_PK_POINTER_MASK;
}

unsigned silex_pk_slot_n(const struct silex_pk_operation *operation)
{
	return operation->pointers >> 24 & SILEX_PK_POINTER_MASK;
}

gcry_mpi_t silex_pk_operand_a(struct silex_pk_operation *operation)
{
	return silex_pk_operand(operation, silex_pk_slot_a(operation));
}

gcry_mpi_t silex_pk_operand_b(struct silex_pk_operation *operation)
{
	return silex_pk_operand(operation, silex_pk_slot_b(operation));
}

gcry_mpi_t silex_pk_operand_n(struct silex_pk_operation *operation)
{
	return silex_pk_operand(operation, silex_pk_slot_n(operation));
}

void silex_pk_result(struct silex_pk_operation *operation, unsigned slot, gcry_mpi_t value)
{
	uint8_t bytes[1024];
	size_t size = operation->size;
	size_t words = (size + WORD - 1) / WORD * WORD;
	size_t used = 0;

	if (words > operation->stride)
		words = operation->stride;
	gcry_mpi_clear_highbit(value, 8 * (unsigned)size);
	if (gcry_mpi_print(GCRYMPI_FMT_USG, bytes, sizeof(bytes), &used, value))
		used = 0;

	uint8_t *end = operation->ram + (slot + 1) * operation->stride;

	memset(end - words, 0, words - used);
	memcpy(end - used, bytes, used);
	operation->results |= 1u << slot;
	silex_wipe(bytes, sizeof(bytes));
}

uint32_t silex_pk_refuse(struct silex_pk_operation *operation, unsigned slot, uint32_t status)
{
	operation->fail = slot;
	return status;
}

uint32_t silex_pk_within(struct silex_pk_operation *operation, unsigned slot, gcry_mpi_t value,
			 gcry_mpi_t limit)
{
	if (silex_pk_is_zero(value) || gcry_mpi_cmp(value, limit) >= 0)
		return silex_pk_refuse(operation, slot, SILEX_PK_STATUS_OUT_OF_RANGE);
	return 0;
}

static const uint8_t *factor_of(const struct silex_pk_operation *operation)
{
	const uint8_t *end = operation->ram + (SILEX_PK_SLOT_BLINDING + 1) * operation->stride;

	return end - SILEX_PK_BLINDING_BYTES;
}

uint64_t silex_pk_blinding(const struct silex_pk_operation *operation)
{
	const uint8_t *bytes = factor_of(operation);
	uint64_t factor = 0;

	for (unsigned i = 0; i < SILEX_PK_BLINDING_BYTES; i++)
		factor = factor << 8 | bytes[i];
	return factor;
}

gcry_mpi_t silex_pk_blinded(struct silex_pk_operation *operation, gcry_mpi_t exponent,
			    gcry_mpi_t order)
{
	if (!operation->config->pk_protection || !(operation->command & SILEX_PK_RAND_KE))
		return exponent;

	gcry_mpi_t factor = scan(operation, factor_of(operation), SILEX_PK_BLINDING_BYTES);
	gcry_mpi_t multiple = silex_pk_number(operation);
	gcry_mpi_t blinded = silex_pk_number(operation);

	gcry_mpi_mul(multiple, factor, order);
	gcry_mpi_add(blinded, multiple, exponent);
	return blinded;
}
