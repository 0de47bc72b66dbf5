/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* wolfCrypt verifies what the core signs, the core what wolfCrypt signs and not another digest; and
 * both agree on secrets and public keys. */
#include "ecc-trial.h"

#include <string.h>

#include "ecc.h"

#define ROUNDS      3u
#define SIZE        32u
#define DER_MAX     80u
#define DIGEST_SIZE 32u

struct trial {
	struct firesteel *core;
	WC_RNG rng;
	ecc_key key, peer; /* wolfCrypt's */
	struct fsw_ecc_key taken, taken_peer;
	byte digest[DIGEST_SIZE], der[DER_MAX];
	word32 der_size;
	int64_t *took;
};

static bool make(struct trial *trial, ecc_key *key, struct fsw_ecc_key *taken)
{
	return wc_ecc_make_key_ex(&trial->rng, SIZE, key, ECC_SECP256R1) == 0 &&
	       wc_ecc_set_rng(key, &trial->rng) == 0 && fsw_ecc_take(taken, key);
}

/* ---- wolfCrypt ---- */

static bool soft_sign(struct trial *trial)
{
	int error = 0;

	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();

		trial->der_size = DER_MAX;
		error = wc_ecc_sign_hash(trial->digest, DIGEST_SIZE, trial->der, &trial->der_size,
					 &trial->rng, &trial->key);
		fsc_trial_best(from, i, trial->took);
	}
	return !error;
}

/* 1, 0, or less: it could not be tried */
static int soft_verify(struct trial *trial)
{
	int error = 0, good = 0;

	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();

		error = wc_ecc_verify_hash(trial->der, trial->der_size, trial->digest, DIGEST_SIZE,
					   &good, &trial->key);
		fsc_trial_best(from, i, trial->took);
	}
	return error ? -1 : good;
}

/* ---- both ---- */

/* Whether the core rejects a signature of another digest, as a verifier must */
static enum fsc_trial refuses(struct trial *trial, const byte *r, const byte *s)
{
	const struct firesteel_request request = fsw_ecdsa_verify_request(
		&trial->taken, trial->digest, DIGEST_SIZE, r, s);
	int error;

	trial->digest[0] ^= 1;
	error = firesteel_run(trial->core, &request);
	trial->digest[0] ^= 1;
	if (error == FIRESTEEL_ERROR_SIGNATURE)
		return FSC_TRIAL_GOOD;
	return error == FIRESTEEL_OK ? FSC_TRIAL_BAD : fsc_trial_failed(error);
}

static enum fsc_trial try_sign(struct trial *trial)
{
	byte r[SIZE], s[SIZE];
	const struct firesteel_request request = fsw_ecdsa_sign_request(
		&trial->taken, trial->digest, DIGEST_SIZE, r, s);
	int error = firesteel_run(trial->core, &request), verdict;

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	trial->der_size = DER_MAX;
	if (wc_ecc_rs_raw_to_sig(r, SIZE, s, SIZE, trial->der, &trial->der_size) != 0)
		return FSC_TRIAL_NONE;
	verdict = soft_verify(trial);
	if (verdict < 0 || !soft_sign(trial))
		return FSC_TRIAL_NONE;
	return verdict > 0 ? refuses(trial, r, s) : FSC_TRIAL_BAD;
}

static enum fsc_trial try_verify(struct trial *trial)
{
	byte r[SIZE], s[SIZE];
	const struct firesteel_request request = fsw_ecdsa_verify_request(
		&trial->taken, trial->digest, DIGEST_SIZE, r, s);
	word32 r_size = SIZE, s_size = SIZE;
	int error;

	/* Until both numbers have all of their bytes */
	do {
		r_size = s_size = SIZE;
		if (!soft_sign(trial) ||
		    wc_ecc_sig_to_rs(trial->der, trial->der_size, r, &r_size, s, &s_size) != 0)
			return FSC_TRIAL_NONE;
	} while (r_size != SIZE || s_size != SIZE);
	if (soft_verify(trial) <= 0)
		return FSC_TRIAL_NONE;
	error = firesteel_run(trial->core, &request);
	return error == FIRESTEEL_OK ? refuses(trial, r, s) : fsc_trial_failed(error);
}

/* wolfCrypt remembers multiples of points that come again (FP_ECC): so each round has a new peer, as a
 * server has */
static bool soft_exchange(struct trial *trial, byte *secret)
{
	bool good = true;

	for (unsigned i = 0; i < ROUNDS && good; i++) {
		word32 size = SIZE;
		int64_t from;

		wc_ecc_free(&trial->peer);
		if (wc_ecc_init_ex(&trial->peer, NULL, INVALID_DEVID) != 0 ||
		    !make(trial, &trial->peer, &trial->taken_peer))
			return false;
		from = fsc_trial_now();
		good = wc_ecc_shared_secret(&trial->key, &trial->peer, secret, &size) == 0;
		fsc_trial_best(from, i, trial->took);
	}
	return good;
}

static enum fsc_trial try_exchange(struct trial *trial)
{
	byte core[SIZE], software[SIZE];
	struct firesteel_request request;
	int error;

	if (!soft_exchange(trial, software))
		return FSC_TRIAL_NONE;
	request = fsw_ecdh_request(&trial->taken, &trial->taken_peer, core);
	error = firesteel_run(trial->core, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	return fsc_trial_compare(core, software, SIZE);
}

static enum fsc_trial try_key(struct trial *trial)
{
	byte x[SIZE], y[SIZE];
	const struct firesteel_request request = fsw_ec_key_request(&trial->taken, x, y);
	int error = firesteel_run(trial->core, &request);

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	for (unsigned i = 0; i < ROUNDS && !error; i++) {
		int64_t from = fsc_trial_now();

		error = wc_ecc_make_key_ex(&trial->rng, SIZE, &trial->peer, ECC_SECP256R1);
		fsc_trial_best(from, i, trial->took);
		/* A key that is made twice loses memory */
		wc_ecc_free(&trial->peer);
		if (!error)
			error = wc_ecc_init_ex(&trial->peer, NULL, INVALID_DEVID);
	}
	if (error)
		return FSC_TRIAL_NONE;
	if (fsc_trial_compare(x, trial->taken.x.data, SIZE) == FSC_TRIAL_BAD)
		return FSC_TRIAL_BAD;
	return fsc_trial_compare(y, trial->taken.y.data, SIZE);
}

static enum fsc_trial try(struct trial *trial, enum firesteel_wolfssl_work work)
{
	if (!make(trial, &trial->key, &trial->taken))
		return FSC_TRIAL_NONE;
	switch (work) {
	case FIRESTEEL_WOLFSSL_ECDSA_SIGN:
		return try_sign(trial);
	case FIRESTEEL_WOLFSSL_ECDSA_VERIFY:
		return try_verify(trial);
	case FIRESTEEL_WOLFSSL_ECDH:
		return try_exchange(trial);
	default:
		return try_key(trial);
	}
}

enum fsc_trial fsw_ecc_trial(struct fsw_device *device, enum firesteel_wolfssl_work work,
			     int64_t *software_ns)
{
	struct trial trial = { .core = device->core, .took = software_ns };
	enum fsc_trial found = FSC_TRIAL_NONE;

	fsc_trial_fill(trial.digest, DIGEST_SIZE);
	if (wc_InitRng_ex(&trial.rng, NULL, INVALID_DEVID) != 0)
		return FSC_TRIAL_NONE;
	if (wc_ecc_init_ex(&trial.key, NULL, INVALID_DEVID) == 0 &&
	    wc_ecc_init_ex(&trial.peer, NULL, INVALID_DEVID) == 0)
		found = try(&trial, work);
	wc_ecc_free(&trial.key);
	wc_ecc_free(&trial.peer);
	wc_FreeRng(&trial.rng);
	return found;
}
