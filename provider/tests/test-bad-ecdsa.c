/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ECDSA and Ed25519 with signatures that are none, beside the default provider's: the same verdict, 0 or -1,
 * and the same errors.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>

#include "answer.h"

#define MOST        512u
#define DIGEST_SIZE 32u

static struct unit unit;

/* A key of both providers, and where it is used */
struct signer {
	const char *name; /* for messages */
	const char *digest; /* of EVP_DigestVerify(); NULL: none */
	struct pair keys;
};

struct bytes {
	uint8_t data[MOST];
	size_t size;
};

/* ---- verification, in three ways ---- */

static void by_digest(const struct signer *signer, bool here, const struct bytes *signature,
		      const uint8_t *in, size_t size, struct answer *answer)
{
	EVP_PKEY_CTX *context = pair_context(&unit, &signer->keys, here);

	answer_begin(answer);
	CHECK(EVP_PKEY_verify_init(context) > 0);
	answer_end(answer, EVP_PKEY_verify(context, signature->data, signature->size, in, size));
	EVP_PKEY_CTX_free(context);
}

static void by_message(const struct signer *signer, bool here, bool whole,
		       const struct bytes *signature, const uint8_t *in, size_t size,
		       struct answer *answer)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	answer_begin(answer);
	CHECK(EVP_DigestVerifyInit_ex(context, NULL, signer->digest, unit.library, WISHED(here),
				      pair_key(&signer->keys, here), NULL) > 0);
	answer_end(answer,
		   answer_verify(context, whole, signature->data, signature->size, in, size));
	EVP_MD_CTX_free(context);
}

static void verify(const struct signer *signer, const char *what, const struct bytes *signature,
		   const uint8_t *in, size_t size)
{
	struct answer ours, theirs;

	if (signer->digest) {
		by_digest(signer, true, signature, in, size, &ours);
		by_digest(signer, false, signature, in, size, &theirs);
		answers_compare(&ours, &theirs, "%s, digest of %zu bytes, %s", signer->name, size,
				what);
	}
	for (unsigned whole = 0; whole < 2; whole++) {
		by_message(signer, true, whole, signature, in, size, &ours);
		by_message(signer, false, whole, signature, in, size, &theirs);
		answers_compare(&ours, &theirs, "%s, message%s, %s", signer->name,
				whole ? " at once" : "", what);
	}
}

/* ---- what is signed ---- */

static const uint8_t in[DIGEST_SIZE] = { 0xd1, 0x9e, 0x57 };

static struct bytes sign(const struct signer *signer, bool message)
{
	struct bytes signature = { .size = MOST };
	EVP_PKEY_CTX *key = pair_context(&unit, &signer->keys, false);
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (message)
		CHECK(EVP_DigestSignInit_ex(context, NULL, signer->digest, unit.library, THEIRS,
					    signer->keys.theirs, NULL) > 0 &&
		      EVP_DigestSign(context, signature.data, &signature.size, in, sizeof(in)) > 0);
	else
		CHECK(EVP_PKEY_sign_init(key) > 0 &&
		      EVP_PKEY_sign(key, signature.data, &signature.size, in, sizeof(in)) > 0);
	EVP_MD_CTX_free(context);
	EVP_PKEY_CTX_free(key);
	return signature;
}

/* ---- DER ---- */

/* Tag and length, in as many bytes more as are asked for, before what there is */
static void wrap(struct bytes *bytes, uint8_t tag, unsigned long_form)
{
	size_t header = 2 + long_form;

	if (long_form == 0 && bytes->size > 127)
		header = 3 + (bytes->size > 255);
	memmove(bytes->data + header, bytes->data, bytes->size);
	bytes->data[0] = tag;
	bytes->data[1] = (uint8_t)bytes->size;
	for (size_t i = 2; i < header; i++) {
		size_t shift = 8 * (header - 1 - i);

		bytes->data[i] = (uint8_t)(shift < 16 ? bytes->size >> shift : 0);
	}
	if (header > 2)
		bytes->data[1] = (uint8_t)(0x80 | (header - 2));
	bytes->size += header;
}

static void append(struct bytes *bytes, const struct bytes *more)
{
	memcpy(bytes->data + bytes->size, more->data, more->size);
	bytes->size += more->size;
}

/* An integer as DER has it, with zeros before it, or as it is although its top bit is set */
static struct bytes integer(const BIGNUM *number, unsigned zeros, bool raw)
{
	struct bytes bytes = { .size = (size_t)BN_num_bytes(number) + zeros };

	if (!raw && BN_num_bits(number) % 8 == 0)
		bytes.size++;
	CHECK(BN_bn2binpad(number, bytes.data, (int)bytes.size) >= 0);
	return bytes;
}

struct der {
	uint8_t outer, inner_r, inner_s; /* tags; 0: the right ones */
	unsigned long_outer, long_r, long_s; /* bytes of length too many */
	unsigned zeros_r, zeros_s;
	bool raw_r, raw_s;
};

static struct bytes encode(const BIGNUM *r, const BIGNUM *s, struct der der)
{
	struct bytes all = integer(r, der.zeros_r, der.raw_r);
	struct bytes second = integer(s, der.zeros_s, der.raw_s);

	wrap(&all, der.inner_r ? der.inner_r : 2, der.long_r);
	wrap(&second, der.inner_s ? der.inner_s : 2, der.long_s);
	append(&all, &second);
	wrap(&all, der.outer ? der.outer : 0x30, der.long_outer);
	return all;
}

static void forms(const struct signer *signer, const BIGNUM *r, const BIGNUM *s)
{
	const struct {
		const char *what;
		struct der der;
	} all[] = {
		{ "as it should be", { .outer = 0 } },
		{ "a set", { .outer = 0x31 } },
		{ "a primitive sequence", { .outer = 0x10 } },
		{ "r is a bit string", { .inner_r = 3 } },
		{ "s is an enumerated", { .inner_s = 10 } },
		{ "s is constructed", { .inner_s = 0x22 } },
		{ "a length of two bytes", { .long_outer = 1 } },
		{ "a length of four bytes", { .long_outer = 3 } },
		{ "r with a length of two bytes", { .long_r = 1 } },
		{ "s with a length of three bytes", { .long_s = 2 } },
		{ "r with a zero before it", { .zeros_r = 1 } },
		{ "s with 40 zeros before it", { .zeros_s = 40 } },
		{ "r as it is", { .raw_r = true } },
		{ "s as it is", { .raw_s = true } },
	};

	for (unsigned i = 0; i < COUNT(all); i++) {
		struct bytes bytes = encode(r, s, all[i].der);

		verify(signer, all[i].what, &bytes, in, sizeof(in));
	}
}

static void hand_made(const struct signer *signer)
{
	static const struct {
		const char *what;
		struct bytes bytes;
	} all[] = {
		{ "empty", { .size = 0 } },
		{ "an empty sequence", { { 0x30, 0 }, 2 } },
		{ "one number", { { 0x30, 3, 2, 1, 1 }, 5 } },
		{ "three numbers", { { 0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1 }, 11 } },
		{ "numbers of no bytes", { { 0x30, 4, 2, 0, 2, 0 }, 6 } },
		{ "r of no bytes", { { 0x30, 5, 2, 0, 2, 1, 1 }, 7 } },
		{ "1, 1", { { 0x30, 6, 2, 1, 1, 2, 1, 1 }, 8 } },
		{ "0, 0", { { 0x30, 6, 2, 1, 0, 2, 1, 0 }, 8 } },
		{ "-1, -1", { { 0x30, 6, 2, 1, 0xff, 2, 1, 0xff }, 8 } },
		{ "1, -1", { { 0x30, 6, 2, 1, 1, 2, 1, 0xff }, 8 } },
		{ "of no certain length", { { 0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0 }, 10 } },
		{ "longer than it is", { { 0x30, 7, 2, 1, 1, 2, 1, 1 }, 8 } },
		{ "shorter than it is", { { 0x30, 5, 2, 1, 1, 2, 1, 1 }, 8 } },
		{ "much longer", { { 0x30, 0x84, 0x7f, 0xff, 0xff, 0xff, 2, 1, 1 }, 9 } },
		{ "a length of nine bytes",
		  { { 0x30, 0x89, 1, 0, 0, 0, 0, 0, 0, 0, 6, 2, 1, 1, 2, 1, 1 }, 17 } },
		{ "a zero behind", { { 0x30, 6, 2, 1, 1, 2, 1, 1, 0 }, 9 } },
		{ "null", { { 5, 0 }, 2 } },
		{ "text", { "signature", 9 } },
	};

	for (unsigned i = 0; i < COUNT(all); i++)
		verify(signer, all[i].what, &all[i].bytes, in, sizeof(in));
}

/* Each of these in the place of r, of s, and of both */
static void values(const struct signer *signer, const BIGNUM *r, const BIGNUM *s)
{
	const struct der plain = { .outer = 0 };
	BIGNUM *order = NULL, *numbers[7];
	char what[64];

	CHECK(EVP_PKEY_get_bn_param(signer->keys.theirs, OSSL_PKEY_PARAM_EC_ORDER, &order));
	for (unsigned i = 0; i < COUNT(numbers); i++)
		CHECK((numbers[i] = BN_new()));
	CHECK(BN_one(numbers[1]) && BN_copy(numbers[2], order) && BN_sub_word(numbers[2], 1));
	CHECK(BN_copy(numbers[3], order) && BN_add(numbers[4], order, r));
	CHECK(BN_add(numbers[5], order, s) && BN_lshift(numbers[6], order, 64));
	for (unsigned i = 0; i < COUNT(numbers); i++) {
		const struct bytes all[] = { encode(numbers[i], s, plain),
					     encode(r, numbers[i], plain),
					     encode(numbers[i], numbers[i], plain) };

		for (unsigned j = 0; j < COUNT(all); j++) {
			snprintf(what, sizeof(what), "value %u in place %u", i, j);
			verify(signer, what, &all[j], in, sizeof(in));
		}
		BN_free(numbers[i]);
	}
	BN_free(order);
}

/* Cut off, grown, and with a bit changed */
static void spoilt(const struct signer *signer, const struct bytes *signature, unsigned each)
{
	struct bytes bytes;
	char what[64];

	for (size_t size = 0; size <= signature->size; size++) {
		bytes = *signature;
		bytes.size = size;
		snprintf(what, sizeof(what), "%zu bytes of %zu", size, signature->size);
		verify(signer, what, &bytes, in, sizeof(in));
	}
	for (unsigned more = 1; more < 4; more++) {
		bytes = *signature;
		bytes.data[bytes.size] = (uint8_t)(more * 5);
		bytes.size += more;
		snprintf(what, sizeof(what), "%u bytes more", more);
		verify(signer, what, &bytes, in, sizeof(in));
	}
	for (size_t bit = 0; bit < 8 * signature->size; bit += each) {
		bytes = *signature;
		bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		snprintf(what, sizeof(what), "bit %zu", bit);
		verify(signer, what, &bytes, in, sizeof(in));
	}
}

/* ---- ECDSA ---- */

/* Digests of sizes that a signature is not of, and that no core takes */
static void digests(const struct signer *signer, const struct bytes *signature)
{
	static const uint8_t long_one[100];
	static const size_t sizes[] = { 0, 1, 20, 31, 33, 64, 65, 100 };

	for (unsigned i = 0; i < COUNT(sizes); i++)
		verify(signer, "another digest", signature, long_one, sizes[i]);
}

/* What makes by_message() wish for a provider instead of demanding it: ours may lack the digest */
static void demanded(const struct signer *signer)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_MD *digest = EVP_MD_fetch(unit.library, signer->digest, OURS);

	ERR_clear_error();
	CHECK(EVP_DigestVerifyInit_ex(context, NULL, signer->digest, unit.library, OURS,
				      signer->keys.ours, NULL) > 0);
	CHECK((ERR_peek_error() != 0) == (!digest && unit_since(4, 0)));
	ERR_clear_error();
	EVP_MD_free(digest);
	EVP_MD_CTX_free(context);
}

static void curve(const char *name, unsigned each)
{
	struct signer signer = {
		.name = name,
		.digest = "SHA256",
		.keys = pair_of(&unit, EVP_PKEY_Q_keygen(unit.library, THEIRS, "EC", name)),
	};
	const uint8_t *at;
	struct bytes signature;
	ECDSA_SIG *read;

	signature = sign(&signer, false);
	at = signature.data;
	read = d2i_ECDSA_SIG(NULL, &at, (long)signature.size);
	CHECK(read);
	forms(&signer, ECDSA_SIG_get0_r(read), ECDSA_SIG_get0_s(read));
	values(&signer, ECDSA_SIG_get0_r(read), ECDSA_SIG_get0_s(read));
	hand_made(&signer);
	demanded(&signer);
	spoilt(&signer, &signature, each);
	digests(&signer, &signature);
	signature = sign(&signer, true);
	spoilt(&signer, &signature, 8 * each + 1);
	ECDSA_SIG_free(read);
	pair_free(&signer.keys);
}

/* ---- Ed25519 ---- */

/* The order, little-endian */
static const uint8_t order[32] = { 0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,       0xd6,
				   0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, [31] = 0x10 };

/* S with the order added to it, which is as good by the equation */
static struct bytes malleable(const struct bytes *signature)
{
	struct bytes bytes = *signature;
	unsigned carry = 0;

	for (unsigned i = 0; i < sizeof(order); i++) {
		carry += bytes.data[32 + i] + order[i];
		bytes.data[32 + i] = (uint8_t)carry;
		carry >>= 8;
	}
	return bytes;
}

/* R's and public keys that are of small order, or written with a y that is not less than the prime */
static const uint8_t points[][32] = {
	{ 0 },
	{ 1 },
	{ 1, [31] = 0x80 },
	{ 0xec, [1 ... 30] = 0xff, [31] = 0x7f },
	{ 0xed, [1 ... 30] = 0xff, [31] = 0x7f },
	{ 0xee, [1 ... 30] = 0xff, [31] = 0x7f },
	{ [0 ... 31] = 0xff },
	{ 2 },
	{ 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b,
	  0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39,
	  0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
	{ 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4,
	  0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6,
	  0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
};

static void odd_points(const struct signer *signer, const struct bytes *signature)
{
	struct bytes bytes;
	char what[64];

	for (unsigned i = 0; i < COUNT(points); i++) {
		bytes = *signature;
		memcpy(bytes.data, points[i], 32);
		snprintf(what, sizeof(what), "R is point %u", i);
		verify(signer, what, &bytes, in, sizeof(in));
		memset(bytes.data + 32, 0, 32);
		snprintf(what, sizeof(what), "R is point %u, S is 0", i);
		verify(signer, what, &bytes, in, sizeof(in));
		memcpy(bytes.data + 32, order, 32);
		snprintf(what, sizeof(what), "R is point %u, S is the order", i);
		verify(signer, what, &bytes, in, sizeof(in));
	}
}

static void odd_keys(const struct bytes *signature)
{
	for (unsigned i = 0; i < COUNT(points); i++) {
		struct signer signer = {
			.name = "a public key that is odd",
			.keys.theirs = EVP_PKEY_new_raw_public_key_ex(unit.library, "ED25519",
								      THEIRS, points[i], 32),
			.keys.ours = EVP_PKEY_new_raw_public_key_ex(unit.library, "ED25519", OURS,
								    points[i], 32),
		};

		CHECK(signer.keys.ours && signer.keys.theirs);
		verify(&signer, "a signature of another key", signature, in, sizeof(in));
		odd_points(&signer, signature);
		pair_free(&signer.keys);
	}
}

static void ed25519(unsigned each)
{
	struct signer signer = {
		.name = "Ed25519",
		.keys = pair_of(&unit, EVP_PKEY_Q_keygen(unit.library, THEIRS, "ED25519")),
	};
	struct bytes signature, other;

	signature = sign(&signer, true);
	spoilt(&signer, &signature, each);
	other = malleable(&signature);
	verify(&signer, "S with the order added", &other, in, sizeof(in));
	odd_points(&signer, &signature);
	odd_keys(&signature);
	verify(&signer, "another message", &signature, in, sizeof(in) - 1);
	verify(&signer, "no message", &signature, in, 0);
	pair_free(&signer.keys);
}

static void try_all(const struct setting *setting)
{
	curve("P-256", setting->first ? 1 : 16);
	curve("P-384", setting->first ? 8 : 32);
	curve("P-521", setting->first ? 16 : 64);
	ed25519(setting->first ? 2 : 16);
}

int main(void)
{
	answers_of_settings(&unit, try_all, 5000);
	return 0;
}
