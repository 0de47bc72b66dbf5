/* SPDX-License-Identifier: Apache-2.0 */
/* Powers: published answers, the inverse operation, both sides of an exchange, and the processor's own result. */
#include "checks.h"

#include <string.h>

#include "../number.h"
#include "evidence.h"
#include "software.h"

#define EXPONENT 65537u /* of all published keys here */

static const uint8_t exponent_bytes[] = { 1, 0, 1 };
static const struct firesteel_bytes exponent = { exponent_bytes, sizeof(exponent_bytes) };

static struct values values;
static uint8_t result[VECTOR_NUMBER];

/* The next vector that the engine has room for */
static bool next(const struct window *window, const char *name, unsigned *at)
{
	while (vector_values(name, 0, at, &values))
		if (values.size <= window->has.operand_bytes)
			return true;
	return false;
}

/* ---- what no vector has: numbers of now, computed on the processor, too ---- */

static bool matches_software(struct window *window, const char *check, const uint8_t *modulus,
			     const uint8_t *base, const uint8_t *came, size_t size)
{
	uint8_t expected[SOFTWARE_BYTES];

	software_power(modulus, base, EXPONENT, expected, size);
	return evidence_is(window, check, (struct firesteel_bytes){ expected, size }, came, size);
}

static void modexp(struct window *window)
{
	static const char check[] = "pk-modexp";
	uint8_t modulus[SOFTWARE_BYTES], base[SOFTWARE_BYTES];
	size_t size = window->has.operand_bytes < 256 ? window->has.operand_bytes / 4 * 4 : 256;
	struct firesteel_request request = {
		.operation = FIRESTEEL_MODEXP,
		.flags = evidence_flags(window),
		.modexp = { { modulus, size }, { base, size }, exponent, { result, size } },
	};

	evidence_random(window, modulus, size);
	evidence_random(window, base, size);
	modulus[0] |= 0x80;
	modulus[size - 1] |= 1;
	base[0] &= 0x7f;
	if (evidence_run(window, check, &request) &&
	    matches_software(window, check, modulus, base, result, size))
		report_ok(window->report, check,
			  "the processor's own result with random numbers of %zu bits", 8 * size);
}

/* ---- RSA ---- */

static struct firesteel_request public_of(struct firesteel_bytes modulus,
					  struct firesteel_bytes power,
					  struct firesteel_bytes input, uint8_t *to)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_RSA_PUBLIC,
		.rsa_public = { modulus, power, input, { to, values.size } },
	};
}

/* modulus, input, exponent, result */
static void rsa_public(struct window *window)
{
	static const char check[] = "pk-rsa-public";
	const struct firesteel_bytes *v = values.of;
	unsigned at = 0, count = 0;

	for (; next(window, "RSA-PUBLIC", &at); count++) {
		struct firesteel_request request = public_of(v[0], v[2], v[1], result);

		if (!evidence_run(window, check, &request) ||
		    !evidence_is(window, check, v[3], result, values.size))
			return;
	}
	report_ok(window->report, check, "%u published answers", count);
}

/* What was signed comes back, by the engine */
static bool is_undone(struct window *window, const char *check, struct firesteel_bytes modulus,
		      struct firesteel_bytes input)
{
	uint8_t back[VECTOR_NUMBER];
	struct firesteel_request request = public_of(
		modulus, exponent, (struct firesteel_bytes){ result, values.size }, back);

	return evidence_run(window, check, &request) &&
	       evidence_is(window, check, input, back, values.size);
}

/* modulus, lambda, input, secret, result */
static void rsa_private(struct window *window)
{
	static const char check[] = "pk-rsa-private";
	const struct firesteel_bytes *v = values.of;
	unsigned at = 0, count = 0;

	for (; next(window, "RSA-PRIVATE", &at); count++) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_RSA_PRIVATE,
			.rsa_private = { .modulus = v[0],
					 .lambda = v[1],
					 .input = v[2],
					 .secret = v[3],
					 .result = { result, values.size } },
		};

		if (!evidence_private(window, check, request, v[4], result, values.size) ||
		    !is_undone(window, check, v[0], v[2]))
			return;
	}
	report_ok(window->report, check, "%u published answers, each undone by the public key",
		  count);
}

/* p, q, input, dp, dq, qinv, result */
static void rsa_crt(struct window *window)
{
	static const char check[] = "pk-rsa-crt";
	const struct firesteel_bytes *v = values.of;
	uint8_t modulus[2 * VECTOR_NUMBER];
	unsigned at = 0, count = 0;

	for (; next(window, "RSA-CRT", &at); count++) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_RSA_CRT,
			.rsa_crt = { .p = v[0],
				     .q = v[1],
				     .input = v[2],
				     .dp = v[3],
				     .dq = v[4],
				     .qinv = v[5],
				     .modulus = { modulus, v[0].size + v[1].size },
				     .result = { result, values.size } },
		};

		software_product(v[0], v[1], modulus);
		if (!evidence_private(window, check, request, v[6], result, values.size) ||
		    !is_undone(window, check, request.rsa_crt.modulus, v[2]))
			return;
	}
	report_ok(window->report, check, "%u published answers, each undone by the public key",
		  count);
}

/* ---- Diffie-Hellman ---- */

static bool raise_to(struct window *window, struct firesteel_bytes base, const uint8_t secret[32],
		     uint8_t *to)
{
	struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.flags = evidence_flags(window),
		.dh = { values.of[0], base, { secret, 32 }, { to, values.size } },
	};

	return evidence_run(window, "pk-dh", &request);
}

/* Two secrets of now, with a published key as the generator: both sides get one result */
static bool both_sides(struct window *window)
{
	static uint8_t key[2][VECTOR_NUMBER], shared[2][VECTOR_NUMBER];
	uint8_t secret[2][32];

	evidence_random(window, secret[0], sizeof(secret[0]));
	evidence_random(window, secret[1], sizeof(secret[1]));
	for (unsigned i = 0; i < 2; i++)
		if (!raise_to(window, values.of[1], secret[i], key[i]))
			return false;
	for (unsigned i = 0; i < 2; i++)
		if (!raise_to(window, (struct firesteel_bytes){ key[!i], values.size }, secret[i],
			      shared[i]))
			return false;
	return evidence_is(window, "pk-dh", (struct firesteel_bytes){ shared[0], values.size },
			   shared[1], values.size);
}

/* prime, peer's key, secret, result */
static void dh(struct window *window)
{
	static const char check[] = "pk-dh";
	const struct firesteel_bytes *v = values.of;
	unsigned at = 0, count = 0;

	for (; next(window, "DH", &at); count++) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_DH,
			.dh = { v[0], v[1], v[2], { result, values.size } },
		};

		if (!evidence_private(window, check, request, v[3], result, values.size) ||
		    !both_sides(window))
			return;
	}
	report_ok(window->report, check, "%u published answers, and both sides of an exchange",
		  count);
}

void check_rsa(struct window *window)
{
	static void (*const checks[])(struct window *) = { modexp, rsa_public, rsa_private, rsa_crt,
							   dh };

	for (unsigned i = 0; i < sizeof(checks) / sizeof(*checks) && window->has.public_key; i++)
		if (window_try(window, FS_PK))
			checks[i](window);
}
