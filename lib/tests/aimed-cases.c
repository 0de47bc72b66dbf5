/* SPDX-License-Identifier: Apache-2.0 */
#include "aimed-cases.h"

#include <openssl/bn.h>
#include <string.h>

#define FILLER 0xa5

uint8_t aimed_out[AIMED_OUT_SIZE];

void aimed_clear(void)
{
	memset(aimed_out, FILLER, sizeof(aimed_out));
}

bool aimed_is_clear(void)
{
	for (size_t i = 0; i < sizeof(aimed_out); i++)
		if (aimed_out[i] != FILLER)
			return false;
	return true;
}

#define OUT(begin, size) SPACE(aimed_out + (begin), size)

/* ---- numbers ---- */

#define HALF  32u
#define WHOLE 64u

static uint8_t p[HALF], q[HALF], dp[HALF], dq[HALF], qinv[HALF], n[WHOLE], d[WHOLE], lambda[WHOLE];
static const uint8_t e[] = { 11 }; /* prime to both primes - 1 */
static const uint8_t secret[HALF] = { [1] = 0x5a, [31] = 7 };
static const uint8_t short_secret[24] = { [1] = 0x5a, [23] = 9 };
static const uint8_t nonce[24] = { [2] = 0x33, [23] = 5 };
static const uint8_t digest[32] = { 1, 2, 3, [31] = 4 };
static uint8_t input[WHOLE];

/* Key components of two well-known primes: those of secp256k1 and P-256 */
static void make_rsa(void)
{
	BN_CTX *context = BN_CTX_new();
	BIGNUM *a = NULL, *b = NULL, *x = BN_new(), *y = BN_new(), *key = BN_new();

	BN_hex2bn(&a, "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
	BN_hex2bn(&b, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff");
	BN_bn2binpad(a, p, HALF);
	BN_bn2binpad(b, q, HALF);
	BN_mul(x, a, b, context);
	BN_bn2binpad(x, n, WHOLE);
	BN_mod_inverse(x, b, a, context);
	BN_bn2binpad(x, qinv, HALF);
	BN_sub_word(a, 1);
	BN_sub_word(b, 1);
	BN_mul(x, a, b, context);
	BN_bn2binpad(x, lambda, WHOLE);
	BN_bin2bn(e, sizeof(e), y);
	assert_non_null(BN_mod_inverse(key, y, x, context));
	BN_bn2binpad(key, d, WHOLE);
	BN_mod(x, key, a, context);
	BN_bn2binpad(x, dp, HALF);
	BN_mod(x, key, b, context);
	BN_bn2binpad(x, dq, HALF);
	BN_free(a);
	BN_free(b);
	BN_free(x);
	BN_free(y);
	BN_free(key);
	BN_CTX_free(context);
}

static const struct firesteel_request numbers[] = {
	{ .operation = FIRESTEEL_MODEXP,
	  .modexp = { BYTES(n), BYTES(input), BYTES(secret), OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_DH,
	  .dh = { BYTES(n), BYTES(input), BYTES(secret), OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_RSA_PUBLIC,
	  .rsa_public = { BYTES(n), BYTES(e), BYTES(input), OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_RSA_PRIVATE,
	  .rsa_private = { BYTES(n), BYTES(d), BYTES(lambda), BYTES(e), BYTES(input),
			   OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_RSA_PRIVATE,
	  .flags = FIRESTEEL_CHECK,
	  .rsa_private = { BYTES(n),
			   BYTES(d),
			   { NULL, 0 },
			   BYTES(e),
			   BYTES(input),
			   OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_RSA_CRT,
	  .rsa_crt = { BYTES(p), BYTES(q), BYTES(dp), BYTES(dq), BYTES(qinv), BYTES(n), BYTES(e),
		       BYTES(input), OUT(0, WHOLE) } },
	{ .operation = FIRESTEEL_RSA_CRT,
	  .flags = FIRESTEEL_CHECK,
	  .rsa_crt = { BYTES(p), BYTES(q), BYTES(dp), BYTES(dq), BYTES(qinv), BYTES(n), BYTES(e),
		       BYTES(input), OUT(0, WHOLE) } },
};

/* ---- curves ---- */

#define P192 { FIRESTEEL_P192, NULL }

/* secp192k1, a curve that is loaded */
static uint8_t kp[24], ka[24], kb[24], kx[24], ky[24], kn[24];
static const struct firesteel_curve_parameters koblitz = { BYTES(kp), BYTES(ka), BYTES(kb),
							   BYTES(kx), BYTES(ky), BYTES(kn) };
#define K192 { FIRESTEEL_CURVE_LOADED, &koblitz }

static void make_koblitz(void)
{
	unit_hex("fffffffffffffffffffffffffffffffffffffffeffffee37", kp, sizeof(kp));
	memset(ka, 0, sizeof(ka));
	memset(kb, 0, sizeof(kb));
	kb[sizeof(kb) - 1] = 3;
	unit_hex("db4ff10ec057e9ae26b07d0280b7f4341da5d1b1eae06c7d", kx, sizeof(kx));
	unit_hex("9b2f2f6d9c5628a7844163d015be86344082aa88d95e2f9d", ky, sizeof(ky));
	unit_hex("fffffffffffffffffffffffe26f2fc170f69466a74defd8d", kn, sizeof(kn));
}

/* Keys and signatures, and forged ones; `wrong` is no point */
static uint8_t x[24], y[24], wrong[24], r[24], s[24], forged[24];
static uint8_t loaded_x[24], loaded_y[24], loaded_r[24], loaded_s[24], loaded_forged[24];

#define SIGN(curve_, flags_)                                          \
	{                                                             \
		.operation = FIRESTEEL_ECDSA_SIGN, .flags = (flags_), \
		.ecdsa_sign = { .curve = curve_,                      \
				.secret = BYTES(short_secret),        \
				.digest = BYTES(digest),              \
				.nonce = BYTES(nonce),                \
				.public_x = BYTES(x),                 \
				.public_y = BYTES(y),                 \
				.r = OUT(0, 24),                      \
				.s = OUT(24, 24) }                    \
	}

#define VERIFY(curve_, x_, y_, r_, s_)                                                           \
	{                                                                                        \
		.operation = FIRESTEEL_ECDSA_VERIFY, .ecdsa_verify = { curve_,    BYTES(x_),     \
								       BYTES(y_), BYTES(digest), \
								       BYTES(r_), BYTES(s_) }    \
	}

static const struct firesteel_request curves[] = {
	SIGN(P192, 0),
	SIGN(P192, FIRESTEEL_CHECK),
	SIGN(K192, 0),
	VERIFY(P192, x, y, r, s),
	VERIFY(P192, x, y, forged, s),
	VERIFY(K192, loaded_x, loaded_y, loaded_r, loaded_s),
	VERIFY(K192, loaded_x, loaded_y, loaded_forged, loaded_s),
	{ .operation = FIRESTEEL_ECDH,
	  .ecdh = { P192, BYTES(short_secret), BYTES(x), BYTES(y), OUT(0, 24), OUT(24, 24) } },
	{ .operation = FIRESTEEL_ECDH,
	  .ecdh = { P192, BYTES(short_secret), BYTES(x), BYTES(wrong), OUT(0, 24), OUT(24, 24) } },
	{ .operation = FIRESTEEL_EC_PUBLIC,
	  .ec_public = { P192, BYTES(short_secret), OUT(0, 24), OUT(24, 24) } },
};

static void make_key(struct firesteel *device, struct firesteel_curve curve, uint8_t *key_x,
		     uint8_t *key_y)
{
	unit_run(device,
		 &(struct firesteel_request){ .operation = FIRESTEEL_EC_PUBLIC,
					      .ec_public = { curve, BYTES(short_secret),
							     SPACE(key_x, 24), SPACE(key_y, 24) } },
		 FIRESTEEL_OK);
}

static void make_signature(struct firesteel *device, struct firesteel_curve curve, uint8_t *one,
			   uint8_t *two, uint8_t *other)
{
	unit_run(device,
		 &(struct firesteel_request){ .operation = FIRESTEEL_ECDSA_SIGN,
					      .ecdsa_sign = { .curve = curve,
							      .secret = BYTES(short_secret),
							      .digest = BYTES(digest),
							      .nonce = BYTES(nonce),
							      .r = SPACE(one, 24),
							      .s = SPACE(two, 24) } },
		 FIRESTEEL_OK);
	memcpy(other, one, 24);
	other[20] ^= 1;
}

static void make_curves(struct firesteel *device)
{
	make_koblitz();
	make_key(device, (struct firesteel_curve)P192, x, y);
	make_key(device, (struct firesteel_curve)K192, loaded_x, loaded_y);
	memcpy(wrong, y, sizeof(wrong));
	wrong[23] ^= 1;
	make_signature(device, (struct firesteel_curve)P192, r, s, forged);
	make_signature(device, (struct firesteel_curve)K192, loaded_r, loaded_s, loaded_forged);
}

/* ---- Curve25519 ---- */

static uint8_t edwards_key[32], signature[64], edwards_forged[64];
static const uint8_t montgomery[32] = { 9 };

static const struct firesteel_request curve25519[] = {
	{ .operation = FIRESTEEL_X25519,
	  .x25519 = { BYTES(secret), BYTES(montgomery), OUT(0, 32) } },
	{ .operation = FIRESTEEL_ED25519_PUBLIC, .ed25519_public = { BYTES(secret), OUT(0, 32) } },
	{ .operation = FIRESTEEL_ED25519_SIGN,
	  .ed25519_sign = { BYTES(secret), BYTES(edwards_key), BYTES(digest), OUT(0, 64) } },
	{ .operation = FIRESTEEL_ED25519_SIGN,
	  .flags = FIRESTEEL_CHECK,
	  .ed25519_sign = { BYTES(secret), { NULL, 0 }, BYTES(digest), OUT(0, 64) } },
	{ .operation = FIRESTEEL_ED25519_VERIFY,
	  .ed25519_verify = { BYTES(edwards_key), BYTES(digest), BYTES(signature) } },
	{ .operation = FIRESTEEL_ED25519_VERIFY,
	  .ed25519_verify = { BYTES(edwards_key), BYTES(digest), BYTES(edwards_forged) } },
};

static void make_edwards(struct firesteel *device)
{
	unit_run(device,
		 &(struct firesteel_request){
			 .operation = FIRESTEEL_ED25519_PUBLIC,
			 .ed25519_public = { BYTES(secret), ROOM(edwards_key) } },
		 FIRESTEEL_OK);
	unit_run(device,
		 &(struct firesteel_request){ .operation = FIRESTEEL_ED25519_SIGN,
					      .ed25519_sign = { BYTES(secret), BYTES(edwards_key),
								BYTES(digest), ROOM(signature) } },
		 FIRESTEEL_OK);
	memcpy(edwards_forged, signature, sizeof(signature));
	edwards_forged[40] ^= 1;
}

/* ---- all ---- */

static const char *name_of(const struct firesteel_request *request)
{
	static const char *const names[FIRESTEEL_OPERATIONS] = {
		[FIRESTEEL_MODEXP] = "modular exponentiation",
		[FIRESTEEL_DH] = "Diffie-Hellman",
		[FIRESTEEL_RSA_PUBLIC] = "RSA, public",
		[FIRESTEEL_RSA_PRIVATE] = "RSA, private",
		[FIRESTEEL_RSA_CRT] = "RSA, CRT",
		[FIRESTEEL_ECDSA_SIGN] = "ECDSA, signature",
		[FIRESTEEL_ECDSA_VERIFY] = "ECDSA, verification",
		[FIRESTEEL_ECDH] = "ECDH",
		[FIRESTEEL_EC_PUBLIC] = "EC, public key",
		[FIRESTEEL_X25519] = "X25519",
		[FIRESTEEL_ED25519_PUBLIC] = "Ed25519, public key",
		[FIRESTEEL_ED25519_SIGN] = "Ed25519, signature",
		[FIRESTEEL_ED25519_VERIFY] = "Ed25519, verification",
	};

	return names[request->operation];
}

static int expected_of(const struct firesteel_request *request)
{
	if (request == &curves[4] || request == &curves[6] || request == &curve25519[5])
		return FIRESTEEL_ERROR_SIGNATURE;
	return request == &curves[8] ? FIRESTEEL_ERROR_REFUSED : FIRESTEEL_OK;
}

static struct aimed_case answered(struct firesteel *device, const struct firesteel_request *request)
{
	struct aimed_case found = { name_of(request), *request, expected_of(request), { 0 } };

	aimed_clear();
	unit_run(device, request, found.answer);
	memcpy(found.out, aimed_out, sizeof(found.out));
	return found;
}

size_t aimed_cases(struct aimed_case cases[AIMED_CASES_MAX])
{
	struct firesteel *device = unit_open("model");
	size_t count = 0;

	_Static_assert(COUNT(numbers) + COUNT(curves) + COUNT(curve25519) <= AIMED_CASES_MAX, "");
	unit_fill(input, sizeof(input), 1);
	input[0] = 0;
	make_rsa();
	make_curves(device);
	make_edwards(device);
	for (size_t i = 0; i < COUNT(numbers); i++)
		cases[count++] = answered(device, &numbers[i]);
	for (size_t i = 0; i < COUNT(curves); i++)
		cases[count++] = answered(device, &curves[i]);
	for (size_t i = 0; i < COUNT(curve25519); i++)
		cases[count++] = answered(device, &curve25519[i]);
	firesteel_close(device);
	return count;
}
