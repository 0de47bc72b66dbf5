/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys, parameters and peers that are none, beside the default provider's: Diffie-Hellman with 0, 1 and the
 * prime less one, points that are not on the curve or at infinity, X25519 with points of small order; what
 * is wrong is refused at the same step, with the same return code and errors.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "answer.h"

#define MOST 600u

static struct unit unit;

/* ---- what is done with a key of a peer's ---- */

typedef int check_function(EVP_PKEY_CTX *);

static void check_one(const struct pair *keys, bool here, check_function *check,
		      struct answer *answer)
{
	EVP_PKEY_CTX *context = pair_context(&unit, keys, here);

	answer_begin(answer);
	answer_end(answer, check(context));
	EVP_PKEY_CTX_free(context);
}

/* Every check that there is of a key, by both providers */
static void checks(const struct pair *keys, const char *what)
{
	static const struct {
		const char *name;
		check_function *check;
	} all[] = {
		{ "check", EVP_PKEY_check },
		{ "public check", EVP_PKEY_public_check },
		{ "quick public check", EVP_PKEY_public_check_quick },
		{ "private check", EVP_PKEY_private_check },
		{ "pairwise check", EVP_PKEY_pairwise_check },
		{ "check of parameters", EVP_PKEY_param_check },
		{ "quick check of parameters", EVP_PKEY_param_check_quick },
	};
	struct answer here, there;

	for (unsigned i = 0; i < COUNT(all); i++) {
		check_one(keys, true, all[i].check, &here);
		check_one(keys, false, all[i].check, &there);
		answers_compare(&here, &there, "%s: %s", what, all[i].name);
	}
}

/* The peer is set, and if it is taken a secret derived; the answer of the step that fails */
static void derive_one(const struct pair *keys, bool here, const struct pair *peers, bool validate,
		       bool pad, size_t capacity, struct answer *answer)
{
	EVP_PKEY_CTX *context = pair_context(&unit, keys, here);
	unsigned value = pad;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_EXCHANGE_PARAM_PAD, &value),
		OSSL_PARAM_construct_end(),
	};
	int set;

	CHECK(EVP_PKEY_derive_init_ex(context, params) > 0);
	answer_begin(answer);
	set = EVP_PKEY_derive_set_peer_ex(context, pair_key(peers, here), validate);
	answer->size = capacity;
	if (set > 0)
		answer_end(answer, EVP_PKEY_derive(context, answer->out, &answer->size));
	else
		answer_end(answer, set - 100); /* not to be taken for the other step's */
	EVP_PKEY_CTX_free(context);
}

static void derive(const struct pair *keys, const struct pair *peers, const char *what)
{
	static const size_t capacities[] = { MOST, 32, 31, 1, 0 };
	struct answer here, there;

	for (unsigned i = 0; i < COUNT(capacities); i++)
		for (unsigned way = 0; way < 4; way++) {
			derive_one(keys, true, peers, way & 1, way & 2, capacities[i], &here);
			derive_one(keys, false, peers, way & 1, way & 2, capacities[i], &there);
			answers_compare(&here, &there, "%s: derived%s%s into %zu bytes", what,
					way & 1 ? " after a check" : "", way & 2 ? ", padded" : "",
					capacities[i]);
		}
}

/* ---- keys from numbers ---- */

static void make_one(const char *type, bool here, int selection, OSSL_PARAM *params, EVP_PKEY **key,
		     struct answer *answer)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, type, WHOSE(here));

	*key = NULL;
	CHECK(context && EVP_PKEY_fromdata_init(context) > 0);
	answer_begin(answer);
	answer_end(answer, EVP_PKEY_fromdata(context, key, selection, params));
	if (answer->returned <= 0)
		*key = NULL;
	EVP_PKEY_CTX_free(context);
}

/* Whether there are keys then, of both */
static bool make(const char *type, int selection, OSSL_PARAM *params, struct pair *keys,
		 const char *what)
{
	struct answer here, there;

	make_one(type, true, selection, params, &keys->ours, &here);
	make_one(type, false, selection, params, &keys->theirs, &there);
	answers_compare(&here, &there, "%s: made", what);
	return keys->ours && keys->theirs;
}

/* A key with these numbers, and a secret with itself */
static void try_key(const char *type, OSSL_PARAM *params, const char *what)
{
	struct pair keys;

	if (make(type, EVP_PKEY_KEYPAIR, params, &keys, what)) {
		checks(&keys, what);
		derive(&keys, &keys, what);
	}
	pair_free(&keys);
}

/* A peer's key with these numbers, and a secret with it */
static void try_peer(const struct pair *keys, const char *type, OSSL_PARAM *params,
		     const char *what)
{
	struct pair peers;

	if (make(type, EVP_PKEY_PUBLIC_KEY, params, &peers, what)) {
		checks(&peers, what);
		derive(keys, &peers, what);
	}
	pair_free(&peers);
}

/* A key as it comes from a peer, in the place of one's own public part */
static void encoded_one(EVP_PKEY *like, const uint8_t *bytes, size_t size, EVP_PKEY **key,
			struct answer *answer)
{
	*key = EVP_PKEY_new();
	CHECK(*key && EVP_PKEY_copy_parameters(*key, like) > 0);
	answer_begin(answer);
	answer_end(answer, EVP_PKEY_set1_encoded_public_key(*key, bytes, size));
}

static void encoded(const struct pair *keys, const uint8_t *bytes, size_t size, const char *what)
{
	struct answer here, there;
	struct pair peers;

	encoded_one(keys->ours, bytes, size, &peers.ours, &here);
	encoded_one(keys->theirs, bytes, size, &peers.theirs, &there);
	answers_compare(&here, &there, "%s: from %zu bytes", what, size);
	if (here.returned > 0 && there.returned > 0)
		derive(keys, &peers, what);
	pair_free(&peers);
}

/* ---- Diffie-Hellman ---- */

/* The group of a key: by name, or by its numbers; with a public number, and perhaps a private one */
static OSSL_PARAM *dh_params(const char *group, const BIGNUM *prime, const BIGNUM *public,
			     const BIGNUM *secret)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	BIGNUM *two = BN_new();
	OSSL_PARAM *params;

	CHECK(builder && two && BN_set_word(two, 2));
	if (group)
		CHECK(OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, group,
						      0));
	else
		CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, prime) &&
		      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, two));
	if (public)
		CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PUB_KEY, public));
	if (secret)
		CHECK(OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, secret));
	params = OSSL_PARAM_BLD_to_param(builder);
	CHECK(params);
	OSSL_PARAM_BLD_free(builder);
	BN_free(two);
	return params;
}

#define DH_VALUES 9u

/* 0, 1, 2, and around the prime */
static const char *dh_value(unsigned which, const BIGNUM *prime, BIGNUM *value)
{
	static const char *const names[DH_VALUES] = {
		"0",
		"1",
		"2",
		"the prime less two",
		"the prime less one",
		"the prime",
		"the prime and one",
		"twice the prime",
		"much more",
	};

	CHECK(BN_copy(value, prime));
	if (which < 3)
		CHECK(BN_set_word(value, which));
	else if (which < 5)
		CHECK(BN_sub_word(value, 5 - which));
	else if (which < 7)
		CHECK(BN_add_word(value, which - 5));
	else
		CHECK(BN_lshift(value, prime, which == 7 ? 1 : 40));
	return names[which];
}

static void dh_peers(const struct pair *keys, const char *group, const BIGNUM *prime)
{
	BIGNUM *value = BN_new();
	uint8_t bytes[MOST];
	char what[100];

	CHECK(value);
	for (unsigned i = 0; i < DH_VALUES; i++) {
		const char *name = dh_value(i, prime, value);
		OSSL_PARAM *params = dh_params(group, prime, value, NULL);

		snprintf(what, sizeof(what), "DH %s, peer %s", group ? group : "by numbers", name);
		try_peer(keys, "DH", params, what);
		OSSL_PARAM_free(params);
		CHECK(BN_bn2binpad(value, bytes, MOST) > 0);
		encoded(keys, bytes + MOST - BN_num_bytes(prime), (size_t)BN_num_bytes(prime),
			what);
		encoded(keys, bytes, MOST, what);
	}
	encoded(keys, bytes, 0, "DH, nothing");
	BN_free(value);
}

/* Private numbers that are none, and do not fit the public one */
static void dh_secrets(const char *group, const BIGNUM *prime, const BIGNUM *public)
{
	BIGNUM *value = BN_new();
	char what[100];

	CHECK(value);
	for (unsigned i = 0; i < DH_VALUES; i++) {
		const char *name = dh_value(i, prime, value);
		OSSL_PARAM *params = dh_params(group, prime, public, value);

		snprintf(what, sizeof(what), "DH %s, secret %s", group ? group : "by numbers",
			 name);
		try_key("DH", params, what);
		OSSL_PARAM_free(params);
	}
	BN_free(value);
}

static void dh(const char *group)
{
	EVP_PKEY *named = unit_generate(&unit, "DH", group, THEIRS);
	struct pair other = pair_of(&unit, unit_generate(&unit, "DH", "modp_1536", THEIRS)), keys;
	BIGNUM *prime = NULL, *public = NULL, *secret = NULL;
	OSSL_PARAM *params;
	char what[64];

	CHECK(EVP_PKEY_get_bn_param(named, OSSL_PKEY_PARAM_FFC_P, &prime) &&
	      EVP_PKEY_get_bn_param(named, OSSL_PKEY_PARAM_PUB_KEY, &public) &&
	      EVP_PKEY_get_bn_param(named, OSSL_PKEY_PARAM_PRIV_KEY, &secret));
	for (unsigned by_name = 0; by_name < 2; by_name++) {
		const char *name = by_name ? group : NULL;

		params = dh_params(name, prime, public, secret);
		snprintf(what, sizeof(what), "DH %s", name ? name : "by numbers");
		CHECK(make("DH", EVP_PKEY_KEYPAIR, params, &keys, what));
		dh_peers(&keys, name, prime);
		dh_secrets(name, prime, public);
		/* a key of another group */
		derive(&keys, &other, "DH, a peer of another group");
		pair_free(&keys);
		OSSL_PARAM_free(params);
	}
	/* a "prime" that is none: even, and odd */
	for (unsigned less = 1; less < 3; less++) {
		CHECK(BN_sub_word(prime, less == 1 ? 1 : 3));
		params = dh_params(NULL, prime, public, secret);
		try_key("DH", params, "DH with no prime");
		OSSL_PARAM_free(params);
	}
	BN_free(prime);
	BN_free(public);
	BN_clear_free(secret);
	EVP_PKEY_free(named);
	pair_free(&other);
}

/* ---- elliptic curves ---- */

static void ec_peer(const struct pair *keys, const char *curve, uint8_t *bytes, size_t size,
		    const char *what)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0),
		OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, bytes, size),
		OSSL_PARAM_construct_end(),
	};

	try_peer(keys, "EC", params, what);
	encoded(keys, bytes, size, what);
}

static void ec_points(const struct pair *keys, const char *curve, const char *other)
{
	EVP_PKEY *peer = EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", curve);
	struct pair others;
	uint8_t point[MOST], bytes[MOST];
	char what[64];
	size_t size;

	CHECK(peer &&
	      EVP_PKEY_get_octet_string_param(peer, OSSL_PKEY_PARAM_PUB_KEY, point, MOST, &size));
	ec_peer(keys, curve, point, size, "EC, a good peer");
	/* in all sizes, which are none */
	for (size_t cut = 0; cut < size; cut += cut < 2 || cut > size - 3 ? 1 : size / 2 - 2)
		ec_peer(keys, curve, point, cut, "EC, a peer cut off");
	for (unsigned form = 0; form < 256; form += form < 8 ? 1 : 31) {
		memcpy(bytes, point, size);
		bytes[0] = (uint8_t)form;
		snprintf(what, sizeof(what), "EC, a peer of form %u", form);
		ec_peer(keys, curve, bytes, size, what);
		ec_peer(keys, curve, bytes, 1 + size / 2, what);
		ec_peer(keys, curve, bytes, 1, what);
	}
	for (unsigned i = 0; i < 6; i++) {
		memcpy(bytes, point, size);
		if (i == 0)
			bytes[size - 1] ^= 1; /* not on the curve */
		else if (i == 1)
			bytes[1] ^= 0x80;
		else if (i == 2)
			memset(bytes + 1, 0, size - 1);
		else if (i == 3)
			memset(bytes + 1, 0xff, size - 1); /* more than the prime */
		else if (i == 4)
			memset(bytes + 1, 0, size / 2);
		else
			memset(bytes + 1 + size / 2, 0, size / 2);
		snprintf(what, sizeof(what), "EC, point %u that is none", i);
		ec_peer(keys, curve, bytes, size, what);
	}
	EVP_PKEY_free(peer);
	others = pair_of(&unit, EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", other));
	derive(keys, &others, "EC, a peer of another curve");
	pair_free(&others);
}

/* Private numbers of 0, 1, the order, and what does not fit the public point */
static void ec_secrets(EVP_PKEY *theirs, const char *curve)
{
	BIGNUM *order = NULL, *secret = BN_new();
	uint8_t point[MOST];
	size_t size;
	char what[64];

	CHECK(secret && EVP_PKEY_get_bn_param(theirs, OSSL_PKEY_PARAM_EC_ORDER, &order) &&
	      EVP_PKEY_get_octet_string_param(theirs, OSSL_PKEY_PARAM_PUB_KEY, point, MOST, &size));
	for (unsigned i = 0; i < 6; i++) {
		OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
		OSSL_PARAM *params;

		CHECK(i < 2 ? BN_set_word(secret, i) : BN_copy(secret, order) != NULL);
		CHECK(i != 2 || BN_sub_word(secret, 1));
		CHECK(i != 4 || BN_add_word(secret, 1));
		CHECK(i != 5 || BN_lshift(secret, order, 70));
		CHECK(OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve,
						      0) &&
		      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point,
						       size) &&
		      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, secret));
		params = OSSL_PARAM_BLD_to_param(builder);
		snprintf(what, sizeof(what), "EC, secret %u", i);
		try_key("EC", params, what);
		OSSL_PARAM_free(params);
		OSSL_PARAM_BLD_free(builder);
	}
	BN_free(order);
	BN_clear_free(secret);
}

static void ec(const char *curve, const char *other)
{
	struct pair keys = pair_of(&unit, EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", curve));

	ec_points(&keys, curve, other);
	ec_secrets(keys.theirs, curve);
	pair_free(&keys);
}

/* ---- X25519 ---- */

/* Of small order, on the curve or its twist, also with a number that is not less than the prime */
static const uint8_t points[][32] = {
	{ 0 },
	{ 1 },
	{ 0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3,
	  0xfa, 0xf1, 0x9f, 0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32,
	  0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16, 0x5f, 0x49, 0xb8, 0x00 },
	{ 0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1,
	  0x55, 0x9c, 0x83, 0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c,
	  0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f, 0x11, 0x57 },
	{ 0xec, [1 ... 30] = 0xff, [31] = 0x7f },
	{ 0xed, [1 ... 30] = 0xff, [31] = 0x7f },
	{ 0xee, [1 ... 30] = 0xff, [31] = 0x7f },
	{ [31] = 0x80 },
	{ 1, [31] = 0x80 },
	{ [0 ... 31] = 0xff },
	{ 9 },
};

static void x25519(void)
{
	struct pair keys = pair_of(&unit, EVP_PKEY_Q_keygen(unit.library, THEIRS, "X25519"));
	char what[64];

	for (unsigned i = 0; i < COUNT(points); i++) {
		snprintf(what, sizeof(what), "X25519, point %u", i);
		for (size_t size = 0; size <= 32; size += size < 31 ? 31 : 1) {
			OSSL_PARAM params[] = {
				OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY,
								  (void *)points[i], size),
				OSSL_PARAM_construct_end(),
			};

			try_peer(&keys, "X25519", params, what);
			encoded(&keys, points[i], size, what);
		}
	}
	pair_free(&keys);
}

static void try_all(const struct setting *setting)
{
	(void)setting;
	dh("ffdhe2048");
	ec("P-256", "P-384");
	ec("P-521", "secp256k1");
	x25519();
}

int main(void)
{
	answers_of_settings(&unit, try_all, 3000);
	return 0;
}
