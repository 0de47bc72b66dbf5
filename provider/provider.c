/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and unloading the provider, and the algorithms that it offers.  Random number generators
 * are not among them. */
#include "provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>

#include "capability.h"
#include "trial.h"

#define NAME    "Firesteel: the Silex cores"
#define VERSION "0.1.0"

bool fsp_failed(int reason)
{
	ERR_raise(ERR_LIB_PROV, reason);
	return false;
}

#ifdef EVP_R_PROVIDER_SIGNATURE_FAILURE
int fsp_answer(int returned)
{
	unsigned long error = returned <= 0 ? ERR_peek_last_error() : 0;
	int reason = ERR_GET_REASON(error);

	if (ERR_GET_LIB(error) == ERR_LIB_EVP && (reason == EVP_R_PROVIDER_SIGNATURE_FAILURE ||
						  reason == EVP_R_PROVIDER_ASYM_CIPHER_FAILURE ||
						  reason == EVP_R_PROVIDER_KEYMGMT_FAILURE))
		ERR_pop();
	return returned;
}
#else
int fsp_answer(int returned)
{
	return returned;
}
#endif

void fsp_cleanse(void *memory, size_t size)
{
	if (memory)
		firesteel_wipe(memory, size);
	OPENSSL_free(memory);
}

/* ---- the device ---- */

static bool open_device(struct fsp_provider *provider)
{
	const struct fsp_settings *settings = &provider->settings;
	char message[FIRESTEEL_MESSAGE_SIZE];

	if (firesteel_open(*settings->device ? settings->device : NULL, &provider->device,
			   message) < 0 ||
	    (*settings->completion &&
	     firesteel_set(provider->device, "completion", settings->completion, message) < 0)) {
		snprintf(provider->reason, sizeof(provider->reason), "device: %.240s", message);
		firesteel_close(provider->device);
		provider->device = NULL;
		return false;
	}
	firesteel_capabilities(provider->device, &provider->capabilities);
	return true;
}

/* ---- what is offered ---- */

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
		return on; /* without a hash core too: mac-hmac.c */
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

	for (unsigned i = 0; i < FSP_WORKS; i++) {
		bool coreless = i == FSP_HMAC && !provider->capabilities.digests;

		/* Whether keys pay depends on their size */
		if (fsp_work_is_public_key((enum fsp_work)i))
			continue;
		if (!coreless && settings->on[i] && settings->threshold[i] == FSP_AUTO &&
		    provider->capabilities.cryptomaster &&
		    !fsp_trial_pays(provider, (enum fsp_work)i))
			settings->threshold[i] = FSP_NEVER;
		if (!settings->on[i] || settings->threshold[i] == FSP_NEVER || coreless)
			provider->statistics->of[i].break_even = FSP_STATISTICS_NEVER;
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

static const OSSL_ALGORITHM *query(void *context, int operation, int *no_cache)
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
	case OSSL_OP_DECODER:
		return provider->decoders;
	default:
		return NULL;
	}
}

/* ---- parameters ---- */

static const OSSL_PARAM *gettable_params(void *context)
{
	static const OSSL_PARAM params[] = {
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_NAME, NULL, 0),
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_VERSION, NULL, 0),
		OSSL_PARAM_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, NULL, 0),
		OSSL_PARAM_int(OSSL_PROV_PARAM_STATUS, NULL),
		OSSL_PARAM_utf8_ptr("device", NULL, 0),
		OSSL_PARAM_utf8_ptr("reason", NULL, 0),
		OSSL_PARAM_END,
	};

	(void)context;
	return params;
}

static int get_params(void *context, OSSL_PARAM params[])
{
	struct fsp_provider *provider = context;
	const struct {
		const char *key, *value;
	} texts[] = {
		{ OSSL_PROV_PARAM_NAME, NAME },
		{ OSSL_PROV_PARAM_VERSION, VERSION },
		{ OSSL_PROV_PARAM_BUILDINFO, provider->about },
		{ "device", provider->capabilities.name },
		{ "reason", provider->reason },
	};
	OSSL_PARAM *param;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		param = OSSL_PARAM_locate(params, texts[i].key);
		if (param && !OSSL_PARAM_set_utf8_ptr(param, texts[i].value))
			return 0;
	}
	param = OSSL_PARAM_locate(params, OSSL_PROV_PARAM_STATUS);
	return !param || OSSL_PARAM_set_int(param, 1);
}

/* ---- loading and unloading ---- */

static void teardown(void *context)
{
	struct fsp_provider *provider = context;

	if (!provider)
		return;
	firesteel_close(provider->device);
	fsp_statistics_close(provider->statistics);
	fsp_soft_free(provider);
	OSSL_LIB_CTX_free(provider->library);
	OPENSSL_free(provider);
}

static const OSSL_DISPATCH functions[] = {
	{ OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
	{ OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params },
	{ OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
	{ OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
	{ OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))fsp_capabilities },
	{ 0, NULL },
};

/* Applies the settings, then opens what they name.  false: `reason` says what is wrong. */
static bool set_up(struct fsp_provider *provider, OSSL_FUNC_core_get_params_fn *core_get_params)
{
	bool good = fsp_settings_read(&provider->settings, provider->core, core_get_params,
				      provider->reason);

	if (!good)
		provider->settings.statistics[0] = '\0';
	provider->statistics = fsp_statistics_open(provider->settings.statistics, provider->reason,
						   sizeof(provider->reason));
	good = good && provider->statistics && !*provider->reason && open_device(provider);
	if (provider->statistics) {
		snprintf(provider->statistics->device, sizeof(provider->statistics->device), "%s",
			 provider->capabilities.name);
		snprintf(provider->statistics->reason, sizeof(provider->statistics->reason), "%s",
			 provider->reason);
	}
	return good;
}

static OSSL_FUNC_core_get_params_fn *take_functions(struct fsp_provider *provider,
						    const OSSL_DISPATCH *in)
{
	OSSL_FUNC_core_get_params_fn *get_params = NULL;

	for (; in->function_id; in++) {
		if (in->function_id == OSSL_FUNC_CORE_GET_PARAMS)
			get_params = OSSL_FUNC_core_get_params(in);
		if (in->function_id == OSSL_FUNC_BIO_READ_EX)
			provider->bio_read = OSSL_FUNC_BIO_read_ex(in);
	}
	return get_params;
}

__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *core,
							      const OSSL_DISPATCH *in,
							      const OSSL_DISPATCH **out,
							      void **context)
{
	struct fsp_provider *provider = OPENSSL_zalloc(sizeof(*provider));

	if (!provider)
		return 0;
	provider->core = core;
	provider->library = OSSL_LIB_CTX_new_child(core, in);
	/* Random numbers there are never ours either */
	if (!provider->library ||
	    !RAND_set_DRBG_type(provider->library, "CTR-DRBG", FSP_SOFTWARE, "AES-256-CTR", NULL)) {
		teardown(provider);
		return 0;
	}
	if (!set_up(provider, take_functions(provider, in)) &&
	    (provider->settings.refuse || !provider->statistics)) {
		ERR_raise_data(ERR_LIB_PROV, ERR_R_INIT_FAIL, "firesteel: %s", provider->reason);
		teardown(provider);
		return 0;
	}
	snprintf(provider->about, sizeof(provider->about), VERSION " (%s%s)",
		 provider->device ? "device " : "software: ",
		 provider->device ? provider->capabilities.name : provider->reason);
	if (provider->device)
		find_what_pays(provider);
	choose(provider, fsp_ciphers, provider->ciphers);
	choose(provider, fsp_digests, provider->digests);
	choose(provider, fsp_macs, provider->macs);
	choose(provider, fsp_keys, provider->keys);
	choose(provider, fsp_signatures, provider->signatures);
	choose(provider, fsp_exchanges, provider->exchanges);
	choose(provider, fsp_asyms, provider->asyms);
	if (provider->bio_read)
		choose(provider, fsp_decoders, provider->decoders);
	*out = functions;
	*context = provider;
	return 1;
}
