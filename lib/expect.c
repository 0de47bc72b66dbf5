/* SPDX-License-Identifier: Apache-2.0 */
#include "expect.h"

#include <string.h>

#include "../silex/ba414.h"
#include "clock.h"

#define ONE   1024u /* a factor of 1 */
#define LEAST 8u /* from less it would not grow again */
#define MOST  (UINT32_MAX / 2)

/* How long a kind is not measured before it gets another try: so many times what it takes, but at least
 * so long */
#define RETRY_TIMES 128u
#define RETRY_NS    FS_SECOND

/* Before anything is measured: cores at 100 MHz on a bus of 120 ns */
#define REGISTER_NS  120u
#define CYCLE_PS     10000u
#define MESSAGE_NS   3000u
#define AES_BYTE_Q10 10240u
#define AROUND_NS    2000u
#define COPY_Q10     410u

/* The formula of docs/pk-timing.md */
#define PRODUCT_CYCLES   20u
#define OPERATION_CYCLES 200u
#define R2_PRODUCTS      16u
#define BLINDING_BITS    62u
#define SHORT_BITS       64u

/* Accesses for each operation besides operands: COMMAND, POINTERS, CONTROL, STATUS, and those of the
 * evidence */
#define ACCESSES 18u

void fs_expect_begin(struct fs_expectations *expectations, unsigned multipliers)
{
	*expectations = (struct fs_expectations){
		.multipliers = multipliers ? multipliers : 1,
		.register_ns = REGISTER_NS,
		.cycle_ps = CYCLE_PS,
		.message_ns = MESSAGE_NS,
		.byte_q10 = { AES_BYTE_Q10, AES_BYTE_Q10 },
		.around_ns = { AROUND_NS, AROUND_NS },
		.copy_q10 = COPY_Q10,
	};
	for (unsigned i = 0; i < FS_EXPECT_KINDS; i++) {
		atomic_init(&expectations->of[i].factor, ONE);
		atomic_init(&expectations->of[i].undisturbed, ONE);
		atomic_init(&expectations->of[i].least, ONE);
	}
}

/* ---- the public-key core's cycles ---- */

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t words_of(size_t size)
{
	return (size + 3) / 4;
}

static uint64_t product(unsigned multipliers, size_t size)
{
	uint64_t words = words_of(size);

	return divide_up(2 * words * words, multipliers) + PRODUCT_CYCLES;
}

static uint64_t square(unsigned multipliers, size_t size)
{
	uint64_t words = words_of(size);

	return divide_up(3 * words * words, 2 * (uint64_t)multipliers) + PRODUCT_CYCLES;
}

static uint64_t power(unsigned multipliers, size_t size, uint64_t bits)
{
	uint64_t products = bits > SHORT_BITS ? bits / 5 + 8 : bits / 2;

	return bits * square(multipliers, size) + products * product(multipliers, size);
}

static uint64_t inverse(size_t size)
{
	return 16 * words_of(size) * size;
}

/* Only what it has: divisions take their time where a processor has none of 64 bits */
static uint64_t cycles(const struct fs_step *step, unsigned multipliers, size_t size,
		       unsigned exponent, unsigned blinding)
{
	uint64_t bits = 8 * (uint64_t)size + blinding, half = 4 * (uint64_t)size + blinding;
	uint64_t products = step->products_per_bit * bits + step->products, sum;

	if (step->command & SILEX_PK_CALC_R2)
		products += R2_PRODUCTS;
	sum = OPERATION_CYCLES + products * product(multipliers, size) +
	      step->inverses * inverse(size);
	if (step->powers)
		sum += step->powers *
		       power(multipliers, size, exponent ? exponent + blinding : bits);
	if (step->half_powers)
		sum += step->half_powers * power(multipliers, (size + 1) / 2, half);
	return sum;
}

/* ---- predictions ---- */

static uint64_t times(uint64_t plain, _Atomic uint32_t *factor)
{
	return plain * atomic_load_explicit(factor, memory_order_relaxed) / ONE;
}

static struct fs_prediction predict(struct fs_expectations *expectations, unsigned kind,
				    uint64_t plain)
{
	struct fs_experience *of = &expectations->of[kind];

	return (struct fs_prediction){
		.kind = kind,
		.core = kind >= FS_EXPECT_KINDS / 2,
		.is_sure = atomic_load_explicit(&of->sure, memory_order_relaxed),
		.plain = plain,
		.ns = times(plain, &of->factor),
	};
}

uint64_t fs_expect_undisturbed(struct fs_expectations *expectations,
			       const struct fs_prediction *prediction)
{
	struct fs_experience *of = &expectations->of[prediction->kind];
	uint64_t ns = times(prediction->plain, &of->undisturbed);
	uint64_t least = times(prediction->plain, &of->least);
	uint64_t pause = RETRY_TIMES * ns > RETRY_NS ? RETRY_TIMES * ns : RETRY_NS;

	if (ns - least > ns / 8 &&
	    fs_now() - atomic_load_explicit(&of->learnt_ns, memory_order_relaxed) >= pause)
		return least;
	return ns;
}

/* Half of the kinds are those of the public-key core: opcode and size, as near as it matters */
static unsigned step_kind(uint32_t command, size_t size)
{
	unsigned length = 0;

	while (size > 16) {
		size /= 2;
		length++;
	}
	return ((command & 0x1f) * 8 + (length & 7)) % (FS_EXPECT_KINDS / 2);
}

struct fs_prediction fs_expect_step(struct fs_expectations *expectations,
				    const struct fs_step *step, bool protect, size_t size,
				    unsigned bits)
{
	bool longer = protect && step->command & SILEX_PK_RAND_KE && !step->fixed_length;
	uint64_t count = cycles(step, expectations->multipliers, size, bits,
				longer ? BLINDING_BITS : 0);

	return predict(expectations, step_kind(step->command, size),
		       count * expectations->cycle_ps / 1000 + 1);
}

struct fs_prediction fs_expect_message(struct fs_expectations *expectations, bool hash,
				       unsigned mode, size_t size)
{
	unsigned kind = FS_EXPECT_KINDS / 2 + (hash ? 16 : 0) + mode;
	/* long ones apart from short ones, which are all constant */
	unsigned length = size > 4096 ? 2 : size > 256 ? 1 : 0;

	return predict(expectations, kind + 32 * length,
		       expectations->message_ns +
			       (uint64_t)size * expectations->byte_q10[hash] / ONE);
}

/* In 1/1024; short times without a division of 64 bits */
static uint64_t ratio(uint64_t ns, uint64_t plain)
{
	if (ns < (1u << 22) && plain <= UINT32_MAX)
		return (uint32_t)ns * ONE / (uint32_t)plain;
	return ns * ONE / plain;
}

static void set(_Atomic uint32_t *factor, uint64_t value)
{
	value = value < LEAST ? LEAST : value > MOST ? MOST : value;
	atomic_store_explicit(factor, (uint32_t)value, memory_order_relaxed);
}

/* Goes an eighth of the way.  One that took very long was disturbed: it counts as a doubling at most. */
static void follow(_Atomic uint32_t *factor, uint64_t found)
{
	uint64_t old = atomic_load_explicit(factor, memory_order_relaxed);

	if (found > 2 * old)
		found = 2 * old;
	set(factor, (7 * old + found + 4) / 8);
}

/* Down at once, up by a sixteenth of the way: what took long was more likely disturbed than done slowly */
static void follow_short(_Atomic uint32_t *factor, uint64_t found)
{
	uint64_t old = atomic_load_explicit(factor, memory_order_relaxed);

	if (found > 2 * old)
		found = 2 * old;
	set(factor, found < old ? found : old + (found - old + 15) / 16);
}

/* If two threads update at once, one update is lost */
void fs_expect_learn(struct fs_expectations *expectations, const struct fs_prediction *prediction,
		     uint64_t begin, uint64_t end)
{
	struct fs_experience *of = &expectations->of[prediction->kind];
	_Atomic uint64_t *recent = &expectations->recent[prediction->core];
	uint64_t ns = end - begin, found = ratio(ns, prediction->plain);

	follow(&of->factor, found);
	follow_short(&of->undisturbed, found);
	if (found < atomic_load_explicit(&of->least, memory_order_relaxed))
		set(&of->least, found);
	atomic_store_explicit(&of->sure, ns >= prediction->ns - prediction->ns / 8,
			      memory_order_relaxed);
	atomic_store_explicit(&of->learnt_ns, end, memory_order_relaxed);
	atomic_store_explicit(&expectations->last[prediction->core], ns, memory_order_relaxed);
	atomic_store_explicit(recent,
			      (7 * atomic_load_explicit(recent, memory_order_relaxed) +
			       times(prediction->plain, &of->undisturbed)) /
				      8,
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

/* ---- requests ---- */

struct fs_estimate fs_estimate_begin(struct fs_expectations *expectations,
				     const struct firesteel_capabilities *has, unsigned core,
				     bool protect)
{
	return (struct fs_estimate){
		.expectations = expectations,
		.has = has,
		.protect = protect && has->protection,
		.ns = expectations->around_ns[core],
	};
}

static void add_step(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		     unsigned operands, unsigned bits)
{
	struct fs_expectations *expectations = estimate->expectations;
	uint64_t accesses = ACCESSES + operands * ((size + 3) / 4);
	struct fs_prediction core = fs_expect_step(expectations, step, estimate->protect, size,
						   bits);

	estimate->ns += fs_expect_undisturbed(expectations, &core) +
			accesses * expectations->register_ns;
}

void fs_estimate_step(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		      unsigned more)
{
	add_step(estimate, step, size, step->operands + more, 0);
}

void fs_estimate_power(struct fs_estimate *estimate, const struct fs_step *step, size_t size,
		       unsigned bits)
{
	add_step(estimate, step, size, step->operands, bits);
}

void fs_estimate_message(struct fs_estimate *estimate, bool hash, unsigned mode, size_t size)
{
	struct fs_expectations *expectations = estimate->expectations;
	struct fs_prediction core = fs_expect_message(expectations, hash, mode, size);

	estimate->ns += fs_expect_undisturbed(expectations, &core) +
			(uint64_t)size * expectations->copy_q10 / ONE;
}
