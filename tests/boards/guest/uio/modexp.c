// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "uio.h"

/* ---- numbers ---- */

static size_t read_number(FILE *file, uint8_t number[512])
{
	char line[1100];
	size_t size;

	must(fgets(line, sizeof(line), file) != NULL, "read /job/modexp");
	size = strcspn(line, "\n") / 2;
	for (size_t i = 0; i < size; i++)
		must(sscanf(line + 2 * i, "%2hhx", &number[i]) == 1, "hexadecimal in /job/modexp");
	return size;
}

void modexp_read(struct modexp *modexp)
{
	FILE *file = fopen("/job/modexp", "r");

	must(file != NULL, "open /job/modexp");
	modexp->size = read_number(file, modexp->modulus);
	read_number(file, modexp->base);
	read_number(file, modexp->exponent);
	read_number(file, modexp->answer);
	fclose(file);
}

void modexp_longest(struct modexp *modexp)
{
	modexp->size = sizeof(modexp->modulus);
	memset(modexp->modulus, 0xff, modexp->size);
	memset(modexp->base, 0x5a, modexp->size);
	memset(modexp->exponent, 0xff, modexp->size);
}

/* ---- operands ---- */

static volatile uint32_t *place(const struct pk *pk, unsigned slot, size_t size)
{
	/* the largest operand of all cores on these boards is of 512 bytes */
	return pk->ram + ((slot + 1) * SILEX_PK_STRIDE(512) - size) / 4;
}

static void put(const struct pk *pk, unsigned slot, const uint8_t *number, size_t size)
{
	volatile uint32_t *to = place(pk, slot, size);

	for (size_t i = 0; i < size / 4; i++) {
		uint32_t word;

		memcpy(&word, number + 4 * i, 4);
		to[i] = word;
	}
}

static bool is_equal(const struct pk *pk, unsigned slot, const uint8_t *number, size_t size)
{
	const volatile uint32_t *from = place(pk, slot, size);

	for (size_t i = 0; i < size / 4; i++) {
		uint32_t word;

		memcpy(&word, number + 4 * i, 4);
		if (from[i] != word)
			return false;
	}
	return true;
}

/* ---- operations ---- */

static void go(const struct pk *pk)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	pk_write(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_START | SILEX_PK_CONTROL_CLEAR_IRQ);
}

void modexp_start(const struct pk *pk, const struct modexp *modexp)
{
	pk_write(pk, SILEX_PK_COMMAND,
		 SILEX_PK_OP_MODEXP | SILEX_PK_SIZE(modexp->size) | SILEX_PK_SWAP_BYTES |
			 SILEX_PK_CALC_R2);
	pk_write(pk, SILEX_PK_POINTERS,
		 SILEX_PK_POINTER_A(SILEX_PK_SLOT_A) | SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) |
			 SILEX_PK_POINTER_C(SILEX_PK_SLOT_C) | SILEX_PK_POINTER_N(SILEX_PK_SLOT_N));
	put(pk, SILEX_PK_SLOT_N, modexp->modulus, modexp->size);
	put(pk, SILEX_PK_SLOT_A, modexp->base, modexp->size);
	put(pk, SILEX_PK_SLOT_B, modexp->exponent, modexp->size);
	go(pk);
}

bool modexp_is_right(const struct pk *pk, const struct modexp *modexp)
{
	uint32_t status = pk_read(pk, SILEX_PK_STATUS);

	pk_write(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_CLEAR_IRQ);
	return !(status & (SILEX_PK_STATUS_ERRORS | SILEX_PK_STATUS_BUSY)) &&
	       is_equal(pk, SILEX_PK_SLOT_C, modexp->answer, modexp->size);
}

void modexp_clear(const struct pk *pk)
{
	pk_write(pk, SILEX_PK_COMMAND, SILEX_PK_OP_CLEAR_MEMORY);
	go(pk);
	while (pk_is_busy(pk))
		;
	pk_write(pk, SILEX_PK_CONTROL, SILEX_PK_CONTROL_CLEAR_IRQ);
}

bool modexp_run(const struct pk *pk, const struct modexp *modexp)
{
	bool right;

	modexp_start(pk, modexp);
	while (pk_is_busy(pk))
		;
	right = modexp_is_right(pk, modexp);
	modexp_clear(pk);
	return right;
}
