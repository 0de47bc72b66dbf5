/* SPDX-License-Identifier: Apache-2.0 */
#include "aimed-cases.h"

#include <stdio.h>
#include <string.h>

#include "../device.h"

#define FILLER 0xa5

uint8_t aimed_out[AIMED_OUT_SIZE];

#define OUT(begin, size) SPACE(aimed_out + (begin), size)

static void read_hex(const char *text, uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		sscanf(text + 2 * i, "%2hhx", &bytes[i]);
}

/* ---- numbers ---- */

#define HALF  32u
#define WHOLE 64u

static uint8_t p[HALF], q[HALF], dp[HALF], dq[HALF], qinv[HALF], n[WHOLE], d[WHOLE], lambda[WHOLE];
static const uint8_t e[] = { 11 };
static const uint8_t secret[HALF] = { [1] = 0x5a, [31] = 7 };
static const uint8_t short_secret[24] = { [1] = 0x5a, [23] = 9 };
static const uint8_t nonce[24] = { [2] = 0x33, [23] = 5 };
static const uint8_t digest[32] = { 1, 2, 3, [31] = 4 };
static const uint8_t input[WHOLE] = { 0, 0x9c, 0x31, [40] = 0x77, [63] = 0x15 };

/* Of two well-known primes, those of secp256k1 and P-256, and the exponent 11 */
static void make_rsa(void)
{
	read_hex("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f", p, HALF);
	read_hex("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", q, HALF);
	read_hex("d1745d1745d1745d1745d1745d1745d1745d1745d1745d1745d1745c45d1713d", dp, HALF);
	read_hex("ba2e8ba22e8ba2e9745d1745d1745d1745d1745dd1745d1745d1745d1745d173", dq, HALF);
	read_hex("b87abe75a5f0c12c4d4f19d716c7dff720102db412644fc18e731e0be6a71e83", qinv, HALF);
	read_hex("ffffffff00000001000000000000000000000000fffffffffffffffefffffc2f"
		 "000003cffffffc2efffffffffffffffefffffc2f0000000000000001000003d1",
		 n, WHOLE);
	read_hex("745d17455d1745d1e8ba2e8ba2e8ba2e8ba2e8baa2e8ba2e8ba2e8b9ba2e89e5"
		 "e8ba3047ba2e89e65d1745d1745d17455d174414e8ba2e8ba2e8ba2f745d1abf",
		 d, WHOLE);
	read_hex("ffffffff00000001000000000000000000000000fffffffffffffffefffffc2d"
		 "000003d0fffffc2dfffffffffffffffefffffc2e0000000000000002000007a4",
		 lambda, WHOLE);
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
	read_hex("fffffffffffffffffffffffffffffffffffffffeffffee37", kp, sizeof(kp));
	memset(ka, 0, sizeof(ka));
	memset(kb, 0, sizeof(kb));
	kb[sizeof(kb) - 1] = 3;
	read_hex("db4ff10ec057e9ae26b07d0280b7f4341da5d1b1eae06c7d", kx, sizeof(kx));
	read_hex("9b2f2f6d9c5628a7844163d015be86344082aa88d95e2f9d", ky, sizeof(ky));
	read_hex("fffffffffffffffffffffffe26f2fc170f69466a74defd8d", kn, sizeof(kn));
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

static bool make_key(struct firesteel *device, struct firesteel_curve curve, uint8_t *key_x,
		     uint8_t *key_y)
{
	return firesteel_run(device, &(struct firesteel_request){
					     .operation = FIRESTEEL_EC_PUBLIC,
					     .ec_public = { curve, BYTES(short_secret),
							    SPACE(key_x, 24), SPACE(key_y, 24) },
				     }) == FIRESTEEL_OK;
}

static bool make_signature(struct firesteel *device, struct firesteel_curve curve, uint8_t *one,
			   uint8_t *two, uint8_t *other)
{
	int error = firesteel_run(device, &(struct firesteel_request){
						  .operation = FIRESTEEL_ECDSA_SIGN,
						  .ecdsa_sign = { .curve = curve,
								  .secret = BYTES(short_secret),
								  .digest = BYTES(digest),
								  .nonce = BYTES(nonce),
								  .r = SPACE(one, 24),
								  .s = SPACE(two, 24) },
					  });

	memcpy(other, one, 24);
	other[20] ^= 1;
	return error == FIRESTEEL_OK;
}

static bool make_curves(struct firesteel *device)
{
	const struct firesteel_curve p192 = P192, k192 = K192;
	bool good;

	make_koblitz();
	good = make_key(device, p192, x, y) && make_key(device, k192, loaded_x, loaded_y) &&
	       make_signature(device, p192, r, s, forged) &&
	       make_signature(device, k192, loaded_r, loaded_s, loaded_forged);
	memcpy(wrong, y, sizeof(wrong));
	wrong[23] ^= 1;
	return good;
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

static bool make_edwards(struct firesteel *device)
{
	const struct firesteel_request public = {
		.operation = FIRESTEEL_ED25519_PUBLIC,
		.ed25519_public = { BYTES(secret), OUTPUT(edwards_key) },
	};
	const struct firesteel_request sign = {
		.operation = FIRESTEEL_ED25519_SIGN,
		.ed25519_sign = { BYTES(secret), BYTES(edwards_key), BYTES(digest),
				  OUTPUT(signature) },
	};
	bool good = !firesteel_run(device, &public) && !firesteel_run(device, &sign);

	memcpy(edwards_forged, signature, sizeof(signature));
	edwards_forged[40] ^= 1;
	return good;
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

/* The forged signatures, and the point that is none */
static int expected_of(const struct firesteel_request *request)
{
	if (request == &curves[4] || request == &curves[6] || request == &curve25519[5])
		return FIRESTEEL_ERROR_SIGNATURE;
	return request == &curves[8] ? FIRESTEEL_ERROR_REFUSED : FIRESTEEL_OK;
}

static void clear(void)
{
	memset(aimed_out, FILLER, sizeof(aimed_out));
}

static bool is_clear(void)
{
	for (size_t i = 0; i < sizeof(aimed_out); i++)
		if (aimed_out[i] != FILLER)
			return false;
	return true;
}

static bool means_software(int error)
{
	return error == FIRESTEEL_ERROR_FAULT || error == FIRESTEEL_ERROR_GONE ||
	       error == FIRESTEEL_ERROR_TIMEOUT;
}

enum aimed_outcome aimed_run(struct firesteel *device, const struct aimed_case *at, int *error)
{
	clear();
	*error = firesteel_run(device, &at->request);
	if (means_software(*error))
		return is_clear() ? AIMED_WITHHELD : AIMED_WRONG;
	return *error == at->answer && memcmp(aimed_out, at->out, sizeof(aimed_out)) == 0
		       ? AIMED_ANSWERED
		       : AIMED_WRONG;
}

bool aimed_try(struct firesteel *device, struct aimed_case *at)
{
	clear();
	if (firesteel_run(device, &at->request) != at->answer)
		return false;
	memcpy(at->out, aimed_out, sizeof(aimed_out));
	return true;
}

void aimed_recover(struct firesteel *device)
{
	for (unsigned core = 0; core < FS_CORES; core++) {
		atomic_store(&device->health[core].faulty_until, 0);
		atomic_store(&device->health[core].gone, false);
	}
}

static size_t add(struct firesteel *device, const struct firesteel_request *requests, size_t count,
		  struct aimed_case *cases)
{
	for (size_t i = 0; i < count; i++) {
		cases[i] = (struct aimed_case){ .name = name_of(&requests[i]),
						.request = requests[i],
						.answer = expected_of(&requests[i]) };
		if (!aimed_try(device, &cases[i]))
			return 0;
	}
	return count;
}

size_t aimed_cases(struct firesteel *device, struct aimed_case cases[AIMED_CASES_MAX])
{
	const size_t all = COUNT(numbers) + COUNT(curves) + COUNT(curve25519);
	size_t count = 0;

	_Static_assert(COUNT(numbers) + COUNT(curves) + COUNT(curve25519) <= AIMED_CASES_MAX, "");
	make_rsa();
	if (!make_curves(device) || !make_edwards(device))
		return 0;
	count += add(device, numbers, COUNT(numbers), cases);
	count += add(device, curves, COUNT(curves), cases + count);
	count += add(device, curve25519, COUNT(curve25519), cases + count);
	return count == all ? count : 0;
}
