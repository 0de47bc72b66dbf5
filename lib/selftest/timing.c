/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How long operations take, next to the model's times.  These are assumptions (docs/cores.md,
 * docs/pk-timing.md), so a core that takes longer or less does not fail; one whose own count of cycles
 * contradicts itself does.
 */
#include "checks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../silex/ba414.h"
#include "../../silex/soc.h"
#include "../clock.h"
#include "../pk-power.h"

#define SECTION "timing"

#define ROUNDS 5u
#define SHORT  1024u
#define LONG   FIRESTEEL_WHOLE
#define POWER  256u /* bytes of the longest modulus here */

/* A count may differ by so many times between equal operations: a core may have waits that the model lacks */
#define STEADY 2u

/* ---- the clock ---- */

static double cycles_of(const struct window *window, double ns)
{
	return ns * (double)window->clock_hz / 1e9;
}

/* ---- public key ---- */

static struct firesteel_bytes number_of(uint8_t bytes[POWER], size_t size)
{
	memset(bytes, 0xa5, size);
	bytes[0] = 0xff;
	return (struct firesteel_bytes){ bytes, size };
}

/* By the formula of docs/pk-timing.md, without countermeasures */
static uint64_t model_cycles(const struct window *window, size_t size)
{
	static struct fs_expectations expectations;

	fs_expect_begin(&expectations, window->has.multipliers);
	expectations.cycle_ps = 1000;
	return fs_expect_step(&expectations, &fs_power_modexp, false, size, 0).plain - 1;
}

struct power {
	uint32_t least, most; /* TIMER, cycles */
	uint64_t ns; /* of the shortest, with all that the processor does */
};

/* TIMER is read before the core is given back: clearing its memory is an operation, too */
static int one_power(struct window *window, size_t size, struct power *power)
{
	uint8_t modulus[POWER], result[POWER];
	const struct firesteel_bytes number = number_of(modulus, size);
	const struct firesteel_bytes base = { modulus + 1, size - 1 };
	struct fs_pk pk;
	uint64_t begin, took;
	uint32_t timer;
	int error = fs_pk_acquire(window->device, &pk);

	if (error)
		return error;
	begin = fs_now();
	error = fs_power(&pk, &fs_power_modexp, number, base, number, result);
	took = fs_now() - begin;
	timer = fs_read(window->device->transport, FS_PK, SILEX_PK_BASE + SILEX_PK_TIMER);
	fs_pk_release(&pk);
	if (timer < power->least)
		power->least = timer;
	if (timer > power->most)
		power->most = timer;
	if (took < power->ns)
		power->ns = took;
	return error;
}

static void report_power(struct window *window, const char *check, size_t size,
			 const struct power *power)
{
	double model = (double)model_cycles(window, size), counted = power->least;

	if (power->least == 0 || power->most / power->least >= STEADY)
		report_failed(window->report, check, SECTION,
			      "expected about one number of cycles in TIMER, came %" PRIu32
			      " to %" PRIu32,
			      power->least, power->most);
	else if (window->clock_hz && cycles_of(window, (double)power->ns) < counted)
		report_failed(window->report, check, SECTION,
			      "expected at most %.0f cycles of that clock in %" PRIu64
			      " ns, came %.0f in TIMER: the clock is faster",
			      cycles_of(window, (double)power->ns), power->ns, counted);
	else
		report_ok(window->report, check,
			  "%.0f cycles, the model has %.0f (%.2f times); %" PRIu64
			  " ns, so at least %.1f MHz",
			  counted, model, counted / model, power->ns,
			  1e3 * counted / (double)power->ns);
}

static void power(struct window *window, size_t size)
{
	struct power power = { UINT32_MAX, 0, UINT64_MAX };
	char check[32];
	int error = FIRESTEEL_OK;

	if (size > window->has.operand_bytes || !window_try(window, FS_PK))
		return;
	snprintf(check, sizeof(check), "time-modexp-%zu", 8 * size);
	for (unsigned i = 0; i < ROUNDS && !error; i++)
		error = one_power(window, size, &power);
	if (error)
		window_failed(window, FS_PK, check, SECTION, error);
	else
		report_power(window, check, size, &power);
}

/* ---- messages ---- */

/* What is measured, and the model's cycles for a block: docs/cores.md#time */
struct work {
	const char *check;
	bool hash;
	int algorithm; /* of a hash; else the key's bytes */
	unsigned block; /* bytes */
	unsigned cycles;
};

static const struct work works[] = {
	{ "time-aes-128", false, 16, 16, 11 },
	{ "time-aes-192", false, 24, 16, 13 },
	{ "time-aes-256", false, 32, 16, 15 },
	{ "time-sha1", true, FIRESTEEL_SHA1, 64, 81 },
	{ "time-sha256", true, FIRESTEEL_SHA256, 64, 65 },
	{ "time-sha512", true, FIRESTEEL_SHA512, 128, 81 },
};

static bool has_work(const struct window *window, const struct work *work)
{
	if (work->hash)
		return window->has.digests & 1u << work->algorithm;
	return window->has.modes & 1u << FIRESTEEL_ECB &&
	       window->has.key_bits & 1u << (work->algorithm - 16) / 8;
}

static struct firesteel_request request_of(const struct work *work, uint8_t *bytes, size_t size)
{
	static const uint8_t key[32];
	static uint8_t digest[20];

	if (work->hash)
		return (struct firesteel_request){
			.operation = FIRESTEEL_HASH,
			.hash = { .algorithm = (enum firesteel_digest)work->algorithm,
				  .in = { bytes, size },
				  .digest = { digest, sizeof(digest) } },
		};
	return (struct firesteel_request){
		.operation = FIRESTEEL_CIPHER,
		.cipher = { .mode = FIRESTEEL_ECB,
			    .key = { key, (size_t)work->algorithm },
			    .in = { bytes, size },
			    .out = { bytes, size } },
	};
}

/* The shortest of some */
static int shortest(struct window *window, const struct work *work, uint8_t *bytes, size_t size,
		    uint64_t *ns)
{
	struct firesteel_request request = request_of(work, bytes, size);

	*ns = UINT64_MAX;
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t begin = fs_now(), took;
		int error = window_run(window, &request);

		if (error)
			return error;
		took = fs_now() - begin;
		if (took < *ns)
			*ns = took;
	}
	return FIRESTEEL_OK;
}

static void report_message(struct window *window, const struct work *work, uint64_t small,
			   uint64_t large)
{
	double blocks = (double)(LONG - SHORT) / work->block;
	double ns = large > small ? (double)(large - small) / blocks : 0;

	if (window->clock_hz)
		report_ok(window->report, work->check,
			  "%.1f cycles for a block of %u bytes, the model has %u (%.2f times); "
			  "%u bytes take %" PRIu64 " ns",
			  cycles_of(window, ns), work->block, work->cycles,
			  cycles_of(window, ns) / work->cycles, SHORT, small);
	else
		report_ok(window->report, work->check,
			  "%.1f ns for a block of %u bytes; %u bytes take %" PRIu64 " ns", ns,
			  work->block, SHORT, small);
}

/* In the library's memory, so that no copy counts */
static void message(struct window *window, const struct work *work, uint8_t *bytes)
{
	uint64_t small = 0, large = 0;
	int error = shortest(window, work, bytes, SHORT, &small);

	if (!error)
		error = shortest(window, work, bytes, LONG, &large);
	if (error)
		window_failed(window, FS_CM, work->check, SECTION, error);
	else
		report_message(window, work, small, large);
}

static void messages(struct window *window)
{
	uint8_t *bytes = firesteel_buffer_new(window->device, LONG);

	for (unsigned i = 0; bytes && i < sizeof(works) / sizeof(*works); i++)
		if (has_work(window, &works[i]) && window_try(window, FS_CM))
			message(window, &works[i], bytes);
	firesteel_buffer_free(window->device, bytes);
}

void check_timing(struct window *window)
{
	firesteel_set(window->device, "completion", "poll", NULL);
	if (window->has.cryptomaster)
		messages(window);
	if (window->has.public_key) {
		power(window, POWER / 2);
		power(window, POWER);
	}
	firesteel_set(window->device, "completion", "adaptive", NULL);
}
