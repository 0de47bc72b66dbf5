/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An attacker who sends ciphertexts must not learn whether their padding was right (Bleichenbacher):
 * so with wrong padding something else comes out, and neither time nor memory touched depends on
 * which it is.
 *
 * Implicit rejection: the other message, its length too, follows from the private key and the
 * ciphertext (draft-irtf-cfrg-rsa-guidance, "implicit rejection"), and is the one that software
 * gives: else whoever asks twice, once software and once the core, would see that it is made up.
 */
#include "public-key/rsa-unpad.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include "base/constant-time.h"
#include "base/memory.h"

#define LEAST_PADDING 8u
#define LENGTHS       128u /* that are tried; with 2 ^ -128 none is small enough */

/* ---- the other message ---- */

/* HMAC-SHA-256 over up to three pieces; false: there is no memory */
static bool mac(const struct fsp_rsa *rsa, const uint8_t key[SHA256_DIGEST_LENGTH],
		const struct firesteel_bytes pieces[3], uint8_t out[SHA256_DIGEST_LENGTH])
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, "SHA256", 0),
		OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_PROPERTIES, FSP_SOFTWARE, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_MAC *algorithm = EVP_MAC_fetch(rsa->provider->library, "HMAC", FSP_SOFTWARE);
	EVP_MAC_CTX *context = algorithm ? EVP_MAC_CTX_new(algorithm) : NULL;
	bool good = context && EVP_MAC_init(context, key, SHA256_DIGEST_LENGTH, params);
	size_t got;

	for (unsigned i = 0; i < 3 && good; i++)
		good = pieces[i].size == 0 ||
		       EVP_MAC_update(context, pieces[i].data, pieces[i].size);
	good = good && EVP_MAC_final(context, out, &got, SHA256_DIGEST_LENGTH);
	EVP_MAC_CTX_free(context);
	EVP_MAC_free(algorithm);
	return good;
}

/* The key from which all that is made up follows: a MAC of the ciphertext by a hash of d, both as
 * long as the modulus */
static bool derive_key(const struct fsp_rsa *rsa, const uint8_t *in,
		       uint8_t key[SHA256_DIGEST_LENGTH])
{
	const struct firesteel_bytes d = rsa->part[FSP_RSA_D], pieces[3] = { { in, rsa->size } };
	uint8_t *secret = OPENSSL_zalloc(rsa->size), hash[SHA256_DIGEST_LENGTH];
	bool good;

	if (!secret || d.size > rsa->size) {
		OPENSSL_free(secret);
		return false;
	}
	memcpy(secret + rsa->size - d.size, d.data, d.size);
	SHA256(secret, rsa->size, hash);
	good = mac(rsa, hash, pieces, key);
	firesteel_wipe(hash, sizeof(hash));
	fsp_cleanse(secret, rsa->size);
	return good;
}

/* Bytes that look random: MACs of a counter, a label and how many bits there are to be */
static bool expand(const struct fsp_rsa *rsa, const uint8_t key[SHA256_DIGEST_LENGTH],
		   const char *label, uint8_t *out, size_t size)
{
	const uint8_t bits[2] = { (uint8_t)(size * 8 >> 8), (uint8_t)(size * 8) };
	uint8_t block[SHA256_DIGEST_LENGTH];
	bool good = true;

	for (size_t at = 0, i = 0; at < size && good; at += sizeof(block), i++) {
		const uint8_t counter[2] = { (uint8_t)(i >> 8), (uint8_t)i };
		const struct firesteel_bytes pieces[3] = {
			{ counter, sizeof(counter) },
			{ (const uint8_t *)label, strlen(label) },
			{ bits, sizeof(bits) },
		};

		good = mac(rsa, key, pieces, block);
		memcpy(out + at, block, size - at < sizeof(block) ? size - at : sizeof(block));
	}
	firesteel_wipe(block, sizeof(block));
	return good;
}

/* The last of the lengths that is small enough for the modulus */
static size_t choose_length(const uint8_t lengths[2 * LENGTHS], size_t modulus)
{
	size_t limit = modulus - 2 - LEAST_PADDING, mask = limit, chosen = 0;

	for (unsigned shift = 1; shift < 16; shift *= 2)
		mask |= mask >> shift;
	for (unsigned i = 0; i < LENGTHS; i++) {
		size_t length = ((size_t)lengths[2 * i] << 8 | lengths[2 * i + 1]) & mask;

		chosen = fsp_mask_select(fsp_mask_less(length, limit), length, chosen);
	}
	return chosen;
}

/* A whole block of which the end is the message, and where that begins */
static bool make_up(const struct fsp_rsa *rsa, const uint8_t *in, uint8_t *block, size_t *begin)
{
	uint8_t key[SHA256_DIGEST_LENGTH], lengths[2 * LENGTHS];
	bool good = derive_key(rsa, in, key) && expand(rsa, key, "message", block, rsa->size) &&
		    expand(rsa, key, "length", lengths, sizeof(lengths));

	if (good)
		*begin = rsa->size - choose_length(lengths, rsa->size);
	firesteel_wipe(key, sizeof(key));
	firesteel_wipe(lengths, sizeof(lengths));
	return good;
}

/* ---- implicit rejection ---- */

/* Whether the padding is right; *begin is where the message begins, if so */
static size_t mask_padded(const uint8_t *padded, size_t size, size_t *begin)
{
	size_t good = fsp_mask_equal(padded[0], 0) & fsp_mask_equal(padded[1], 2);
	size_t found = 0, zero = 0;

	for (size_t i = 2; i < size; i++) {
		size_t is_zero = fsp_mask_equal(padded[i], 0);

		zero = fsp_mask_select(~found & is_zero, i, zero);
		found |= is_zero;
	}
	*begin = zero + 1;
	return good & ~fsp_mask_less(zero, 2 + LEAST_PADDING);
}

int fsp_rsa_unpad_implicit(const struct fsp_rsa *rsa, uint8_t *out, size_t capacity,
			   const uint8_t *padded, const uint8_t *in)
{
	uint8_t *block = OPENSSL_malloc(rsa->size);
	size_t begin, other, good, done = 0;

	if (!block || rsa->size <= 2 + LEAST_PADDING || !make_up(rsa, in, block, &other)) {
		fsp_cleanse(block, rsa->size);
		return -1;
	}
	good = mask_padded(padded, rsa->size, &begin);
	good &= ~fsp_mask_less(capacity, rsa->size - begin);
	/* From here on it is no secret where the message, one or the other, begins */
	begin = fsp_mask_select(good, begin, other);
	for (size_t i = begin; i < rsa->size && done < capacity; i++, done++)
		out[done] = (uint8_t)fsp_mask_select(good, padded[i], block[i]);
	fsp_cleanse(block, rsa->size);
	return (int)done;
}

/* ---- TLS ---- */

static size_t mask_version(const uint8_t *secret, unsigned version)
{
	return fsp_mask_equal(secret[0], version >> 8 & 0xff) &
	       fsp_mask_equal(secret[1], version & 0xff);
}

/* RFC 5246, 7.4.7.1: with wrong padding, length or version the secret is a random one */
int fsp_rsa_unpad_tls(const struct fsp_rsa *rsa, uint8_t *out, const uint8_t *padded,
		      unsigned version, unsigned other_version)
{
	const size_t begin = rsa->size - SSL_MAX_MASTER_KEY_LENGTH;
	const uint8_t *secret = padded + begin;
	uint8_t random[SSL_MAX_MASTER_KEY_LENGTH];
	size_t good = fsp_mask_equal(padded[0], 0) & fsp_mask_equal(padded[1], 2), versions;

	if (RAND_priv_bytes_ex(rsa->provider->library, random, sizeof(random), 0) <= 0)
		return -1;
	for (size_t i = 2; i < begin - 1; i++)
		good &= ~fsp_mask_equal(padded[i], 0);
	good &= fsp_mask_equal(padded[begin - 1], 0);
	versions = mask_version(secret, version);
	if (other_version > 0)
		versions |= mask_version(secret, other_version);
	good &= versions;
	for (size_t i = 0; i < sizeof(random); i++)
		out[i] = (uint8_t)fsp_mask_select(good, secret[i], random[i]);
	firesteel_wipe(random, sizeof(random));
	return (int)sizeof(random);
}
