/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys that would keep the core busy for long, or that software refuses: public exponents without limit, long
 * secrets, and more primes than two.  Software answers, and its work counts as unfit for the core.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

#include "answer.h"

static struct unit unit;

/* ---- counting ---- */

struct counts {
	unsigned long long hardware, unfit, all;
};

static struct counts count(const char *work)
{
	struct counts counts = { unit_count(work, UNIT_HARDWARE), unit_count(work, UNIT_UNFIT), 0 };

	counts.all = counts.hardware + counts.unfit + unit_count(work, UNIT_SMALL) +
		     unit_count(work, UNIT_UNPROTECTED) + unit_count(work, UNIT_FAILED);
	return counts;
}

/* All that was done since then was done here */
static void expect_since(const char *work, struct counts before, bool core)
{
	struct counts now = count(work);

	if ((core ? now.hardware - before.hardware : now.unfit - before.unfit) !=
	    now.all - before.all)
		fprintf(stderr, "%s: %llu on the core, %llu unfit, of %llu\n", work,
			now.hardware - before.hardware, now.unfit - before.unfit,
			now.all - before.all);
	CHECK(now.all > before.all);
	CHECK((core ? now.hardware - before.hardware : now.unfit - before.unfit) ==
	      now.all - before.all);
}

/* ---- RSA: public exponents ---- */

/* A key of numbers, and the same one of ours */
static struct pair public_key(const BIGNUM *n, const BIGNUM *e)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", THEIRS);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	EVP_PKEY *made = NULL;
	OSSL_PARAM *params;

	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_PUBLIC_KEY, params) > 0);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	EVP_PKEY_CTX_free(context);
	return pair_of(&unit, made);
}

static void recover(const struct pair *keys, bool here, struct answer *answer)
{
	EVP_PKEY_CTX *context = pair_context(&unit, keys, here);
	uint8_t bytes[ANSWER_MAX] = { 0 };
	size_t size = (size_t)EVP_PKEY_get_size(keys->theirs);

	bytes[size - 1] = 2;
	CHECK(EVP_PKEY_verify_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, RSA_NO_PADDING) > 0);
	answer_begin(answer);
	answer_end(answer, EVP_PKEY_verify(context, bytes, size, bytes, size));
	EVP_PKEY_CTX_free(context);
}

/* A signature by an exponent of so many bits, or as long as the modulus and so much more */
static void exponent(unsigned modulus_bits, unsigned bits, long more, bool core)
{
	BIGNUM *n = BN_new(), *e = BN_new();
	struct counts before = count("rsa");
	struct answer here, there;
	struct pair keys;

	CHECK(BN_set_bit(n, (int)modulus_bits - 1) && BN_set_bit(n, 5) && BN_add_word(n, 1));
	if (bits)
		CHECK(BN_set_bit(e, (int)bits - 1) && BN_add_word(e, 1));
	else
		CHECK(BN_copy(e, n) && (more < 0 ? BN_sub_word(e, -more) : BN_add_word(e, more)));
	keys = public_key(n, e);
	recover(&keys, true, &here);
	recover(&keys, false, &there);
	answers_compare(&here, &there, "n of %u bits, e of %d", modulus_bits, BN_num_bits(e));
	expect_since("rsa", before, core);
	pair_free(&keys);
	BN_free(n);
	BN_free(e);
}

static void exponents(void)
{
	exponent(1024, 0, -2, true);
	exponent(1024, 0, 0, false);
	exponent(1024, 0, 2, false);
	exponent(3072, 3071, 0, true);
	exponent(3073, 64, 0, true);
	exponent(3073, 65, 0, false);
	exponent(4096, 17, 0, true);
	exponent(4096, 0, -2, false);
}

/* ---- RSA: private keys ---- */

/* A key of so many bits and primes, with an exponent of so many bits */
static EVP_PKEY *generate(unsigned bits, unsigned primes, unsigned exponent_bits)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "RSA", THEIRS);
	BIGNUM *e = BN_new();
	EVP_PKEY *key = NULL;

	CHECK(BN_set_bit(e, (int)exponent_bits - 1) && BN_add_word(e, 1));
	CHECK(EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_bits(context, (int)bits) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_keygen_primes(context, (int)primes) > 0);
	CHECK(EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, e) > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	BN_free(e);
	return key;
}

static void sign(const struct pair *keys, bool here, struct answer *answer)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA256", unit.library, WHOSE(here),
				    pair_key(keys, here), NULL) > 0);
	answer_begin(answer);
	answer->size = sizeof(answer->out);
	answer_end(answer,
		   EVP_DigestSign(context, answer->out, &answer->size, (const uint8_t *)"abc", 3));
	EVP_MD_CTX_free(context);
}

static void signature(unsigned bits, unsigned primes, unsigned exponent_bits, bool core)
{
	struct pair keys = pair_of(&unit, generate(bits, primes, exponent_bits));
	struct counts before = count("rsa");
	struct answer here, there;

	sign(&keys, true, &here);
	sign(&keys, false, &there);
	answers_compare(&here, &there, "%u bits, %u primes, e of %u bits", bits, primes,
			exponent_bits);
	CHECK(here.returned == 1);
	expect_since("rsa", before, core);
	pair_free(&keys);
}

static void signatures(void)
{
	signature(2048, 2, 17, true);
	signature(2048, 3, 17, false);
	/* which each result is checked with */
	signature(1024, 2, 1000, true);
	signature(2560, 2, 2500, true);
}

/* ---- Diffie-Hellman: secrets ---- */

/* A key in the group of this prime, which has no name without its order, with a secret of so many bits */
static EVP_PKEY *secret_of(BIGNUM *p, unsigned bits)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "DH", THEIRS);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *generator = BN_new(), *secret = BN_new(), *public = BN_new();
	BN_CTX *numbers = BN_CTX_new();
	EVP_PKEY *made = NULL;
	OSSL_PARAM *params;

	CHECK(BN_set_word(generator, 7) && BN_set_bit(secret, (int)bits - 1));
	CHECK(BN_mod_exp(public, generator, secret, p, numbers));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, p));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, generator));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, secret));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PUB_KEY, public));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEYPAIR, params) > 0);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	EVP_PKEY_CTX_free(context);
	BN_CTX_free(numbers);
	BN_free(public);
	BN_free(secret);
	BN_free(generator);
	return made;
}

static void secret(BIGNUM *p, unsigned bits, bool core)
{
	struct pair keys = pair_of(&unit, secret_of(p, bits));
	struct counts before = count("dh");
	uint8_t here[ANSWER_MAX], there[ANSWER_MAX];
	int size = unit_derive(&unit, keys.ours, OURS, keys.ours, NULL, sizeof(here), here);

	CHECK(size > 0);
	CHECK(unit_derive(&unit, keys.theirs, THEIRS, keys.theirs, NULL, sizeof(there), there) ==
	      size);
	CHECK(memcmp(here, there, (size_t)size) == 0);
	expect_since("dh", before, core);
	pair_free(&keys);
	BN_free(p);
}

static void secrets(void)
{
	secret(BN_get_rfc3526_prime_2048(NULL), 2047, true);
	secret(BN_get_rfc3526_prime_4096(NULL), 2047, true);
	secret(BN_get_rfc3526_prime_4096(NULL), 4095, true);
}

/* On a core that could do them */
static void long_secrets(void)
{
	unit = unit_open("model:pk_max_bytes=1024", "all=1");
	secret(BN_get_rfc3526_prime_8192(NULL), 2048, true);
	secret(BN_get_rfc3526_prime_8192(NULL), 2056, false);
	unit_close(&unit);
}

/* ---- all ---- */

static void all(const struct setting *setting)
{
	if (!setting->first)
		return;
	exponents();
	signatures();
	secrets();
}

int main(void)
{
	answers_of_settings(&unit, all, 12);
	long_secrets();
	return 0;
}
