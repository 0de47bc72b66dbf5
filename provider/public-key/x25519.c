/* SPDX-License-Identifier: Apache-2.0 */
/*
 * X25519: the exchange on the core.  A peer's key for which the secret is all zeros is refused by the
 * library, and then by software, which says so.
 */
#include "public-key/x25519.h"

#include "base/policy.h"
#include "keys/ecx.h"
#include "public-key/exchange.h"

/* ---- the exchange ---- */

static bool derive(struct fsp_exchange *exchange, uint8_t *out, size_t *size, size_t capacity)
{
	struct firesteel_request request = fsp_x25519_request(NULL, NULL, NULL);
	struct fsp_provider *provider = exchange->provider;
	const struct fsp_ecx *ecx, *peer;

	/* Asked before the keys are read, which are new ones in a handshake */
	if (!fsp_policy_wants(provider, FSP_TASK_X25519, &request, FSP_ECX_BITS, FSC_EFFORT))
		return false;
	ecx = fsp_key_components(exchange->key);
	peer = fsp_key_components(exchange->peer);
	if (!ecx || !peer || !ecx->has_secret || !peer->has_public || capacity < FSP_ECX_SIZE) {
		fsp_policy_unfit(provider, FSP_TASK_X25519);
		return false;
	}
	request = fsp_x25519_request(ecx->secret, peer->public, out);
	if (fsp_policy_run(provider, FSP_TASK_X25519, &request, FSP_ECX_SIZE) != FIRESTEEL_OK)
		return false;
	*size = FSP_ECX_SIZE;
	return true;
}

static const struct fsp_exchange_kind x25519_kind = { .name = "X25519", .derive = derive };
FSP_EXCHANGE_TABLE(x25519);

/* ---- the trial ---- */

#define ROUNDS 3u

static bool software(EVP_PKEY_CTX *context, EVP_PKEY *peer, uint8_t *out, int64_t *best)
{
	bool good = context && EVP_PKEY_derive_init(context) > 0 &&
		    EVP_PKEY_derive_set_peer(context, peer) > 0;

	for (unsigned i = 0; i < ROUNDS && good; i++) {
		int64_t from = fsc_trial_now();
		size_t size = FSP_ECX_SIZE;

		good = EVP_PKEY_derive(context, out, &size) > 0 && size == FSP_ECX_SIZE;
		fsc_trial_best(from, i, best);
	}
	return good;
}

enum fsc_trial fsp_x25519_trial(struct fsp_provider *provider, enum fsp_task task,
				int64_t *software_ns)
{
	uint8_t secret[FSP_ECX_SIZE], point[FSP_ECX_SIZE], here[FSP_ECX_SIZE], there[FSP_ECX_SIZE];
	struct firesteel_request request;
	EVP_PKEY *key, *peer;
	EVP_PKEY_CTX *context;
	bool good;
	int error;

	(void)task; /* there is one */
	for (unsigned i = 0; i < FSP_ECX_SIZE; i++) {
		secret[i] = (uint8_t)(i * 29 + 0x83);
		point[i] = (uint8_t)(i * 41 + 0x11);
	}
	request = fsp_x25519_request(secret, point, there);
	error = firesteel_run(provider->device, &request);
	if (error != FIRESTEEL_OK)
		return fsc_trial_failed(error);
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
		return FSC_TRIAL_NONE;
	return fsc_trial_compare(there, here, FSP_ECX_SIZE);
}
