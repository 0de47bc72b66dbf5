/* SPDX-License-Identifier: Apache-2.0 */
/* Loading and unloading the provider. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>

#include "base/policy.h"
#include "base/software.h"
#include "capability.h"
#include "keys/group.h"
#include "lib/cancel.h"
#include "offer.h"
#include "symmetric/soft.h"
#include "tasks.h"

#define NAME "Firesteel: the Silex cores"

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
	FS_UNCANCELLED;

	if (!provider)
		return;
	firesteel_close(provider->device);
	fsp_statistics_close(provider->statistics);
	fsp_groups_free(provider);
	fsp_soft_free(provider);
	fsp_software_close(provider);
	OSSL_LIB_CTX_free(provider->library);
	OPENSSL_free(provider);
}

static const OSSL_DISPATCH functions[] = {
	{ OSSL_FUNC_PROVIDER_TEARDOWN, (void (*)(void))teardown },
	{ OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, (void (*)(void))gettable_params },
	{ OSSL_FUNC_PROVIDER_GET_PARAMS, (void (*)(void))get_params },
	{ OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))fsp_offered },
	{ OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))fsp_capabilities },
	{ 0, NULL },
};

/* Opens what the settings name, if they are `good`.  false: `reason` says what is wrong. */
static bool set_up(struct fsp_provider *provider, bool good)
{
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

/* Random numbers there are never ours either */
static bool open_software(struct fsp_provider *provider, const OSSL_DISPATCH *in)
{
	provider->library = OSSL_LIB_CTX_new_child(provider->core, in);
	return provider->library &&
	       RAND_set_DRBG_type(provider->library, "CTR-DRBG", FSP_SOFTWARE, "AES-256-CTR", NULL);
}

/* Whether the program, by the name of its file, is not to have the cores, which is no error */
static bool is_left_out(struct fsp_provider *provider)
{
	const char *path = (const char *)getauxval(AT_EXECFN),
		   *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path ? path : "";

	if (fsp_settings_want(&provider->settings, name))
		return false;
	snprintf(provider->reason, sizeof(provider->reason), "`programs` does not name %.80s",
		 name);
	return true;
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

static int begin(const OSSL_CORE_HANDLE *core, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		 void **context)
{
	struct fsp_provider *provider = OPENSSL_zalloc(sizeof(*provider));
	bool good, left_out;

	if (!provider)
		return 0;
	provider->core = core;
	good = fsp_settings_read(&provider->settings, core, take_functions(provider, in),
				 provider->reason);
	left_out = good && is_left_out(provider);
	if (!left_out && !open_software(provider, in)) {
		teardown(provider);
		return 0;
	}
	if (!set_up(provider, good && !left_out) &&
	    ((provider->settings.refuse && !left_out) || !provider->statistics)) {
		ERR_raise_data(ERR_LIB_PROV, ERR_R_INIT_FAIL, "firesteel: %s", provider->reason);
		teardown(provider);
		return 0;
	}
	snprintf(provider->about, sizeof(provider->about), VERSION " (%s%s)",
		 provider->device ? "device " : "software: ",
		 provider->device ? provider->capabilities.name : provider->reason);
	fsp_policy_begin(provider, fsp_tasks);
	fsp_offer(provider);
	*out = functions;
	*context = provider;
	return 1;
}

/* It opens files: a thread that ended there would leave half of a provider */
__attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE *core,
							      const OSSL_DISPATCH *in,
							      const OSSL_DISPATCH **out,
							      void **context)
{
	FS_UNCANCELLED;

	return begin(core, in, out, context);
}
