/* SPDX-License-Identifier: Apache-2.0 */
/* Curves: published answers, both sides of an exchange, signatures that verify and that do not. */
#include "checks.h"

#include <stdio.h>
#include <string.h>

#include "evidence.h"

#define LARGEST 66u /* coordinate, bytes */
#define DIGEST  32u

static struct values values;

struct curve {
	const char *name;
	enum firesteel_curve_name curve;
	size_t size; /* of a coordinate and of an order, bytes */
};

static const struct curve curves[] = {
	{ "p192", FIRESTEEL_P192, 24 },
	{ "p256", FIRESTEEL_P256, 32 },
	{ "p384", FIRESTEEL_P384, 48 },
	{ "p521", FIRESTEEL_P521, 66 },
};

struct point {
	uint8_t x[LARGEST], y[LARGEST];
};

static struct firesteel_bytes bytes(const uint8_t *data, size_t size)
{
	return (struct firesteel_bytes){ data, size };
}

static struct firesteel_curve named(const struct curve *curve)
{
	return (struct firesteel_curve){ curve->curve, NULL };
}

/* Below the order of any curve, which begins with ones: that of P-521 with a single bit in its first byte */
static void new_secret(struct window *window, const struct curve *curve, uint8_t secret[LARGEST])
{
	evidence_random(window, secret, curve->size);
	secret[0] = 0;
	secret[curve->size - 1] |= 1;
}

/* ---- ECDH ---- */

static struct firesteel_request ecdh_of(const struct curve *curve, struct firesteel_bytes secret,
					struct firesteel_bytes x, struct firesteel_bytes y,
					struct point *to)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDH,
		.ecdh = { .curve = named(curve),
			  .secret = secret,
			  .peer_x = x,
			  .peer_y = y,
			  .x = { to->x, curve->size },
			  .y = { to->y, curve->size } },
	};
}

static struct firesteel_request public_of(const struct window *window, const struct curve *curve,
					  const uint8_t *secret, struct point *to)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_EC_PUBLIC,
		.flags = evidence_flags(window),
		.ec_public = { .curve = named(curve),
			       .secret = bytes(secret, curve->size),
			       .x = { to->x, curve->size },
			       .y = { to->y, curve->size } },
	};
}

static bool both_sides(struct window *window, const struct curve *curve, const char *check)
{
	uint8_t secret[2][LARGEST] = { 0 };
	struct point key[2], shared[2];

	for (unsigned i = 0; i < 2; i++) {
		struct firesteel_request request;

		new_secret(window, curve, secret[i]);
		request = public_of(window, curve, secret[i], &key[i]);
		if (!evidence_run(window, check, &request))
			return false;
	}
	for (unsigned i = 0; i < 2; i++) {
		struct firesteel_request request = ecdh_of(
			curve, bytes(secret[i], curve->size), bytes(key[!i].x, curve->size),
			bytes(key[!i].y, curve->size), &shared[i]);

		request.flags = evidence_flags(window);
		if (!evidence_run(window, check, &request))
			return false;
	}
	return evidence_is(window, check, bytes(shared[0].x, curve->size), shared[1].x,
			   curve->size) &&
	       evidence_is(window, check, bytes(shared[0].y, curve->size), shared[1].y,
			   curve->size);
}

/* A point that is on no curve must not be multiplied */
static bool refuses_points(struct window *window, const struct curve *curve, const char *check)
{
	static const uint8_t three[] = { 3 };
	struct point unused;
	unsigned at = 0;

	while (vector_values("ON-CURVE", curve->size, &at, &values)) {
		struct firesteel_request request = ecdh_of(curve, bytes(three, sizeof(three)),
							   values.of[0], values.of[1], &unused);

		request.flags = evidence_flags(window);
		if (values.good
			    ? !evidence_run(window, check, &request)
			    : !evidence_refuses(window, check, &request, FIRESTEEL_ERROR_REFUSED))
			return false;
	}
	return true;
}

/* The vector's x, and a y with which the point is on the curve: else it could not be multiplied again */
static bool multiplies(struct window *window, const struct curve *curve, const char *check,
		       unsigned flags)
{
	const struct firesteel_bytes *v = values.of;
	struct point point, unused;
	struct firesteel_request request = ecdh_of(curve, v[0], v[1], v[2], &point);

	request.flags = flags;
	if (!evidence_run(window, check, &request) ||
	    !evidence_is(window, check, v[3], point.x, curve->size))
		return false;
	request = ecdh_of(curve, v[0], bytes(point.x, curve->size), bytes(point.y, curve->size),
			  &unused);
	request.flags = FIRESTEEL_UNPROTECTED;
	return evidence_run(window, check, &request);
}

/* secret, peer's point, x of the result */
static void ecdh(struct window *window, const struct curve *curve)
{
	char check[32];
	unsigned at = 0, count = 0;

	snprintf(check, sizeof(check), "pk-ecdh-%s", curve->name);
	for (; vector_values("ECDH", curve->size, &at, &values); count++)
		if (!multiplies(window, curve, check, evidence_flags(window)) ||
		    !multiplies(window, curve, check, FIRESTEEL_UNPROTECTED))
			return;
	if (refuses_points(window, curve, check) && both_sides(window, curve, check))
		report_ok(window->report, check,
			  "%u published answer, both sides of an exchange, and points on no curve",
			  count);
}

/* ---- ECDSA ---- */

struct signature {
	uint8_t r[LARGEST], s[LARGEST];
};

/* As long as the order, for all of its bits to count: but for P-521's, whose digests are shorter */
static struct firesteel_bytes digest_of(const struct curve *curve, struct firesteel_bytes value)
{
	static uint8_t digest[64];
	size_t size = curve->size < sizeof(digest) ? curve->size : sizeof(digest);

	memset(digest, 0, sizeof(digest));
	memcpy(digest + size - value.size, value.data, value.size);
	return bytes(digest, size);
}

/* secret, nonce, digest, r, s */
static bool signs(struct window *window, const struct curve *curve, const char *check)
{
	const struct firesteel_bytes *v = values.of;
	struct signature signature;
	unsigned at = 0;

	while (vector_values("ECDSA-SIGN", curve->size, &at, &values)) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_ECDSA_SIGN,
			.ecdsa_sign = { .curve = named(curve),
					.secret = v[0],
					.nonce = v[1],
					.digest = digest_of(curve, v[2]),
					.r = { signature.r, curve->size },
					.s = { signature.s, curve->size } },
		};

		if (!evidence_private(window, check, request, v[3], signature.r, curve->size) ||
		    !evidence_is(window, check, v[4], signature.s, curve->size))
			return false;
	}
	return true;
}

static struct firesteel_request verify_of(const struct curve *curve, const struct point *key,
					  const uint8_t digest[DIGEST],
					  const struct signature *signature)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_VERIFY,
		.ecdsa_verify = { .curve = named(curve),
				  .public_x = bytes(key->x, curve->size),
				  .public_y = bytes(key->y, curve->size),
				  .digest = bytes(digest, DIGEST),
				  .r = bytes(signature->r, curve->size),
				  .s = bytes(signature->s, curve->size) },
	};
}

/* point, digest, r, s */
static bool verifies(struct window *window, const struct curve *curve, const char *check)
{
	const struct firesteel_bytes *v = values.of;
	unsigned at = 0;

	while (vector_values("ECDSA-VERIFY", curve->size, &at, &values)) {
		struct firesteel_request request = {
			.operation = FIRESTEEL_ECDSA_VERIFY,
			.ecdsa_verify = { .curve = named(curve),
					  .public_x = v[0],
					  .public_y = v[1],
					  .digest = digest_of(curve, v[2]),
					  .r = v[3],
					  .s = v[4] },
		};

		if (values.good
			    ? !evidence_run(window, check, &request)
			    : !evidence_refuses(window, check, &request, FIRESTEEL_ERROR_SIGNATURE))
			return false;
	}
	return true;
}

/* A signature of now, with a nonce of the library's, verifies; and not of another digest */
static bool own_signature(struct window *window, const struct curve *curve, const char *check)
{
	uint8_t secret[LARGEST] = { 0 }, digest[DIGEST] = { 0 };
	struct signature signature;
	struct point key;
	struct firesteel_request request = public_of(window, curve, secret, &key);
	struct firesteel_request sign = {
		.operation = FIRESTEEL_ECDSA_SIGN,
		.flags = evidence_flags(window),
		.ecdsa_sign = { .curve = named(curve),
				.secret = bytes(secret, curve->size),
				.digest = bytes(digest, sizeof(digest)),
				.r = { signature.r, curve->size },
				.s = { signature.s, curve->size } },
	};

	new_secret(window, curve, secret);
	evidence_random(window, digest, sizeof(digest));
	if (!evidence_run(window, check, &request) || !evidence_run(window, check, &sign))
		return false;
	request = verify_of(curve, &key, digest, &signature);
	if (!evidence_run(window, check, &request))
		return false;
	digest[0] ^= 0x80;
	return evidence_refuses(window, check, &request, FIRESTEEL_ERROR_SIGNATURE);
}

static void ecdsa(struct window *window, const struct curve *curve)
{
	char check[32];

	snprintf(check, sizeof(check), "pk-ecdsa-%s", curve->name);
	if (signs(window, curve, check) && verifies(window, curve, check) &&
	    own_signature(window, curve, check))
		report_ok(window->report, check,
			  "published signatures, one of now, and wrong ones");
}

/* ---- all ---- */

static void prime_curve(struct window *window, const struct curve *curve)
{
	if (!(window->has.curves & 1u << curve->curve) || curve->size > window->has.operand_bytes) {
		report_absent(window->report, curve->name, "HWCONFIG does not name it");
		return;
	}
	if (window_try(window, FS_PK))
		ecdh(window, curve);
	if (window_try(window, FS_PK))
		ecdsa(window, curve);
}

void check_curves(struct window *window)
{
	if (!window->has.public_key)
		return;
	for (unsigned i = 0; i < sizeof(curves) / sizeof(*curves); i++)
		prime_curve(window, &curves[i]);
}
