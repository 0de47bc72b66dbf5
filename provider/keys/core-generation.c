/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/core-generation.h"

#include <openssl/err.h>

#include "base/memory.h"
#include "base/policy.h"

static bool allocate(struct fsp_generation *generation)
{
	generation->secret.data = OPENSSL_malloc(generation->secret.size);
	generation->public.data = OPENSSL_malloc(generation->public.size);
	return generation->secret.data && generation->public.data;
}

/* There is a secret only if the core is wanted */
static bool compute(const struct fsp_generator *generator, struct fsp_generation *generation)
{
	const struct firesteel_request request = generator->request(generation);
	struct fsp_provider *provider = generation->provider;

	return fsp_policy_wants(provider, generator->task, &request, generation->bits,
				generation->effort) &&
	       generator->random(generation) &&
	       fsp_policy_run(provider, generator->task, &request, (generation->bits + 7) / 8) ==
		       FIRESTEEL_OK;
}

void *fsp_core_generate(const struct fsp_generator *generator, struct fsp_provider *provider,
			const struct fsp_functions *software, struct fsp_key *parameters,
			void **components)
{
	struct fsp_generation generation = {
		.provider = provider,
		.software = software,
		.parameters = parameters,
	};
	void *made = NULL;

	ERR_set_mark();
	if (generator->plan(&generation) && allocate(&generation) &&
	    compute(generator, &generation)) {
		made = generator->assemble(&generation);
		if (!made && generator->checked)
			fsp_policy_distrust(provider, generator->task);
	}
	ERR_pop_to_mark();
	fsp_cleanse(generation.secret.data, generation.secret.size);
	OPENSSL_free(generation.public.data);
	*components = generation.components;
	return made;
}
