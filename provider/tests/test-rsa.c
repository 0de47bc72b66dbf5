/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA call by call beside the default provider's: keys of many sizes, of odd ones, with parts that
 * are missing or do not fit, for PSS alone; and processes that fork.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "rsa-ways.h"

/* ---- keys ---- */

static void sizes(void)
{
	static const size_t bits[] = { 1024, 1025, 1031, 1536, 2047, 2048, 3072, 4096 };

	for (unsigned i = 0; i < COUNT(bits); i++) {
		struct rsa_pair pair = rsa_pair(unit_rsa(&unit, bits[i]));
		unsigned long long before = unit_count("rsa", UNIT_HARDWARE);

		rsa_all_ways(&pair);
		CHECK(unit_count("rsa", UNIT_HARDWARE) > before + 100);
		CHECK(unit_count("rsa", UNIT_FAILED) == 0);
		rsa_pair_free(&pair);
	}
}

/* What the core is too small for, and a key of three primes, are software's */
static void not_for_the_core(void)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", THEIRS);
	unsigned long long before;
	EVP_PKEY *key = NULL;
	struct rsa_pair pair = rsa_pair(unit_rsa(&unit, 4224));

	before = unit_count("rsa", UNIT_HARDWARE);
	rsa_messages(&pair);
	rsa_decryptions(&pair);
	rsa_pair_free(&pair);
	CHECK(unit_count("rsa", UNIT_HARDWARE) == before);
	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_primes(context, 3) > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	pair = rsa_pair(key);
	rsa_all_ways(&pair);
	rsa_pair_free(&pair);
}

/* The key without some of its parts, or with a part that is another number */
static EVP_PKEY *altered(const EVP_PKEY *key, const char *const without[], const char *wrong)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", THEIRS);
	OSSL_PARAM *params, kept[20];
	EVP_PKEY *made = NULL;
	unsigned count = 0;

	CHECK(EVP_PKEY_todata(key, EVP_PKEY_KEYPAIR, &params));
	for (unsigned i = 0; params[i].key; i++) {
		bool keep = true;

		for (unsigned j = 0; without && without[j]; j++)
			keep = keep && strcmp(params[i].key, without[j]) != 0;
		if (keep)
			kept[count++] = params[i];
		if (wrong && strcmp(params[i].key, wrong) == 0)
			((uint8_t *)params[i].data)[3] ^= 4;
	}
	kept[count] = OSSL_PARAM_construct_end();
	CHECK(EVP_PKEY_fromdata_init(context) > 0);
	if (EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, kept) <= 0)
		made = NULL;
	ERR_clear_error();
	OSSL_PARAM_free(params);
	EVP_PKEY_CTX_free(context);
	return made;
}

static void parts_missing(void)
{
	static const char *const derived[] = { "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
					       NULL };
	static const char *const primes[] = { "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
					      "rsa-factor1",   "rsa-factor2",   NULL };
	static const char *const *const cases[] = { derived, primes };
	EVP_PKEY *key = unit_rsa(&unit, 1536);

	for (unsigned i = 0; i < COUNT(cases); i++) {
		unsigned long long before = unit_count("rsa", UNIT_HARDWARE);
		EVP_PKEY *less = altered(key, cases[i], NULL);
		struct rsa_pair pair;

		if (!less) {
			CHECK(i == 0); /* not all versions take primes without what follows */
			continue;
		}
		pair = rsa_pair(less);
		rsa_all_ways(&pair);
		CHECK(unit_count("rsa", UNIT_HARDWARE) > before + 100);
		rsa_pair_free(&pair);
	}
	EVP_PKEY_free(key);
}

/* Software does what it can with such a key; and the core is not to blame */
static void parts_wrong(void)
{
	static const char *const parts[] = { "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
					     "rsa-factor1", "d" };
	EVP_PKEY *key = unit_rsa(&unit, 1024);
	static const char *const primes[] = { "rsa-exponent1", "rsa-exponent2", "rsa-coefficient1",
					      "rsa-factor1",   "rsa-factor2",   NULL };
	struct rsa_pair right;

	for (unsigned i = 0; i < COUNT(parts); i++) {
		struct rsa_pair pair = rsa_pair(altered(key, NULL, parts[i]));

		if (strcmp(parts[i], "d") != 0 && strcmp(parts[i], "rsa-factor1") != 0)
			rsa_messages(&pair);
		rsa_raw(&pair, false);
		rsa_pair_free(&pair);
	}
	/* without primes nothing but the result tells that d is wrong */
	right = rsa_pair(altered(key, primes, "d"));
	rsa_raw(&right, false);
	rsa_raw(&right, false);
	rsa_pair_free(&right);
	right = rsa_pair(key);
	CHECK(unit_count("rsa", UNIT_HARDWARE) > 0);
	{
		unsigned long long before = unit_count("rsa", UNIT_HARDWARE);

		rsa_messages(&right);
		CHECK(unit_count("rsa", UNIT_HARDWARE) > before + 8);
	}
	rsa_pair_free(&right);
}

static void children(void)
{
	struct rsa_pair pair = rsa_pair(unit_rsa(&unit, 2048));
	pid_t child[4];
	int status;

	rsa_messages(&pair);
	for (unsigned i = 0; i < COUNT(child); i++) {
		child[i] = fork();
		CHECK(child[i] >= 0);
		if (child[i] == 0) {
			unsigned long long before = unit_count("rsa", UNIT_HARDWARE);

			rsa_messages(&pair);
			_exit(unit_count("rsa", UNIT_HARDWARE) > before ? 0 : 1);
		}
		rsa_messages(&pair);
	}
	for (unsigned i = 0; i < COUNT(child); i++)
		CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0);
	rsa_pair_free(&pair);
}

/* ---- keys for PSS alone ---- */

static EVP_PKEY *pss_key(const char *digest, int salt)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA-PSS", THEIRS);
	EVP_PKEY *key = NULL;

	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, 1024) > 0);
	if (digest)
		CHECK(EVP_PKEY_CTX_set_rsa_pss_keygen_md(context, EVP_get_digestbyname(digest)) >
			      0 &&
		      EVP_PKEY_CTX_set_rsa_pss_keygen_mgf1_md(context,
							      EVP_get_digestbyname(digest)) > 0 &&
		      EVP_PKEY_CTX_set_rsa_pss_keygen_saltlen(context, salt) > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	return key;
}

/* A key that allows some parameters alone allows no others with us */
static void restricted(void)
{
	static const struct rsa_way ways[] = {
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 32 },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 40 },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", NULL, 8 },
		{ RSA_PKCS1_PSS_PADDING, "SHA512", NULL, 32 },
		{ RSA_PKCS1_PSS_PADDING, "SHA256", "SHA1", 32 },
		{ RSA_PKCS1_PADDING, "SHA256", NULL, 0 },
	};
	static const char *const digests[] = { NULL, "SHA256" };
	uint8_t in[64] = { 1, 2, 3 };

	for (unsigned i = 0; i < COUNT(digests); i++) {
		struct rsa_pair pair = rsa_pair(pss_key(digests[i], 32));

		CHECK(EVP_PKEY_is_a(pair.ours, "RSA-PSS"));
		for (unsigned j = 0; j < COUNT(ways); j++) {
			const EVP_MD *digest = EVP_get_digestbyname(ways[j].digest);
			uint8_t here[RSA_MOST], there[RSA_MOST];
			size_t size;
			bool good = rsa_sign(pair.theirs, THEIRS, &ways[j], in,
					     (size_t)EVP_MD_get_size(digest), there, &size);

			CHECK(rsa_sign(pair.ours, OURS, &ways[j], in,
				       (size_t)EVP_MD_get_size(digest), here, &size) == good);
			CHECK(!good || rsa_verify(pair.theirs, THEIRS, &ways[j], in,
						  (size_t)EVP_MD_get_size(digest), here, size));
			CHECK(!good || rsa_verify(pair.ours, OURS, &ways[j], in,
						  (size_t)EVP_MD_get_size(digest), there, size));
		}
		rsa_pair_free(&pair);
	}
	ERR_clear_error();
}

int main(void)
{
	unit = unit_open("model", "all=1");
	sizes();
	not_for_the_core();
	parts_missing();
	parts_wrong();
	restricted();
	children();
	unit_close(&unit);
	return 0;
}
