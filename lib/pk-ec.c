/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA, and the multiplication of points. */
#include <string.h>

#include "curve.h"
#include "health.h"
#include "nonce.h"
#include "operation.h"
#include "pk.h"

/* ---- the core's part ---- */

static const struct fs_step sign_step = {
	.command = SILEX_PK_OP_ECDSA_SIGN | SILEX_PK_PROTECT_ECC,
	.operands = 6,
	.products_per_bit = 20,
	.products = 13,
	.inverses = 2,
};

static const struct fs_step verify_step = {
	.command = SILEX_PK_OP_ECDSA_VERIFY,
	.operands = 6,
	.products_per_bit = 17,
	.products = 13,
	.inverses = 2,
};

static const struct fs_step multiply_step = {
	.command = SILEX_PK_OP_ECC_MUL | SILEX_PK_PROTECT_ECC,
	.operands = 6,
	.products_per_bit = 20,
	.products = 9,
	.inverses = 1,
};

static const struct fs_step on_curve_step = {
	.command = SILEX_PK_OP_ECC_ON_CURVE,
	.operands = 2,
	.products = 5,
};

/* The parameters of a curve that is loaded */
#define LOADS 6u

static void estimate_step(struct fs_estimate *estimate, const struct fs_step *step,
			  const struct firesteel_curve *name)
{
	struct fs_curve curve;

	fs_curve_resolve(estimate->has, name, false, &curve);
	fs_estimate_step(estimate, step, curve.size, curve.parameters ? LOADS : 0);
}

/* ---- what all have in common ---- */

static struct firesteel_bytes number(const uint8_t *bytes, size_t size)
{
	return (struct firesteel_bytes){ bytes, size };
}

static struct fs_pk_call call_of(const struct fs_step *step, const struct fs_curve *curve)
{
	struct fs_pk_call call = { .step = step, .more = curve->select, .size = curve->size };

	fs_curve_put(&call, curve);
	return call;
}

/* Between 1 and the order - 1 */
static bool is_scalar(struct firesteel_bytes scalar, const struct fs_curve *curve)
{
	return !fs_number_is_zero(scalar) && fs_number_less(scalar, curve->order);
}

static bool fits_field(struct firesteel_bytes x, struct firesteel_bytes y,
		       const struct fs_curve *curve)
{
	return fs_number_fits(x, curve->field_size) && fs_number_fits(y, curve->field_size);
}

/* ---- verification ---- */

struct signature {
	struct firesteel_bytes x, y; /* the key */
	const uint8_t *hash; /* truncated, as long as operands */
	struct firesteel_bytes r, s;
};

static int verify(struct fs_pk *pk, const struct fs_curve *curve, const struct signature *signature)
{
	struct fs_pk_call call = call_of(&verify_step, curve);

	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_QX, signature->x);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_QY, signature->y);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_R, signature->r);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_S, signature->s);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_H, number(signature->hash, curve->size));
	return fs_pk_run(pk, &call);
}

static void truncate(struct firesteel_bytes digest, const struct fs_curve *curve, uint8_t *hash)
{
	fs_nonce_truncate(digest, fs_number_bits(curve->order), hash, curve->size);
}

static int check_ecdsa_verify(const struct firesteel_capabilities *has,
			      const struct firesteel_request *request, bool values)
{
	const struct firesteel_ecdsa_verify *verification = &request->ecdsa_verify;
	struct fs_curve curve;
	int error = fs_curve_resolve(has, &verification->curve, values, &curve);

	if (error)
		return error;
	if (verification->public_x.size == 0 || verification->public_y.size == 0 ||
	    verification->r.size == 0 || verification->s.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	if (!values)
		return FIRESTEEL_OK;
	if (!fits_field(verification->public_x, verification->public_y, &curve))
		return FIRESTEEL_ERROR_REFUSED;
	if (!is_scalar(verification->r, &curve) || !is_scalar(verification->s, &curve))
		return FIRESTEEL_ERROR_SIGNATURE;
	return FIRESTEEL_OK;
}

static int run_ecdsa_verify(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ecdsa_verify *verification = &request->ecdsa_verify;
	uint8_t hash[FS_NONCE_MAX];
	struct fs_curve curve;

	fs_curve_resolve(&pk->device->capabilities, &verification->curve, true, &curve);
	truncate(verification->digest, &curve, hash);
	return verify(pk, &curve,
		      &(struct signature){ verification->public_x, verification->public_y, hash,
					   verification->r, verification->s });
}

static void estimate_ecdsa_verify(struct fs_estimate *estimate,
				  const struct firesteel_request *request)
{
	estimate_step(estimate, &verify_step, &request->ecdsa_verify.curve);
}

/* ---- signature ---- */

static int check_ecdsa_sign(const struct firesteel_capabilities *has,
			    const struct firesteel_request *request, bool values)
{
	const struct firesteel_ecdsa_sign *sign = &request->ecdsa_sign;
	struct fs_curve curve;
	int error = fs_curve_resolve(has, &sign->curve, values, &curve);

	if (error)
		return error;
	if (sign->secret.size == 0 || sign->r.size < curve.order.size ||
	    sign->s.size < curve.order.size)
		return FIRESTEEL_ERROR_INVALID;
	if (request->flags & FIRESTEEL_CHECK &&
	    (sign->public_x.size == 0 || sign->public_y.size == 0))
		return FIRESTEEL_ERROR_INVALID;
	if (!values)
		return FIRESTEEL_OK;
	if (request->flags & FIRESTEEL_CHECK && !fits_field(sign->public_x, sign->public_y, &curve))
		return FIRESTEEL_ERROR_INVALID;
	if (!is_scalar(sign->secret, &curve) ||
	    (sign->nonce.size > 0 && !is_scalar(sign->nonce, &curve)))
		return FIRESTEEL_ERROR_INVALID;
	return FIRESTEEL_OK;
}

static void make_nonce(struct fs_pk *pk, const struct firesteel_ecdsa_sign *sign,
		       const struct fs_curve *curve, const uint8_t *hash, uint8_t *nonce)
{
	uint8_t extra[32];

	if (sign->nonce.size > 0) {
		fs_number_pad(sign->nonce, nonce, curve->size);
		return;
	}
	fs_random_get(&pk->device->random, extra, sizeof(extra));
	memset(nonce, 0, curve->size - curve->order.size);
	fs_nonce_make(curve->order, sign->secret, number(hash, curve->size), extra,
		      nonce + curve->size - curve->order.size, curve->order.size);
	firesteel_wipe(extra, sizeof(extra));
}

static int sign_digest(struct fs_pk *pk, const struct firesteel_ecdsa_sign *sign,
		       const struct fs_curve *curve, const uint8_t *hash,
		       uint8_t bytes[2][FS_NUMBER_MAX])
{
	struct fs_pk_call call = call_of(&sign_step, curve);
	uint8_t nonce[FS_NONCE_MAX];
	int error;

	make_nonce(pk, sign, curve, hash, nonce);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_D, sign->secret);
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_K, number(nonce, curve->size));
	fs_pk_put(&call, SILEX_PK_SLOT_ECDSA_H, number(hash, curve->size));
	fs_pk_get(&call, SILEX_PK_SLOT_ECDSA_R, bytes[0]);
	fs_pk_get(&call, SILEX_PK_SLOT_ECDSA_S, bytes[1]);
	error = fs_pk_run(pk, &call);
	firesteel_wipe(nonce, sizeof(nonce));
	/* r or s is 0: a chance that no good nonce has */
	return error == FIRESTEEL_ERROR_SIGNATURE ? FIRESTEEL_ERROR_REFUSED : error;
}

static int run_ecdsa_sign(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ecdsa_sign *sign = &request->ecdsa_sign;
	uint8_t hash[FS_NONCE_MAX], bytes[2][FS_NUMBER_MAX];
	struct firesteel_bytes r, s;
	struct fs_curve curve;
	int error;

	fs_curve_resolve(&pk->device->capabilities, &sign->curve, true, &curve);
	r = number(bytes[0], curve.size);
	s = number(bytes[1], curve.size);
	truncate(sign->digest, &curve, hash);
	error = sign_digest(pk, sign, &curve, hash, bytes);
	if (!error && (!is_scalar(r, &curve) || !is_scalar(s, &curve)))
		error = fs_health_faulty(pk->device, FS_PK);
	if (!error && request->flags & FIRESTEEL_CHECK) {
		error = verify(pk, &curve,
			       &(struct signature){ sign->public_x, sign->public_y, hash, r, s });
		if (error == FIRESTEEL_ERROR_SIGNATURE || error == FIRESTEEL_ERROR_REFUSED)
			error = FIRESTEEL_ERROR_CHECK;
	}
	if (!error) {
		fs_number_output(r, sign->r);
		fs_number_output(s, sign->s);
	}
	firesteel_wipe(bytes, sizeof(bytes));
	return error;
}

static void estimate_ecdsa_sign(struct fs_estimate *estimate,
				const struct firesteel_request *request)
{
	const struct firesteel_curve *curve = &request->ecdsa_sign.curve;

	estimate_step(estimate, &sign_step, curve);
	if (request->flags & FIRESTEEL_CHECK)
		estimate_step(estimate, &verify_step, curve);
}

/* ---- multiplication ---- */

struct point {
	struct firesteel_bytes x, y;
};

static int multiply(struct fs_pk *pk, const struct fs_curve *curve, const struct point *point,
		    struct firesteel_bytes scalar, uint8_t bytes[2][FS_NUMBER_MAX])
{
	struct fs_pk_call call = call_of(&multiply_step, curve);

	fs_pk_put(&call, SILEX_PK_SLOT_ECC_PX, point->x);
	fs_pk_put(&call, SILEX_PK_SLOT_ECC_PY, point->y);
	fs_pk_put(&call, SILEX_PK_SLOT_ECC_K, scalar);
	fs_pk_get(&call, SILEX_PK_SLOT_ECC_OUT_X, bytes[0]);
	fs_pk_get(&call, SILEX_PK_SLOT_ECC_OUT_Y, bytes[1]);
	return fs_pk_run(pk, &call);
}

/* Both coordinates or none.  Cores differ in how they report the point at infinity: one that reads
 * as zeros is refused like one that STATUS reports. */
static int output_point(struct fs_pk *pk, struct firesteel_bytes a, struct firesteel_bytes b,
			struct firesteel_output x, struct firesteel_output y)
{

	if (fs_number_is_zero(a) && fs_number_is_zero(b))
		return FIRESTEEL_ERROR_REFUSED;
	if (!fs_number_fits(a, x.size) || (y.size > 0 && !fs_number_fits(b, y.size)))
		return fs_health_faulty(pk->device, FS_PK);
	fs_number_output(a, x);
	if (y.size > 0)
		fs_number_output(b, y);
	return FIRESTEEL_OK;
}

/* scalar * point, to where the caller wants it */
static int multiply_to(struct fs_pk *pk, const struct fs_curve *curve, const struct point *point,
		       struct firesteel_bytes scalar, struct firesteel_output x,
		       struct firesteel_output y)
{
	uint8_t bytes[2][FS_NUMBER_MAX];
	int error = multiply(pk, curve, point, scalar, bytes);

	if (!error)
		error = output_point(pk, number(bytes[0], curve->size),
				     number(bytes[1], curve->size), x, y);
	firesteel_wipe(bytes, sizeof(bytes));
	return error;
}

static int check_scalar(struct firesteel_bytes secret, const struct fs_curve *curve,
			struct firesteel_output x, struct firesteel_output y, bool values)
{
	if (secret.size == 0 || x.size < curve->field_size ||
	    (y.size > 0 && y.size < curve->field_size))
		return FIRESTEEL_ERROR_INVALID;
	return !values || is_scalar(secret, curve) ? FIRESTEEL_OK : FIRESTEEL_ERROR_INVALID;
}

static int check_ecdh(const struct firesteel_capabilities *has,
		      const struct firesteel_request *request, bool values)
{
	const struct firesteel_ecdh *ecdh = &request->ecdh;
	struct fs_curve curve;
	int error = fs_curve_resolve(has, &ecdh->curve, values, &curve);

	if (!error)
		error = check_scalar(ecdh->secret, &curve, ecdh->x, ecdh->y, values);
	if (error)
		return error;
	if (ecdh->peer_x.size == 0 || ecdh->peer_y.size == 0)
		return FIRESTEEL_ERROR_INVALID;
	return !values || fits_field(ecdh->peer_x, ecdh->peer_y, &curve) ? FIRESTEEL_OK
									 : FIRESTEEL_ERROR_REFUSED;
}

/* The point comes from the peer: checked before it is used with the secret */
static int run_ecdh(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ecdh *ecdh = &request->ecdh;
	const struct point peer = { ecdh->peer_x, ecdh->peer_y };
	struct fs_pk_call check;
	struct fs_curve curve;
	int error;

	fs_curve_resolve(&pk->device->capabilities, &ecdh->curve, true, &curve);
	check = call_of(&on_curve_step, &curve);
	fs_pk_put(&check, SILEX_PK_SLOT_ECC_PX, peer.x);
	fs_pk_put(&check, SILEX_PK_SLOT_ECC_PY, peer.y);
	error = fs_pk_run(pk, &check);
	return error ? error : multiply_to(pk, &curve, &peer, ecdh->secret, ecdh->x, ecdh->y);
}

static void estimate_ecdh(struct fs_estimate *estimate, const struct firesteel_request *request)
{
	estimate_step(estimate, &on_curve_step, &request->ecdh.curve);
	estimate_step(estimate, &multiply_step, &request->ecdh.curve);
}

static int check_ec_public(const struct firesteel_capabilities *has,
			   const struct firesteel_request *request, bool values)
{
	const struct firesteel_ec_public *public = &request->ec_public;
	struct fs_curve curve;
	int error = fs_curve_resolve(has, &public->curve, values, &curve);

	return error ? error : check_scalar(public->secret, &curve, public->x, public->y, values);
}

static int run_ec_public(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ec_public *public = &request->ec_public;
	struct point generator;
	struct fs_curve curve;

	fs_curve_resolve(&pk->device->capabilities, &public->curve, true, &curve);
	fs_curve_generator(&curve, &public->curve, &generator.x, &generator.y);
	return multiply_to(pk, &curve, &generator, public->secret, public->x, public->y);
}

static void estimate_ec_public(struct fs_estimate *estimate,
			       const struct firesteel_request *request)
{
	estimate_step(estimate, &multiply_step, &request->ec_public.curve);
}

static const struct fs_operation operations[] = {
	{
		.name = FIRESTEEL_ECDSA_SIGN,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_CURVE(ecdsa_sign.curve), FS_BYTES(ecdsa_sign.secret),
					FS_BYTES(ecdsa_sign.digest), FS_BYTES(ecdsa_sign.nonce),
					FS_BYTES(ecdsa_sign.public_x),
					FS_BYTES(ecdsa_sign.public_y), FS_OUTPUT(ecdsa_sign.r),
					FS_OUTPUT(ecdsa_sign.s)),
		.check = check_ecdsa_sign,
		.run.pk = run_ecdsa_sign,
		.estimate = estimate_ecdsa_sign,
	},
	{
		.name = FIRESTEEL_ECDSA_VERIFY,
		.core = FS_PK,
		.operands = FS_OPERANDS(
			FS_CURVE(ecdsa_verify.curve), FS_BYTES(ecdsa_verify.public_x),
			FS_BYTES(ecdsa_verify.public_y), FS_BYTES(ecdsa_verify.digest),
			FS_BYTES(ecdsa_verify.r), FS_BYTES(ecdsa_verify.s)),
		.check = check_ecdsa_verify,
		.run.pk = run_ecdsa_verify,
		.estimate = estimate_ecdsa_verify,
	},
	{
		.name = FIRESTEEL_ECDH,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_CURVE(ecdh.curve), FS_BYTES(ecdh.secret),
					FS_BYTES(ecdh.peer_x), FS_BYTES(ecdh.peer_y),
					FS_OUTPUT(ecdh.x), FS_OUTPUT(ecdh.y)),
		.check = check_ecdh,
		.run.pk = run_ecdh,
		.estimate = estimate_ecdh,
	},
	{
		.name = FIRESTEEL_EC_PUBLIC,
		.core = FS_PK,
		.secret = true,
		.operands = FS_OPERANDS(FS_CURVE(ec_public.curve), FS_BYTES(ec_public.secret),
					FS_OUTPUT(ec_public.x), FS_OUTPUT(ec_public.y)),
		.check = check_ec_public,
		.run.pk = run_ec_public,
		.estimate = estimate_ec_public,
	},
};

const struct fs_family fs_ec_family = FS_FAMILY(operations);
