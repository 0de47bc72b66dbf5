/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trials of elliptic curves, on one curve, with keys that are made for it: software verifies what the
 * core signs, the core what software signs and not another digest; and both agree on a secret.
 */
#include "public-key/ec-trial.h"

#include "keys/kinds.h"
#include "public-key/ecdh.h"
#include "public-key/ecdsa.h"

#define ROUNDS      3u
#define DIGEST_SIZE 32u
#define DER_MAX     (3 * FSP_EC_SIZE_MAX)

struct trial {
	struct fsp_provider *provider;
	EVP_PKEY *key, *peer; /* software's */
	struct fsp_key *ours, *our_peer; /* the same ones */
	struct fsp_ec *ec, *peer_ec; /* their components */
	uint8_t digest[DIGEST_SIZE];
};

static EVP_PKEY *make_key(struct fsp_provider *provider)
{
	const char *curve = fsp_ec_trial_curve(provider);

	return curve ? EVP_PKEY_Q_keygen(provider->library, FSP_SOFTWARE, "EC", curve) : NULL;
}

static void end(struct trial *trial)
{
	fsp_key_drop(trial->ours);
	fsp_key_drop(trial->our_peer);
	EVP_PKEY_free(trial->key);
	EVP_PKEY_free(trial->peer);
}

static bool begin(struct trial *trial, struct fsp_provider *provider, bool both)
{
	*trial = (struct trial){ .provider = provider, .key = make_key(provider) };
	for (unsigned i = 0; i < DIGEST_SIZE; i++)
		trial->digest[i] = (uint8_t)(i * 167 + 13);
	if (trial->key && (trial->ours = fsp_key_like(provider, &fsp_key_ec_kind, trial->key)))
		trial->ec = fsp_key_components(trial->ours);
	if (both && (trial->peer = make_key(provider)) &&
	    (trial->our_peer = fsp_key_like(provider, &fsp_key_ec_kind, trial->peer)))
		trial->peer_ec = fsp_key_components(trial->our_peer);
	if (trial->ec && (!both || trial->peer_ec))
		return true;
	end(trial);
	return false;
}

/* ---- software ---- */

/* Of so many, the best time goes to *took */
static bool soft_sign(const struct trial *trial, unsigned rounds, uint8_t der[DER_MAX],
		      size_t *size, int64_t *took)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(trial->provider->library, trial->key,
							   FSP_SOFTWARE);
	bool good = context && EVP_PKEY_sign_init(context) > 0;

	for (unsigned i = 0; i < rounds && good; i++) {
		int64_t from = fsc_trial_now();

		*size = DER_MAX;
		good = EVP_PKEY_sign(context, der, size, trial->digest, DIGEST_SIZE) > 0;
		fsc_trial_best(from, i, took);
	}
	EVP_PKEY_CTX_free(context);
	return good;
}

/* 1, 0, or less: it could not be tried */
static int soft_verify(const struct trial *trial, unsigned rounds, const uint8_t *der, size_t size,
		       int64_t *took)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(trial->provider->library, trial->key,
							   FSP_SOFTWARE);
	int verdict = context && EVP_PKEY_verify_init(context) > 0 ? 1 : -1;

	for (unsigned i = 0; i < rounds && verdict > 0; i++) {
		int64_t from = fsc_trial_now();

		verdict = EVP_PKEY_verify(context, der, size, trial->digest, DIGEST_SIZE);
		fsc_trial_best(from, i, took);
	}
	EVP_PKEY_CTX_free(context);
	return verdict;
}

static bool soft_derive(const struct trial *trial, uint8_t *out, int64_t *took)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(trial->provider->library, trial->key,
							   FSP_SOFTWARE);
	bool good = context && EVP_PKEY_derive_init(context) > 0 &&
		    EVP_PKEY_derive_set_peer(context, trial->peer) > 0;

	for (unsigned i = 0; i < ROUNDS && good; i++) {
		int64_t from = fsc_trial_now();
		size_t size = FSP_EC_SIZE_MAX;

		good = EVP_PKEY_derive(context, out, &size) > 0 && size == trial->ec->size;
		fsc_trial_best(from, i, took);
	}
	EVP_PKEY_CTX_free(context);
	return good;
}

/* ---- both ---- */

/* Whether the core rejects a signature of another digest, as a verifier must */
static enum fsc_trial refuses(struct trial *trial, const uint8_t *r, const uint8_t *s)
{
	const struct firesteel_bytes digest = { trial->digest, DIGEST_SIZE };
	const struct firesteel_request request = fsp_ecdsa_verify_request(trial->ec, digest, r, s);
	int error;

	trial->digest[0] ^= 1;
	error = firesteel_run(trial->provider->device, &request);
	trial->digest[0] ^= 1;
	if (error == FIRESTEEL_ERROR_SIGNATURE)
		return FSC_TRIAL_GOOD;
	return error == FIRESTEEL_OK ? FSC_TRIAL_BAD : fsc_trial_failed(error);
}

static enum fsc_trial compare_sign(struct trial *trial, int64_t *took)
{
	uint8_t r[FSP_EC_SIZE_MAX], s[FSP_EC_SIZE_MAX], der[DER_MAX];
	const struct firesteel_bytes digest = { trial->digest, DIGEST_SIZE };
	const struct firesteel_request request = fsp_ecdsa_sign_request(trial->ec, digest, r, s);
	int error = firesteel_run(trial->provider->device, &request);
	int64_t ignored;
	int verdict = -1;
	size_t size;

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (fsp_ecdsa_encode(trial->ec, r, s, der, &size))
		verdict = soft_verify(trial, 1, der, size, &ignored);
	if (verdict < 0 || !soft_sign(trial, ROUNDS, der, &size, took))
		return FSC_TRIAL_NONE;
	return verdict > 0 ? refuses(trial, r, s) : FSC_TRIAL_BAD;
}

static enum fsc_trial compare_verify(struct trial *trial, int64_t *took)
{
	uint8_t r[FSP_EC_SIZE_MAX], s[FSP_EC_SIZE_MAX], der[DER_MAX];
	const struct firesteel_bytes digest = { trial->digest, DIGEST_SIZE };
	const struct firesteel_request request = fsp_ecdsa_verify_request(trial->ec, digest, r, s);
	int64_t ignored;
	size_t size;
	int error;

	if (!soft_sign(trial, 1, der, &size, &ignored) ||
	    !fsp_ecdsa_decode(trial->ec, der, size, r, s) ||
	    soft_verify(trial, ROUNDS, der, size, took) <= 0)
		return FSC_TRIAL_NONE;
	error = firesteel_run(trial->provider->device, &request);
	return error == FIRESTEEL_OK ? refuses(trial, r, s) : fsc_trial_failed(error);
}

static enum fsc_trial compare_derive(const struct trial *trial, int64_t *took)
{
	uint8_t here[FSP_EC_SIZE_MAX], there[FSP_EC_SIZE_MAX];
	const struct firesteel_request request = fsp_ecdh_request(trial->ec, trial->peer_ec, there);
	int error = firesteel_run(trial->provider->device, &request);
	enum fsc_trial verdict = FSC_TRIAL_NONE;

	if (error != FIRESTEEL_OK)
		verdict = fsc_trial_failed(error);
	else if (soft_derive(trial, here, took))
		verdict = fsc_trial_compare(there, here, trial->ec->size);
	firesteel_wipe(here, sizeof(here));
	firesteel_wipe(there, sizeof(there));
	return verdict;
}

enum fsc_trial fsp_ec_trial(struct fsp_provider *provider, enum fsp_task task, int64_t *software_ns)
{
	struct trial trial;
	enum fsc_trial verdict;

	if (!begin(&trial, provider, task == FSP_TASK_ECDH))
		return FSC_TRIAL_NONE;
	if (task == FSP_TASK_ECDSA_SIGN)
		verdict = compare_sign(&trial, software_ns);
	else if (task == FSP_TASK_ECDSA_VERIFY)
		verdict = compare_verify(&trial, software_ns);
	else
		verdict = compare_derive(&trial, software_ns);
	end(&trial);
	return verdict;
}
