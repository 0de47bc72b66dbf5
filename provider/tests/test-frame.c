/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading: by openssl.cnf and environment, with settings that are right and wrong, with and without
 * a device; what is offered; what children count; and random numbers, which are never ours.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/conf.h>
#include <openssl/core_dispatch.h>
#include <openssl/err.h>
#include <openssl/rand.h>

#include "unit.h"

static const char *const variables[] = {
	"FIRESTEEL_DEVICE",
	"FIRESTEEL_COMPLETION",
	"FIRESTEEL_PROVIDER_OPERATIONS",
	"FIRESTEEL_PROVIDER_THRESHOLDS",
	"FIRESTEEL_PROVIDER_STATISTICS",
	"FIRESTEEL_PROVIDER_PROGRAMS",
	"FIRESTEEL_PROVIDER_ON_ERROR",
};

static void forget(void)
{
	for (unsigned i = 0; i < COUNT(variables); i++)
		unsetenv(variables[i]);
}

/* A library context with an openssl.cnf that has these lines in our section */
static OSSL_LIB_CTX *configured(const char *lines)
{
	OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
	char name[64];
	FILE *file;

	snprintf(name, sizeof(name), "/tmp/firesteel-conf-%ld", (long)getpid());
	file = fopen(name, "w");
	CHECK(file);
	fprintf(file,
		"openssl_conf = all\n[all]\nproviders = providers\nalg_section = algorithms\n"
		"random = random\n[algorithms]\ndefault_properties = ?firesteel.cores=yes\n"
		"[random]\nproperties = provider=default\n"
		"[providers]\ndefault = software\nfiresteel = firesteel\n"
		"[software]\nactivate = 1\n[firesteel]\nmodule = %s/firesteel.so\nactivate = 1\n%s\n",
		getenv("PROVIDER_DIRECTORY"), lines);
	fclose(file);
	ERR_clear_error();
	OSSL_LIB_CTX_load_config(library, name);
	unlink(name);
	return library;
}

/* Whether AES-256-CBC is fetched from us when nothing is said */
static bool serves(OSSL_LIB_CTX *library)
{
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "AES-256-CBC", NULL);
	bool ours;

	CHECK(cipher);
	ours = strcmp(OSSL_PROVIDER_get0_name(EVP_CIPHER_get0_provider(cipher)), "firesteel") == 0;
	EVP_CIPHER_free(cipher);
	return ours;
}

static char *reason(OSSL_LIB_CTX *library)
{
	static char text[512];
	char *found = NULL;
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_ptr("reason", &found, 0),
		OSSL_PARAM_construct_end(),
	};
	OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "firesteel");

	CHECK(provider && OSSL_PROVIDER_get_params(provider, params) && found);
	snprintf(text, sizeof(text), "%s", found);
	OSSL_PROVIDER_unload(provider);
	return text;
}

static void expect(const char *lines, bool served, const char *why)
{
	OSSL_LIB_CTX *library = configured(lines);

	if (serves(library) != served)
		fprintf(stderr, "%s\n", lines);
	CHECK(serves(library) == served);
	if (!strstr(reason(library), why))
		fprintf(stderr, "%s\n", reason(library));
	CHECK(strstr(reason(library), why));
	OSSL_LIB_CTX_free(library);
}

static void settings(void)
{
	forget();
	expect("device = model\nthresholds = all=1", true, "");
	/* what never pays is not offered */
	expect("device = model\nthresholds = cbc=never", false, "");
	expect("device = model\noperations = ecb, gcm", false, "");
	expect("device = model\nthresholds = all=1\noperations = ecb,cbc", true, "");
	expect("device = model\noperations = none", false, "");
	expect("device = model\ncompletion = poll\nthresholds = all=auto, cbc=64,gcm=never", true,
	       "");
	/* no such device: software serves, and it is said why */
	expect("device = uio:none", false, "device: ");
	expect("device = gold", false, "device: ");
	expect("device = model\noperations = cbc, cbd", false,
	       "operations: \"cbd\" is not allowed; allowed: all, none, or some of ecb, cbc");
	expect("device = model\nthresholds = cbc=12k", false, "thresholds: \"cbc=12k\"");
	expect("device = model\nthresholds = tdes=1", false, "thresholds: \"tdes=1\"");
	expect("device = model\nthresholds = -1", false, "thresholds: \"-1\"");
	expect("device = model\ncompletion = soon", false, "allowed: adaptive, poll, irq");
	expect("device = model\nstatistics = /nowhere/file", false, "statistics: /nowhere/file");
	/* what is not ours is not overwritten */
	expect("device = model\nstatistics = /etc/passwd", false, "statistics: /etc/passwd");
	/* the environment goes before the file */
	setenv("FIRESTEEL_DEVICE", "uio:none", 1);
	expect("device = model", false, "device: ");
	setenv("FIRESTEEL_DEVICE", "model", 1);
	setenv("FIRESTEEL_PROVIDER_OPERATIONS", "everything", 1);
	expect("device = uio:none", false, "FIRESTEEL_PROVIDER_OPERATIONS: \"everything\"");
	setenv("FIRESTEEL_PROVIDER_OPERATIONS", "cbc", 1);
	expect("device = uio:none\noperations = none\nthresholds = cbc=1", true, "");
	forget();
}

/* As configured, a provider that cannot serve is not loaded */
static void refused(const char *on_error)
{
	OSSL_LIB_CTX *library;

	forget();
	setenv("FIRESTEEL_PROVIDER_ON_ERROR", on_error, 1);
	setenv("FIRESTEEL_DEVICE", "uio:none", 1);
	library = OSSL_LIB_CTX_new();
	CHECK(OSSL_PROVIDER_set_default_search_path(library, getenv("PROVIDER_DIRECTORY")));
	ERR_clear_error();
	CHECK(!OSSL_PROVIDER_load(library, "firesteel"));
	CHECK(ERR_peek_error() != 0);
	ERR_clear_error();
	OSSL_LIB_CTX_free(library);
	forget();
}

#define MODEL "device = model\nthresholds = all=1\n"

/* A program that is not named gets nothing, which is no error */
static void programs(void)
{
	expect(MODEL "programs = sshd-session, test-frame", true, "");
	expect(MODEL "programs = test-frame", true, "");
	expect(MODEL "programs =", true, "");
	expect(MODEL "programs = test-fram,test-frames", false,
	       "`programs` does not name test-frame");
	expect("device = uio:none\nprograms = other\non_error = refuse", false,
	       "`programs` does not name test-frame");
	setenv("FIRESTEEL_PROVIDER_PROGRAMS", "other", 1);
	expect(MODEL "programs = test-frame", false, "`programs` does not name");
	forget();
}

static void encrypt(EVP_CIPHER *cipher, size_t size)
{
	static uint8_t bytes[4096];
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	int got;

	CHECK(EVP_EncryptInit_ex2(context, cipher, bytes, bytes, NULL));
	CHECK(EVP_EncryptUpdate(context, bytes, &got, bytes, (int)size));
	EVP_CIPHER_CTX_free(context);
}

/* Software is found though the default provider came later, and stays though the program gives it up */
static void order(void)
{
	OSSL_LIB_CTX *library = OSSL_LIB_CTX_new();
	OSSL_PROVIDER *ours, *software;
	EVP_CIPHER *cipher;

	forget();
	setenv("FIRESTEEL_DEVICE", "model", 1);
	setenv("FIRESTEEL_PROVIDER_THRESHOLDS", "all=1024", 1);
	CHECK(OSSL_PROVIDER_set_default_search_path(library, getenv("PROVIDER_DIRECTORY")));
	ours = OSSL_PROVIDER_load(library, "firesteel");
	software = OSSL_PROVIDER_load(library, "default");
	CHECK(ours && software);
	cipher = EVP_CIPHER_fetch(library, "AES-256-CTR", OURS);
	CHECK(cipher);
	encrypt(cipher, 16);
	OSSL_PROVIDER_unload(software);
	encrypt(cipher, 16);
	EVP_CIPHER_free(cipher);
	OSSL_PROVIDER_unload(ours);
	OSSL_LIB_CTX_free(library);
	forget();
}

/*
 * Programs that ask by themselves for what is not FIPS's, as stunnel does, have the cores all the same;
 * those that ask for software by name have software.
 */
static void queries(void)
{
	static const struct {
		const char *query, *from;
	} asked[] = {
		{ NULL, "firesteel" },
		{ "", "firesteel" },
		{ "provider!=fips", "firesteel" },
		{ "fips=no", "firesteel" },
		{ "-fips", "firesteel" },
		{ "provider=default", "default" },
		{ "-firesteel.cores", "default" },
	};
	OSSL_LIB_CTX *library = configured("device = model:hash=on\nthresholds = all=1");

	for (unsigned i = 0; i < COUNT(asked); i++) {
		EVP_CIPHER *cipher = EVP_CIPHER_fetch(library, "AES-256-GCM", asked[i].query);
		EVP_MD *digest = EVP_MD_fetch(library, "SHA256", asked[i].query);
		EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(library, "EC", asked[i].query);
		EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(library, "RSA", asked[i].query);
		EVP_KEYEXCH *exchange = EVP_KEYEXCH_fetch(library, "X25519", asked[i].query);
		const OSSL_PROVIDER *const from[] = {
			EVP_CIPHER_get0_provider(cipher),    EVP_MD_get0_provider(digest),
			EVP_KEYMGMT_get0_provider(keys),     EVP_SIGNATURE_get0_provider(signature),
			EVP_KEYEXCH_get0_provider(exchange),
		};

		for (unsigned j = 0; j < COUNT(from); j++)
			CHECK(strcmp(OSSL_PROVIDER_get0_name(from[j]), asked[i].from) == 0);
		EVP_KEYEXCH_free(exchange);
		EVP_SIGNATURE_free(signature);
		EVP_KEYMGMT_free(keys);
		EVP_MD_free(digest);
		EVP_CIPHER_free(cipher);
	}
	OSSL_LIB_CTX_free(library);
}

/* A child counts in its parent's file */
static void children(void)
{
	struct unit unit = unit_open("model", "all=1024");
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, "AES-256-CTR", OURS);
	int status;
	pid_t child;

	CHECK(cipher);
	encrypt(cipher, 4096);
	encrypt(cipher, 1008);
	CHECK(unit_count("ctr", UNIT_HARDWARE) == 1);
	CHECK(unit_count("ctr", UNIT_SMALL) == 1);
	child = fork();
	if (child == 0) {
		encrypt(cipher, 4096);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(unit_count("ctr", UNIT_HARDWARE) == 2);
	EVP_CIPHER_free(cipher);
	unit_close(&unit);
}

/* A process that loads it again goes on in its file, in which others may count yet */
static void loaded_again(void)
{
	struct unit unit = unit_open("model", "all=1024");
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(unit.library, "AES-256-CTR", OURS);
	OSSL_LIB_CTX *second;

	CHECK(cipher);
	encrypt(cipher, 4096);
	second = configured("");
	CHECK(serves(second));
	encrypt(cipher, 4096);
	CHECK(unit_count("ctr", UNIT_HARDWARE) == 2);
	OSSL_LIB_CTX_free(second);
	EVP_CIPHER_free(cipher);
	unit_close(&unit);
}

/* The generators of a thread, of the process, and what is under them are the default provider's */
static void generators_are_software(OSSL_LIB_CTX *library)
{
	EVP_RAND_CTX *const contexts[] = {
		RAND_get0_primary(library),
		RAND_get0_public(library),
		RAND_get0_private(library),
	};

	for (unsigned i = 0; i < COUNT(contexts); i++) {
		const EVP_RAND *generator;

		CHECK(contexts[i]);
		generator = EVP_RAND_CTX_get0_rand(contexts[i]);
		CHECK(strcmp(OSSL_PROVIDER_get0_name(EVP_RAND_get0_provider(generator)),
			     "default") == 0);
	}
}

/* There is none of ours to be fetched, by whatever name and however it is asked for */
static void no_generator_is_ours(OSSL_LIB_CTX *library)
{
	static const char *const names[] = { "CTR-DRBG", "HASH-DRBG", "HMAC-DRBG", "SEED-SRC",
					     "JITTER",   "TEST-RAND", "CRNG-TEST" };
	OSSL_PROVIDER *provider = OSSL_PROVIDER_load(library, "firesteel");
	int no_cache;

	CHECK(provider && !OSSL_PROVIDER_query_operation(provider, OSSL_OP_RAND, &no_cache));
	OSSL_PROVIDER_unload(provider);
	for (unsigned i = 0; i < COUNT(names); i++)
		CHECK(!EVP_RAND_fetch(library, names[i], OURS));
	ERR_clear_error();
}

/* With the configuration that is recommended, none of our AES is under random numbers */
static void random_numbers(void)
{
	static uint8_t bytes[100000], zeros[32];
	OSSL_LIB_CTX *library;
	char name[64];

	forget();
	snprintf(name, sizeof(name), "/tmp/firesteel-test-%ld", (long)getpid());
	setenv("FIRESTEEL_PROVIDER_STATISTICS", name, 1);
	/* so that the name of the file is known */
	struct unit unit = unit_open("model", "all=1");

	unit_close(&unit);
	library = configured("thresholds = all=1");
	CHECK(serves(library));
	no_generator_is_ours(library);
	generators_are_software(library);
	for (unsigned i = 0; i < 20; i++) {
		CHECK(RAND_bytes_ex(library, bytes, sizeof(bytes), 0) > 0);
		CHECK(RAND_priv_bytes_ex(library, bytes, 32, 0) > 0);
		CHECK(memcmp(bytes, zeros, sizeof(zeros)) != 0);
	}
	CHECK(unit_count("ctr", UNIT_HARDWARE) == 0 && unit_count("ctr", UNIT_SMALL) == 0);
	CHECK(unit_count("ecb", UNIT_HARDWARE) == 0 && unit_count("ecb", UNIT_SMALL) == 0);
	OSSL_LIB_CTX_free(library);
	unlink(name);
	forget();
}

int main(void)
{
	settings();
	programs();
	refused("refuse");
	refused("perhaps");
	order();
	queries();
	children();
	loaded_again();
	random_numbers();
	return 0;
}
