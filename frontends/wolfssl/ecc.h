/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* ECDSA, ECDH and public keys on the curves of NIST. */
#ifndef FSW_ECC_H
#define FSW_ECC_H

#include "policy.h"

#include <wolfssl/wolfcrypt/ecc.h>

#define FSW_ECC_SIZE_MAX 66u /* bytes of P-521 */

/* A key as the core wants it; size 0: it has no secret, or no public part */
struct fsw_ecc_key {
	enum firesteel_curve_name curve;
	size_t size; /* bytes of its field */
	struct firesteel_bytes secret, x, y;
	byte bytes[3][FSW_ECC_SIZE_MAX];
};

/* Takes a key with what it has; false: the core has no such curve.  Wipe it after use. */
bool fsw_ecc_take(struct fsw_ecc_key *taken, ecc_key *key);

struct firesteel_request fsw_ecdsa_sign_request(const struct fsw_ecc_key *key, const byte *digest,
						size_t size, byte *r, byte *s);
struct firesteel_request fsw_ecdsa_verify_request(const struct fsw_ecc_key *key, const byte *digest,
						  size_t size, const byte *r, const byte *s);
struct firesteel_request fsw_ecdh_request(const struct fsw_ecc_key *key,
					  const struct fsw_ecc_key *peer, byte *x);
struct firesteel_request fsw_ec_key_request(const struct fsw_ecc_key *key, byte *x, byte *y);

/* Do requests of wolfCrypt's: 0, or CRYPTOCB_UNAVAILABLE */
int fsw_ecdsa_sign(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_ecdsa_verify(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_ecdh(struct fsw_device *device, wc_CryptoInfo *info);
int fsw_ec_key(struct fsw_device *device, wc_CryptoInfo *info);

#endif
