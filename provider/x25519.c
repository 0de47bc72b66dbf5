/* SPDX-License-Identifier: Apache-2.0 */
/*
 * X25519: the exchange on the core, and keys whose public part it computes.  A peer's key for which the
 * secret is all zeros is refused by the library, and then by software, which says so.
 */
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#include "ecx.h"
#include "key-table.h"

#define SECURITY_BITS 128u

static struct firesteel_request request_of(const uint8_t *secret, const uint8_t *peer, uint8_t *out)
{
	return (struct firesteel_request){
		.operation = FIRESTEEL_X25519,
		.x25519 = { .secret = { secret, FSP_ECX_SIZE },
			    .peer = { peer, peer ? FSP_ECX_SIZE : 0 },
			    .result = { out, FSP_ECX_SIZE } },
	};
}

/* ---- the exchange ---- */

static bool derive(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity)
{
	const struct fsp_ecx *ecx = fsp_key_components(exchange->key);
	const struct fsp_ecx *peer = fsp_key_components(exchange->peer);
	struct fsp_provider *provider = exchange->provider;
	struct firesteel_request request;

	if (!ecx || !peer || !ecx->has_secret || !peer->has_public || capacity < FSP_ECX_SIZE) {
		fsp_task_unfit(provider, FSP_TASK_X25519);
		return false;
	}
	request = request_of(ecx->secret, peer->public, out);
	if (!fsp_task_wanted(provider, FSP_TASK_X25519, &request, FSP_ECX_BITS, FSP_EFFORT) ||
	    fsp_task_run(provider, FSP_TASK_X25519, &request, FSP_ECX_BITS) != FIRESTEEL_OK)
		return false;
	*size = FSP_ECX_SIZE;
	return true;
}

static const struct fsp_exchange_kind x25519_kind = { .name = "X25519", .derive = derive };
FSP_EXCHANGE_TABLE(x25519);

/* ---- generation ---- */

static EVP_PKEY *assemble(struct fsp_provider *provider, uint8_t *secret, uint8_t *public)
{
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, secret, FSP_ECX_SIZE),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, public, FSP_ECX_SIZE),
		OSSL_PARAM_construct_end(),
	};

	return fsp_key_make(provider, "X25519", OSSL_KEYMGMT_SELECT_KEYPAIR, params);
}

/* Clamped as software keeps its own: RFC 7748, 5 */
static bool random_secret(struct fsp_provider *provider, uint8_t secret[FSP_ECX_SIZE])
{
	if (RAND_priv_bytes_ex(provider->library, secret, FSP_ECX_SIZE, SECURITY_BITS) <= 0)
		return false;
	secret[0] &= 0xf8;
	secret[FSP_ECX_SIZE - 1] = (uint8_t)((secret[FSP_ECX_SIZE - 1] & 0x7f) | 0x40);
	return true;
}

EVP_PKEY *fsp_x25519_generate(struct fsp_provider *provider, struct fsp_key *parameters,
			      void **components)
{
	uint8_t secret[FSP_ECX_SIZE], public[FSP_ECX_SIZE];
	const struct firesteel_request request = request_of(secret, NULL, public);
	EVP_PKEY *made = NULL;

	(void)parameters; /* there are none */
	(void)components;
	ERR_set_mark();
	/* Software knows multiples of the base point: it needs much less than for an exchange */
	if (fsp_task_wanted(provider, FSP_TASK_X25519, &request, FSP_ECX_BITS, FSP_EFFORT / 4) &&
	    random_secret(provider, secret) &&
	    fsp_task_run(provider, FSP_TASK_X25519, &request, FSP_ECX_BITS) == FIRESTEEL_OK)
		made = assemble(provider, secret, public);
	ERR_pop_to_mark();
	firesteel_wipe(secret, sizeof(secret));
	return made;
}

/* ---- the trial ---- */

#define ROUNDS 3u

static bool software(EVP_PKEY_CTX *context, EVP_PKEY *peer, uint8_t *out, int64_t *best)
{
	bool good = context && EVP_PKEY_derive_init(context) > 0 &&
		    EVP_PKEY_derive_set_peer(context, peer) > 0;

	for (unsigned i = 0; i < ROUNDS && good; i++) {
		int64_t from = fsp_task_now();
		size_t size = FSP_ECX_SIZE;

		good = EVP_PKEY_derive(context, out, &size) > 0 && size == FSP_ECX_SIZE;
		fsp_task_best(from, i, best);
	}
	return good;
}

enum fsp_trial fsp_x25519_trial(struct fsp_provider *provider, int64_t *software_ns)
{
	uint8_t secret[FSP_ECX_SIZE], point[FSP_ECX_SIZE], here[FSP_ECX_SIZE], there[FSP_ECX_SIZE];
	const struct firesteel_request request = request_of(secret, point, there);
	EVP_PKEY *key, *peer;
	EVP_PKEY_CTX *context;
	bool good;
	int error;

	for (unsigned i = 0; i < FSP_ECX_SIZE; i++) {
		secret[i] = (uint8_t)(i * 29 + 0x83);
		point[i] = (uint8_t)(i * 41 + 0x11);
	}
	error = firesteel_run(provider->device, &request);
	if (error == FIRESTEEL_ERROR_INVALID || error == FIRESTEEL_ERROR_ABSENT ||
	    error == FIRESTEEL_ERROR_REFUSED)
		return FSP_TRIAL_BAD;
	if (error != FIRESTEEL_OK)
		return FSP_TRIAL_NONE;
	key = EVP_PKEY_new_raw_private_key_ex(provider->library, "X25519", FSP_SOFTWARE, secret,
					      FSP_ECX_SIZE);
	peer = EVP_PKEY_new_raw_public_key_ex(provider->library, "X25519", FSP_SOFTWARE, point,
					      FSP_ECX_SIZE);
	context = key ? EVP_PKEY_CTX_new_from_pkey(provider->library, key, FSP_SOFTWARE) : NULL;
	good = peer && software(context, peer, here, software_ns);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(peer);
	EVP_PKEY_free(key);
	if (!good)
		return FSP_TRIAL_NONE;
	return memcmp(here, there, FSP_ECX_SIZE) == 0 ? FSP_TRIAL_GOOD : FSP_TRIAL_BAD;
}
