/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA, and the multiplication of points. */
#include <string.h>

#include "curve.h"
#include "health.h"
#include "nonce.h"
#include "pk.h"

static struct firesteel_bytes number(const uint8_t *bytes, size_t size)
{
	return (struct firesteel_bytes){ bytes, size };
}

static int begin(struct fs_pk *pk, uint32_t command, const struct fs_curve *curve)
{
	int error = fs_pk_begin(pk, command | curve->select, curve->size);

	if (!error)
		fs_curve_put(pk, curve);
	return error;
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
	int error = begin(pk, SILEX_PK_OP_ECDSA_VERIFY, curve);

	if (error)
		return error;
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_QX, signature->x);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_QY, signature->y);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_R, signature->r);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_S, signature->s);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_H, number(signature->hash, curve->size));
	return fs_pk_run(pk, NULL, 0);
}

static void truncate(struct firesteel_bytes digest, const struct fs_curve *curve, uint8_t *hash)
{
	fs_nonce_truncate(digest, fs_number_bits(curve->order), hash, curve->size);
}

int fs_pk_ecdsa_verify_check(const struct firesteel_capabilities *has,
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

int fs_pk_ecdsa_verify(struct fs_pk *pk, const struct firesteel_request *request)
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

/* ---- signature ---- */

int fs_pk_ecdsa_sign_check(const struct firesteel_capabilities *has,
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

static int run_sign(struct fs_pk *pk, const struct firesteel_ecdsa_sign *sign,
		    const struct fs_curve *curve, const uint8_t *hash,
		    uint8_t bytes[2][FS_NUMBER_MAX])
{
	const struct fs_pk_result results[] = { { SILEX_PK_SLOT_ECDSA_R, bytes[0] },
						{ SILEX_PK_SLOT_ECDSA_S, bytes[1] } };
	uint8_t nonce[FS_NONCE_MAX];
	int error = begin(pk, SILEX_PK_OP_ECDSA_SIGN | SILEX_PK_PROTECT_ECC, curve);

	if (error)
		return error;
	make_nonce(pk, sign, curve, hash, nonce);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_D, sign->secret);
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_K, number(nonce, curve->size));
	fs_pk_put(pk, SILEX_PK_SLOT_ECDSA_H, number(hash, curve->size));
	firesteel_wipe(nonce, sizeof(nonce));
	error = fs_pk_run(pk, results, 2);
	/* r or s is 0: a chance that no good nonce has */
	return error == FIRESTEEL_ERROR_SIGNATURE ? FIRESTEEL_ERROR_REFUSED : error;
}

int fs_pk_ecdsa_sign(struct fs_pk *pk, const struct firesteel_request *request)
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
	error = run_sign(pk, sign, &curve, hash, bytes);
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

/* ---- multiplication ---- */

struct point {
	struct firesteel_bytes x, y;
};

static int multiply(struct fs_pk *pk, const struct fs_curve *curve, const struct point *point,
		    struct firesteel_bytes scalar, uint8_t bytes[2][FS_NUMBER_MAX])
{
	const struct fs_pk_result results[] = { { SILEX_PK_SLOT_ECC_OUT_X, bytes[0] },
						{ SILEX_PK_SLOT_ECC_OUT_Y, bytes[1] } };
	int error = begin(pk, SILEX_PK_OP_ECC_MUL | SILEX_PK_PROTECT_ECC, curve);

	if (error)
		return error;
	fs_pk_put(pk, SILEX_PK_SLOT_ECC_PX, point->x);
	fs_pk_put(pk, SILEX_PK_SLOT_ECC_PY, point->y);
	fs_pk_put(pk, SILEX_PK_SLOT_ECC_K, scalar);
	return fs_pk_run(pk, results, 2);
}

/* Both coordinates or none.  Cores differ in how they report the point at infinity: one that reads
 * as zeros is refused like one that STATUS reports. */
static int output_point(struct fs_pk *pk, uint8_t bytes[2][FS_NUMBER_MAX],
			struct firesteel_output x, struct firesteel_output y)
{
	struct firesteel_bytes a = number(bytes[0], pk->size), b = number(bytes[1], pk->size);

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
		error = output_point(pk, bytes, x, y);
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

int fs_pk_ecdh_check(const struct firesteel_capabilities *has,
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
int fs_pk_ecdh(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ecdh *ecdh = &request->ecdh;
	const struct point peer = { ecdh->peer_x, ecdh->peer_y };
	struct fs_curve curve;
	int error;

	fs_curve_resolve(&pk->device->capabilities, &ecdh->curve, true, &curve);
	error = begin(pk, SILEX_PK_OP_ECC_ON_CURVE, &curve);
	if (error)
		return error;
	fs_pk_put(pk, SILEX_PK_SLOT_ECC_PX, peer.x);
	fs_pk_put(pk, SILEX_PK_SLOT_ECC_PY, peer.y);
	error = fs_pk_run(pk, NULL, 0);
	return error ? error : multiply_to(pk, &curve, &peer, ecdh->secret, ecdh->x, ecdh->y);
}

int fs_pk_ec_public_check(const struct firesteel_capabilities *has,
			  const struct firesteel_request *request, bool values)
{
	const struct firesteel_ec_public *public = &request->ec_public;
	struct fs_curve curve;
	int error = fs_curve_resolve(has, &public->curve, values, &curve);

	return error ? error : check_scalar(public->secret, &curve, public->x, public->y, values);
}

int fs_pk_ec_public(struct fs_pk *pk, const struct firesteel_request *request)
{
	const struct firesteel_ec_public *public = &request->ec_public;
	struct point generator;
	struct fs_curve curve;

	fs_curve_resolve(&pk->device->capabilities, &public->curve, true, &curve);
	fs_curve_generator(&curve, &public->curve, &generator.x, &generator.y);
	return multiply_to(pk, &curve, &generator, public->secret, public->x, public->y);
}
