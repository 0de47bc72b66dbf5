/* SPDX-License-Identifier: Apache-2.0 */
#include "offer.h"

#include <string.h>

#include <openssl/core_dispatch.h>

#include "public-key/names.h"
#include "symmetric/names.h"
#include "symmetric/trial.h"

/* The curves that a core may have in hardware and that are more than one kind of work */
#define PRIME_CURVES \
	(1u << FIRESTEEL_P192 | 1u << FIRESTEEL_P256 | 1u << FIRESTEEL_P384 | 1u << FIRESTEEL_P521)

static bool public_key_offered(const struct firesteel_capabilities *has,
			       const struct fsp_algorithm *algorithm)
{
	if (algorithm->work == FSP_ECDSA || algorithm->work == FSP_ECDH)
		return has->public_key && has->curves & PRIME_CURVES;
	return has->public_key && (has->curves & algorithm->needs) == algorithm->needs;
}

static bool offered(const struct fsp_provider *provider, const struct fsp_algorithm *algorithm)
{
	const struct firesteel_capabilities *has = &provider->capabilities;
	bool on = provider->device && provider->settings.on[algorithm->work];

	if (fsp_work_is_public_key(algorithm->work))
		return on && public_key_offered(has, algorithm);
	on = on && has->cryptomaster && provider->settings.threshold[algorithm->work] != FSP_NEVER;
	switch (algorithm->work) {
	case FSP_DIGEST:
		return on && (has->digests & algorithm->needs) == algorithm->needs;
	case FSP_HMAC:
		return on; /* without a hash core too: symmetric/hmac.c */
	default:
		return on && (has->modes & algorithm->needs) == algorithm->needs;
	}
}

/*
 * What never pays on this machine is not offered at all, and so costs nothing: that is told now, as
 * libcrypto asks once what is offered.
 */
static void find_what_pays(struct fsp_provider *provider)
{
	struct fsp_settings *settings = &provider->settings;
	struct fsp_software_times times = { 0 };

	for (unsigned i = 0; i < FSP_TASKS; i++) {
		enum fsp_work work = provider->policy.kinds[i].work;
		bool coreless = work == FSP_HMAC && !provider->capabilities.digests;

		/* Whether keys pay depends on their size */
		if (fsp_work_is_public_key(work))
			continue;
		if (!coreless && settings->on[work] && settings->threshold[work] == FSP_AUTO &&
		    provider->capabilities.cryptomaster &&
		    !fsp_symmetric_pays(provider, (enum fsp_task)i, &times))
			settings->threshold[work] = FSP_NEVER;
		if (!settings->on[work] || settings->threshold[work] == FSP_NEVER || coreless)
			provider->statistics->of[work].break_even = FSP_STATISTICS_NEVER;
	}
}

static void choose(const struct fsp_provider *provider, const struct fsp_algorithm *from,
		   OSSL_ALGORITHM to[FSP_TABLE])
{
	size_t count = 0;

	for (; from->algorithm.algorithm_names && count < FSP_TABLE - 1; from++)
		/* What is there for several kinds of work stands in the table once for each */
		if (offered(provider, from) &&
		    (count == 0 || to[count - 1].implementation != from->algorithm.implementation))
			to[count++] = from->algorithm;
	memset(&to[count], 0, sizeof(*to));
}

void fsp_offer(struct fsp_provider *provider)
{
	if (provider->device)
		find_what_pays(provider);
	choose(provider, fsp_ciphers, provider->ciphers);
	choose(provider, fsp_digests, provider->digests);
	choose(provider, fsp_macs, provider->macs);
	choose(provider, fsp_keys, provider->keys);
	choose(provider, fsp_signatures, provider->signatures);
	choose(provider, fsp_exchanges, provider->exchanges);
	choose(provider, fsp_asyms, provider->asyms);
	choose(provider, fsp_encoders, provider->encoders);
	if (provider->bio_read)
		choose(provider, fsp_decoders, provider->decoders);
}

const OSSL_ALGORITHM *fsp_offered(void *context, int operation, int *no_cache)
{
	struct fsp_provider *provider = context;

	*no_cache = 0;
	switch (operation) {
	case OSSL_OP_CIPHER:
		return provider->ciphers;
	case OSSL_OP_DIGEST:
		return provider->digests;
	case OSSL_OP_MAC:
		return provider->macs;
	case OSSL_OP_KEYMGMT:
		return provider->keys;
	case OSSL_OP_SIGNATURE:
		return provider->signatures;
	case OSSL_OP_KEYEXCH:
		return provider->exchanges;
	case OSSL_OP_ASYM_CIPHER:
		return provider->asyms;
	case OSSL_OP_ENCODER:
		return provider->encoders;
	case OSSL_OP_DECODER:
		return provider->decoders;
	default:
		return NULL;
	}
}
