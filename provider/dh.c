/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman: the exchange on the core.
 *
 * libcrypto checks a peer's key twice: when it is given (our keys' validate, which is software's), and
 * software again when it derives.  The library refuses 0, 1 and the prime less one; a key of a group
 * that tells its order, and that is no named one, has to be raised to it: that is software's.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>

#include "dh.h"
#include "key-table.h"

/* ---- the key ---- */

void fsp_dh_components_free(void *opaque)
{
	struct fsp_dh *dh = opaque;

	if (!dh)
		return;
	fsp_key_cleanse(&dh->prime, 1);
	fsp_key_cleanse(&dh->generator, 1);
	fsp_key_cleanse(&dh->order, 1);
	fsp_key_cleanse(&dh->secret, 1);
	fsp_key_cleanse(&dh->public, 1);
	fsp_cleanse(dh, sizeof(*dh));
}

static bool has_name(const EVP_PKEY *software)
{
	char name[80];
	size_t size;
	bool named;

	ERR_set_mark();
	named = EVP_PKEY_get_group_name(software, name, sizeof(name), &size) && size > 0;
	ERR_pop_to_mark();
	return named;
}

void *fsp_dh_components_new(struct fsp_provider *provider, EVP_PKEY *software)
{
	static const char *const names[] = { OSSL_PKEY_PARAM_FFC_P, OSSL_PKEY_PARAM_FFC_G,
					     OSSL_PKEY_PARAM_FFC_Q, OSSL_PKEY_PARAM_PRIV_KEY,
					     OSSL_PKEY_PARAM_PUB_KEY };
	struct firesteel_bytes components[5];
	struct fsp_dh *dh = OPENSSL_zalloc(sizeof(*dh));

	(void)provider;
	if (!dh ||
	    !fsp_key_read(software, names, 5, (size_t)EVP_PKEY_get_size(software), components)) {
		OPENSSL_free(dh);
		return NULL;
	}
	dh->prime = components[0];
	dh->generator = components[1];
	dh->order = components[2];
	dh->secret = components[3];
	dh->public = components[4];
	dh->bits = (size_t)EVP_PKEY_get_bits(software);
	dh->size = (dh->bits + 7) / 8;
	dh->safe = has_name(software) && EVP_PKEY_is_a(software, "DH");
	if (dh->prime.size > 0 && dh->prime.size == dh->size)
		return dh;
	fsp_dh_components_free(dh);
	return NULL;
}

bool fsp_dh_tell(const void *components, OSSL_PARAM *param)
{
	const struct fsp_dh *dh = components;
	const struct {
		const char *name;
		struct firesteel_bytes number;
	} told[] = {
		{ OSSL_PKEY_PARAM_FFC_P, dh->prime },
		{ OSSL_PKEY_PARAM_FFC_G, dh->generator },
		{ OSSL_PKEY_PARAM_PUB_KEY, dh->public },
	};

	if (param->data_type != OSSL_PARAM_UNSIGNED_INTEGER || !param->data)
		return false;
	for (unsigned i = 0; i < sizeof(told) / sizeof(*told); i++) {
		if (strcmp(param->key, told[i].name) != 0)
			continue;
		if (told[i].number.size == 0 || told[i].number.size > param->data_size)
			return false;
		fsp_key_native(told[i].number, param->data, param->data_size);
		param->return_size = param->data_size;
		return true;
	}
	return false;
}

/* ---- the exchange ---- */

/* How much more software needs than for the trial's: it squares once for each bit of the exponent,
 * and a product takes nearly as long as the square of its bits */
uint64_t fsp_dh_effort(const struct fsp_dh *dh, size_t exponent)
{
	uint64_t bits = dh->bits;

	return FSP_EFFORT * bits / 1024 * (bits + 1024) / 2048 * (8 * exponent) / 256;
}

static bool fit(const struct fsp_dh *dh)
{
	return dh && dh->bits >= FSP_DH_BITS_MIN && dh->secret.size > 0 &&
	       (dh->order.size == 0 || dh->safe);
}

/* All that is needed of a peer's key, which is used once */
static bool read_public(const struct fsp_key *peer, const struct fsp_dh *dh,
			struct firesteel_bytes *public)
{
	static const char *const name[] = { OSSL_PKEY_PARAM_PUB_KEY };

	return fsp_key_read(peer->software, name, 1, dh->size, public) && public->size > 0;
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

	return fsp_task_wanted(provider, FSP_TASK_DH, &request, dh->bits,
			       fsp_dh_effort(dh, dh->secret.size)) &&
	       fsp_task_run(provider, FSP_TASK_DH, &request, dh->bits) == FIRESTEEL_OK;
}

static bool derive(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity)
{
	const struct fsp_dh *dh = fsp_key_components(exchange->key);
	struct firesteel_bytes public;
	bool done;

	if (!fit(dh) || capacity < dh->size || fsp_exchange_derives(exchange) ||
	    !read_public(exchange->peer, dh, &public)) {
		fsp_task_unfit(exchange->provider, FSP_TASK_DH);
		return false;
	}
	done = power(exchange->provider, dh, public, out);
	fsp_key_cleanse(&public, 1);
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
		int64_t from = fsp_task_now();

		BN_CTX_start(context);
		good = trial_power(context, trial);
		BN_CTX_end(context);
		fsp_task_best(from, i, took);
	}
	BN_CTX_free(context);
	return good;
}

enum fsp_trial fsp_dh_trial(struct fsp_provider *provider, int64_t *software_ns)
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

	fill(&trial);
	error = firesteel_run(provider->device, &request);
	if (error == FIRESTEEL_ERROR_INVALID || error == FIRESTEEL_ERROR_ABSENT)
		return FSP_TRIAL_BAD;
	if (error != FIRESTEEL_OK || !software(provider, &trial, software_ns))
		return FSP_TRIAL_NONE;
	return memcmp(trial.here, trial.there, TRIAL_SIZE) == 0 ? FSP_TRIAL_GOOD : FSP_TRIAL_BAD;
}
