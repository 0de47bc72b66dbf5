/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes what programs can reach of the provider: contexts of ciphers, AEADs, digests and MACs, in any
 * order of calls and with any parameters, each call done by the default provider too; and settings.
 *
 * Besides what the sanitizers see, both providers must agree on what succeeds and on what comes out.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <openssl/err.h>
#include <openssl/provider.h>

#include "input.h"

#define CONTEXTS 5u

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
OSSL_provider_init_fn OSSL_provider_init;

static OSSL_LIB_CTX *libraries[CONTEXTS];

/* All on the core; by size; all in software; and cores that fail, or lie about tags */
static const char *const ways[CONTEXTS][2] = {
	{ "model:zero=on,hash=on", "all=1" },
	{ "model:zero=on,hash=on", "all=100" },
	{ "model:zero=on,hash=on", "all=1000000" },
	{ "model:zero=on,hash=on,faults=dma-error:rate=3", "all=1" },
	{ "model:zero=on,hash=on,faults=wrong-tag:rate=2", "all=1" },
};

const char *fuzz_algorithm = "";
OSSL_PARAM fuzz_param;
static bool tracing;

void fuzz_demand(bool holds, const char *condition, const char *file, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: %s: %s does not hold\n", file, line, fuzz_algorithm, condition);
	if (fuzz_param.key)
		fprintf(stderr, "last parameter: %s, type %u, %zu bytes\n", fuzz_param.key,
			fuzz_param.data_type, fuzz_param.data_size);
	ERR_print_errors_fp(stderr);
	abort();
}

void fuzz_trace(const char *format, ...)
{
	va_list arguments;

	if (!tracing)
		return;
	va_start(arguments, format);
	fprintf(stderr, "%s: ", fuzz_algorithm);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
}

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
	(void)count;
	(void)arguments;
	tracing = getenv("FUZZ_TRACE");
	for (unsigned i = 0; i < CONTEXTS; i++) {
		setenv("FIRESTEEL_DEVICE", ways[i][0], 1);
		setenv("FIRESTEEL_PROVIDER_THRESHOLDS", ways[i][1], 1);
		libraries[i] = OSSL_LIB_CTX_new();
		demand(libraries[i] && OSSL_PROVIDER_load(libraries[i], "default"));
		demand(OSSL_PROVIDER_add_builtin(libraries[i], "firesteel", OSSL_provider_init));
		demand(OSSL_PROVIDER_load(libraries[i], "firesteel") != NULL);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	OSSL_LIB_CTX *library = libraries[take_below(&in, CONTEXTS)];

	fuzz_param.key = NULL;
	switch (take_below(&in, 6)) {
	case 0:
		fuzz_settings(&in);
		break;
	case 1:
		fuzz_digest(&in, library);
		break;
	case 2:
		fuzz_mac(&in, library);
		break;
	default:
		fuzz_cipher(&in, library);
	}
	ERR_clear_error();
	return 0;
}
