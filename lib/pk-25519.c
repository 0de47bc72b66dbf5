/* SPDX-License-Identifier: Apache-2.0 */
/* X25519 (RFC 7748) and Ed25519 (RFC 8032): what is left to the host, and the core's part. */
#include <string.h>

#include "operation.h"
#include "pk.h"
#include "sha512.h"

#define SIZE 32u
#define TOP  0x80u

#define MONTGOMERY SILEX_PK_CURVE(SILEX_PK_CURVE_X25519)
#define EDWARDS    SILEX_PK_CURVE(SILEX_PK_CURVE_ED25519)

/* ---- the core's part ---- */

static const struct fs_step x25519_step = {
	.command = SILEX_PK_OP_X25519 | MONTGOMERY | SILEX_PK_PROTECT_ECC,
	.little = true,
	.operands = 4,
	.products_per_bit = 10,
	.products = 1,
	.inverses = 1,
};

static const struct fs_step base_multiply_step = {
	.command = SILEX_PK_OP_EDDSA_BASE_MUL | EDWARDS | SILEX_PK_PROTECT_ECC,
	.little = true,
	.operands = 5,
	.products_per_bit = 17,
	.products = 4,
	.inverses = 1,
	.fixed_length = true,
};

/* Without countermeasures, which no driver asks for here: it multiplies no point */
static const struct fs_step sign_step = {
	.command = SILEX_PK_OP_EDDSA_SIGN | EDWARDS,
	.little = true,
	.operands = 7,
	.products = 1,
};

static const struct fs_step verify_step = {
	.command = SILEX_PK_OP_EDDSA_VERIFY | EDWARDS,
	.little = true,
	.operands = 6,
	.powers = 1,
	.products_per_bit = 15,
	.products = 6,
	.inverses = 2,
};

/* ---- what all have in common ---- */

static struct firesteel_bytes bytes_of(const uint8_t *bytes)
{
	return (struct firesteel_bytes){ bytes, SIZE };
}

static struct fs_pk_call call_of(const struct fs_step *step)
{
	return (struct fs_pk_call){ .step = step, .size = SIZE };
}

static void put_double(struct fs_pk_call *call, unsigned slot, const uint8_t bytes[2 * SIZE])
{
	fs_pk_put(call, slot, bytes_of(bytes));
	fs_pk_put(call, slot + 1, bytes_of(bytes + SIZE));
}

static void clamp(uint8_t scalar[SIZE])
{
	scalar[0] &= 0xf8;
	scalar[SIZE - 1] = (scalar[SIZE - 1] & 0x7f) | 0x40;
}

static int check_core(const struct firesteel_capabilities *has)
{
	return has->public_key && has->curves & 1u << FIRESTEEL_CURVE25519 ? FIRESTEEL_OK
									   : FIRESTEEL_ERROR_ABSENT;
}

/* ---- X25519 ---- */

static int check_x25519(const struct firesteel_capabilities *has,
			const struct firesteel_request *request, bool values)
{
	const struct firesteel_x25519 *x25519 = &request->x25519;

	(void)values;
	if (x25519->secret.size != SIZE || (x25519->peer.size != 0 && x25519->peer.size != SIZE) ||
	    x25519->result.size != SIZE)
		return FIRESTEEL_ERROR_INVALID;
	return check_core(has);
}

static int multiply_x25519(struct fs_pk *pk, const struct firesteel_x25519 *x25519,
			   uint8_t result[SIZE])
{
	struct fs_pk_call call = call_of(&x25519_step);
	uint8_t scalar[SIZE], peer[SIZE] = { 9 };
	int error;

	memcpy(scalar, x25519->secret.data, SIZE);
	clamp(scalar);
	if (x25519->peer.size > 0)
		memcpy(peer, x25519->peer.data, SIZE);
	peer[SIZE - 1] &= (uint8_t)~TOP;
	fs_pk_put(&call, SILEX_PK_SLOT_X25519_P, bytes_of(peer));
	fs_pk_put(&call, SILEX_PK_SLOT_X25519_K, bytes_of(scalar));
	fs_pk_get(&call, SILEX_PK_SLOT_X25519_OUT, result);
	error = fs_pk_run(pk, &call);
	firesteel_wipe(scalar, sizeof(scalar));
	return error;
}

static int run_x25519(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_x25519 *x25519 = &request->x25519;
	uint8_t result[SIZE];
	int error = multiply_x25519(pk, x25519, result);

	if (!error && fs_number_is_zero(bytes_of(result)))
		error = FIRESTEEL_ERROR_REFUSED;
	if (!error)
		memcpy(x25519->result.data, result, SIZE);
	firesteel_wipe(result, sizeof(result));
	return error;
}

static void estimate_x25519(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	(void)request;
	fs_estimate_step(estimate, &x25519_step, SIZE, 0);
}

/* ---- Ed25519: the parts ---- */

/* The scalar and the prefix of a secret key: RFC 8032, 5.1.5 */
static void expand(struct firesteel_bytes secret, uint8_t expanded[2 * SIZE])
{
	struct fs_sha512 hash;

	fs_sha512_begin(&hash);
	fs_sha512_add(&hash, secret.data, SIZE);
	fs_sha512_end(&hash, expanded);
	clamp(expanded);
}

/* scalar * B, encoded: y with the low bit of x above it */
static int base_multiply(struct fs_pk *pk, const uint8_t scalar[2 * SIZE], uint8_t point[SIZE])
{
	struct fs_pk_call call = call_of(&base_multiply_step);
	uint8_t x[SIZE];
	int error;

	put_double(&call, SILEX_PK_SLOT_EDDSA_R, scalar);
	fs_pk_get(&call, SILEX_PK_SLOT_ECC_OUT_X, x);
	fs_pk_get(&call, SILEX_PK_SLOT_ECC_OUT_Y, point);
	error = fs_pk_run(pk, &call);
	if (!error)
		point[SIZE - 1] |= (uint8_t)((x[0] & 1) << 7);
	return error;
}

static int public_of(struct fs_pk *pk, const uint8_t expanded[2 * SIZE], uint8_t key[SIZE])
{
	uint8_t scalar[2 * SIZE] = { 0 };
	int error;

	memcpy(scalar, expanded, SIZE);
	error = base_multiply(pk, scalar, key);
	firesteel_wipe(scalar, sizeof(scalar));
	return error;
}

/* SHA-512(R, A, message) */
static void challenge(const uint8_t *r, const uint8_t *key, struct firesteel_bytes message,
		      uint8_t k[2 * SIZE])
{
	struct fs_sha512 hash;

	fs_sha512_begin(&hash);
	fs_sha512_add(&hash, r, SIZE);
	fs_sha512_add(&hash, key, SIZE);
	fs_sha512_add(&hash, message.data, message.size);
	fs_sha512_end(&hash, k);
}

static void clear_top(const uint8_t *encoded, uint8_t y[SIZE])
{
	memcpy(y, encoded, SIZE);
	y[SIZE - 1] &= (uint8_t)~TOP;
}

/* Whether a little-endian number is less */
static bool is_less(const uint8_t number[SIZE], const uint8_t limit[SIZE])
{
	for (unsigned i = SIZE; i-- > 0;)
		if (number[i] != limit[i])
			return number[i] < limit[i];
	return false;
}

/* What is known of a point by its encoding alone */
enum encoding {
	PLAIN,
	ON_AXIS, /* x is 0: y is 1 or -1.  Whether a core takes such a point is not known. */
	MALFORMED, /* not what RFC 8032 allows (5.1.3): y is too large, or an x of 0 has a sign */
};

static enum encoding encoding_of(const uint8_t *encoded)
{
	static const uint8_t one[SIZE] = { 1 };
	uint8_t minus_one[SIZE], y[SIZE];

	memset(minus_one, 0xff, SIZE);
	minus_one[0] = 0xec;
	minus_one[SIZE - 1] = 0x7f;
	clear_top(encoded, y);
	if (is_less(minus_one, y))
		return MALFORMED;
	if (memcmp(y, one, SIZE) != 0 && memcmp(y, minus_one, SIZE) != 0)
		return PLAIN;
	return encoded[SIZE - 1] & TOP ? MALFORMED : ON_AXIS;
}

/*
 * No software accepts a malformed R, as it computes R and compares the encodings, nor an S that is not
 * less than the order; a core may be more lenient.  Of malformed keys some software accepts what other
 * software does not.
 */
static int check_encodings(const uint8_t *key, const uint8_t *signature)
{
	static const uint8_t order[SIZE] = {
		0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,        0xd6,
		0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10,
	};
	const enum encoding r = encoding_of(signature);

	if (r == MALFORMED || !is_less(signature + SIZE, order))
		return FIRESTEEL_ERROR_SIGNATURE;
	return r == PLAIN && encoding_of(key) == PLAIN ? FIRESTEEL_OK : FIRESTEEL_ERROR_ABSENT;
}

static int verify(struct fs_pk *pk, const uint8_t *key, struct firesteel_bytes message,
		  const uint8_t *signature)
{
	struct fs_pk_call call = call_of(&verify_step);
	uint8_t k[2 * SIZE], key_y[SIZE], r_y[SIZE];
	int error;

	call.more = (key[SIZE - 1] & TOP ? SILEX_PK_FLAG_A : 0) |
		    (signature[SIZE - 1] & TOP ? SILEX_PK_FLAG_B : 0);
	challenge(signature, key, message, k);
	clear_top(key, key_y);
	clear_top(signature, r_y);
	put_double(&call, SILEX_PK_SLOT_EDDSA_K, k);
	fs_pk_put(&call, SILEX_PK_SLOT_EDDSA_AY, bytes_of(key_y));
	fs_pk_put(&call, SILEX_PK_SLOT_EDDSA_RY, bytes_of(r_y));
	fs_pk_put(&call, SILEX_PK_SLOT_EDDSA_SIG, bytes_of(signature + SIZE));
	error = fs_pk_run(pk, &call);
	return error == FIRESTEEL_ERROR_REFUSED ? FIRESTEEL_ERROR_SIGNATURE : error;
}

/* ---- Ed25519: requests ---- */

static int check_ed25519_public(const struct firesteel_capabilities *has,
				const struct firesteel_request *request, bool values)
{
	const struct firesteel_ed25519_public *public = &request->ed25519_public;

	(void)values;
	if (public->secret.size != SIZE || public->result.size != SIZE)
		return FIRESTEEL_ERROR_INVALID;
	return check_core(has);
}

static int run_ed25519_public(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ed25519_public *public = &request->ed25519_public;
	uint8_t expanded[2 * SIZE], key[SIZE];
	int error;

	expand(public->secret, expanded);
	error = public_of(pk, expanded, key);
	if (!error)
		memcpy(public->result.data, key, SIZE);
	firesteel_wipe(expanded, sizeof(expanded));
	return error;
}

static void estimate_ed25519_public(struct fs_estimate *estimate,
				    const struct firesteel_request *request)
{
	(void)request;
	fs_estimate_step(estimate, &base_multiply_step, SIZE, 0);
}

static int check_ed25519_sign(const struct firesteel_capabilities *has,
			      const struct firesteel_request *request, bool values)
{
	const struct firesteel_ed25519_sign *sign = &request->ed25519_sign;

	(void)values;
	if (sign->secret.size != SIZE ||
	    (sign->public_key.size != 0 && sign->public_key.size != SIZE) ||
	    sign->signature.size != 2 * SIZE)
		return FIRESTEEL_ERROR_INVALID;
	return check_core(has);
}

/* S = r + k * scalar */
static int close_signature(struct fs_pk *pk, const uint8_t *k, const uint8_t *r,
			   const uint8_t *scalar, uint8_t *s)
{
	struct fs_pk_call call = call_of(&sign_step);

	put_double(&call, SILEX_PK_SLOT_EDDSA_K, k);
	put_double(&call, SILEX_PK_SLOT_EDDSA_R, r);
	fs_pk_put(&call, SILEX_PK_SLOT_EDDSA_SECRET, bytes_of(scalar));
	fs_pk_get(&call, SILEX_PK_SLOT_EDDSA_SIG, s);
	return fs_pk_run(pk, &call);
}

/* RFC 8032, 5.1.6, steps 2 to 5 */
static int sign(struct fs_pk *pk, const uint8_t expanded[2 * SIZE], const uint8_t *key,
		struct firesteel_bytes message, uint8_t signature[2 * SIZE])
{
	uint8_t r[2 * SIZE], k[2 * SIZE];
	struct fs_sha512 hash;
	int error;

	fs_sha512_begin(&hash);
	fs_sha512_add(&hash, expanded + SIZE, SIZE);
	fs_sha512_add(&hash, message.data, message.size);
	fs_sha512_end(&hash, r);
	error = base_multiply(pk, r, signature);
	if (!error) {
		challenge(signature, key, message, k);
		error = close_signature(pk, k, r, expanded, signature + SIZE);
	}
	firesteel_wipe(r, sizeof(r));
	return error;
}

static int run_ed25519_sign(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ed25519_sign *from = &request->ed25519_sign;
	uint8_t expanded[2 * SIZE], key[SIZE], signature[2 * SIZE];
	int error = FIRESTEEL_OK;

	expand(from->secret, expanded);
	if (from->public_key.size > 0)
		memcpy(key, from->public_key.data, SIZE);
	else
		error = public_of(pk, expanded, key);
	if (!error)
		error = sign(pk, expanded, key, from->message, signature);
	if (!error && request->flags & FIRESTEEL_CHECK) {
		error = verify(pk, key, from->message, signature);
		if (error == FIRESTEEL_ERROR_SIGNATURE)
			error = FIRESTEEL_ERROR_CHECK;
	}
	if (!error)
		memcpy(from->signature.data, signature, sizeof(signature));
	firesteel_wipe(expanded, sizeof(expanded));
	firesteel_wipe(signature, sizeof(signature));
	return error;
}

static void estimate_ed25519_sign(struct fs_estimate *estimate,
				  const struct firesteel_request *request)
{
	if (request->ed25519_sign.public_key.size == 0)
		fs_estimate_step(estimate, &base_multiply_step, SIZE, 0);
	fs_estimate_step(estimate, &base_multiply_step, SIZE, 0);
	fs_estimate_step(estimate, &sign_step, SIZE, 0);
	if (request->flags & FIRESTEEL_CHECK)
		fs_estimate_step(estimate, &verify_step, SIZE, 0);
}

static int check_ed25519_verify(const struct firesteel_capabilities *has,
				const struct firesteel_request *request, bool values)
{
	const struct firesteel_ed25519_verify *from = &request->ed25519_verify;
	int error;

	if (from->public_key.size != SIZE || from->signature.size != 2 * SIZE)
		return FIRESTEEL_ERROR_INVALID;
	error = check_core(has);
	if (error || !values)
		return error;
	return check_encodings(from->public_key.data, from->signature.data);
}

static int run_ed25519_verify(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ed25519_verify *from = &request->ed25519_verify;

	return verify(pk, from->public_key.data, from->message, from->signature.data);
}

static void estimate_ed25519_verify(struct fs_estimate *estimate,
				    const struct firesteel_request *request)
{
	(void)request;
	fs_estimate_step(estimate, &verify_step, SIZE, 0);
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_X25519,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(x25519.secret), FS_BYTES(x25519.peer),
					FS_OUTPUT(x25519.result)),
		.check = check_x25519,
		.run.pk = run_x25519,
		.estimate = estimate_x25519,
	},
	{
		.name = FIRESTEEL_ED25519_PUBLIC,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_BYTES(ed25519_public.secret),
					FS_OUTPUT(ed25519_public.result)),
		.check = check_ed25519_public,
		.run.pk = run_ed25519_public,
		.estimate = estimate_ed25519_public,
	},
	{
		.name = FIRESTEEL_ED25519_SIGN,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(
			FS_BYTES(ed25519_sign.secret), FS_BYTES(ed25519_sign.public_key),
			FS_BYTES(ed25519_sign.message), FS_OUTPUT(ed25519_sign.signature)),
		.check = check_ed25519_sign,
		.run.pk = run_ed25519_sign,
		.estimate = estimate_ed25519_sign,
	},
	{
		.name = FIRESTEEL_ED25519_VERIFY,
		.core = FS_PK,
		.operands = FS_OPERANDS(FS_BYTES(ed25519_verify.public_key),
					FS_BYTES(ed25519_verify.message),
					FS_BYTES(ed25519_verify.signature)),
		.check = check_ed25519_verify,
		.run.pk = run_ed25519_verify,
		.estimate = estimate_ed25519_verify,
	},
};

const struct fs_family fs_25519_family = FS_FAMILY(operations);
