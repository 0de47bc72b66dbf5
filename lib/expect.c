/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include <string.h>

#include "../silex/ba414.h"

#define ONE   1024u /* a factor of 1 */
#define LEAST 8u /* from less it would not grow again */

/* Before anything is measured: cores at 100 MHz on a bus of 120 ns */
#define REGISTER_NS 120u
#define CYCLE_PS    10000u
#define MESSAGE_NS  3000u
#define AES_BYTE_PS 10000u
#define AROUND_NS   2000u
#define COPY_PS     400u

/* The formula of docs/pk-timing.md */
#define PRODUCT_CYCLES   20u
#define OPERATION_CYCLES 200u
#define R2_PRODUCTS      16u
#define BLINDING_BITS    62u

void fs_expect_begin(struct fs_expectations *expectations, unsigned multipliers)
{
	*expectations = (struct fs_expectations){
		.multipliers = multipliers ? multipliers : 1,
		.register_ns = REGISTER_NS,
		.cycle_ps = CYCLE_PS,
		.message_ns = MESSAGE_NS,
		.byte_ps = { AES_BYTE_PS, AES_BYTE_PS },
		.around_ns = { AROUND_NS, AROUND_NS },
		.copy_ps = COPY_PS,
	};
	for (unsigned i = 0; i < FS_EXPECT_KINDS; i++)
		atomic_init(&expectations->factor[i], ONE);
}

/* ---- the public-key core's cycles ---- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t product(unsigned multipliers, size_t bytes)
{
	uint64_t words = (bytes + 3) / 4;

	return divide_up(2 * words * words, multipliers) + PRODUCT_CYCLES;
}

static uint64_t square(unsigned multipliers, size_t bytes)
{
	uint64_t words = (bytes + 3) / 4;

	return divide_up(3 * words * words, 2 * (uint64_t)multipliers) + PRODUCT_CYCLES;
}

static uint64_t power(unsigned m, size_t bytes, uint64_t bits)
{
	return bits * square(m, bytes) + (bits / 5 + 8) * product(m, bytes);
}

static uint64_t inverse(size_t bytes)
{
	return 16 * ((bytes + 3) / 4) * bytes;
}

/* An operation with exponent and scalar as long as its operands */
static uint64_t cycles(unsigned m, uint32_t command, size_t size)
{
	uint64_t p = product(m, size), i = inverse(size);
	uint64_t blinding = command & SILEX_PK_RAND_KE ? BLINDING_BITS : 0;
	uint64_t bits = 8 * size + blinding;

	switch (command & SILEX_PK_OPCODE_MASK) {
	case SILEX_PK_OP_MODEXP:
	case SILEX_PK_OP_RSA_PRIVATE:
		return power(m, size, bits);
	case SILEX_PK_OP_RSA_PUBLIC:
		return 17 * square(m, size) + p; /* 65537, as almost always */
	case SILEX_PK_OP_RSA_CRT:
		return 2 * power(m, (size + 1) / 2, 4 * size + blinding) + 4 * p;
	case SILEX_PK_OP_ECC_ON_CURVE:
		return 5 * p;
	case SILEX_PK_OP_ECC_MUL:
		return (20 * bits + 9) * p + i;
	case SILEX_PK_OP_ECDSA_SIGN:
		return (20 * bits + 13) * p + 2 * i;
	case SILEX_PK_OP_ECDSA_VERIFY:
		return (17 * 8 * size + 13) * p + 2 * i;
	case SILEX_PK_OP_X25519:
		return 10 * bits * p + p + i;
	case SILEX_PK_OP_EDDSA_BASE_MUL:
		return (17 * 8 * size + 4) * p + i;
	case SILEX_PK_OP_EDDSA_VERIFY:
		return power(m, size, 8 * size) + (15 * 8 * size + 6) * p + 2 * i;
	default:
		return p;
	}
}

/* ---- predictions ---- */

static struct fs_prediction predict(struct fs_expectations *expectations, unsigned kind,
				    uint64_t plain)
{
	uint64_t factor = atomic_load_explicit(&expectations->factor[kind], memory_order_relaxed);

	return (struct fs_prediction){
		.kind = kind,
		.core = kind >= FS_EXPECT_KINDS / 2,
		.plain = plain,
		.ns = plain * factor / ONE,
	};
}

/* Half of the kinds are those of the public-key core: opcode and size, as near as it matters */
static unsigned operation_kind(uint32_t command, size_t size)
{
	unsigned length = 0;

	while (size > 16) {
		size /= 2;
		length++;
	}
	return ((command & 0x1f) * 8 + (length & 7)) % (FS_EXPECT_KINDS / 2);
}

struct fs_prediction fs_expect_operation(struct fs_expectations *expectations, uint32_t command,
					 size_t size)
{
	uint64_t count = OPERATION_CYCLES + cycles(expectations->multipliers, command, size);

	if (command & SILEX_PK_CALC_R2)
		count += R2_PRODUCTS * product(expectations->multipliers, size);
	return predict(expectations, operation_kind(command, size),
		       count * expectations->cycle_ps / 1000 + 1);
}

struct fs_prediction fs_expect_message(struct fs_expectations *expectations, bool hash,
				       unsigned mode, size_t size)
{
	unsigned kind = FS_EXPECT_KINDS / 2 + (hash ? 16 : 0) + mode;
	/* long ones apart from short ones, which are all constant */
	unsigned length = size > 4096 ? 2 : size > 256 ? 1 : 0;

	return predict(expectations, kind + 32 * length,
		       expectations->message_ns + size * expectations->byte_ps[hash] / 1000);
}

void fs_expect_learn(struct fs_expectations *expectations, const struct fs_prediction *prediction,
		     uint64_t ns)
{
	_Atomic uint32_t *factor = &expectations->factor[prediction->kind];
	_Atomic uint64_t *recent = &expectations->recent[prediction->core];
	uint32_t old = atomic_load_explicit(factor, memory_order_relaxed);
	uint64_t found = ns * ONE / prediction->plain;

	/* One that took very long was disturbed: it counts as a doubling at most.  If two threads
	 * update at once, one update is lost. */
	if (found > 2 * (uint64_t)old)
		found = 2 * (uint64_t)old;
	found = (7 * (uint64_t)old + found + 4) / 8;
	if (found < LEAST)
		found = LEAST;
	atomic_store_explicit(&expectations->last[prediction->core], ns, memory_order_relaxed);
	atomic_store_explicit(recent,
			      (7 * atomic_load_explicit(recent, memory_order_relaxed) + ns) / 8,
			      memory_order_relaxed);
	atomic_store_explicit(factor, found < UINT32_MAX / 2 ? (uint32_t)found : UINT32_MAX / 2,
			      memory_order_relaxed);
}

uint64_t fs_expect_last(struct fs_expectations *expectations, unsigned core)
{
	return atomic_load_explicit(&expectations->last[core], memory_order_relaxed);
}

uint64_t fs_expect_recent(struct fs_expectations *expectations, unsigned core)
{
	return atomic_load_explicit(&expectations->recent[core], memory_order_relaxed);
}
