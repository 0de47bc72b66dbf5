/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of ours beside the default provider's: from PEM and to PEM, imported, exported, copied, compared,
 * checked, generated; what they say of themselves; and that the core is used with a key however it
 * came.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/decoder.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "unit.h"

#define WANTED "?firesteel.cores=yes"

static struct unit unit;

static EVP_PKEY *generate(const char *type, const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, type, properties);
	EVP_PKEY *key = NULL;

	CHECK(context && EVP_PKEY_keygen_init(context) > 0);
	if (strncmp(type, "RSA", 3) == 0)
		CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) > 0);
	else if (strcmp(type, "EC") == 0)
		CHECK(EVP_PKEY_CTX_set_group_name(context, "P-384") > 0);
	else if (strncmp(type, "DH", 2) == 0)
		CHECK(EVP_PKEY_CTX_set_group_name(
			      context, strcmp(type, "DH") == 0 ? "modp_1536" : "dh_1024_160") > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	return key;
}

static bool is_ours(const EVP_PKEY *key)
{
	const OSSL_PROVIDER *provider = EVP_PKEY_get0_provider(key);

	return provider && strcmp(OSSL_PROVIDER_get0_name(provider), "firesteel") == 0;
}

/* ---- PEM ---- */

static long encode(const EVP_PKEY *key, int selection, const char *structure, char text[8192])
{
	OSSL_ENCODER_CTX *context = OSSL_ENCODER_CTX_new_for_pkey(key, selection, "PEM", structure,
								  NULL);
	BIO *to = BIO_new(BIO_s_mem());
	char *data;
	long size;

	CHECK(context && OSSL_ENCODER_to_bio(context, to));
	size = BIO_get_mem_data(to, &data);
	CHECK(size > 0 && size < 8192);
	memcpy(text, data, (size_t)size);
	BIO_free(to);
	OSSL_ENCODER_CTX_free(context);
	return size;
}

static EVP_PKEY *decode(const char *text, long size)
{
	BIO *from = BIO_new_mem_buf(text, (int)size);
	EVP_PKEY *key = NULL;
	OSSL_DECODER_CTX *context = OSSL_DECODER_CTX_new_for_pkey(&key, "PEM", NULL, NULL, 0,
								  unit.library, WANTED);

	CHECK(context && OSSL_DECODER_from_bio(context, from) && key);
	OSSL_DECODER_CTX_free(context);
	BIO_free(from);
	return key;
}

static void same_text(const EVP_PKEY *ours, const EVP_PKEY *theirs, int selection,
		      const char *structure)
{
	char here[8192], there[8192];
	long size = encode(theirs, selection, structure, there);
	EVP_PKEY *again;

	CHECK(encode(ours, selection, structure, here) == size);
	CHECK(memcmp(here, there, (size_t)size) == 0);
	again = decode(there, size);
	CHECK(EVP_PKEY_eq(ours, again) == 1 && EVP_PKEY_eq(again, theirs) == 1);
	CHECK(encode(again, selection, structure, here) == size);
	CHECK(memcmp(here, there, (size_t)size) == 0);
	EVP_PKEY_free(again);
}

/* ---- text ---- */

typedef int print_function(BIO *out, const EVP_PKEY *key, int indent, ASN1_PCTX *context);

static int print(print_function *function, const EVP_PKEY *key, int indent, BIO **out)
{
	int answer;

	*out = BIO_new(BIO_s_mem());
	answer = function(*out, key, indent, NULL);
	ERR_clear_error();
	return answer;
}

/* What is printed of a key, whatever parts it has */
static void same_print(const EVP_PKEY *ours, const EVP_PKEY *theirs)
{
	static print_function *const functions[] = { EVP_PKEY_print_public, EVP_PKEY_print_private,
						     EVP_PKEY_print_params };

	for (unsigned i = 0; i < 2 * COUNT(functions); i++) {
		BIO *here, *there;
		char *text, *other;
		long size;

		CHECK(print(functions[i / 2], ours, i % 2 * 4, &here) ==
		      print(functions[i / 2], theirs, i % 2 * 4, &there));
		size = BIO_get_mem_data(here, &text);
		CHECK(BIO_get_mem_data(there, &other) == size);
		CHECK(size == 0 || memcmp(text, other, (size_t)size) == 0);
		BIO_free(here);
		BIO_free(there);
	}
}

/* Every encoding of a key, asked for by its own name or by what is in it; a private key that is not there
 * crashes software's encoders, whoever has the key */
static void same_encodings(const EVP_PKEY *ours, const EVP_PKEY *theirs, bool whole)
{
	const int selections[] = { EVP_PKEY_KEY_PARAMETERS, EVP_PKEY_PUBLIC_KEY,
				   whole ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY };
	static const char *const forms[] = { "DER", "PEM", "TEXT", "MSBLOB", "PVK" };
	static const char *const structures[] = {
		NULL,    "type-specific", "PrivateKeyInfo", "SubjectPublicKeyInfo",
		"pkcs1", "pkcs3",         "X9.42"
	};

	for (unsigned i = 0; i < COUNT(selections) * COUNT(forms) * COUNT(structures); i++) {
		const EVP_PKEY *keys[] = { ours, theirs };
		int selection = selections[i % COUNT(selections)], good[2];
		const char *form = forms[i / COUNT(selections) % COUNT(forms)];
		const char *structure = structures[i / COUNT(selections) / COUNT(forms)];
		uint8_t *data[2] = { NULL };
		size_t sizes[2] = { 0 };

		for (unsigned j = 0; j < 2; j++) {
			OSSL_ENCODER_CTX *context = OSSL_ENCODER_CTX_new_for_pkey(
				keys[j], selection, form, structure, NULL);

			good[j] = OSSL_ENCODER_to_data(context, &data[j], &sizes[j]);
			OSSL_ENCODER_CTX_free(context);
		}
		ERR_clear_error();
		if (good[0] != good[1] || sizes[0] != sizes[1])
			fprintf(stderr, "%s, selection %#x, %s, %s: %d and %d\n",
				EVP_PKEY_get0_type_name(ours), (unsigned)selection, form,
				structure ? structure : "any", good[0], good[1]);
		CHECK(good[0] == good[1] && sizes[0] == sizes[1]);
		CHECK(sizes[0] == 0 || memcmp(data[0], data[1], sizes[0]) == 0);
		OPENSSL_free(data[0]);
		OPENSSL_free(data[1]);
	}
}

/* ---- what a key says ---- */

static void same_params(const EVP_PKEY *ours, const EVP_PKEY *theirs)
{
	const OSSL_PARAM *all = EVP_PKEY_gettable_params(ours);

	CHECK(all);
	for (; all->key; all++) {
		uint8_t values[2][2048];
		size_t sizes[2];
		int good[2];

		for (unsigned i = 0; i < 2; i++) {
			OSSL_PARAM params[] = { *all, OSSL_PARAM_END };

			params[0].data = values[i];
			params[0].data_size = all->data_type == OSSL_PARAM_INTEGER ? sizeof(int)
										   : 2048;
			params[0].return_size = OSSL_PARAM_UNMODIFIED;
			memset(values[i], 0, sizeof(values[i]));
			good[i] = EVP_PKEY_get_params(i ? theirs : ours, params);
			sizes[i] = params[0].return_size;
		}
		CHECK(good[0] == good[1] && sizes[0] == sizes[1]);
		CHECK(memcmp(values[0], values[1], sizeof(values[0])) == 0);
	}
	CHECK(EVP_PKEY_get_bits(ours) == EVP_PKEY_get_bits(theirs));
	CHECK(EVP_PKEY_get_size(ours) == EVP_PKEY_get_size(theirs));
	CHECK(EVP_PKEY_get_security_bits(ours) == EVP_PKEY_get_security_bits(theirs));
	CHECK(EVP_PKEY_get_id(ours) == EVP_PKEY_get_id(theirs));
	ERR_clear_error();
}

static bool valid(EVP_PKEY *key, const char *properties, int (*check)(EVP_PKEY_CTX *))
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	bool good;

	CHECK(context);
	good = check(context) > 0;
	EVP_PKEY_CTX_free(context);
	return good;
}

static void same_checks(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static int (*const checks[])(EVP_PKEY_CTX *) = {
		EVP_PKEY_check,
		EVP_PKEY_public_check,
		EVP_PKEY_private_check,
		EVP_PKEY_pairwise_check,
		EVP_PKEY_param_check,
		EVP_PKEY_param_check_quick,
		EVP_PKEY_public_check_quick,
	};

	for (unsigned i = 0; i < COUNT(checks); i++)
		CHECK(valid(ours, OURS, checks[i]) == valid(theirs, THEIRS, checks[i]));
	ERR_clear_error();
}

/* ---- the public part alone ---- */

static EVP_PKEY *public_of(const EVP_PKEY *key)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library,
							   EVP_PKEY_get0_type_name(key), OURS);
	EVP_PKEY *made = NULL;
	OSSL_PARAM *params;

	CHECK(EVP_PKEY_todata(key, EVP_PKEY_PUBLIC_KEY, &params));
	CHECK(context && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, params) > 0);
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(context);
	return made;
}

static void public_alone(const EVP_PKEY *ours, const char *private_part)
{
	EVP_PKEY *public = public_of(ours), *copy = EVP_PKEY_dup(public);
	EVP_PKEY *theirs = unit_key(&unit, public, THEIRS);
	OSSL_PARAM *pair = NULL;
	char text[8192];

	CHECK(is_ours(public) && copy && EVP_PKEY_eq(public, ours) == 1);
	CHECK(EVP_PKEY_eq(copy, public) == 1);
	/* what it does not have, it does not give */
	if (EVP_PKEY_todata(public, EVP_PKEY_KEYPAIR, &pair))
		CHECK(!OSSL_PARAM_locate(pair, private_part));
	OSSL_PARAM_free(pair);
	CHECK(encode(public, EVP_PKEY_PUBLIC_KEY, "SubjectPublicKeyInfo", text) > 0);
	same_print(public, theirs);
	same_encodings(public, theirs, false);
	EVP_PKEY_free(theirs);
	EVP_PKEY_free(copy);
	EVP_PKEY_free(public);
	ERR_clear_error();
}

/* ---- every kind ---- */

static void kind(const char *type, const char *private_part)
{
	EVP_PKEY *theirs = generate(type, THEIRS), *ours = unit_key(&unit, theirs, OURS);
	EVP_PKEY *made = generate(type, OURS), *made_theirs = unit_key(&unit, made, THEIRS);
	EVP_PKEY *copy = EVP_PKEY_dup(ours);

	CHECK(is_ours(ours) && is_ours(made) && is_ours(copy) && !is_ours(theirs));
	CHECK(EVP_PKEY_is_a(ours, type) && EVP_PKEY_is_a(made, type));
	CHECK(EVP_PKEY_eq(ours, theirs) == 1 && EVP_PKEY_eq(copy, ours) == 1);
	CHECK(EVP_PKEY_eq(ours, made) == 0 && EVP_PKEY_eq(made, theirs) == 0);
	same_params(ours, theirs);
	same_params(copy, theirs);
	same_params(made, made_theirs);
	same_checks(ours, theirs);
	same_checks(made, made_theirs);
	CHECK(valid(made, OURS, EVP_PKEY_check));
	same_print(ours, theirs);
	same_print(made, made_theirs);
	same_encodings(ours, theirs, true);
	same_text(ours, theirs, EVP_PKEY_KEYPAIR, "PrivateKeyInfo");
	same_text(made, made_theirs, EVP_PKEY_KEYPAIR, "PrivateKeyInfo");
	same_text(ours, theirs, EVP_PKEY_PUBLIC_KEY, "SubjectPublicKeyInfo");
	if (strcmp(type, "RSA") == 0 || strcmp(type, "EC") == 0)
		same_text(ours, theirs, EVP_PKEY_KEYPAIR, "type-specific");
	public_alone(ours, private_part);
	EVP_PKEY_free(copy);
	EVP_PKEY_free(made_theirs);
	EVP_PKEY_free(made);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
}

/* A key with parts that are no key's: what software says of it, we say */
static void broken(void)
{
	EVP_PKEY *key = generate("RSA", THEIRS), *ours, *theirs;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", THEIRS);
	OSSL_PARAM *params, *d;

	CHECK(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params));
	d = OSSL_PARAM_locate(params, "d");
	((uint8_t *)d->data)[5] ^= 1;
	theirs = NULL;
	CHECK(EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &theirs, EVP_PKEY_KEYPAIR, params) > 0);
	ours = unit_key(&unit, theirs, OURS);
	CHECK(!valid(ours, OURS, EVP_PKEY_check));
	same_checks(ours, theirs);
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(key);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
}

/* ---- generation ---- */

static int told;

static int progress(EVP_PKEY_CTX *context)
{
	told += EVP_PKEY_CTX_get_keygen_info(context, 0) >= 0;
	return 1;
}

static void generation(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", OURS);
	BIGNUM *three = BN_new(), *e = NULL;
	EVP_PKEY *key = NULL;

	CHECK(BN_set_word(three, 3));
	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 100) <= 0 ||
	      EVP_PKEY_generate(context, &key) <= 0);
	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1032) > 0);
	CHECK(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, three) > 0);
	EVP_PKEY_CTX_set_cb(context, progress);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	CHECK(told > 0 && is_ours(key) && EVP_PKEY_get_bits(key) == 1032);
	CHECK(EVP_PKEY_get_bn_param(key, "e", &e) && BN_cmp(e, three) == 0);
	EVP_PKEY_free(key);
	EVP_PKEY_CTX_free(context);
	BN_free(e);
	BN_free(three);
	ERR_clear_error();
}

/* Of more named groups than are kept, each the first time and again; and of one that does not exist */
static void groups(void)
{
	static const char *const names[] = {
		"P-192",      "P-224",     "P-256",     "P-384",     "P-521",
		"prime256v1", "secp384r1", "secp521r1", "secp224r1", "secp256k1",
		"secp160k1",  "secp160r1", "secp160r2", "secp192k1", "secp224k1",
		"sect163k1",  "sect233k1", "sect283k1", "sect409k1", "sect571k1",
	};

	for (size_t i = 0; i < 2 * COUNT(names); i++) {
		const char *name = names[i % COUNT(names)];
		EVP_PKEY *ours = unit_generate(&unit, "EC", name, OURS);
		EVP_PKEY *theirs = unit_generate(&unit, "EC", name, THEIRS);
		EVP_PKEY *copy = unit_key(&unit, theirs, OURS);

		CHECK(EVP_PKEY_parameters_eq(ours, copy) == 1);
		EVP_PKEY_free(copy);
		EVP_PKEY_free(ours);
		EVP_PKEY_free(theirs);
	}
	for (unsigned i = 0; i < 2; i++) {
		EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "EC", OURS);
		EVP_PKEY *none = NULL;

		CHECK(EVP_PKEY_keygen_init(context) > 0);
		CHECK(EVP_PKEY_CTX_set_group_name(context, "no-such-curve") <= 0 ||
		      EVP_PKEY_generate(context, &none) <= 0);
		EVP_PKEY_CTX_free(context);
	}
	ERR_clear_error();
}

/* A context that is told twice has what came last, and one that generates twice has two keys */
static void again(const char *thresholds)
{
	EVP_PKEY_CTX *context;
	EVP_PKEY *keys[2] = { NULL };
	char name[80];

	unit_close(&unit);
	unit = unit_open("model", thresholds);
	context = EVP_PKEY_CTX_new_from_name(unit.library, "EC", OURS);
	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_group_name(context, "P-384") > 0);
	CHECK(EVP_PKEY_CTX_set_group_name(context, "P-256") > 0);
	for (size_t i = 0; i < COUNT(keys); i++) {
		CHECK(EVP_PKEY_generate(context, &keys[i]) > 0);
		CHECK(EVP_PKEY_get_group_name(keys[i], name, sizeof(name), NULL) &&
		      strcmp(name, "prime256v1") == 0);
	}
	CHECK(EVP_PKEY_eq(keys[0], keys[1]) != 1);
	EVP_PKEY_free(keys[0]);
	EVP_PKEY_free(keys[1]);
	EVP_PKEY_CTX_free(context);
}

/* A key of the default provider's is used on the core when we are wanted */
static void borrowed(void)
{
	EVP_PKEY *key = generate("RSA", THEIRS);
	unsigned long long before = unit_count("rsa", UNIT_HARDWARE);
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	uint8_t out[128];
	size_t size = sizeof(out);

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, WANTED, key, NULL) > 0);
	CHECK(EVP_DigestSign(context, out, &size, (const uint8_t *)"abc", 3) > 0);
	CHECK(unit_count("rsa", UNIT_HARDWARE) == before + 1 && !is_ours(key));
	EVP_MD_CTX_free(context);
	EVP_PKEY_free(key);
}

/* Parameters from a file are ours, so that what is generated from them is */
static void parameters(void)
{
	EVP_PKEY *theirs = generate("DH", THEIRS), *read, *made = NULL;
	unsigned long long before = unit_count("dh", UNIT_HARDWARE);
	EVP_PKEY_CTX *context;
	char text[8192];
	long size = encode(theirs, EVP_PKEY_KEY_PARAMETERS, "type-specific", text);
	BIO *from = BIO_new_mem_buf(text, (int)size);
	/* cut short, or with something behind it */
	static const uint8_t wrong[][8] = { { 0x30, 6, 2, 1, 23, 2, 1, 2 },
					    { 0x30, 3, 2, 1, 23, 2, 1, 2 },
					    { 0x30, 0x82, 0xff, 0xff, 2, 1, 2, 1 } };

	read = PEM_read_bio_Parameters_ex(from, NULL, unit.library, WANTED);
	CHECK(read && is_ours(read) && EVP_PKEY_parameters_eq(read, theirs) == 1);
	context = EVP_PKEY_CTX_new_from_pkey(unit.library, read, WANTED);
	CHECK(EVP_PKEY_keygen_init(context) > 0 && EVP_PKEY_generate(context, &made) > 0);
	CHECK(is_ours(made) && unit_count("dh", UNIT_HARDWARE) == before + 1);
	for (unsigned i = 0; i < COUNT(wrong); i++) {
		EVP_PKEY *none = NULL;
		const uint8_t *at = wrong[i];
		size_t left = sizeof(wrong[i]);
		OSSL_DECODER_CTX *decoder = OSSL_DECODER_CTX_new_for_pkey(
			&none, "DER", NULL, "DH", EVP_PKEY_KEY_PARAMETERS, unit.library, WANTED);

		CHECK((OSSL_DECODER_from_data(decoder, &at, &left) && none) == (i == 0));
		EVP_PKEY_free(none);
		OSSL_DECODER_CTX_free(decoder);
	}
	ERR_clear_error();
	BIO_free(from);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(made);
	EVP_PKEY_free(read);
	EVP_PKEY_free(theirs);
}

int main(void)
{
	unit = unit_open("model", "all=1");
	kind("RSA", "d");
	kind("RSA-PSS", "d");
	kind("DH", "priv");
	kind("DHX", "priv");
	kind("EC", "priv");
	kind("X25519", "priv");
	kind("ED25519", "priv");
	broken();
	generation();
	groups();
	borrowed();
	parameters();
	again("all=1");
	again("all=never");
	unit_close(&unit);
	return 0;
}
