/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests for the public-key core.
 *
 * Numbers are big-endian (types.h).  The output of a result must be at least as long as the
 * modulus, field or order without leading zeros.
 *
 * Operations with a secret run with the core's countermeasures (randomised exponent, modulus,
 * projective coordinates) unless the request has FIRESTEEL_UNPROTECTED.  Without that flag, a core
 * without countermeasures refuses them (FIRESTEEL_ERROR_ABSENT), and the caller uses software.
 * Only FIRESTEEL_RSA_PUBLIC and verifications have no secret.  If the core reports "not invertible"
 * for a randomised operation, which happens occasionally, the library repeats it.  Operand RAM is
 * cleared after each operation.
 */
#ifndef FIRESTEEL_PUBLIC_KEY_H
#define FIRESTEEL_PUBLIC_KEY_H

#include <firesteel/types.h>

/* result = base ^ exponent mod modulus; the modulus is odd, the base less than it */
struct firesteel_modexp {
	struct firesteel_bytes modulus;
	struct firesteel_bytes base;
	struct firesteel_bytes exponent;
	struct firesteel_output result; /* at least as long as the modulus */
};

/*
 * Diffie-Hellman: peer ^ secret mod prime, padded to the size of `result`.
 * Refused: a peer's key or a result that is not between 2 and prime - 2.
 * With the generator as `peer`, it computes a public key.
 */
struct firesteel_dh {
	struct firesteel_bytes prime;
	struct firesteel_bytes peer;
	struct firesteel_bytes secret;
	struct firesteel_output result; /* at least as long as the prime */
};

/* RSA without padding: result = input ^ exponent mod modulus; refused: input >= modulus */
struct firesteel_rsa_public {
	struct firesteel_bytes modulus;
	struct firesteel_bytes exponent;
	struct firesteel_bytes input;
	struct firesteel_output result; /* at least as long as the modulus */
};

/*
 * RSA without padding and without the primes: result = input ^ secret mod modulus.  `lambda` is
 * lcm(p - 1, q - 1) or (p - 1)(q - 1): the exponent is blinded with a multiple of it.  Without
 * `lambda` (size 0) only the modulus is randomised.  FIRESTEEL_CHECK: `exponent`, the public one,
 * must be given.
 */
struct firesteel_rsa_private {
	struct firesteel_bytes modulus;
	struct firesteel_bytes secret;
	struct firesteel_bytes lambda; /* may be empty */
	struct firesteel_bytes exponent; /* for FIRESTEEL_CHECK */
	struct firesteel_bytes input; /* less than the modulus */
	struct firesteel_output result; /* at least as long as the modulus */
};

/*
 * RSA without padding, by the Chinese remainder theorem.  `modulus` is used only to refuse an
 * input that is not less than it, and for FIRESTEEL_CHECK.
 *
 * FIRESTEEL_CHECK: `exponent`, the public one, must be given; the core also computes
 * result ^ exponent, which must equal the input.  A core that computes one half wrongly would
 * otherwise reveal the key, so always either set the flag or check in software.
 */
struct firesteel_rsa_crt {
	struct firesteel_bytes p;
	struct firesteel_bytes q;
	struct firesteel_bytes dp; /* d mod p - 1 */
	struct firesteel_bytes dq; /* d mod q - 1 */
	struct firesteel_bytes qinv; /* q ^ -1 mod p */
	struct firesteel_bytes modulus; /* p * q */
	struct firesteel_bytes exponent; /* for FIRESTEEL_CHECK */
	struct firesteel_bytes input; /* less than the modulus */
	struct firesteel_output result; /* at least as long as the modulus */
};

/* ---- elliptic curves ---- */

enum firesteel_curve_name {
	FIRESTEEL_CURVE_LOADED, /* any curve over a prime field, given by its parameters */
	FIRESTEEL_P192,
	FIRESTEEL_P256,
	FIRESTEEL_P384,
	FIRESTEEL_P521,
	FIRESTEEL_CURVE25519, /* in capabilities only: X25519 and Ed25519 */
};

/* A curve y^2 = x^3 + ax + b over the integers modulo p, with a point of prime order n */
struct firesteel_curve_parameters {
	struct firesteel_bytes p, a, b, gx, gy, n;
};

struct firesteel_curve {
	enum firesteel_curve_name name;
	const struct firesteel_curve_parameters *parameters; /* of FIRESTEEL_CURVE_LOADED */
};

/*
 * An ECDSA signature of a digest; if the digest is longer than n, its leftmost bits are used.
 *
 * `nonce`, if it is not empty, is k: between 1 and n - 1, random, and never used again.  Otherwise
 * the library computes it from secret, digest and fresh randomness (RFC 6979 with the addition of
 * its section 3.6, by HMAC-SHA-512), without a system call.
 *
 * FIRESTEEL_CHECK: `public_x` and `public_y` must be given; the signature is verified before it is
 * returned.
 */
struct firesteel_ecdsa_sign {
	struct firesteel_curve curve;
	struct firesteel_bytes secret;
	struct firesteel_bytes digest;
	struct firesteel_bytes nonce; /* may be empty */
	struct firesteel_bytes public_x, public_y; /* for FIRESTEEL_CHECK */
	struct firesteel_output r, s; /* at least as long as n */
};

/* FIRESTEEL_ERROR_SIGNATURE: the signature is wrong, or r or s is out of range.
 * FIRESTEEL_ERROR_REFUSED: the key is not a point on the curve. */
struct firesteel_ecdsa_verify {
	struct firesteel_curve curve;
	struct firesteel_bytes public_x, public_y;
	struct firesteel_bytes digest;
	struct firesteel_bytes r, s;
};

/*
 * secret * (peer_x, peer_y), after a check that the peer's point is on the curve.
 * Refused: a point that is not on the curve, and a result at infinity or of zeros.  `y` may have
 * size 0.
 */
struct firesteel_ecdh {
	struct firesteel_curve curve;
	struct firesteel_bytes secret;
	struct firesteel_bytes peer_x, peer_y;
	struct firesteel_output x, y; /* at least as long as p */
};

/* secret * G: the public key */
struct firesteel_ec_public {
	struct firesteel_curve curve;
	struct firesteel_bytes secret;
	struct firesteel_output x, y; /* at least as long as p */
};

/* ---- Curve25519: little-endian, as in the RFCs; everything but the message has 32 bytes ---- */

/*
 * RFC 7748: X25519(secret, peer), which clamps the secret and ignores the peer's highest bit.
 * An empty `peer` means the base point, 9, which yields a public key.
 * Refused: a result of zeros.
 */
struct firesteel_x25519 {
	struct firesteel_bytes secret;
	struct firesteel_bytes peer; /* may be empty */
	struct firesteel_output result;
};

/* RFC 8032: the public key of a secret key (seed) */
struct firesteel_ed25519_public {
	struct firesteel_bytes secret;
	struct firesteel_output result;
};

/*
 * RFC 8032, 5.1.6.  `public_key` must belong to the secret; if it is empty the library computes it
 * by another operation.  FIRESTEEL_CHECK: the signature is verified before it is returned.
 */
struct firesteel_ed25519_sign {
	struct firesteel_bytes secret;
	struct firesteel_bytes public_key; /* may be empty */
	struct firesteel_bytes message; /* of any length; hashed by the processor */
	struct firesteel_output signature; /* 64 bytes */
};

/*
 * RFC 8032, 5.1.7 without the cofactor.  FIRESTEEL_ERROR_SIGNATURE: the signature does not verify
 * for any reason, such as an R that is not canonical or an S that is not less than the order.
 * FIRESTEEL_ERROR_ABSENT leaves two cases to software: a key that is not canonical, on which
 * implementations differ, and a key or an R whose x is 0.
 */
struct firesteel_ed25519_verify {
	struct firesteel_bytes public_key;
	struct firesteel_bytes message;
	struct firesteel_bytes signature; /* 64 bytes */
};

#endif
