/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 and Ed25519: published answers, both sides of an exchange, signatures that verify and that do not. */
#include "checks.h"

#include <string.h>

#include "evidence.h"

#define SIZE      32u
#define SIGNATURE 64u

static struct values values;

static struct firesteel_bytes bytes(const uint8_t *data, size_t size)
{
	return (struct firesteel_bytes){ data, size };
}

/* ---- X25519 ---- */

/* Vectors have numbers, requests the bytes of RFC 7748 */
static struct firesteel_bytes reversed(struct firesteel_bytes number, uint8_t to[SIZE])
{
	memset(to, 0, SIZE);
	for (size_t i = 0; i < number.size && i < SIZE; i++)
		to[i] = number.data[number.size - 1 - i];
	return bytes(to, SIZE);
}

static bool exchange(struct window *window, const uint8_t *secret, struct firesteel_bytes peer,
		     uint8_t *result)
{
	struct firesteel_request request = {
		.operation = FIRESTEEL_X25519,
		.flags = evidence_flags(window),
		.x25519 = { bytes(secret, SIZE), peer, { result, SIZE } },
	};

	return evidence_run(window, "pk-x25519", &request);
}

static bool both_sides(struct window *window)
{
	uint8_t secret[2][SIZE], key[2][SIZE], shared[2][SIZE];

	for (unsigned i = 0; i < 2; i++) {
		evidence_random(window, secret[i], SIZE);
		if (!exchange(window, secret[i], bytes(NULL, 0), key[i]))
			return false;
	}
	for (unsigned i = 0; i < 2; i++)
		if (!exchange(window, secret[i], bytes(key[!i], SIZE), shared[i]))
			return false;
	return evidence_is(window, "pk-x25519", bytes(shared[0], SIZE), shared[1], SIZE);
}

/* peer's key, secret, result */
static void x25519(struct window *window)
{
	static const char check[] = "pk-x25519";
	uint8_t peer[SIZE], secret[SIZE], expected[SIZE], result[SIZE];
	unsigned at = 0, count = 0;

	for (; vector_values("X25519", SIZE, &at, &values); count++) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_X25519,
			.x25519 = { .secret = reversed(values.of[1], secret),
				    .peer = reversed(values.of[0], peer),
				    .result = { result, SIZE } },
		};

		if (!evidence_private(window, check, request, reversed(values.of[2], expected),
				      result, SIZE))
			return;
	}
	if (both_sides(window))
		report_ok(window->report, check,
			  "%u published answer, and both sides of an exchange", count);
}

/* ---- Ed25519 ---- */

static struct firesteel_request verify_of(struct firesteel_bytes key,
					  struct firesteel_bytes message,
					  struct firesteel_bytes signature)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ED25519_VERIFY,
		.ed25519_verify = { key, message, signature },
	};
}

/* secret, key, message, signature */
static bool signs(struct window *window, const char *check)
{
	const struct firesteel_bytes *v = values.of;
	uint8_t key[SIZE], signature[SIGNATURE];
	unsigned at = 0;

	while (vector_values("ED25519", SIZE, &at, &values)) {
		struct firesteel_request public = {
			.operation = FIRESTEEL_ED25519_PUBLIC,
			.ed25519_public = { v[0], { key, SIZE } },
		};
		struct firesteel_request sign = {
			.operation = FIRESTEEL_ED25519_SIGN,
			.ed25519_sign = { v[0], v[1], v[2], { signature, SIGNATURE } },
		};

		if (!evidence_private(window, check, public, v[1], key, SIZE) ||
		    !evidence_private(window, check, sign, v[3], signature, SIGNATURE))
			return false;
	}
	return true;
}

/* key, message, signature */
static bool verifies(struct window *window, const char *check)
{
	unsigned at = 0;

	while (vector_values("ED25519-SIGNATURE", SIZE, &at, &values)) {
		struct firesteel_request request = verify_of(values.of[0], values.of[1],
							     values.of[2]);

		if (values.good
			    ? !evidence_run(window, check, &request)
			    : !evidence_refuses(window, check, &request, FIRESTEEL_ERROR_SIGNATURE))
			return false;
	}
	return true;
}

static void ed25519(struct window *window)
{
	static const char check[] = "pk-ed25519";

	if (signs(window, check) && verifies(window, check))
		report_ok(window->report, check, "published signatures, and a wrong one");
}

void check_curve25519(struct window *window)
{
	if (!window->has.public_key)
		return;
	if (!(window->has.curves & 1u << FIRESTEEL_CURVE25519)) {
		report_absent(window->report, "25519", "HWCONFIG does not name it");
		return;
	}
	if (window_try(window, FS_PK))
		x25519(window);
	if (window_try(window, FS_PK))
		ed25519(window);
}
