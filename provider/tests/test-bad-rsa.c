/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA with signatures, ciphertexts, sizes and paddings that are wrong, beside the default provider's: the
 * same comes out, or the same refusal with the same errors.
 */
#include <stdio.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include "answer.h"

#define MOST        512u
#define DIGEST_SIZE 32u

#ifndef OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION
#define OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION "implicit-rejection"
#endif

static struct unit unit;
static struct pair keys;
static size_t size; /* of the modulus */
static char bits[16]; /* for messages */

static const uint8_t digest[64] = { 0xd1, 0x9e, 0x57 };

static EVP_PKEY_CTX *context_of(bool here)
{
	return pair_context(&unit, &keys, here);
}

/* ---- ways to sign ---- */

struct way {
	int padding;
	const char *digest; /* NULL: none */
	int salt; /* of PSS */
	const char *mask;
};

static const struct way ways[] = {
	{ RSA_PKCS1_PADDING, NULL, 0, NULL },
	{ RSA_PKCS1_PADDING, "SHA256", 0, NULL },
	{ RSA_PKCS1_PADDING, "SHA1", 0, NULL },
	{ RSA_PKCS1_PADDING, "SHA512", 0, NULL },
	{ RSA_NO_PADDING, NULL, 0, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", RSA_PSS_SALTLEN_DIGEST, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", RSA_PSS_SALTLEN_AUTO, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", RSA_PSS_SALTLEN_MAX, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", 0, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", 20, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", 400, NULL },
	{ RSA_PKCS1_PSS_PADDING, "SHA256", RSA_PSS_SALTLEN_DIGEST, "SHA1" },
	{ RSA_PKCS1_PSS_PADDING, "SHA512", RSA_PSS_SALTLEN_DIGEST, NULL },
	{ RSA_X931_PADDING, "SHA256", 0, NULL },
};

static void set(EVP_PKEY_CTX *context, const struct way *way)
{
	if (way->digest)
		CHECK(EVP_PKEY_CTX_set_signature_md(context, EVP_get_digestbyname(way->digest)) >
		      0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, way->padding) > 0);
	if (way->padding == RSA_PKCS1_PSS_PADDING)
		CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(context, way->salt) > 0);
	if (way->mask)
		CHECK(EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_get_digestbyname(way->mask)) > 0);
}

/* ---- one call ---- */

static void verify_one(bool here, const struct way *way, const uint8_t *bytes, size_t bytes_size,
		       size_t in_size, struct answer *answer)
{
	EVP_PKEY_CTX *context = context_of(here);

	CHECK(EVP_PKEY_verify_init(context) > 0);
	set(context, way);
	answer_begin(answer);
	answer_end(answer, EVP_PKEY_verify(context, bytes, bytes_size, digest, in_size));
	EVP_PKEY_CTX_free(context);
}

static void recover_one(bool here, const struct way *way, const uint8_t *bytes, size_t bytes_size,
			struct answer *answer)
{
	EVP_PKEY_CTX *context = context_of(here);

	CHECK(EVP_PKEY_verify_recover_init(context) > 0);
	set(context, way);
	answer_begin(answer);
	answer->size = sizeof(answer->out);
	answer_end(answer,
		   EVP_PKEY_verify_recover(context, answer->out, &answer->size, bytes, bytes_size));
	EVP_PKEY_CTX_free(context);
}

static void message_one(bool here, const struct way *way, bool whole, const uint8_t *bytes,
			size_t bytes_size, struct answer *answer)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();
	EVP_PKEY_CTX *key;

	CHECK(EVP_DigestVerifyInit_ex(context, &key, way->digest, unit.library, WHOSE(here),
				      pair_key(&keys, here), NULL) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(key, way->padding) > 0);
	if (way->padding == RSA_PKCS1_PSS_PADDING)
		CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(key, way->salt) > 0);
	answer_begin(answer);
	answer_end(answer,
		   answer_verify(context, whole, bytes, bytes_size, digest, sizeof(digest)));
	EVP_MD_CTX_free(context);
}

/* ---- signatures ---- */

/* A signature in all ways, whatever way it was made in */
static void signature(const char *what, const uint8_t *bytes, size_t bytes_size)
{
	struct answer here, there;

	for (unsigned i = 0; i < COUNT(ways); i++) {
		const struct way *way = &ways[i];
		size_t in_size = way->digest ? (size_t)EVP_MD_get_size(
						       EVP_get_digestbyname(way->digest))
					     : DIGEST_SIZE;

		for (size_t less = 0; less < 2; less++) {
			verify_one(true, way, bytes, bytes_size, in_size - less, &here);
			verify_one(false, way, bytes, bytes_size, in_size - less, &there);
			answers_compare(&here, &there, "RSA %s, way %u, %s, digest of %zu bytes",
					bits, i, what, in_size - less);
		}
		if (way->digest && way->padding != RSA_X931_PADDING && !way->mask)
			for (unsigned whole = 0; whole < 2; whole++) {
				message_one(true, way, whole, bytes, bytes_size, &here);
				message_one(false, way, whole, bytes, bytes_size, &there);
				answers_compare(&here, &there, "RSA %s, way %u, %s, message%s",
						bits, i, what, whole ? " at once" : "");
			}
		if (way->padding == RSA_PKCS1_PSS_PADDING)
			continue;
		recover_one(true, way, bytes, bytes_size, &here);
		recover_one(false, way, bytes, bytes_size, &there);
		answers_compare(&here, &there, "RSA %s, way %u, %s, recovered", bits, i, what);
	}
}

/* A block to the power of d, so that the block is what a verification finds */
static bool raw_sign(const uint8_t block[MOST], uint8_t out[MOST])
{
	static const struct way raw = { .padding = RSA_NO_PADDING };
	EVP_PKEY_CTX *context = context_of(false);
	size_t got = MOST;
	bool good;

	CHECK(EVP_PKEY_sign_init(context) > 0);
	set(context, &raw);
	good = EVP_PKEY_sign(context, out, &got, block, size) > 0;
	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return good;
}

static const uint8_t info[] = { 0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
				0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20 };

/* Padded as PKCS #1 v1.5 has it, with the digest at the end */
static void pad(uint8_t block[MOST])
{
	memset(block, 0xff, size);
	block[0] = 0;
	block[1] = 1;
	block[size - DIGEST_SIZE - sizeof(info) - 1] = 0;
	memcpy(block + size - DIGEST_SIZE - sizeof(info), info, sizeof(info));
	memcpy(block + size - DIGEST_SIZE, digest, DIGEST_SIZE);
}

/* Each byte that counts is another one */
static void spoilt_blocks(void)
{
	size_t begin = size - DIGEST_SIZE - sizeof(info) - 1;
	uint8_t block[MOST], bytes[MOST];
	char what[64];

	for (size_t at = 0; at < size; at += at >= 10 && at < begin - 2 ? begin - 12 : 1) {
		pad(block);
		block[at] ^= at < 1 ? 1 : 0x81;
		snprintf(what, sizeof(what), "byte %zu of the padding", at);
		if (raw_sign(block, bytes))
			signature(what, bytes, size);
	}
	/* the digest before the end, with something behind it */
	pad(block);
	memmove(block + 12, block + begin + 1, size - begin - 1);
	block[11] = 0;
	if (raw_sign(block, bytes))
		signature("short padding", bytes, size);
	memset(block, 0, sizeof(block));
	CHECK(raw_sign(block, bytes));
	signature("a power of 0", bytes, size);
	block[size - 1] = 1;
	CHECK(raw_sign(block, bytes));
	signature("a power of 1", bytes, size);
}

static void wrong_sizes(void)
{
	uint8_t block[MOST], bytes[MOST + 1] = { 0 };

	pad(block);
	CHECK(raw_sign(block, bytes));
	signature("as it should be", bytes, size);
	signature("a byte less", bytes, size - 1);
	signature("a byte more", bytes, size + 1);
	signature("one byte", bytes, 1);
	signature("none", bytes, 0);
	memmove(bytes + 1, bytes, size);
	bytes[0] = 0;
	signature("a zero before it", bytes, size + 1);
	memset(bytes, 0xff, sizeof(bytes));
	signature("more than the modulus", bytes, size);
	memset(bytes, 0, sizeof(bytes));
	signature("zeros", bytes, size);
}

/* ---- signing ---- */

static void sign_one(bool here, const struct way *way, size_t in_size, size_t capacity,
		     struct answer *answer)
{
	EVP_PKEY_CTX *context = context_of(here);
	uint8_t in[MOST + 1];

	memset(in, 0xfe, sizeof(in));
	CHECK(EVP_PKEY_sign_init(context) > 0);
	set(context, way);
	answer_begin(answer);
	answer->size = capacity;
	answer_end(answer, EVP_PKEY_sign(context, answer->out, &answer->size, in, in_size));
	/* with a salt it is another one each time */
	if (way->padding == RSA_PKCS1_PSS_PADDING)
		memset(answer->out, 0, sizeof(answer->out));
	EVP_PKEY_CTX_free(context);
}

static void signing(void)
{
	const size_t sizes[] = { 0,  1,         20,        31,        32,       33,   48,
				 64, size - 12, size - 11, size - 10, size - 1, size, size + 1 };
	struct answer here, there;

	for (unsigned i = 0; i < COUNT(ways); i++)
		for (unsigned j = 0; j < COUNT(sizes); j++)
			for (size_t less = 0; less < 2; less++) {
				sign_one(true, &ways[i], sizes[j], size - less, &here);
				sign_one(false, &ways[i], sizes[j], size - less, &there);
				answers_compare(&here, &there,
						"RSA %s, way %u, %zu bytes signed into %zu", bits,
						i, sizes[j], size - less);
			}
}

/* ---- decryption ---- */

struct opening {
	const char *what;
	int padding;
	const char *digest; /* of OAEP */
	int implicit; /* -1: as it is by itself */
	unsigned version; /* of TLS */
};

static const struct opening openings[] = {
	{ "PKCS #1", RSA_PKCS1_PADDING, NULL, -1, 0 },
	{ "PKCS #1 that tells errors", RSA_PKCS1_PADDING, NULL, 0, 0 },
	{ "PKCS #1 that does not", RSA_PKCS1_PADDING, NULL, 1, 0 },
	{ "OAEP", RSA_PKCS1_OAEP_PADDING, NULL, -1, 0 },
	{ "OAEP with SHA-256", RSA_PKCS1_OAEP_PADDING, "SHA256", -1, 0 },
	{ "OAEP with SHA-512", RSA_PKCS1_OAEP_PADDING, "SHA512", -1, 0 },
	{ "none", RSA_NO_PADDING, NULL, -1, 0 },
	{ "TLS", RSA_PKCS1_WITH_TLS_PADDING, NULL, -1, 0x0303 },
	{ "TLS without a version", RSA_PKCS1_WITH_TLS_PADDING, NULL, -1, 0 },
};

/* Whether this release has the setting at all */
static bool set_opening(EVP_PKEY_CTX *context, const struct opening *opening)
{
	unsigned implicit = opening->implicit > 0, version = opening->version;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION, &implicit),
		OSSL_PARAM_construct_end(),
	};
	const OSSL_PARAM tls[] = {
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION, &version),
		OSSL_PARAM_construct_end(),
	};

	CHECK(EVP_PKEY_decrypt_init(context) > 0);
	CHECK(EVP_PKEY_CTX_set_rsa_padding(context, opening->padding) > 0);
	if (opening->digest)
		CHECK(EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_get_digestbyname(opening->digest)) >
		      0);
	if (version > 0)
		CHECK(EVP_PKEY_CTX_set_params(context, tls) > 0);
	return opening->implicit < 0 || EVP_PKEY_CTX_set_params(context, params) > 0;
}

static void open_one(bool here, const struct opening *opening, const uint8_t *in, size_t in_size,
		     size_t capacity, struct answer *answer)
{
	EVP_PKEY_CTX *context = context_of(here);
	bool known = set_opening(context, opening);

	answer_begin(answer);
	answer->size = capacity;
	if (known)
		answer_end(answer,
			   EVP_PKEY_decrypt(context, answer->out, &answer->size, in, in_size));
	else
		answer_end(answer, -100);
	/* what is wrong gives a random secret */
	if (opening->padding == RSA_PKCS1_WITH_TLS_PADDING)
		memset(answer->out, 0, sizeof(answer->out));
	EVP_PKEY_CTX_free(context);
}

static void ciphertext(const char *what, const uint8_t *in, size_t in_size)
{
	const size_t rooms[] = { size, size + 10, size - 1, 48, 47, 0 };
	struct answer here, there;

	for (unsigned i = 0; i < COUNT(openings); i++)
		for (unsigned j = 0; j < COUNT(rooms); j++) {
			open_one(true, &openings[i], in, in_size, rooms[j], &here);
			open_one(false, &openings[i], in, in_size, rooms[j], &there);
			answers_compare(&here, &there, "RSA %s, %s, %s, into %zu bytes", bits,
					openings[i].what, what, rooms[j]);
		}
}

static bool encrypt(const uint8_t *in, size_t in_size, int padding, uint8_t out[MOST])
{
	EVP_PKEY_CTX *context = context_of(false);
	size_t got = MOST;
	bool good;

	CHECK(EVP_PKEY_encrypt_init(context) > 0 &&
	      EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0);
	good = EVP_PKEY_encrypt(context, out, &got, in, in_size) > 0;
	EVP_PKEY_CTX_free(context);
	ERR_clear_error();
	return good;
}

/* Blocks as PKCS #1 v1.5 has them, spoilt in each way that there is */
static void spoilt_ciphertexts(void)
{
	static const struct {
		const char *what;
		uint8_t first, second;
		int zero; /* where the padding ends; less than 0: from the end; 1000: never */
	} all[] = {
		{ "as it should be", 0, 2, 40 },   { "the shortest padding", 0, 2, 10 },
		{ "too short padding", 0, 2, 9 },  { "no padding", 0, 2, 2 },
		{ "an empty message", 0, 2, -1 },  { "48 bytes", 0, 2, -49 },
		{ "47 bytes", 0, 2, -48 },         { "49 bytes", 0, 2, -50 },
		{ "no end", 0, 2, 1000 },          { "a signature's padding", 0, 1, 40 },
		{ "padding of type 0", 0, 0, 40 }, { "no zero first", 1, 2, 40 },
		{ "neither", 1, 1, 1000 },
	};
	uint8_t block[MOST], crypt[MOST];

	for (unsigned i = 0; i < COUNT(all); i++) {
		memset(block, 0x03, sizeof(block));
		block[0] = all[i].first;
		block[1] = all[i].second;
		if (all[i].zero < 1000)
			block[all[i].zero < 0 ? (int)size + all[i].zero : all[i].zero] = 0;
		if (encrypt(block, size, RSA_NO_PADDING, crypt))
			ciphertext(all[i].what, crypt, size);
	}
	memset(block, 0, sizeof(block));
	for (unsigned i = 0; i < 2; i++) {
		block[size - 1] = (uint8_t)i;
		CHECK(encrypt(block, size, RSA_NO_PADDING, crypt));
		ciphertext(i ? "1" : "0", crypt, size);
	}
}

static void ciphertexts(void)
{
	uint8_t crypt[MOST + 1] = { 0 };

	CHECK(encrypt(digest, 20, RSA_PKCS1_OAEP_PADDING, crypt));
	ciphertext("padded by OAEP", crypt, size);
	crypt[size - 1] ^= 1;
	ciphertext("spoilt OAEP", crypt, size);
	ciphertext("a byte less", crypt, size - 1);
	ciphertext("a byte more", crypt, size + 1);
	ciphertext("nothing", crypt, 0);
	memset(crypt, 0xff, sizeof(crypt));
	ciphertext("more than the modulus", crypt, size);
	spoilt_ciphertexts();
}

/* What is too long to encrypt, or as long as it may be */
static void encryption(void)
{
	static const int paddings[] = { RSA_PKCS1_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_NO_PADDING };
	const size_t sizes[] = { 0,         size - 42, size - 41, size - 11,
				 size - 10, size - 1,  size,      size + 1 };
	uint8_t in[MOST + 1];

	memset(in, 0xff, sizeof(in));
	for (unsigned i = 0; i < COUNT(paddings); i++)
		for (unsigned j = 0; j < COUNT(sizes); j++) {
			struct answer answers[2];

			for (unsigned here = 0; here < 2; here++) {
				EVP_PKEY_CTX *context = context_of(here);

				CHECK(EVP_PKEY_encrypt_init(context) > 0 &&
				      EVP_PKEY_CTX_set_rsa_padding(context, paddings[i]) > 0);
				answer_begin(&answers[here]);
				answers[here].size = size;
				answer_end(&answers[here],
					   EVP_PKEY_encrypt(context, answers[here].out,
							    &answers[here].size, in, sizes[j]));
				memset(answers[here].out, 0, sizeof(answers[here].out));
				EVP_PKEY_CTX_free(context);
			}
			answers_compare(&answers[1], &answers[0],
					"RSA %s, padding %d, %zu bytes encrypted", bits,
					paddings[i], sizes[j]);
		}
}

static void try_all(const struct setting *setting)
{
	static const unsigned sizes[] = { 1024, 2048, 1025 };

	for (unsigned i = 0; i < (setting->first ? COUNT(sizes) : 1); i++) {
		snprintf(bits, sizeof(bits), "%u", sizes[i]);
		keys = pair_of(&unit, unit_rsa(&unit, sizes[i]));
		size = (size_t)EVP_PKEY_get_size(keys.ours);
		wrong_sizes();
		spoilt_blocks();
		signing();
		ciphertexts();
		encryption();
		pair_free(&keys);
	}
}

int main(void)
{
	answers_of_settings(&unit, try_all, 5000);
	return 0;
}
