/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "curve25519.h"

#include <string.h>

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ed25519.h>

#define SIZE           32u
#define SIGNATURE_SIZE 64u
#define ROUNDS         3u

/* A new key takes one multiplication of the base point, for which software may have tables */
#define KEY_EFFORT (FSC_EFFORT / 4)

/* ---- X25519 ---- */

/* An empty `peer` is the base point */
static struct firesteel_request x25519_request(const byte *secret, struct firesteel_bytes peer,
					       byte *result)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_X25519,
		.x25519 = { .secret = { secret, SIZE }, .peer = peer, .result = { result, SIZE } },
	};
}

static void turn(byte bytes[SIZE])
{
	for (unsigned i = 0; i < SIZE / 2; i++) {
		byte other = bytes[i];

		bytes[i] = bytes[SIZE - 1 - i];
		bytes[SIZE - 1 - i] = other;
	}
}

int fsw_x25519(struct fsw_device *device, wc_CryptoInfo *info)
{
	byte secret[SIZE], peer[SIZE], result[SIZE];
	word32 secret_size = SIZE, peer_size = SIZE;
	const struct firesteel_request request = x25519_request(
		secret, (struct firesteel_bytes){ peer, SIZE }, result);
	int error = CRYPTOCB_UNAVAILABLE;

	if (wc_curve25519_export_private_raw_ex(info->pk.curve25519.private_key, secret,
						&secret_size, EC25519_LITTLE_ENDIAN) == 0 &&
	    wc_curve25519_export_public_ex(info->pk.curve25519.public_key, peer, &peer_size,
					   EC25519_LITTLE_ENDIAN) == 0)
		error = fsw_do(device, FIRESTEEL_WOLFSSL_X25519, &request, FSC_EFFORT);
	if (!error) {
		if (info->pk.curve25519.endian == EC25519_BIG_ENDIAN)
			turn(result);
		memcpy(info->pk.curve25519.out, result, SIZE);
		*info->pk.curve25519.outlen = SIZE;
	}
	firesteel_wipe(secret, sizeof(secret));
	firesteel_wipe(result, sizeof(result));
	return error;
}

int fsw_x25519_key(struct fsw_device *device, wc_CryptoInfo *info)
{
	byte secret[SIZE], public[SIZE];
	const struct firesteel_request request = x25519_request(
		secret, (struct firesteel_bytes){ NULL, 0 }, public);
	int error = CRYPTOCB_UNAVAILABLE;

	if (wc_curve25519_make_priv(info->pk.curve25519kg.rng, info->pk.curve25519kg.size,
				    secret) == 0)
		error = fsw_do(device, FIRESTEEL_WOLFSSL_X25519, &request, KEY_EFFORT);
	if (!error && wc_curve25519_import_private_raw_ex(secret, SIZE, public, SIZE,
							  info->pk.curve25519kg.key,
							  EC25519_LITTLE_ENDIAN) != 0)
		error = CRYPTOCB_UNAVAILABLE;
	firesteel_wipe(secret, sizeof(secret));
	return error;
}

/* wolfCrypt's time for exchanges with keys that hold nothing yet, and their result */
static int64_t time_exchange(curve25519_key *key, curve25519_key *other, const byte *secret,
			     const byte *peer, byte *result)
{
	int64_t best = -1;
	int error = wc_curve25519_import_private_ex(secret, SIZE, key, EC25519_LITTLE_ENDIAN);

	if (!error)
		error = wc_curve25519_import_public_ex(peer, SIZE, other, EC25519_LITTLE_ENDIAN);
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();
		word32 size = SIZE;

		error = wc_curve25519_shared_secret_ex(key, other, result, &size,
						       EC25519_LITTLE_ENDIAN);
		fsc_trial_best(from, i, &best);
	}
	return error ? -1 : best;
}

/* What wolfCrypt needs for an exchange, and its result; less than 0: it does not do it */
static int64_t soft_exchange(const byte *secret, const byte *peer, byte *result)
{
	curve25519_key key, other;
	int64_t best = -1;

	if (wc_curve25519_init_ex(&key, NULL, INVALID_DEVID) != 0)
		return -1;
	if (wc_curve25519_init_ex(&other, NULL, INVALID_DEVID) == 0) {
		best = time_exchange(&key, &other, secret, peer, result);
		wc_curve25519_free(&other);
	}
	wc_curve25519_free(&key);
	return best;
}

enum fsc_trial fsw_x25519_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				int64_t *software_ns)
{
	byte secret[SIZE], peer[SIZE], core[SIZE], software[SIZE];
	const struct firesteel_request request = x25519_request(
		secret, (struct firesteel_bytes){ peer, SIZE }, core);
	int error;

	(void)work; /* there is one */
	for (unsigned i = 0; i < SIZE; i++) {
		secret[i] = (byte)(i * 29 + 0x83);
		peer[i] = (byte)(i * 41 + 0x11);
	}
	peer[SIZE - 1] &= 0x7f;
	error = firesteel_run(device->core, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	*software_ns = soft_exchange(secret, peer, software);
	return *software_ns < 0 ? FSC_TRIAL_NONE : fsc_trial_compare(core, software, SIZE);
}

/* ---- Ed25519 ---- */

static struct firesteel_request sign_request(const byte *secret, const byte *public,
					     struct firesteel_bytes message, byte *signature)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ED25519_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ed25519_sign = { .secret = { secret, SIZE },
				  .public_key = { public, SIZE },
				  .message = message,
				  .signature = { signature, SIGNATURE_SIZE } },
	};
}

static struct firesteel_request verify_request(const byte *public, struct firesteel_bytes message,
					       const byte *signature)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ED25519_VERIFY,
		.ed25519_verify = { .public_key = { public, SIZE },
				    .message = message,
				    .signature = { signature, SIGNATURE_SIZE } },
	};
}

int fsw_ed25519_sign(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ED25519_SIGN;
	ed25519_key *key = info->pk.ed25519sign.key;
	const struct firesteel_bytes message = { info->pk.ed25519sign.in,
						 info->pk.ed25519sign.inLen };
	byte signature[SIGNATURE_SIZE];
	const struct firesteel_request request = sign_request(key->k, key->p, message, signature);

	if (info->pk.ed25519sign.type != (byte)Ed25519 || !key->pubKeySet || !key->privKeySet ||
	    *info->pk.ed25519sign.outLen < SIGNATURE_SIZE)
		return fsw_unfit(device, work);
	if (fsw_do(device, work, &request, FSC_EFFORT) != 0)
		return CRYPTOCB_UNAVAILABLE;
	memcpy(info->pk.ed25519sign.out, signature, SIGNATURE_SIZE);
	*info->pk.ed25519sign.outLen = SIGNATURE_SIZE;
	return 0;
}

int fsw_ed25519_verify(struct fsw_device *device, wc_CryptoInfo *info)
{
	const enum firesteel_wolfssl_work work = FIRESTEEL_WOLFSSL_ED25519_VERIFY;
	ed25519_key *key = info->pk.ed25519verify.key;
	const struct firesteel_bytes message = { info->pk.ed25519verify.msg,
						 info->pk.ed25519verify.msgLen };
	const struct firesteel_request request = verify_request(key->p, message,
								info->pk.ed25519verify.sig);

	if (info->pk.ed25519verify.type != (byte)Ed25519 || !key->pubKeySet ||
	    info->pk.ed25519verify.sigLen != SIGNATURE_SIZE)
		return fsw_unfit(device, work);
	if (fsw_do(device, work, &request, FSC_EFFORT) != 0)
		return CRYPTOCB_UNAVAILABLE;
	*info->pk.ed25519verify.res = 1;
	return 0;
}

/* wolfCrypt's signature of a message by a key, which is made from its secret; and what it takes to
 * sign, or to verify.  Less than 0: it does not do it. */
static int64_t soft_signature(ed25519_key *key, const byte *secret, const byte *message,
			      byte *signature, bool sign)
{
	int64_t best = -1;
	int good = 0;
	int error = wc_ed25519_import_private_only(secret, SIZE, key);

	if (!error)
		error = wc_ed25519_make_public(key, key->p, SIZE);
	key->pubKeySet = !error;
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();
		word32 size = SIGNATURE_SIZE;

		if (sign || i == 0)
			error = wc_ed25519_sign_msg(message, SIZE, signature, &size, key);
		if (!sign && !error) {
			from = fsc_trial_now();
			error = wc_ed25519_verify_msg(signature, size, message, SIZE, &good, key);
		}
		fsc_trial_best(from, i, &best);
	}
	return error ? -1 : best;
}

/* Signatures are deterministic, so both sides' are the same; a changed one is no signature */
static enum fsc_trial compare(struct fsw_device *device, ed25519_key *key, const byte *secret,
			      const byte *message, byte *signature, bool sign)
{
	const struct firesteel_bytes bytes = { message, SIZE };
	byte core[SIGNATURE_SIZE];
	struct firesteel_request request = sign_request(secret, key->p, bytes, core);
	int error;

	if (!sign)
		request = verify_request(key->p, bytes, signature);
	error = firesteel_run(device->core, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (sign)
		return fsc_trial_compare(core, signature, SIGNATURE_SIZE);
	signature[0] ^= 1;
	error = firesteel_run(device->core, &request);
	if (error == FIRESTEEL_ERROR_SIGNATURE)
		return FSC_TRIAL_GOOD;
	return error == FIRESTEEL_OK ? FSC_TRIAL_BAD : fsc_trial_failed(error);
}

enum fsc_trial fsw_ed25519_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
				 int64_t *software_ns)
{
	const bool sign = work == FIRESTEEL_WOLFSSL_ED25519_SIGN;
	byte secret[SIZE], message[SIZE], signature[SIGNATURE_SIZE];
	enum fsc_trial found = FSC_TRIAL_NONE;
	ed25519_key key;

	for (unsigned i = 0; i < SIZE; i++) {
		secret[i] = (byte)(i * 29 + 0x83);
		message[i] = (byte)(i * 41 + 0x11);
	}
	if (wc_ed25519_init_ex(&key, NULL, INVALID_DEVID) != 0)
		return FSC_TRIAL_NONE;
	*software_ns = soft_signature(&key, secret, message, signature, sign);
	if (*software_ns >= 0)
		found = compare(device, &key, secret, message, signature, sign);
	wc_ed25519_free(&key);
	return found;
}
