/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/params.h>

#include "base/statistics.h"

static char file[64];

void unit_check(bool holds, const char *condition, const char *source, int line)
{
	if (holds)
		return;
	fprintf(stderr, "%s:%d: %s does not hold\n", source, line, condition);
	ERR_print_errors_fp(stderr);
	abort();
}

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

void unit_count_in(pid_t process)
{
	snprintf(file, sizeof(file), "/tmp/firesteel-test-%ld", (long)process);
}

struct unit unit_open(const char *device, const char *thresholds)
{
	struct unit unit = { .library = OSSL_LIB_CTX_new() };

	unit_count_in(getpid());
	set("FIRESTEEL_DEVICE", device);
	set("FIRESTEEL_PROVIDER_THRESHOLDS", thresholds);
	set("FIRESTEEL_PROVIDER_STATISTICS", file);
	CHECK(OSSL_PROVIDER_set_default_search_path(unit.library, getenv("PROVIDER_DIRECTORY")));
	unit.software = OSSL_PROVIDER_load(unit.library, "default");
	unit.firesteel = OSSL_PROVIDER_load(unit.library, "firesteel");
	CHECK(unit.software && unit.firesteel);
	return unit;
}

void unit_close(struct unit *unit)
{
	OSSL_PROVIDER_unload(unit->firesteel);
	OSSL_PROVIDER_unload(unit->software);
	OSSL_LIB_CTX_free(unit->library);
	unit_forget();
}

void unit_forget(void)
{
	unlink(file);
}

bool unit_since(unsigned major, unsigned minor)
{
	const unsigned found = OPENSSL_version_major();

	return found > major || (found == major && OPENSSL_version_minor() >= minor);
}

unsigned long long unit_count(const char *work, enum unit_counter which)
{
	struct fsp_statistics statistics;
	FILE *from = fopen(file, "rb");

	CHECK(from && fread(&statistics, sizeof(statistics), 1, from) == 1);
	fclose(from);
	for (unsigned i = 0; i < FSP_WORKS; i++) {
		const struct fsp_counters *of = &statistics.of[i];

		if (strcmp(of->name, work) == 0)
			return which == UNIT_HARDWARE      ? of->hardware
			       : which == UNIT_SMALL       ? of->small
			       : which == UNIT_UNFIT       ? of->unfit
			       : which == UNIT_UNPROTECTED ? of->unprotected
			       : which == UNIT_BUSY        ? of->busy
							   : of->failed;
	}
	CHECK(!"a kind of work");
	return 0;
}

EVP_PKEY *unit_key(const struct unit *unit, const EVP_PKEY *key, const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(
		unit->library, EVP_PKEY_get0_type_name(key), properties);
	static const int selections[] = { EVP_PKEY_KEYPAIR, EVP_PKEY_PUBLIC_KEY,
					  EVP_PKEY_KEY_PARAMETERS };
	EVP_PKEY *made = NULL;
	OSSL_PARAM *params = NULL;
	int selection = 0;

	ERR_set_mark();
	for (unsigned i = 0; i < COUNT(selections) && !params; i++) {
		selection = selections[i];
		if (!EVP_PKEY_todata(key, selection, &params))
			params = NULL;
	}
	ERR_pop_to_mark();
	CHECK(params && context && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &made, selection, params) > 0);
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(context);
	return made;
}

EVP_PKEY *unit_generate(const struct unit *unit, const char *type, const char *group,
			const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit->library, type, properties);
	EVP_PKEY *key = NULL;

	CHECK(context && EVP_PKEY_keygen_init(context) > 0 &&
	      (!group || EVP_PKEY_CTX_set_group_name(context, group) > 0) &&
	      EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	return key;
}

EVP_PKEY *unit_rsa(const struct unit *unit, size_t bits)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(unit->library, THEIRS, "RSA", bits);

	CHECK(key);
	return key;
}

X509 *unit_certificate(EVP_PKEY *key)
{
	X509 *certificate = X509_new();
	X509_NAME *name = X509_NAME_new();

	CHECK(key && certificate && X509_set_version(certificate, 2));
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	CHECK(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const uint8_t *)"test", -1, -1,
					 0));
	CHECK(X509_set_subject_name(certificate, name) && X509_set_issuer_name(certificate, name));
	X509_NAME_free(name);
	CHECK(X509_set_pubkey(certificate, key) &&
	      X509_sign(certificate, key, EVP_PKEY_is_a(key, "ED25519") ? NULL : EVP_sha256()) > 0);
	return certificate;
}

int unit_derive(const struct unit *unit, EVP_PKEY *key, const char *properties, EVP_PKEY *peer,
		const OSSL_PARAM params[], size_t capacity, uint8_t *out)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit->library, key, properties), *copy;
	int got = -1;

	CHECK(context && EVP_PKEY_derive_init_ex(context, params) > 0);
	if (EVP_PKEY_derive_set_peer_ex(context, peer, unit_random(2)) > 0) {
		copy = EVP_PKEY_CTX_dup(context);
		CHECK(copy);
		if (EVP_PKEY_derive(copy, out, &capacity) > 0)
			got = (int)capacity;
		EVP_PKEY_CTX_free(copy);
	}
	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return got;
}

static _Thread_local uint64_t state = 88172645463325252u;

void unit_seed(uint64_t seed)
{
	state = 88172645463325252u ^ seed * 0x9e3779b97f4a7c15u;
}

unsigned unit_random(unsigned below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % below;
}

void unit_fill(void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)bytes)[i] = (uint8_t)unit_random(256);
}
