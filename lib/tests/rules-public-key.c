/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "rules.h"
#include "unit.h"

#define CURVE_BYTES_MAX 72u /* of an operand; Nordic, Microchip */

#define RAND_ANY (SILEX_PK_RAND_MOD | SILEX_PK_RAND_KE | SILEX_PK_RAND_PROJ)

unsigned rules_operations;

static struct {
	size_t stride, longest;
	uint32_t command, pointers;
	bool free; /* STATUS has said so since the last START */
	bool commanded; /* COMMAND was written since */
	uint8_t ram[SILEX_PK_RAM_SIZE];
	bool written[SILEX_PK_RAM_SIZE]; /* since the last START */
} core;

/* What an operation takes: slots, a bit each; for some POINTERS say where */
static const struct operation {
	uint32_t opcode, inputs;
	bool pointers, point, little, power, curve;
} operations[] = {
	{ SILEX_PK_OP_MODEXP, 0x0141, .pointers = true, .power = true },
	{ SILEX_PK_OP_RSA_PUBLIC, 0x0141, .pointers = true, .power = true },
	{ SILEX_PK_OP_RSA_PRIVATE, 0x0053, .power = true },
	{ SILEX_PK_OP_RSA_CRT, 0x1c1c, .power = true },
	{ SILEX_PK_OP_ECC_MUL, 0x3100, .pointers = true, .point = true, .curve = true },
	{ SILEX_PK_OP_ECC_ON_CURVE, 0x3000, .pointers = true, .point = true, .curve = true },
	{ SILEX_PK_OP_X25519, 0x0140, .pointers = true, .little = true, .curve = true },
	{ SILEX_PK_OP_ECDSA_SIGN, 0x10c0, .curve = true },
	{ SILEX_PK_OP_ECDSA_VERIFY, 0x1f00, .curve = true },
	{ SILEX_PK_OP_EDDSA_BASE_MUL, 0x0300, .little = true, .curve = true },
	{ SILEX_PK_OP_EDDSA_SIGN, 0x0bc0, .little = true, .curve = true },
	{ SILEX_PK_OP_EDDSA_VERIFY, 0x0ec0, .little = true, .curve = true },
};

#define PARAMETERS 0x003fu /* of a curve that is loaded */

static const struct operation *find(uint32_t command)
{
	for (size_t i = 0; i < COUNT(operations); i++)
		if (operations[i].opcode == (command & SILEX_PK_OPCODE_MASK))
			return &operations[i];
	fail_msg("COMMAND is %#x: no such operation is known", command);
	return NULL;
}

/* ---- COMMAND ---- */

/* Source: Nordic cmddefs_*.c; countermeasures are those of the kind of operation, or none */
static void check_command(const struct operation *operation)
{
	static const size_t sizes[] = { 0, 32, 48, 66, 24, 32, 32 };
	const uint32_t command = core.command, random = command & RAND_ANY;
	const size_t size = SILEX_PK_SIZE_OF(command), curve = SILEX_PK_CURVE_OF(command);

	assert_int_equal(!(command & SILEX_PK_SWAP_BYTES), operation->little);
	assert_int_equal(!!(command & SILEX_PK_CALC_R2), operation->power);
	assert_true(size <= core.longest);
	assert_false(command & SILEX_PK_FIELD_2M);
	if (operation->curve) {
		assert_true(size <= CURVE_BYTES_MAX && curve < COUNT(sizes));
		if (curve != SILEX_PK_CURVE_LOADED)
			assert_int_equal(size, sizes[curve]);
		assert_true(!random || random == SILEX_PK_PROTECT_ECC);
	} else {
		assert_int_equal(curve, 0);
		assert_true(!random || random == SILEX_PK_PROTECT_EXP ||
			    random == SILEX_PK_RAND_MOD);
	}
}

/* ---- POINTERS ---- */

/* Source: Nordic cmddefs_ecc.c and others, Silicon Labs sx_primitives.c.  Never 0: silex/share.h. */
static void check_pointers(const struct operation *operation)
{
	const uint32_t a = operation->point ? SILEX_PK_SLOT_ECC_PX : SILEX_PK_SLOT_A;

	assert_true(core.pointers != 0);
	if (operation->pointers)
		assert_int_equal(core.pointers, SILEX_PK_POINTER_A(a) |
							SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) |
							SILEX_PK_POINTER_C(SILEX_PK_SLOT_C) |
							SILEX_PK_POINTER_N(SILEX_PK_SLOT_N));
}

/* ---- operands ---- */

static size_t begin_of(const struct operation *operation, unsigned slot, size_t size)
{
	return slot * core.stride + (operation->little ? 0 : core.stride - size);
}

/* Whole operands where they belong, padded with zeros, and nothing else in their slots */
static void check_slot(const struct operation *operation, unsigned slot, size_t size)
{
	const size_t begin = begin_of(operation, slot, size), whole = (size + 3) / 4 * 4;
	const size_t first = begin_of(operation, slot, whole);

	for (size_t i = slot * core.stride; i < (slot + 1) * core.stride; i++) {
		const bool inside = i >= begin && i < begin + size;

		if (inside && !core.written[i])
			fail_msg("opcode %#x: slot %u lacks byte %zu", operation->opcode, slot, i);
		if (core.written[i] && !inside) {
			assert_true(i >= first && i < first + whole);
			assert_int_equal(core.ram[i], 0);
		}
	}
}

/* Odd, of 62 bits: Nordic, IOsonata; odd: Silicon Labs.  As long as the operand, or as itself. */
static void check_blinding(const struct operation *operation, size_t size)
{
	const size_t all = size < SILEX_PK_BLINDING_BYTES ? SILEX_PK_BLINDING_BYTES : size;
	const uint8_t *bytes = core.ram + begin_of(operation, SILEX_PK_SLOT_BLINDING, all);
	uint64_t factor = 0;

	check_slot(operation, SILEX_PK_SLOT_BLINDING, all);
	for (size_t i = 0; i < SILEX_PK_BLINDING_BYTES; i++)
		factor |= (uint64_t)bytes[operation->little ? i : all - 1 - i] << 8 * i;
	for (size_t i = SILEX_PK_BLINDING_BYTES; i < all; i++)
		assert_int_equal(bytes[operation->little ? i : all - 1 - i], 0);
	assert_int_equal(factor & 1, 1);
	assert_int_equal(factor >> 61, 1);
}

static bool is_touched(unsigned slot)
{
	return memchr(core.written + slot * core.stride, true, core.stride);
}

static void check_operands(const struct operation *operation)
{
	const bool loaded = operation->curve && !SILEX_PK_CURVE_OF(core.command);
	const uint32_t inputs = operation->inputs | (loaded ? PARAMETERS : 0);
	const size_t size = SILEX_PK_SIZE_OF(core.command);

	for (unsigned slot = 0; slot < SILEX_PK_SLOTS; slot++) {
		if (inputs & 1u << slot)
			check_slot(operation, slot, size);
		else if (slot == SILEX_PK_SLOT_BLINDING && core.command & RAND_ANY)
			check_blinding(operation, size);
		else if (slot != SILEX_PK_SLOT_UNUSED && is_touched(slot))
			fail_msg("opcode %#x: slot %u is none of its operands", operation->opcode,
				 slot);
	}
}

/* ---- accesses ---- */

static void start(void)
{
	assert_true(core.free && core.commanded);
	if ((core.command & SILEX_PK_OPCODE_MASK) == SILEX_PK_OP_CLEAR_MEMORY) {
		memset(core.ram, 0, sizeof(core.ram));
	} else {
		const struct operation *operation = find(core.command);

		check_command(operation);
		check_pointers(operation);
		check_operands(operation);
		rules_operations++;
	}
	memset(core.written, false, sizeof(core.written));
	core.free = core.commanded = false;
}

void rules_pk_begin(const struct firesteel_capabilities *has)
{
	memset(&core, 0, sizeof(core));
	core.stride = SILEX_PK_STRIDE(has->operand_bytes);
	core.longest = has->operand_bytes;
	rules_operations = 0;
}

void rules_pk_read(uint32_t offset, uint32_t value)
{
	if (offset == SILEX_PK_BASE + SILEX_PK_STATUS && !(value & SILEX_PK_STATUS_BUSY))
		core.free = true;
}

void rules_pk_write(uint32_t offset, uint32_t value)
{
	switch (offset - SILEX_PK_BASE) {
	case SILEX_PK_COMMAND:
		assert_true(core.free);
		core.command = value;
		core.commanded = true;
		return;
	case SILEX_PK_POINTERS:
		core.pointers = value;
		return;
	case SILEX_PK_CONTROL:
		if (value == SILEX_PK_CONTROL_RUN)
			start();
		else
			assert_int_equal(value, SILEX_PK_CONTROL_CLEAR_IRQ);
		return;
	default:
		assert_int_equal(offset, SILEX_PK_BASE + SILEX_PK_TIMER);
	}
}

/* SWAP_BYTES rules how they are written, so COMMAND comes first; a core that is busy clears its RAM */
void rules_pk_put(uint32_t offset, const uint8_t *bytes, size_t size)
{
	const size_t begin = offset - SILEX_PK_RAM_BASE;

	assert_true(core.free && core.commanded);
	assert_true(offset % 4 == 0 && offset >= SILEX_PK_RAM_BASE);
	assert_true(begin + size <= SILEX_PK_SLOTS * core.stride);
	assert_int_equal(begin / core.stride, (begin + size - 1) / core.stride);
	memcpy(core.ram + begin, bytes, size);
	memset(core.written + begin, true, size);
}

void rules_pk_get(void)
{
	assert_true(core.free);
}
