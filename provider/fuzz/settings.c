/* SPDX-License-Identifier: Apache-2.0 */
/* Settings: any texts, as openssl.cnf could have them. */
#include "base/settings.h"

#include <string.h>

#include <openssl/params.h>

#include "input.h"

#define KEYS     6u
#define TEXT_MAX 300u

static char texts[KEYS][TEXT_MAX + 1];

/* As the core gives them: one for each parameter that is asked for, or none */
static int give(const OSSL_CORE_HANDLE *core, OSSL_PARAM params[])
{
	(void)core;
	for (unsigned i = 0; params[i].key && i < KEYS; i++)
		if (*texts[i])
			demand(OSSL_PARAM_set_utf8_ptr(&params[i], texts[i] + 1));
	return 1;
}

void fuzz_settings(struct input *in)
{
	char message[FSP_TEXT_SIZE];
	struct fsp_settings settings;

	memset(message, 0, sizeof(message));
	for (unsigned i = 0; i < KEYS; i++) {
		size_t size = take_byte(in) + take_byte(in) % 45;

		memset(texts[i], 0, sizeof(texts[i]));
		take_bytes(in, texts[i], size);
	}
	if (!fsp_settings_read(&settings, NULL, give, message))
		demand(*message && memchr(message, '\0', sizeof(message)));
	else
		demand(!*message);
	demand(memchr(settings.device, '\0', sizeof(settings.device)));
	demand(memchr(settings.statistics, '\0', sizeof(settings.statistics)));
}
