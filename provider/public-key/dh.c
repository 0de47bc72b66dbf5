/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman: the exchange on the core.
 *
 * libcrypto checks a peer's key twice: when it is given (our keys' validate, which is software's), and
 * software again when it derives.  The library refuses 0, 1 and the prime less one; a key of a group
 * that tells its order, and that is no named one, has to be raised to it: that is software's.
 */
#include "public-key/dh.h"

#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>

#include "base/policy.h"
#include "keys/dh.h"
#include "keys/number.h"
#include "keys/power.h"
#include "public-key/exchange.h"

/* ---- the exchange ---- */

static bool fit(const struct fsp_dh *dh)
{
	return dh && dh->bits >= FSP_DH_BITS_MIN && dh->secret.size > 0 && fsp_dh_is_simple(dh) &&
	       fsp_power_is_short(fsp_power_length(dh->bits, 8 * dh->secret.size));
}

/* All that is needed of a peer's key, which is used once */
static bool read_public(const struct fsp_key *peer, const struct fsp_dh *dh,
			struct firesteel_bytes *public)
{
	static const char *const name[] = { OSSL_PKEY_PARAM_PUB_KEY };

	return fsp_numbers_read(peer, name, 1, dh->size, public) && public->size > 0;
}

/* Without padding, leading zeros are removed, as TLS up to 1.2 requires, where their number is no
 * secret */
static size_t strip(uint8_t *out, size_t size)
{
	size_t zeros = 0;

	while (zeros + 1 < size && out[zeros] == 0)
		zeros++;
	memmove(out, out + zeros, size - zeros);
	return size - zeros;
}

static bool power(struct fsp_provider *provider, const struct fsp_dh *dh,
		  struct firesteel_bytes public, uint8_t *out)
{
	const struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { .prime = dh->prime,
			.peer = public,
			.secret = dh->secret,
			.result = { out, dh->size } },
	};

	return fsp_policy_do(provider, FSP_TASK_DH, &request, dh->bits,
			     fsp_dh_effort(dh, dh->secret.size));
}

static bool derive(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity)
{
	const struct fsp_dh *dh = fsp_key_components(exchange->key);
	struct firesteel_bytes public;
	bool done;

	if (!fit(dh) || capacity < dh->size || fsp_exchange_derives(exchange) ||
	    !read_public(exchange->peer, dh, &public)) {
		fsp_policy_unfit(exchange->provider, FSP_TASK_DH);
		return false;
	}
	done = power(exchange->provider, dh, public, out);
	fsp_numbers_cleanse(&public, 1);
	if (done)
		*size = exchange->pad ? dh->size : strip(out, dh->size);
	return done;
}

static const struct fsp_exchange_kind dh_kind = { .name = "DH", .derive = derive };
FSP_EXCHANGE_TABLE(dh);

/* ---- the trial ---- */

#define TRIAL_SIZE     128u
#define TRIAL_EXPONENT 32u
#define TRIAL_ROUNDS   3u

/* An odd number of 1024 bits is as good as a prime for this */
struct trial {
	uint8_t prime[TRIAL_SIZE], peer[TRIAL_SIZE], secret[TRIAL_EXPONENT];
	uint8_t here[TRIAL_SIZE], there[TRIAL_SIZE];
};

static void fill(struct trial *trial)
{
	for (unsigned i = 0; i < TRIAL_SIZE; i++) {
		trial->prime[i] = (uint8_t)(i * 73 + 0xc1);
		trial->peer[i] = (uint8_t)(i * 41 + 0x11);
		trial->secret[i % TRIAL_EXPONENT] = (uint8_t)(i * 29 + 0x83);
	}
	trial->prime[TRIAL_SIZE - 1] |= 1;
}

static bool trial_power(BN_CTX *context, struct trial *trial)
{
	BIGNUM *prime = BN_CTX_get(context), *peer = BN_CTX_get(context);
	BIGNUM *secret = BN_CTX_get(context), *result = BN_CTX_get(context);

	return result && BN_bin2bn(trial->prime, TRIAL_SIZE, prime) &&
	       BN_bin2bn(trial->peer, TRIAL_SIZE, peer) &&
	       BN_bin2bn(trial->secret, TRIAL_EXPONENT, secret) &&
	       BN_mod_exp_mont_consttime(result, peer, secret, prime, context, NULL) &&
	       BN_bn2binpad(result, trial->here, TRIAL_SIZE) >= 0;
}

static bool software(struct fsp_provider *provider, struct trial *trial, int64_t *took)
{
	BN_CTX *context = BN_CTX_new_ex(provider->library);
	bool good = context;

	for (unsigned i = 0; i < TRIAL_ROUNDS && good; i++) {
		int64_t from = fsc_trial_now();

		BN_CTX_start(context);
		good = trial_power(context, trial);
		BN_CTX_end(context);
		fsc_trial_best(from, i, took);
	}
	BN_CTX_free(context);
	return good;
}

enum fsc_trial fsp_dh_trial(struct fsp_provider *provider, enum fsp_task task, int64_t *software_ns)
{
	struct trial trial;
	const struct firesteel_request request = {
		.operation = FIRESTEEL_DH,
		.dh = { .prime = { trial.prime, TRIAL_SIZE },
			.peer = { trial.peer, TRIAL_SIZE },
			.secret = { trial.secret, TRIAL_EXPONENT },
			.result = { trial.there, TRIAL_SIZE } },
	};
	int error;

	(void)task; /* there is one */
	fill(&trial);
	error = firesteel_run(provider->device, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
	if (!software(provider, &trial, software_ns))
		return FSC_TRIAL_NONE;
	return fsc_trial_compare(trial.there, trial.here, TRIAL_SIZE);
}
