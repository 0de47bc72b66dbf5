/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * How long BA414E takes.  Every figure below is an assumption, argued in docs/pk-timing.md.
 *
 * Operands are s words of 32 bits.  A Montgomery product of them takes 2 s^2 products of words, s^2
 * for the product itself and s^2 for its reduction; a square needs about half of the first, so
 * 3/2 s^2.  m multipliers do m of them a cycle, and each modular product or square costs
 * timing.pk_product_cycles more, to fill and empty the pipeline.
 *
 * A product has s rows, one for each word of the second factor.  The reduction of a row begins with a
 * digit that follows from the row's lowest word, timing.pk_row_cycles after the row has begun; the
 * multipliers wait for it if they have done the row's own products by then.
 */
#include "pk-timing.h"

#include "pk-opcode.h"

/* Exponentiation by a sliding window: 8 odd powers fit the 12 slots that an exponentiation leaves
 * free.  Short exponents (RSA's public ones) go bit by bit, half of the bits being set. */
#define WINDOW_BITS         4u
#define SHORT_EXPONENT_BITS 64u

/* Bits that the blinding factor adds: drivers set bit 61 and clear those above (source: nrf54l15
 * drivers, which say that the time depends on it) */
#define BLINDING_BITS 62u

/* Field products of a doubling and an addition, projective; both for each bit of a scalar, as an
 * unprotected core takes no secret's bits to go by either */
#define DOUBLE_PRODUCTS         8u
#define ADD_PRODUCTS            12u
#define EDWARDS_DOUBLE_PRODUCTS 8u
#define EDWARDS_ADD_PRODUCTS    9u
#define LADDER_PRODUCTS         10u
#define AFFINE_PRODUCTS         4u /* x / z^2 and y / z^3, the inverse being known */
#define CHECK_PRODUCTS          5u /* both sides of a curve's equation */
#define R2_PRODUCTS             16u /* CALC_R2, and into Montgomery's form and back */

/* Bytes of operand RAM that are cleared each cycle */
#define CLEAR_BYTES 8u

static uint64_t words(size_t size)
{
	return (size + 3) / 4;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* All rows' waits, if the multipliers have something else to do for `busy` cycles of each */
static uint64_t waits(const struct silex_config *config, uint64_t rows, uint64_t busy)
{
	uint64_t digit = config->timing.pk_row_cycles;

	return digit > busy ? rows * (digit - busy) : 0;
}

uint64_t silex_pk_product_cycles(const struct silex_config *config, size_t size)
{
	uint64_t s = words(size);
	uint64_t m = config->pk_multipliers;

	return divide_up(2 * s * s, m) + waits(config, s, divide_up(s, m)) +
	       config->timing.pk_product_cycles;
}

uint64_t silex_pk_square_cycles(const struct silex_config *config, size_t size)
{
	uint64_t s = words(size);
	uint64_t m = config->pk_multipliers;

	return divide_up(3 * s * s, 2 * m) + waits(config, s, divide_up(s, 2 * m)) +
	       config->timing.pk_product_cycles;
}

uint64_t silex_pk_power_cycles(const struct silex_config *config, size_t size, unsigned bits)
{
	uint64_t products = bits / 2;

	if (bits > SHORT_EXPONENT_BITS)
		products = bits / (WINDOW_BITS + 1) + (1u << (WINDOW_BITS - 1));
	return bits * silex_pk_square_cycles(config, size) +
	       products * silex_pk_product_cycles(config, size);
}

uint64_t silex_pk_clear_cycles(const struct silex_config *config)
{
	return SILEX_PK_SLOTS * SILEX_PK_STRIDE(config->pk_max_bytes) / CLEAR_BYTES;
}

/* What the formulas need of an operation */
struct work {
	const struct silex_config *config;
	size_t size;
	uint64_t product; /* cycles */
	unsigned bits; /* of the exponent or scalar */
	unsigned order_bits; /* of DSA's q */
	unsigned crt_bits; /* of both halves' exponents together */
};

static uint64_t add(const struct work *work)
{
	return 2 * words(work->size);
}

static uint64_t multiply(const struct work *work)
{
	return work->product;
}

static uint64_t reduce(const struct work *work)
{
	return 2 * work->product;
}

/* Binary Euclid: two steps for each bit, each over all words, one a cycle */
static uint64_t invert(const struct work *work)
{
	return 16 * work->size * words(work->size);
}

static uint64_t root(const struct work *work)
{
	return silex_pk_power_cycles(work->config, work->size, 8 * (unsigned)work->size) +
	       2 * work->product;
}

static uint64_t power(const struct work *work)
{
	return silex_pk_power_cycles(work->config, work->size, work->bits);
}

/* Two exponentiations of half the size; reduction to p and q, recombination */
static uint64_t crt(const struct work *work)
{
	size_t half = (work->size + 1) / 2;

	return silex_pk_power_cycles(work->config, half, work->crt_bits / 2) +
	       silex_pk_power_cycles(work->config, half, work->crt_bits - work->crt_bits / 2) +
	       4 * work->product;
}

static uint64_t rsa_key(const struct work *work)
{
	return 2 * invert(work) + 2 * work->product;
}

static uint64_t crt_key(const struct work *work)
{
	return invert(work) + 4 * work->product;
}

static uint64_t dsa_sign(const struct work *work)
{
	return power(work) + invert(work) + 4 * work->product;
}

static uint64_t dsa_verify(const struct work *work)
{
	return 2 * silex_pk_power_cycles(work->config, work->size, work->order_bits) +
	       invert(work) + 4 * work->product;
}

static uint64_t point(const struct work *work)
{
	return ADD_PRODUCTS * work->product + invert(work) + AFFINE_PRODUCTS * work->product;
}

static uint64_t check(const struct work *work)
{
	return CHECK_PRODUCTS * work->product;
}

static uint64_t scalar(const struct work *work)
{
	uint64_t each = DOUBLE_PRODUCTS + ADD_PRODUCTS;

	return (work->bits * each + AFFINE_PRODUCTS + CHECK_PRODUCTS) * work->product +
	       invert(work);
}

static uint64_t ecdsa_sign(const struct work *work)
{
	return scalar(work) + invert(work) + 4 * work->product;
}

/* Both multiplications side by side: an addition for three of four bits */
static uint64_t ecdsa_verify(const struct work *work)
{
	uint64_t bits = 8 * work->size;
	uint64_t products = bits * DOUBLE_PRODUCTS + bits * ADD_PRODUCTS * 3 / 4;

	return (products + AFFINE_PRODUCTS + CHECK_PRODUCTS + 4) * work->product + 2 * invert(work);
}

static uint64_t ladder(const struct work *work)
{
	return work->bits * LADDER_PRODUCTS * work->product + invert(work) + work->product;
}

static uint64_t edwards(const struct work *work)
{
	uint64_t each = EDWARDS_DOUBLE_PRODUCTS + EDWARDS_ADD_PRODUCTS;

	return (8 * work->size * each + AFFINE_PRODUCTS) * work->product + invert(work);
}

/* As ECDSA's, after a square root to find the key's x */
static uint64_t edwards_verify(const struct work *work)
{
	uint64_t bits = 8 * work->size;
	uint64_t products = bits * EDWARDS_DOUBLE_PRODUCTS + bits * EDWARDS_ADD_PRODUCTS * 3 / 4;

	return root(work) + (products + AFFINE_PRODUCTS) * work->product + 2 * invert(work);
}

static uint64_t (*const shapes[])(const struct work *work) = {
	[SILEX_PK_SHAPE_ADD] = add,
	[SILEX_PK_SHAPE_MULTIPLY] = multiply,
	[SILEX_PK_SHAPE_REDUCE] = reduce,
	[SILEX_PK_SHAPE_INVERT] = invert,
	[SILEX_PK_SHAPE_ROOT] = root,
	[SILEX_PK_SHAPE_POWER] = power,
	[SILEX_PK_SHAPE_CRT] = crt,
	[SILEX_PK_SHAPE_RSA_KEY] = rsa_key,
	[SILEX_PK_SHAPE_CRT_KEY] = crt_key,
	[SILEX_PK_SHAPE_DSA_SIGN] = dsa_sign,
	[SILEX_PK_SHAPE_DSA_VERIFY] = dsa_verify,
	[SILEX_PK_SHAPE_POINT] = point,
	[SILEX_PK_SHAPE_CHECK] = check,
	[SILEX_PK_SHAPE_SCALAR] = scalar,
	[SILEX_PK_SHAPE_ECDSA_SIGN] = ecdsa_sign,
	[SILEX_PK_SHAPE_ECDSA_VERIFY] = ecdsa_verify,
	[SILEX_PK_SHAPE_LADDER] = ladder,
	[SILEX_PK_SHAPE_EDWARDS] = edwards,
	[SILEX_PK_SHAPE_EDWARDS_VERIFY] = edwards_verify,
};

/* Bits of the exponent, with those that blinding adds */
static unsigned exponent_bits(const struct silex_pk_operation *operation, unsigned slot)
{
	unsigned blinding = 0;

	if (operation->config->pk_protection && operation->command & SILEX_PK_RAND_KE)
		blinding = BLINDING_BITS;
	if (slot == SILEX_PK_SLOT_WHOLE)
		return 8 * (unsigned)operation->size + blinding;
	if (slot == SILEX_PK_SLOT_POINTER_B)
		slot = silex_pk_slot_b(operation);
	return silex_pk_bits(operation, slot) + blinding;
}

static struct work measure(const struct silex_pk_operation *operation, unsigned exponent)
{
	return (struct work){
		.config = operation->config,
		.size = operation->size,
		.product = silex_pk_product_cycles(operation->config, operation->size),
		.bits = exponent_bits(operation, exponent),
		.order_bits = silex_pk_bits(operation, SILEX_PK_SLOT_DSA_Q),
		.crt_bits = exponent_bits(operation, SILEX_PK_SLOT_RSA_DP) +
			    exponent_bits(operation, SILEX_PK_SLOT_RSA_DQ),
	};
}

uint64_t silex_pk_cycles(const struct silex_pk_operation *operation)
{
	const struct silex_config *config = operation->config;
	const struct silex_pk_opcode *opcode = silex_pk_find_opcode(config, operation->command);
	uint64_t cycles = config->timing.pk_operation_cycles;

	/* an operation that is refused at once takes no longer than that */
	if (opcode && operation->size <= config->pk_max_bytes) {
		struct work work = measure(operation, opcode->exponent);

		cycles += shapes[opcode->shape](&work);
		if (silex_pk_takes_r2(opcode) && operation->command & SILEX_PK_CALC_R2)
			cycles += R2_PRODUCTS * work.product;
	}
	return (cycles + 1) & ~UINT64_C(1);
}
