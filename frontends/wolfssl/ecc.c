/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "ecc.h"

#include <string.h>

/* ---- keys ---- */

static enum firesteel_curve_name curve_of(const ecc_key *key)
{
	switch (key->dp ? key->dp->id : ECC_CURVE_INVALID) {
	case ECC_SECP192R1:
		return FIRESTEEL_P192;
	case ECC_SECP256R1:
		return FIRESTEEL_P256;
	case ECC_SECP384R1:
		return FIRESTEEL_P384;
	case ECC_SECP521R1:
		return FIRESTEEL_P521;
	default:
		return FIRESTEEL_CURVE_LOADED;
	}
}

bool fsw_ecc_take(struct fsw_ecc_key *taken, ecc_key *key)
{
	byte(*bytes)[FSW_ECC_SIZE_MAX] = taken->bytes;
	word32 size[] = { FSW_ECC_SIZE_MAX, FSW_ECC_SIZE_MAX, FSW_ECC_SIZE_MAX };

	*taken = (struct fsw_ecc_key){ .curve = curve_of(key) };
	if (taken->curve == FIRESTEEL_CURVE_LOADED)
		return false;
	taken->size = (size_t)key->dp->size;
	if (key->type != ECC_PUBLICKEY && wc_ecc_export_private_only(key, bytes[0], &size[0]) == 0)
		taken->secret = (struct firesteel_bytes){ bytes[0], size[0] };
	if (key->type != ECC_PRIVATEKEY_ONLY &&
	    wc_ecc_export_public_raw(key, bytes[1], &size[1], bytes[2], &size[2]) == 0) {
		taken->x = (struct firesteel_bytes){ bytes[1], size[1] };
		taken->y = (struct firesteel_bytes){ bytes[2], size[2] };
	}
	return true;
}

/* How much more software needs than on the curve of the trials, P-256 */
static uint64_t effort(const struct fsw_ecc_key *key)
{
	return FSC_EFFORT * key->size * key->size / (32 * 32);
}

/* ---- ECDSA ---- */

struct firesteel_request fsw_ecdsa_sign_request(const struct fsw_ecc_key *key, const byte *digest,
						size_t size, byte *r, byte *s)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ecdsa_sign = { .curve = { .name = key->curve },
				.secret = key->secret,
				.digest = { digest, size },
				.public_x = key->x,
				.public_y = key->y,
				.r = { r, key->size },
				.s = { s, key->size } },
	};
}

struct firesteel_request fsw_ecdsa_verify_request(const struct fsw_ecc_key *key, const byte *digest,
						  size_t size, const byte *r, const byte *s)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDSA_VERIFY,
		.ecdsa_verify = { .curve = { .name = key->curve },
				  .public_x = key->x,
				  .public_y = key->y,
				  .digest = { digest, size },
				  .r = { r, key->size },
				  .s = { s, key->size } },
	};
}

/* Whether the nonce is to be random, as the library's is */
#if defined(WOLFSSL_ECDSA_SET_K) || defined(WOLFSSL_ECDSA_SET_K_ONE_LOOP)
static bool nonce_is_random(const ecc_key *key)
{
	(void)key;
	return false; /* any key may have one that was set */
}
#elif defined(WOLFSSL_ECDSA_DETERMINISTIC_K) || defined(WOLFSSL_ECDSA_DETERMINISTIC_K_VARIANT)
static bool nonce_is_random(const ecc_key *key)
{
	return !key->deterministic;
}
#else
static bool nonce_is_random(const ecc_key *key)
{
	(void)key;
	return true;
}
#endif

/* The core verifies a signature before it is returned: a wrong one may reveal the key */
int fsw_ecdsa_sign(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ECDSA_SIGN;
	byte r[FSW_ECC_SIZE_MAX], s[FSW_ECC_SIZE_MAX];
	struct firesteel_request request;
	struct fsw_ecc_key key;
	int error;

	if (!nonce_is_random(info->pk.eccsign.key) || !fsw_ecc_take(&key, info->pk.eccsign.key) ||
	    key.secret.size == 0 || key.x.size == 0)
		return fsw_unfit(device, work);
	request = fsw_ecdsa_sign_request(&key, info->pk.eccsign.in, info->pk.eccsign.inlen, r, s);
	error = fsw_do(device, work, &request, effort(&key));
	if (!error && wc_ecc_rs_raw_to_sig(r, (word32)key.size, s, (word32)key.size,
					   info->pk.eccsign.out, info->pk.eccsign.outlen) != 0)
		error = CRYPTOCB_UNAVAILABLE; /* wolfCrypt says what is wrong with the memory */
	firesteel_wipe(&key, sizeof(key));
	return error;
}

static bool put_left(byte number[FSW_ECC_SIZE_MAX], word32 has, size_t size)
{
	if (has > size)
		return false;
	memmove(number + size - has, number, has);
	memset(number, 0, size - has);
	return true;
}

int fsw_ecdsa_verify(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ECDSA_VERIFY;
	byte r[FSW_ECC_SIZE_MAX], s[FSW_ECC_SIZE_MAX];
	word32 r_size = sizeof(r), s_size = sizeof(s);
	struct firesteel_request request;
	struct fsw_ecc_key key;
	int error;

	if (!fsw_ecc_take(&key, info->pk.eccverify.key) || key.x.size == 0 ||
	    wc_ecc_sig_to_rs(info->pk.eccverify.sig, info->pk.eccverify.siglen, r, &r_size, s,
			     &s_size) != 0 ||
	    !put_left(r, r_size, key.size) || !put_left(s, s_size, key.size))
		return fsw_unfit(device, work);
	request = fsw_ecdsa_verify_request(&key, info->pk.eccverify.hash,
					   info->pk.eccverify.hashlen, r, s);
	error = fsw_do(device, work, &request, effort(&key));
	if (!error)
		*info->pk.eccverify.res = 1;
	firesteel_wipe(&key, sizeof(key));
	return error;
}

/* ---- ECDH ---- */

struct firesteel_request fsw_ecdh_request(const struct fsw_ecc_key *key,
					  const struct fsw_ecc_key *peer, byte *x)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ECDH,
		.ecdh = { .curve = { .name = key->curve },
			  .secret = key->secret,
			  .peer_x = peer->x,
			  .peer_y = peer->y,
			  .x = { x, key->size } },
	};
}

int fsw_ecdh(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ECDH;
	struct firesteel_request request;
	struct fsw_ecc_key key, peer;
	int error;

	if (!fsw_ecc_take(&key, info->pk.ecdh.private_key) ||
	    !fsw_ecc_take(&peer, info->pk.ecdh.public_key) || key.curve != peer.curve ||
	    key.secret.size == 0 || peer.x.size == 0 || *info->pk.ecdh.outlen < key.size)
		return fsw_unfit(device, work);
	request = fsw_ecdh_request(&key, &peer, info->pk.ecdh.out);
	error = fsw_do(device, work, &request, effort(&key));
	if (!error)
		*info->pk.ecdh.outlen = (word32)key.size;
	firesteel_wipe(&key, sizeof(key));
	firesteel_wipe(&peer, sizeof(peer));
	return error;
}

/* ---- new keys ---- */

struct firesteel_request fsw_ec_key_request(const struct fsw_ecc_key *key, byte *x, byte *y)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_EC_PUBLIC,
		.ec_public = { .curve = { .name = key->curve },
			       .secret = key->secret,
			       .x = { x, key->size },
			       .y = { y, key->size } },
	};
}

/* A random number from 1 to the order less 1, by wolfCrypt */
static bool make_secret(struct fsw_ecc_key *made, ecc_key *key, WC_RNG *rng)
{
	mp_int order, secret;
	int size = (int)made->size;
	bool good;

	if (mp_init_multi(&order, &secret, NULL, NULL, NULL, NULL) != 0)
		return false;
	good = mp_read_radix(&order, key->dp->order, MP_RADIX_HEX) == 0 &&
	       wc_ecc_gen_k(rng, size, &secret, &order) == 0 &&
	       mp_to_unsigned_bin_len(&secret, made->bytes[0], size) == 0;
	mp_forcezero(&secret);
	made->secret = (struct firesteel_bytes){ made->bytes[0], made->size };
	return good;
}

int fsw_ec_key(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_EC_KEY;
	ecc_key *key = info->pk.eckg.key;
	struct fsw_ecc_key made = { .curve = curve_of(key) };
	struct firesteel_request request;
	int error = CRYPTOCB_UNAVAILABLE;

	if (made.curve == FIRESTEEL_CURVE_LOADED)
		return fsw_unfit(device, work);
	made.size = (size_t)key->dp->size;
	if (!make_secret(&made, key, info->pk.eckg.rng))
		return fsw_unfit(device, work);
	request = fsw_ec_key_request(&made, made.bytes[1], made.bytes[2]);
	if (fsw_do(device, work, &request, effort(&made)) == 0 &&
	    wc_ecc_import_unsigned(key, made.bytes[1], made.bytes[2], made.bytes[0], key->dp->id) ==
		    0)
		error = 0;
	firesteel_wipe(&made, sizeof(made));
	return error;
}
