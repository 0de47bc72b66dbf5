/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffie-Hellman beside the default provider's: named groups, custom parameters with and without the
 * order, keys made by either, padding, key derivation, and peers that are refused.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "unit.h"

#define MOST 1024u

static struct unit unit;

static EVP_PKEY *make_like(const char *properties, EVP_PKEY *template)
{
	/* The template's provider makes the key */
	EVP_PKEY *parameters = unit_key(&unit, template, properties), *key = NULL;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, parameters, properties);

	CHECK(context && EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_generate(context, &key) > 0);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(parameters);
	return key;
}

/* The secret's size; less than 0: refused */
static int derive(EVP_PKEY *key, const char *properties, EVP_PKEY *peer, const OSSL_PARAM *params,
		  bool validate, uint8_t out[MOST])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties), *copy;
	size_t size = MOST;
	int got = -1;

	CHECK(context && EVP_PKEY_derive_init_ex(context, params) > 0);
	if (EVP_PKEY_derive_set_peer_ex(context, peer, validate) > 0) {
		copy = EVP_PKEY_CTX_dup(context);
		CHECK(copy);
		if (EVP_PKEY_derive(copy, out, &size) > 0)
			got = (int)size;
		EVP_PKEY_CTX_free(copy);
	}
	EVP_PKEY_CTX_free(context);
	return got;
}

/* All ways to the same secret give the same secret */
static void same(EVP_PKEY *one, EVP_PKEY *other, const OSSL_PARAM *params)
{
	const char *const whose[] = { OURS, THEIRS };
	uint8_t first[MOST], secret[MOST];
	EVP_PKEY *keys[2][2];
	int size = -2;

	for (unsigned i = 0; i < 2; i++) {
		keys[i][0] = unit_key(&unit, one, whose[i]);
		keys[i][1] = unit_key(&unit, other, whose[i]);
	}
	for (unsigned i = 0; i < 16; i++) {
		unsigned side = i & 1, mine = i >> 1 & 1, yours = i >> 2 & 1;
		int got = derive(keys[mine][side], whose[mine], keys[yours][!side], params,
				 i >> 3 & 1, secret);

		CHECK(got > 0 &&
		      (size == -2 || (got == size && memcmp(first, secret, (size_t)got) == 0)));
		size = got;
		memcpy(first, secret, (size_t)got);
	}
	for (unsigned i = 0; i < 4; i++)
		EVP_PKEY_free(keys[i / 2][i % 2]);
}

/* As it is, padded, and with a derivation of a key */
static void all_ways(EVP_PKEY *one, EVP_PKEY *other)
{
	unsigned pad = 1;
	size_t length = 40;
	uint8_t material[] = { 1, 2, 3 };
	const OSSL_PARAM padded[] = {
		OSSL_PARAM_construct_uint(OSSL_EXCHANGE_PARAM_PAD, &pad),
		OSSL_PARAM_construct_end(),
	};
	const OSSL_PARAM derived[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, "X942KDF-ASN1", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, &length),
		OSSL_PARAM_construct_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, material,
						  sizeof(material)),
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_CEK_ALG, "AES-128-WRAP", 0),
		OSSL_PARAM_construct_end(),
	};

	same(one, other, NULL);
	same(one, other, padded);
	same(one, other, derived);
}

static void check(EVP_PKEY *key, const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);

	CHECK(context && EVP_PKEY_check(context) > 0 && EVP_PKEY_public_check(context) > 0);
	CHECK(EVP_PKEY_param_check(context) > 0 && EVP_PKEY_pairwise_check(context) > 0);
	EVP_PKEY_CTX_free(context);
}

static unsigned bits_of_secret(const EVP_PKEY *key)
{
	BIGNUM *secret = NULL;
	unsigned bits;

	CHECK(EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &secret));
	bits = (unsigned)BN_num_bits(secret);
	BN_clear_free(secret);
	return bits;
}

static void named_groups(void)
{
	static const char *const groups[] = { "ffdhe2048", "ffdhe3072", "ffdhe4096", "modp_1536",
					      "modp_2048", "modp_3072", "modp_4096" };

	for (unsigned i = 0; i < COUNT(groups); i++) {
		unsigned long long before = unit_count("dh", UNIT_HARDWARE);
		EVP_PKEY *ours = unit_generate(&unit, "DH", groups[i], OURS);
		EVP_PKEY *theirs = unit_generate(&unit, "DH", groups[i], THEIRS);
		EVP_PKEY *copy = unit_key(&unit, ours, THEIRS), *like = make_like(OURS, theirs);
		char name[32];
		size_t size;

		CHECK(unit_count("dh", UNIT_HARDWARE) == before + 2);
		CHECK(EVP_PKEY_get_group_name(ours, name, sizeof(name), &size));
		CHECK(strcmp(name, groups[i]) == 0);
		/* by software's judgement our keys are as good */
		check(copy, THEIRS);
		check(ours, OURS);
		all_ways(ours, theirs);
		all_ways(ours, like);
		CHECK(unit_count("dh", UNIT_HARDWARE) > before + 30);
		EVP_PKEY_free(ours);
		EVP_PKEY_free(theirs);
		EVP_PKEY_free(copy);
		EVP_PKEY_free(like);
	}
}

/* The most bits that one of eight secrets has: hardly ever eight less than it may have */
static unsigned most_bits(const char *group, const char *properties, int length)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "DH", properties);
	unsigned most = 0;

	CHECK(context && EVP_PKEY_keygen_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_group_name(context, group) > 0);
	if (length > 0) {
		const OSSL_PARAM told[] = {
			OSSL_PARAM_construct_int(OSSL_PKEY_PARAM_DH_PRIV_LEN, &length),
			OSSL_PARAM_construct_end(),
		};

		CHECK(EVP_PKEY_CTX_set_params(context, told) > 0);
	}
	for (unsigned i = 0; i < 8; i++) {
		EVP_PKEY *key = NULL;
		unsigned bits;

		CHECK(EVP_PKEY_generate(context, &key) > 0);
		bits = bits_of_secret(key);
		most = bits > most ? bits : most;
		EVP_PKEY_free(key);
	}
	EVP_PKEY_CTX_free(context);
	return most;
}

/* Secrets of named groups are short, as software has them: each bit more would cost both sides time */
static void lengths(void)
{
	static const struct {
		const char *group;
		unsigned bits;
	} groups[] = {
		{ "modp_1536", 200 }, { "ffdhe2048", 225 }, { "modp_2048", 225 },
		{ "ffdhe3072", 275 }, { "modp_3072", 275 }, { "ffdhe4096", 325 },
		{ "modp_4096", 325 }, { "ffdhe6144", 375 }, { "modp_6144", 375 },
		{ "ffdhe8192", 400 }, { "modp_8192", 400 },
	};
	unsigned long long before = unit_count("dh", UNIT_HARDWARE);

	for (unsigned i = 0; i < COUNT(groups); i++) {
		unsigned ours = most_bits(groups[i].group, OURS, 0);
		unsigned theirs = most_bits(groups[i].group, THEIRS, 0);

		CHECK(ours <= groups[i].bits && ours + 8 > groups[i].bits);
		CHECK(theirs <= groups[i].bits && theirs + 8 > groups[i].bits);
	}
	CHECK(unit_count("dh", UNIT_HARDWARE) > before);
	CHECK(most_bits("ffdhe2048", OURS, 300) + 8 > 300);
	CHECK(most_bits("ffdhe2048", OURS, 300) <= 300);
}

/* A group of numbers without a name */
static EVP_PKEY *custom(const BIGNUM *p, unsigned g, int length)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "DH", THEIRS);
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *generator = BN_new();
	EVP_PKEY *made = NULL;
	OSSL_PARAM *params;

	CHECK(BN_set_word(generator, g));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, p));
	CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, generator));
	CHECK(!length || OSSL_PARAM_BLD_push_int(builder, OSSL_PKEY_PARAM_DH_PRIV_LEN, length));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &made, EVP_PKEY_KEY_PARAMETERS, params) > 0);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	BN_free(generator);
	EVP_PKEY_CTX_free(context);
	return made;
}

/* Not all versions of software heed the length of a template's secrets */
static void in_custom_group(EVP_PKEY *parameters, int length, bool core)
{
	unsigned long long before = unit_count("dh", UNIT_HARDWARE);
	EVP_PKEY *ours = make_like(OURS, parameters), *theirs = make_like(THEIRS, parameters);

	if (length)
		CHECK(bits_of_secret(ours) == (unsigned)length);
	else
		CHECK(bits_of_secret(ours) + 20 > bits_of_secret(theirs));
	CHECK(bits_of_secret(theirs) + 20 > bits_of_secret(ours));
	same(ours, theirs, NULL);
	same(theirs, ours, NULL);
	CHECK((unit_count("dh", UNIT_HARDWARE) > before) == core);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	EVP_PKEY_free(parameters);
}

static void custom_groups(void)
{
	BIGNUM *p = BN_new();

	/* Without its name and order a safe prime is a custom one */
	for (unsigned bits = 512; bits <= 1024; bits += 256) {
		CHECK(BN_generate_prime_ex(p, (int)bits, 0, NULL, NULL, NULL));
		in_custom_group(custom(p, 2, 0), 0, true);
		in_custom_group(custom(p, 5, 0), 0, true);
		in_custom_group(custom(p, 5, 256), 256, true);
	}
	BN_free(p);
}

/* Groups with an order that is no safe prime's half (RFC 5114): software's */
static void with_order(void)
{
	static const char *const groups[] = { "dh_1024_160", "dh_2048_256" };

	for (unsigned i = 0; i < COUNT(groups); i++) {
		unsigned long long before = unit_count("dh", UNIT_HARDWARE);
		EVP_PKEY *ours = unit_generate(&unit, "DHX", groups[i], OURS);
		EVP_PKEY *theirs = unit_generate(&unit, "DHX", groups[i], THEIRS);

		check(ours, OURS);
		all_ways(ours, theirs);
		CHECK(unit_count("dh", UNIT_HARDWARE) == before);
		EVP_PKEY_free(ours);
		EVP_PKEY_free(theirs);
	}
}

/* A peer's key that is no good is refused by us as by software */
static void bad_peers(void)
{
	EVP_PKEY *key = unit_generate(&unit, "DH", "modp_1536", OURS),
		 *theirs = unit_key(&unit, key, THEIRS);
	uint8_t encoded[192], secret[MOST];
	BIGNUM *p = BN_get_rfc3526_prime_1536(NULL);

	for (unsigned i = 0; i < 5; i++) {
		EVP_PKEY *peer = EVP_PKEY_new(), *other = EVP_PKEY_new();

		CHECK(EVP_PKEY_copy_parameters(peer, key));
		CHECK(EVP_PKEY_copy_parameters(other, theirs));
		CHECK(BN_bn2binpad(p, encoded, sizeof(encoded)) == sizeof(encoded));
		if (i < 2) {
			memset(encoded, 0, sizeof(encoded));
			encoded[sizeof(encoded) - 1] = (uint8_t)i;
		} else {
			encoded[sizeof(encoded) - 1] -= (uint8_t)(i - 2);
		}
		/* p - 2 is none of the group's elements, but who looks no further takes it */
		if (EVP_PKEY_set1_encoded_public_key(peer, encoded, sizeof(encoded)) > 0) {
			int there, here;

			CHECK(EVP_PKEY_set1_encoded_public_key(other, encoded, sizeof(encoded)) >
			      0);
			for (unsigned validate = 0; validate < 2; validate++) {
				there = derive(theirs, THEIRS, other, NULL, validate, secret);
				here = derive(key, OURS, peer, NULL, validate, secret);
				CHECK(here == there && (i == 4 || here < 0));
			}
		} else {
			CHECK(EVP_PKEY_set1_encoded_public_key(other, encoded, sizeof(encoded)) <=
			      0);
		}
		EVP_PKEY_free(peer);
		EVP_PKEY_free(other);
	}
	ERR_clear_error();
	BN_free(p);
	EVP_PKEY_free(key);
	EVP_PKEY_free(theirs);
}

/* Of many exchanges some have a secret that begins with zeros */
static void leading_zeros(void)
{
	EVP_PKEY *one = unit_generate(&unit, "DH", "modp_1536", OURS), *peer;
	EVP_PKEY *theirs = unit_key(&unit, one, THEIRS), *same_peer;
	uint8_t here[MOST], there[MOST];
	unsigned shorter = 0;

	for (unsigned i = 0; i < 2000 && shorter < 2; i++) {
		int size;

		peer = make_like(OURS, one);
		size = derive(one, OURS, peer, NULL, false, here);
		CHECK(size > 0);
		if (size < 192) {
			shorter++;
			same_peer = unit_key(&unit, peer, THEIRS);
			CHECK(derive(theirs, THEIRS, same_peer, NULL, false, there) == size);
			CHECK(memcmp(here, there, (size_t)size) == 0);
			EVP_PKEY_free(same_peer);
		}
		EVP_PKEY_free(peer);
	}
	CHECK(shorter == 2);
	EVP_PKEY_free(one);
	EVP_PKEY_free(theirs);
}

int main(void)
{
	unit = unit_open("model", "all=1");
	named_groups();
	lengths();
	custom_groups();
	with_order();
	bad_peers();
	leading_zeros();
	CHECK(unit_count("dh", UNIT_FAILED) == 0);
	unit_close(&unit);
	return 0;
}
