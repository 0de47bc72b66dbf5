/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ed25519 on the core.
 *
 * The core always verifies a signature before it is returned: signatures are deterministic, and a
 * wrong one together with the right one of the same message reveals the key.  Software would need
 * longer to verify it than to sign.
 */
#include "public-key/ed25519.h"

#include <string.h>

#include <openssl/err.h>

#include "base/policy.h"
#include "keys/ecx.h"
#include "public-key/signature.h"

#define SIGNATURE_SIZE 64u
/* The library hashes messages by itself, two or three times: libcrypto's code is faster for longer
 * ones */
#define MESSAGE_MAX    16384u

static struct firesteel_request sign_request(const struct fsp_ecx *ecx, const uint8_t *in,
					     size_t size, uint8_t *out)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ED25519_SIGN,
		.flags = FIRESTEEL_CHECK,
		.ed25519_sign = { .secret = { ecx->secret, FSP_ECX_SIZE },
				  .public_key = { ecx->public, FSP_ECX_SIZE },
				  .message = { in, size },
				  .signature = { out, SIGNATURE_SIZE } },
	};
}

static struct firesteel_request verify_request(const struct fsp_ecx *ecx, const uint8_t *in,
					       size_t size, const uint8_t *bytes)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_ED25519_VERIFY,
		.ed25519_verify = { .public_key = { ecx->public, FSP_ECX_SIZE },
				    .message = { in, size },
				    .signature = { bytes, SIGNATURE_SIZE } },
	};
}

/* ---- signing ---- */

static void blame(struct fsp_signature *signature, struct fsp_ecx *ecx)
{
	OSSL_LIB_CTX *library = signature->provider->library;
	uint8_t public[FSP_ECX_SIZE];
	size_t size = FSP_ECX_SIZE;
	EVP_PKEY *again;

	ERR_set_mark();
	again = EVP_PKEY_new_raw_private_key_ex(library, "ED25519", FSP_SOFTWARE, ecx->secret,
						FSP_ECX_SIZE);
	if (again && EVP_PKEY_get_raw_public_key(again, public, &size) > 0)
		fsp_policy_blame(signature->provider, FSP_TASK_ED25519_SIGN,
				 memcmp(public, ecx->public, FSP_ECX_SIZE) == 0, &ecx->broken);
	EVP_PKEY_free(again);
	ERR_pop_to_mark();
}

static bool sign(struct fsp_signature *signature, uint8_t *out, size_t *size, const uint8_t *in,
		 size_t in_size)
{
	struct fsp_ecx *ecx = fsp_key_components(signature->key);
	struct fsp_provider *provider = signature->provider;
	struct firesteel_request request;
	int error;

	if (!ecx || !ecx->has_secret || !ecx->has_public || atomic_load(&ecx->broken) ||
	    !signature->plain || in_size > MESSAGE_MAX) {
		fsp_policy_unfit(provider, FSP_TASK_ED25519_SIGN);
		return false;
	}
	request = sign_request(ecx, in, in_size, out);
	if (!fsp_policy_wants(provider, FSP_TASK_ED25519_SIGN, &request, FSP_ECX_BITS, FSC_EFFORT))
		return false;
	error = fsp_policy_run(provider, FSP_TASK_ED25519_SIGN, &request, FSP_ECX_SIZE);
	if (error == FIRESTEEL_ERROR_CHECK)
		blame(signature, ecx);
	*size = SIGNATURE_SIZE;
	return error == FIRESTEEL_OK;
}

/* ---- verification ---- */

static bool verify(struct fsp_signature *signature, const uint8_t *bytes, size_t size,
		   const uint8_t *in, size_t in_size)
{
	const struct fsp_ecx *ecx = fsp_key_components(signature->key);
	struct fsp_provider *provider = signature->provider;
	struct firesteel_request request;

	if (!ecx || !ecx->has_public || !signature->plain || in_size > MESSAGE_MAX ||
	    size != SIGNATURE_SIZE) {
		fsp_policy_unfit(provider, FSP_TASK_ED25519_VERIFY);
		return false;
	}
	request = verify_request(ecx, in, in_size, bytes);
	return fsp_policy_do(provider, FSP_TASK_ED25519_VERIFY, &request, FSP_ECX_BITS, FSC_EFFORT);
}

static const struct fsp_signature_kind ed25519_kind = {
	.name = "ED25519",
	.whole = true,
	.sign = sign,
	.verify = verify,
};
FSP_SIGNATURE_WHOLE_TABLE(ed25519);

/* ---- the trials ---- */

#define ROUNDS     3u
#define TRIAL_SIZE 48u

struct trial {
	struct fsp_ecx ecx;
	EVP_PKEY *key; /* software's */
	uint8_t message[TRIAL_SIZE], here[SIGNATURE_SIZE], there[SIGNATURE_SIZE];
};

static bool begin(struct trial *trial, struct fsp_provider *provider)
{
	size_t size = FSP_ECX_SIZE;

	for (unsigned i = 0; i < TRIAL_SIZE; i++)
		trial->message[i] = (uint8_t)(i * 73 + 0xc1);
	for (unsigned i = 0; i < FSP_ECX_SIZE; i++)
		trial->ecx.secret[i] = (uint8_t)(i * 29 + 0x83);
	trial->key = EVP_PKEY_new_raw_private_key_ex(provider->library, "ED25519", FSP_SOFTWARE,
						     trial->ecx.secret, FSP_ECX_SIZE);
	return trial->key && EVP_PKEY_get_raw_public_key(trial->key, trial->ecx.public, &size) > 0;
}

/* Signs or verifies what is in `here`, in software */
static bool once(struct trial *trial, struct fsp_provider *provider, bool signs)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	size_t size = SIGNATURE_SIZE;
	bool good;

	if (signs)
		good = context &&
		       EVP_DigestSignInit_ex(context, NULL, NULL, provider->library, FSP_SOFTWARE,
					     trial->key, NULL) > 0 &&
		       EVP_DigestSign(context, trial->here, &size, trial->message, TRIAL_SIZE) > 0;
	else
		good = context &&
		       EVP_DigestVerifyInit_ex(context, NULL, NULL, provider->library, FSP_SOFTWARE,
					       trial->key, NULL) > 0 &&
		       EVP_DigestVerify(context, trial->here, size, trial->message, TRIAL_SIZE) > 0;
	EVP_MD_CTX_free(context);
	return good;
}

static bool software(struct trial *trial, struct fsp_provider *provider, bool signs, int64_t *best)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		int64_t from = fsc_trial_now();

		if (!once(trial, provider, signs))
			return false;
		fsc_trial_best(from, i, best);
	}
	return true;
}

/* Whether the core accepts a signature, and rejects it for another message, as a verifier must */
static enum fsc_trial compare_verify(struct fsp_provider *provider, struct trial *trial)
{
	const struct firesteel_request request = verify_request(&trial->ecx, trial->message,
								TRIAL_SIZE, trial->here);
	int error = firesteel_run(provider->device, &request);

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	trial->message[0] ^= 1;
	error = firesteel_run(provider->device, &request);
	trial->message[0] ^= 1;
	if (error == FIRESTEEL_ERROR_SIGNATURE)
		return FSC_TRIAL_GOOD;
	return error == FIRESTEEL_OK ? FSC_TRIAL_BAD : fsc_trial_failed(error);
}

static enum fsc_trial compare_sign(struct fsp_provider *provider, struct trial *trial)
{
	const struct firesteel_request request = sign_request(&trial->ecx, trial->message,
							      TRIAL_SIZE, trial->there);
	int error = firesteel_run(provider->device, &request);

	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (fsc_trial_compare(trial->there, trial->here, SIGNATURE_SIZE) == FSC_TRIAL_BAD)
		return FSC_TRIAL_BAD;
	return compare_verify(provider, trial);
}

/* Signs in software, which is timed, to compare; or once, for the core to verify */
static enum fsc_trial compare(struct fsp_provider *provider, struct trial *trial, bool signs,
			      int64_t *software_ns)
{
	if (!begin(trial, provider) || (!signs && !once(trial, provider, true)) ||
	    !software(trial, provider, signs, software_ns))
		return FSC_TRIAL_NONE;
	return signs ? compare_sign(provider, trial) : compare_verify(provider, trial);
}

enum fsc_trial fsp_ed25519_trial(struct fsp_provider *provider, enum fsp_task task,
				 int64_t *software_ns)
{
	struct trial trial = { .key = NULL };
	enum fsc_trial verdict = compare(provider, &trial, task == FSP_TASK_ED25519_SIGN,
					 software_ns);

	EVP_PKEY_free(trial.key);
	return verdict;
}
