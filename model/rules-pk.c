/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What all public drivers do with BA414E. */
#include "rules-pk.h"

#include "../silex/ba414.h"

#define S(slot) (1u << (slot))

/* What an operation reads and writes, besides a loaded curve and the blinding factor */
struct operands {
	uint8_t opcode;
	uint8_t a, b, n, c; /* slots in a row from that pointer on */
	uint32_t reads; /* fixed slots */
	uint32_t gives;
	bool curve; /* Weierstrass: slots 0 to 5 have its parameters, unless one is selected */
};

/* Sources: Nordic cmddefs_*.c and op_slots.h, Microchip cmddefs_*.c, Silicon Labs sx_*_alg.c */
static const struct operands table[] = {
	{ SILEX_PK_OP_MODADD, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODSUB, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODMUL, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_REDUCE_ODD, 0, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODDIV, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODINV_ODD, 0, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODSQRT, 1, 0, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MUL, 1, 1, 0, 1, 0, 0, false },
	{ SILEX_PK_OP_MODINV_EVEN, 0, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_REDUCE_EVEN, 0, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_MODEXP, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_RSA_KEYGEN, 0, 0, 0, 0, S(2) | S(3) | S(8), S(0) | S(1) | S(6), false },
	{ SILEX_PK_OP_RSA_CRT_PARAMS, 0, 0, 0, 0, S(2) | S(3) | S(6), S(10) | S(11) | S(12),
	  false },
	{ SILEX_PK_OP_RSA_CRT, 0, 0, 0, 0, S(2) | S(3) | S(4) | S(10) | S(11) | S(12), S(5),
	  false },
	{ SILEX_PK_OP_RSA_PUBLIC, 1, 1, 1, 1, 0, 0, false },
	{ SILEX_PK_OP_RSA_PRIVATE, 0, 0, 0, 0, S(0) | S(1) | S(4) | S(6), S(5), false },
	{ SILEX_PK_OP_DSA_KEYGEN, 0, 0, 0, 0, S(0) | S(2) | S(3) | S(6), S(8), false },
	{ SILEX_PK_OP_DSA_SIGN, 0, 0, 0, 0, S(0) | S(2) | S(3) | S(5) | S(6) | S(12), S(10) | S(11),
	  false },
	{ SILEX_PK_OP_DSA_VERIFY, 0, 0, 0, 0, S(0) | S(2) | S(3) | S(8) | S(10) | S(11) | S(12), 0,
	  false },
	{ SILEX_PK_OP_MILLER_RABIN, 0, 0, 0, 0, S(0) | S(6), 0, false },
	{ SILEX_PK_OP_ECC_DOUBLE, 2, 0, 0, 2, 0, 0, true },
	{ SILEX_PK_OP_ECC_ADD, 2, 2, 0, 2, 0, 0, true },
	{ SILEX_PK_OP_ECC_MUL, 2, 1, 0, 2, 0, 0, true },
	{ SILEX_PK_OP_ECC_CHECK_AB, 0, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_ECC_CHECK_N, 0, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_ECC_CHECK_XY, 2, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_ECC_ON_CURVE, 2, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_ECC_DECOMPRESS, 1, 0, 0, 1, 0, 0, true },
	{ SILEX_PK_OP_X25519, 1, 1, 0, 1, 0, 0, false },
	{ SILEX_PK_OP_ECC_CHECK_ORDER, 2, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_ECDSA_SIGN, 0, 0, 0, 0, S(6) | S(7) | S(12), S(10) | S(11), true },
	{ SILEX_PK_OP_ECDSA_VERIFY, 0, 0, 0, 0, S(8) | S(9) | S(10) | S(11) | S(12), 0, true },
	{ SILEX_PK_OP_ECDSA_CHECK_PARAMS, 0, 0, 0, 0, 0, 0, true },
	{ SILEX_PK_OP_EDDSA_BASE_MUL, 0, 0, 0, 0, S(8) | S(9), S(10) | S(11), false },
	{ SILEX_PK_OP_EDDSA_SIGN, 0, 0, 0, 0, S(6) | S(7) | S(8) | S(9) | S(11), S(10), false },
	{ SILEX_PK_OP_EDDSA_VERIFY, 0, 0, 0, 0, S(6) | S(7) | S(9) | S(10) | S(11), 0, false },
	{ SILEX_PK_OP_EDWARDS_MUL, 0, 0, 0, 0, S(6) | S(7) | S(8), S(10) | S(11), false },
};

static const struct operands *find(uint32_t command)
{
	for (unsigned i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].opcode == (command & SILEX_PK_OPCODE_MASK))
			return &table[i];
	return NULL;
}

static uint32_t row(uint32_t pointers, unsigned shift, unsigned count)
{
	uint32_t first = pointers >> shift & SILEX_PK_POINTER_MASK, slots = 0;

	for (unsigned i = 0; i < count; i++)
		slots |= S((first + i) % SILEX_PK_SLOTS);
	return slots;
}

static bool is_little(uint32_t opcode)
{
	return opcode == SILEX_PK_OP_X25519 ||
	       (opcode >= SILEX_PK_OP_EDDSA_BASE_MUL && opcode <= SILEX_PK_OP_EDWARDS_MUL);
}

/* Nordic cmddefs_modmath.c, Microchip: arithmetic, 10, 14 and 15 */
static bool wants_r2(uint32_t opcode)
{
	return opcode <= SILEX_PK_OP_REDUCE_EVEN || opcode == SILEX_PK_OP_MODEXP ||
	       opcode == SILEX_PK_OP_RSA_PUBLIC || opcode == SILEX_PK_OP_RSA_PRIVATE;
}

static void check_factor(struct silex_rules *rules)
{
	const uint32_t flags = SILEX_PK_PROTECT_EXP | SILEX_PK_PROTECT_ECC;
	bool big = rules->command & SILEX_PK_SWAP_BYTES, some = false;
	const uint8_t *factor = rules->factor[big];

	if (!(rules->command & flags))
		return;
	for (unsigned i = 0; i < SILEX_PK_BLINDING_BYTES; i++)
		some |= factor[i];
	silex_rules_demand(rules, some, SILEX_RULE_PK_BLINDING, "the factor is 0", rules->command);
	if (rules->command & SILEX_PK_RAND_MOD)
		silex_rules_demand(rules, factor[big ? SILEX_PK_BLINDING_BYTES - 1 : 0] & 1,
				   SILEX_RULE_PK_BLINDING, "the factor is even", rules->command);
}

static void check_operands(struct silex_rules *rules, const struct operands *operands)
{
	uint32_t reads = operands->reads | row(rules->pointers, 0, operands->a) |
			 row(rules->pointers, 8, operands->b) |
			 row(rules->pointers, 24, operands->n);
	uint32_t spare = S(SILEX_PK_SLOT_UNUSED);

	if (operands->curve && SILEX_PK_CURVE_OF(rules->command) == SILEX_PK_CURVE_LOADED)
		reads |= 0x3f;
	if (rules->command & (SILEX_PK_PROTECT_EXP | SILEX_PK_PROTECT_ECC))
		reads |= S(SILEX_PK_SLOT_BLINDING);
	silex_rules_demand(rules, !(reads & ~rules->holds), SILEX_RULE_PK_OPERANDS,
			   "slots with nothing in them", reads & ~rules->holds);
	silex_rules_demand(rules, !(rules->fresh & ~reads & ~spare), SILEX_RULE_PK_VAIN,
			   "slots that are not read", rules->fresh & ~reads & ~spare);
	rules->holds |= operands->gives | row(rules->pointers, 16, operands->c);
}

static void check_start(struct silex_rules *rules)
{
	uint32_t command = rules->command, opcode = command & SILEX_PK_OPCODE_MASK;
	const struct operands *operands = find(command);

	if (opcode == SILEX_PK_OP_CLEAR_MEMORY)
		rules->holds = 0;
	if (operands) {
		silex_rules_demand(rules, !(command & SILEX_PK_SWAP_BYTES) == is_little(opcode),
				   SILEX_RULE_PK_SWAP, "the other way round", command);
		silex_rules_demand(rules, !wants_r2(opcode) || command & SILEX_PK_CALC_R2,
				   SILEX_RULE_PK_R2, "R^2 is of another modulus", command);
		silex_rules_demand(
			rules,
			opcode != SILEX_PK_OP_EDDSA_SIGN ||
				!(command & (SILEX_PK_PROTECT_EXP | SILEX_PK_PROTECT_ECC)),
			SILEX_RULE_PK_PLAIN_SIGN, "it has", command);
		check_factor(rules);
		check_operands(rules, operands);
	}
	rules->fresh = 0;
	rules->pk_busy = true;
}

void silex_rules_pk_write(struct silex_rules *rules, uint32_t offset, uint32_t value)
{
	if (offset == SILEX_PK_CONTROL) {
		if (!(value & SILEX_PK_CONTROL_START))
			return;
		silex_rules_demand(rules, value == SILEX_PK_CONTROL_RUN, SILEX_RULE_PK_RUN,
				   "CONTROL", value);
		silex_rules_demand(rules, !rules->pk_busy, SILEX_RULE_PK_IDLE, "START",
				   rules->command);
		check_start(rules);
		return;
	}
	silex_rules_demand(rules, !rules->pk_busy, SILEX_RULE_PK_IDLE, "a register is written",
			   offset);
	if (offset == SILEX_PK_COMMAND)
		rules->command = value;
	else if (offset == SILEX_PK_POINTERS)
		rules->pointers = value;
}

void silex_rules_pk_ram(struct silex_rules *rules, uint32_t offset, uint32_t value)
{
	uint32_t slot = offset / rules->stride, place = offset % rules->stride;
	uint32_t end = rules->stride - SILEX_PK_BLINDING_BYTES;

	silex_rules_demand(rules, !rules->pk_busy, SILEX_RULE_PK_IDLE, "an operand is written",
			   offset);
	if (slot >= SILEX_PK_SLOTS)
		return;
	rules->holds |= S(slot);
	rules->fresh |= S(slot);
	if (slot != SILEX_PK_SLOT_BLINDING)
		return;
	for (unsigned i = 0; i < sizeof(value); i++) {
		uint8_t byte = (uint8_t)(value >> (8 * i));

		if (place + i < SILEX_PK_BLINDING_BYTES)
			rules->factor[false][place + i] = byte;
		if (place + i >= end)
			rules->factor[true][place + i - end] = byte;
	}
}
