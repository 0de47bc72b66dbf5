/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Elliptic curves beside the default provider's: ECDSA by digests and messages, signatures that are none,
 * ECDH with and without derivation, peers that are refused, keys made by either, curves that are software's,
 * and children.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "unit.h"

#define MOST 256u

static struct unit unit;

static EVP_PKEY *make(const char *properties, const char *curve)
{
	EVP_PKEY *key = EVP_PKEY_Q_keygen(unit.library, properties, "EC", curve);

	CHECK(key);
	return key;
}

/* ---- ECDSA ---- */

/* The signature's size; 0: refused */
static size_t sign(EVP_PKEY *key, const char *properties, const EVP_MD *digest, const uint8_t *in,
		   size_t size, uint8_t out[MOST])
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	size_t got = 0, capacity = MOST;

	CHECK(context && EVP_PKEY_sign_init(context) > 0);
	if (digest)
		CHECK(EVP_PKEY_CTX_set_signature_md(context, digest) > 0);
	CHECK(EVP_PKEY_sign(context, NULL, &got, in, size) > 0);
	CHECK(got == (size_t)EVP_PKEY_get_size(key));
	if (EVP_PKEY_sign(context, out, &capacity, in, size) <= 0)
		capacity = 0;
	CHECK(capacity <= got);
	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return capacity;
}

static int verify(EVP_PKEY *key, const char *properties, const EVP_MD *digest, const uint8_t *in,
		  size_t size, const uint8_t *bytes, size_t bytes_size)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);
	int verdict;

	CHECK(context && EVP_PKEY_verify_init(context) > 0);
	if (digest)
		CHECK(EVP_PKEY_CTX_set_signature_md(context, digest) > 0);
	verdict = EVP_PKEY_verify(context, bytes, bytes_size, in, size) > 0;
	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return verdict;
}

/* Both say the same of a signature */
static bool agree(EVP_PKEY *ours, EVP_PKEY *theirs, const EVP_MD *digest, const uint8_t *in,
		  size_t size, const uint8_t *bytes, size_t bytes_size)
{
	int here = verify(ours, OURS, digest, in, size, bytes, bytes_size);

	CHECK(here == verify(theirs, THEIRS, digest, in, size, bytes, bytes_size));
	return here;
}

static void digests(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static const char *const names[] = {
		NULL, "SHA1", "SHA256", "SHA384", "SHA512", "SHA3-256"
	};
	uint8_t in[MOST], bytes[MOST], others[MOST];

	for (unsigned i = 0; i < COUNT(names); i++) {
		EVP_MD *digest = names[i] ? EVP_MD_fetch(unit.library, names[i], THEIRS) : NULL;
		size_t exact = digest ? (size_t)EVP_MD_get_size(digest) : 40, size;

		unit_fill(in, sizeof(in));
		size = sign(ours, OURS, digest, in, exact, bytes);
		CHECK(size && agree(ours, theirs, digest, in, exact, bytes, size));
		bytes[size - 1] ^= 1;
		CHECK(!agree(ours, theirs, digest, in, exact, bytes, size));
		size = sign(theirs, THEIRS, digest, in, exact, bytes);
		CHECK(size && agree(ours, theirs, digest, in, exact, bytes, size));
		in[0] ^= 1;
		CHECK(!agree(ours, theirs, digest, in, exact, bytes, size));
		/* a digest of another size, if one was said */
		size = sign(ours, OURS, digest, in, exact - 1, bytes);
		CHECK(!size == !sign(theirs, THEIRS, digest, in, exact - 1, others));
		CHECK(!size == (digest != NULL));
		EVP_MD_free(digest);
	}
}

/* Digests of any size, when none is named */
static void sizes(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static const size_t all[] = { 1, 20, 31, 32, 33, 48, 64, 65, 66, 67, 100 };
	uint8_t in[MOST], bytes[MOST];

	unit_fill(in, sizeof(in));
	for (unsigned i = 0; i < COUNT(all); i++) {
		size_t size = sign(ours, OURS, NULL, in, all[i], bytes);

		CHECK(size && agree(ours, theirs, NULL, in, all[i], bytes, size));
		size = sign(theirs, THEIRS, NULL, in, all[i], bytes);
		CHECK(size && agree(ours, theirs, NULL, in, all[i], bytes, size));
	}
	/* digests of zeros, and of ones that are more than the order */
	for (int byte = 0; byte < 256; byte += 255) {
		size_t size;

		memset(in, byte, 64);
		size = sign(ours, OURS, NULL, in, 64, bytes);
		CHECK(size && agree(ours, theirs, NULL, in, 64, bytes, size));
	}
}

/* Every bit of a signature counts, and every byte more or less */
static void changed_signatures(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	uint8_t in[32], bytes[MOST] = { 0 };
	size_t size;

	unit_fill(in, sizeof(in));
	size = sign(ours, OURS, NULL, in, sizeof(in), bytes);
	for (size_t i = 0; i < size; i++) {
		uint8_t was = bytes[i];

		bytes[i] ^= (uint8_t)(1u << unit_random(8));
		CHECK(!agree(ours, theirs, NULL, in, sizeof(in), bytes, size));
		bytes[i] = was;
	}
	for (size_t less = 0; less < size; less += 7)
		CHECK(!agree(ours, theirs, NULL, in, sizeof(in), bytes, less));
	CHECK(!agree(ours, theirs, NULL, in, sizeof(in), bytes, size + 1));
	CHECK(agree(ours, theirs, NULL, in, sizeof(in), bytes, size));
}

/* r and s that are 0, the order or more; negative; or written with more zeros than are needed */
static void numbers_out_of_range(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	static const uint8_t odd[][10] = {
		{ 0x30, 6, 2, 1, 0xff, 2, 1, 1 },
		{ 0x30, 6, 2, 1, 1, 2, 1, 0xff },
		{ 0x30, 7, 2, 2, 0, 1, 2, 1, 1 },
	};
	uint8_t in[32] = { 1 }, der[MOST];
	BIGNUM *order = NULL;

	CHECK(EVP_PKEY_get_bn_param(theirs, OSSL_PKEY_PARAM_EC_ORDER, &order));
	for (unsigned i = 0; i < 16; i++) {
		ECDSA_SIG *signature = ECDSA_SIG_new();
		BIGNUM *number[2];
		uint8_t *at = der;
		int size;

		for (unsigned j = 0; j < 2; j++) {
			unsigned kind = j ? i >> 2 : i & 3;

			number[j] = BN_new();
			if (kind == 1)
				CHECK(BN_copy(number[j], order));
			if (kind == 2)
				CHECK(BN_set_word(number[j], 1));
			if (kind == 3)
				CHECK(BN_copy(number[j], order) && BN_add_word(number[j], 1));
		}
		CHECK(ECDSA_SIG_set0(signature, number[0], number[1]));
		size = i2d_ECDSA_SIG(signature, &at);
		CHECK(size > 0);
		CHECK(!agree(ours, theirs, NULL, in, sizeof(in), der, (size_t)size));
		ECDSA_SIG_free(signature);
	}
	for (unsigned i = 0; i < COUNT(odd); i++)
		CHECK(!agree(ours, theirs, NULL, in, sizeof(in), odd[i], 2u + odd[i][1]));
	BN_free(order);
}

/* Messages, at once and in parts, with contexts that are copied in their midst */
static void messages(EVP_PKEY *ours, EVP_PKEY *theirs)
{
	uint8_t text[1000], bytes[MOST];

	unit_fill(text, sizeof(text));
	for (unsigned side = 0; side < 4; side++) {
		EVP_MD_CTX *context = EVP_MD_CTX_new(), *copy = EVP_MD_CTX_new();
		const char *signer = WHOSE(side & 1), *judge = WHOSE(side & 2);
		size_t size = MOST;

		CHECK(EVP_DigestSignInit_ex(context, NULL, "SHA384", unit.library, signer,
					    side & 1 ? ours : theirs, NULL) > 0);
		CHECK(EVP_DigestSignUpdate(context, text, 300) > 0);
		CHECK(EVP_MD_CTX_copy_ex(copy, context) > 0);
		CHECK(EVP_DigestSignUpdate(copy, text + 300, 700) > 0);
		CHECK(EVP_DigestSignFinal(copy, bytes, &size) > 0);
		EVP_MD_CTX_free(context);
		EVP_MD_CTX_free(copy);
		for (unsigned bad = 0; bad < 2; bad++) {
			text[5] ^= (uint8_t)bad;
			context = EVP_MD_CTX_new();
			CHECK(EVP_DigestVerifyInit_ex(context, NULL, "SHA384", unit.library, judge,
						      side & 2 ? ours : theirs, NULL) > 0);
			CHECK((EVP_DigestVerify(context, bytes, size, text, 1000) > 0) == !bad);
			EVP_MD_CTX_free(context);
			text[5] ^= (uint8_t)bad;
		}
	}
	ERR_clear_error();
}

/* No signature is like another: the nonce is random */
static void nonces(EVP_PKEY *ours)
{
	uint8_t in[32] = { 9 }, one[MOST], other[MOST];
	size_t size = sign(ours, OURS, NULL, in, sizeof(in), one);

	CHECK(sign(ours, OURS, NULL, in, sizeof(in), other) && memcmp(one, other, size) != 0);
}

/* ---- ECDH ---- */

static void same_secret(EVP_PKEY *one, EVP_PKEY *other, const OSSL_PARAM *params)
{
	const char *const whose[] = { OURS, THEIRS };
	uint8_t first[MOST], secret[MOST];
	EVP_PKEY *keys[2][2];
	size_t capacity;
	int size = -2;

	for (unsigned i = 0; i < 2; i++) {
		keys[i][0] = unit_key(&unit, one, whose[i]);
		keys[i][1] = unit_key(&unit, other, whose[i]);
	}
	for (unsigned i = 0; i < 8; i++) {
		unsigned side = i & 1, mine = i >> 1 & 1, yours = i >> 2 & 1;
		int got = unit_derive(&unit, keys[mine][side], whose[mine], keys[yours][!side],
				      params, MOST, secret);

		CHECK(got > 0 &&
		      (size == -2 || (got == size && memcmp(first, secret, (size_t)got) == 0)));
		size = got;
		memcpy(first, secret, (size_t)got);
	}
	/* into a buffer that is too small, software writes as much as fits, or nothing */
	capacity = (size_t)size - 1;
	size = unit_derive(&unit, keys[1][0], THEIRS, keys[1][1], params, capacity, first);
	CHECK(unit_derive(&unit, keys[0][0], OURS, keys[0][1], params, capacity, secret) == size);
	CHECK(size < 0 || memcmp(first, secret, (size_t)size) == 0);
	for (unsigned i = 0; i < 4; i++)
		EVP_PKEY_free(keys[i / 2][i % 2]);
}

static void exchanges(EVP_PKEY *one, EVP_PKEY *other)
{
	int cofactor = 1;
	size_t length = 40;
	uint8_t material[] = { 1, 2, 3 };
	const OSSL_PARAM with_cofactor[] = {
		OSSL_PARAM_construct_int(OSSL_EXCHANGE_PARAM_EC_ECDH_COFACTOR_MODE, &cofactor),
		OSSL_PARAM_construct_end(),
	};
	const OSSL_PARAM derived[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_TYPE, "X963KDF", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_EXCHANGE_PARAM_KDF_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_size_t(OSSL_EXCHANGE_PARAM_KDF_OUTLEN, &length),
		OSSL_PARAM_construct_octet_string(OSSL_EXCHANGE_PARAM_KDF_UKM, material,
						  sizeof(material)),
		OSSL_PARAM_construct_end(),
	};

	same_secret(one, other, NULL);
	same_secret(one, other, with_cofactor);
	same_secret(one, other, derived);
}

/* A peer on another curve, and points that are none: refused by us as by software */
static void bad_peers(void)
{
	EVP_PKEY *key = make(OURS, "P-256"), *other = make(OURS, "P-384");
	uint8_t point[2 + 2 * 66], secret[MOST];
	size_t size;

	CHECK(unit_derive(&unit, key, OURS, other, NULL, MOST, secret) < 0);
	CHECK(EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, sizeof(point),
					      &size));
	for (unsigned i = 0; i < 5; i++) {
		static const size_t lengths[] = { 65, 65, 65, 64, 1 };
		uint8_t wrong[sizeof(point)];

		memcpy(wrong, point, size);
		if (i == 0)
			wrong[64] ^= 1;
		if (i == 1)
			memset(wrong + 1, 0xff, 64);
		if (i == 2)
			memset(wrong + 1, 0, 64);
		if (i == 4)
			wrong[0] = 0; /* infinity */
		for (unsigned ours = 0; ours < 2; ours++) {
			EVP_PKEY *mine = unit_key(&unit, key, WHOSE(ours));
			EVP_PKEY *peer = EVP_PKEY_new();
			bool refused;

			CHECK(EVP_PKEY_copy_parameters(peer, mine));
			refused = EVP_PKEY_set1_encoded_public_key(peer, wrong, lengths[i]) <= 0 ||
				  unit_derive(&unit, mine, WHOSE(ours), peer, NULL, MOST, secret) <
					  0;
			CHECK(refused);
			EVP_PKEY_free(peer);
			EVP_PKEY_free(mine);
		}
	}
	ERR_clear_error();
	EVP_PKEY_free(key);
	EVP_PKEY_free(other);
}

/* ---- all of it ---- */

static void check(EVP_PKEY *key, const char *properties)
{
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(unit.library, key, properties);

	CHECK(context && EVP_PKEY_check(context) > 0 && EVP_PKEY_pairwise_check(context) > 0);
	EVP_PKEY_CTX_free(context);
}

static void curve(const char *name, bool core)
{
	unsigned long long ecdsa = unit_count("ecdsa", UNIT_HARDWARE);
	unsigned long long ecdh = unit_count("ecdh", UNIT_HARDWARE);
	EVP_PKEY *made = make(OURS, name), *theirs = make(THEIRS, name);
	EVP_PKEY *ours = unit_key(&unit, theirs, OURS), *copy = unit_key(&unit, made, THEIRS);

	CHECK((unit_count("ecdh", UNIT_HARDWARE) > ecdh) == core);
	check(copy, THEIRS);
	check(made, OURS);
	digests(ours, theirs);
	sizes(ours, theirs);
	changed_signatures(made, copy);
	numbers_out_of_range(ours, theirs);
	messages(ours, theirs);
	nonces(made);
	CHECK((unit_count("ecdsa", UNIT_HARDWARE) > ecdsa + 40) == core);
	ecdh = unit_count("ecdh", UNIT_HARDWARE);
	exchanges(made, theirs);
	CHECK(unit_count("ecdh", UNIT_HARDWARE) == (core ? ecdh + 8 : ecdh));
	EVP_PKEY_free(copy);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
	EVP_PKEY_free(made);
}

/* A key whose public point is another's: it is verified in vain, and not the core's fault */
static void foreign_halves(void)
{
	EVP_PKEY *one = make(THEIRS, "P-256"), *other = make(THEIRS, "P-256"), *mixed = NULL, *good;
	EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(unit.library, "EC", OURS);
	OSSL_PARAM *secret, *public, *all;
	uint8_t in[32] = { 3 }, bytes[MOST];
	unsigned long long before;
	size_t size;

	CHECK(EVP_PKEY_todata(one, EVP_PKEY_KEYPAIR, &secret));
	CHECK(EVP_PKEY_todata(other, EVP_PKEY_PUBLIC_KEY, &public));
	all = OSSL_PARAM_merge(secret, public);
	CHECK(all && EVP_PKEY_fromdata_init(context) > 0);
	CHECK(EVP_PKEY_fromdata(context, &mixed, EVP_PKEY_KEYPAIR, all) > 0);
	for (unsigned i = 0; i < 2; i++) {
		size = sign(mixed, OURS, NULL, in, sizeof(in), bytes);
		CHECK(size && verify(one, THEIRS, NULL, in, sizeof(in), bytes, size) == 1);
	}
	/* others go on on the core */
	good = unit_key(&unit, one, OURS);
	before = unit_count("ecdsa", UNIT_HARDWARE);
	CHECK(sign(good, OURS, NULL, in, sizeof(in), bytes));
	CHECK(unit_count("ecdsa", UNIT_HARDWARE) == before + 1);
	OSSL_PARAM_free(all);
	OSSL_PARAM_free(secret);
	OSSL_PARAM_free(public);
	EVP_PKEY_CTX_free(context);
	EVP_PKEY_free(mixed);
	EVP_PKEY_free(good);
	EVP_PKEY_free(one);
	EVP_PKEY_free(other);
}

/* Parent and children sign with one key at once */
static void children(void)
{
	EVP_PKEY *theirs = make(THEIRS, "P-256"), *ours = unit_key(&unit, theirs, OURS);
	unsigned long long before = unit_count("ecdsa", UNIT_HARDWARE);
	uint8_t in[32], bytes[MOST];
	pid_t child[3];
	int status;

	for (unsigned i = 0; i < COUNT(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			for (unsigned j = 0; j < 5; j++) {
				size_t size;

				memset(in, (int)(i * 8 + j), sizeof(in));
				size = sign(ours, OURS, NULL, in, sizeof(in), bytes);
				CHECK(size &&
				      agree(ours, theirs, NULL, in, sizeof(in), bytes, size));
			}
			_exit(0);
		}
	}
	for (unsigned i = 0; i < COUNT(child); i++)
		CHECK(waitpid(child[i], &status, 0) == child[i] && status == 0);
	CHECK(sign(ours, OURS, NULL, in, sizeof(in), bytes));
	CHECK(unit_count("ecdsa", UNIT_HARDWARE) >= before + 16);
	EVP_PKEY_free(ours);
	EVP_PKEY_free(theirs);
}

/* What is switched off is not offered, and not done */
static void switched_off(void)
{
	EVP_PKEY *key;
	EVP_KEYEXCH *exchange;

	setenv("FIRESTEEL_PROVIDER_OPERATIONS", "ecdsa", 1);
	unit = unit_open("model", "all=1");
	key = make(OURS, "P-256");
	exchange = EVP_KEYEXCH_fetch(unit.library, "ECDH", OURS);
	CHECK(!exchange && unit_count("ecdh", UNIT_HARDWARE) == 0);
	EVP_PKEY_free(key);
	ERR_clear_error();
	unit_close(&unit);
	unsetenv("FIRESTEEL_PROVIDER_OPERATIONS");
}

int main(void)
{
	unit = unit_open("model", "all=1");
	curve("P-256", true);
	curve("P-384", true);
	curve("P-521", true);
	curve("P-192", true);
	curve("secp256k1", false);
	curve("brainpoolP256r1", false);
	curve("P-224", false);
	bad_peers();
	foreign_halves();
	children();
	CHECK(unit_count("ecdh", UNIT_FAILED) == 0);
	unit_close(&unit);
	/* below the threshold it is software's */
	unit = unit_open("model", "all=300");
	curve("P-256", false);
	curve("P-384", true);
	unit_close(&unit);
	switched_off();
	return 0;
}
