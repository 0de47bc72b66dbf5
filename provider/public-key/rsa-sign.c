/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA signatures: PKCS #1 v1.5, PSS, and none at all (the caller has padded).
 *
 * The parameters are read from software, which has checked them.  What is not done here (other
 * paddings and digests, sizes that do not fit, a salt that a restricted key forbids) software
 * does, or says why it does not.
 */
/* libcrypto's functions for padding are deprecated: see public-key/rsa.h */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>

#include "base/memory.h"
#include "base/policy.h"
#include "public-key/rsa.h"
#include "public-key/signature.h"

/* The salt lengths that libcrypto has names for; the last is of OpenSSL 3.1 */
enum { SALT_DIGEST = -1, SALT_AUTO = -2, SALT_MAX = -3, SALT_AUTO_DIGEST_MAX = -4 };

#define INFO_MAX 40u /* what stands before the digest in a DigestInfo */

struct rsa_state {
	bool known; /* otherwise software answers */
	bool fit; /* for us */
	int padding, salt;
	EVP_MD *digest, *mask; /* NULL: none */
	size_t digest_size;
	uint8_t info[INFO_MAX];
	size_t info_size;
};

static void reset_state(struct rsa_state *state)
{
	EVP_MD_free(state->digest);
	EVP_MD_free(state->mask);
	memset(state, 0, sizeof(*state));
}

static void changed(struct fsp_signature *signature)
{
	reset_state(signature->state);
}

static void free_state(void *state)
{
	reset_state(state);
}

/* ---- parameters ---- */

/* What stands before the digest in its DigestInfo (RFC 8017, A.2.4), by libcrypto's own types */
static bool make_info(struct rsa_state *state)
{
	static const uint8_t zeros[EVP_MAX_MD_SIZE];
	X509_SIG *info = X509_SIG_new();
	X509_ALGOR *algorithm;
	ASN1_OCTET_STRING *digest;
	uint8_t *der = NULL;
	int size = -1;

	if (!info)
		return false;
	X509_SIG_getm(info, &algorithm, &digest);
	if (X509_ALGOR_set0(algorithm, OBJ_nid2obj(EVP_MD_get_type(state->digest)), V_ASN1_NULL,
			    NULL) &&
	    ASN1_OCTET_STRING_set(digest, zeros, (int)state->digest_size))
		size = i2d_X509_SIG(info, &der);
	X509_SIG_free(info);
	if (size > (int)state->digest_size && (size_t)size - state->digest_size <= INFO_MAX) {
		state->info_size = (size_t)size - state->digest_size;
		memcpy(state->info, der, state->info_size);
	}
	OPENSSL_free(der);
	return state->info_size > 0;
}

/* Digests that are in a DigestInfo with their name and no parameters */
static bool is_usual(const EVP_MD *digest)
{
	static const int usual[] = { NID_sha1,     NID_sha224,     NID_sha256,     NID_sha384,
				     NID_sha512,   NID_sha512_224, NID_sha512_256, NID_sha3_224,
				     NID_sha3_256, NID_sha3_384,   NID_sha3_512,   NID_ripemd160,
				     NID_md5 };

	for (unsigned i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		if (EVP_MD_get_type(digest) == usual[i])
			return true;
	return false;
}

static bool read_settings(struct fsp_signature *signature, struct rsa_state *state)
{
	char digest[80] = "", mask[80] = "";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PAD_MODE, &state->padding),
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, digest,
						 sizeof(digest)),
		OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_MGF1_DIGEST, mask,
						 sizeof(mask)),
		OSSL_PARAM_construct_int(OSSL_SIGNATURE_PARAM_PSS_SALTLEN, &state->salt),
		OSSL_PARAM_construct_end(),
	};

	if (!fsp_signature_ask(signature, params))
		return false;
	if (*digest) {
		state->digest = EVP_MD_fetch(signature->provider->library, digest, FSP_SOFTWARE);
		state->mask = EVP_MD_fetch(signature->provider->library, *mask ? mask : digest,
					   FSP_SOFTWARE);
		if (!state->digest || !state->mask)
			return false;
		state->digest_size = (size_t)EVP_MD_get_size(state->digest);
	}
	switch (state->padding) {
	case RSA_NO_PADDING:
		return !state->digest;
	case RSA_PKCS1_PADDING:
		return !state->digest || EVP_MD_get_type(state->digest) == NID_md5_sha1 ||
		       (is_usual(state->digest) && make_info(state));
	case RSA_PKCS1_PSS_PADDING:
		return state->digest != NULL;
	default:
		return false;
	}
}

/* NULL: this is for software */
static const struct rsa_state *know(struct fsp_signature *signature)
{
	struct rsa_state *state = signature->state;

	if (!state->known) {
		ERR_set_mark();
		state->fit = read_settings(signature, state);
		ERR_pop_to_mark();
		state->known = true;
	}
	return state->fit ? state : NULL;
}

/* ---- padding ---- */

/* The salt's size as libcrypto would choose it, or less than 0 */
static int salt_size(const struct rsa_state *state, const struct fsp_rsa *rsa)
{
	int digest = (int)state->digest_size;
	int most = (int)rsa->size - digest - 2 - ((rsa->bits & 7) == 1);
	int salt = state->salt;

	if (salt == SALT_DIGEST)
		salt = digest;
	else if (salt == SALT_AUTO || salt == SALT_MAX)
		salt = most;
	else if (salt == SALT_AUTO_DIGEST_MAX)
		salt = most < digest ? most : digest;
	return salt <= most && salt >= rsa->least_salt ? salt : -1;
}

static bool pad_pkcs1(const struct rsa_state *state, const struct fsp_rsa *rsa, uint8_t *padded,
		      const uint8_t *in, size_t in_size)
{
	uint8_t info[INFO_MAX + EVP_MAX_MD_SIZE];

	if (state->info_size == 0)
		return RSA_padding_add_PKCS1_type_1(padded, (int)rsa->size, in, (int)in_size) > 0;
	memcpy(info, state->info, state->info_size);
	memcpy(info + state->info_size, in, in_size);
	return RSA_padding_add_PKCS1_type_1(padded, (int)rsa->size, info,
					    (int)(state->info_size + in_size)) > 0;
}

static bool pad(const struct rsa_state *state, const struct fsp_rsa *rsa, uint8_t *padded,
		const uint8_t *in, size_t in_size)
{
	int salt;

	if ((state->digest && in_size != state->digest_size) || in_size > rsa->size)
		return false;
	switch (state->padding) {
	case RSA_PKCS1_PADDING:
		return pad_pkcs1(state, rsa, padded, in, in_size);
	case RSA_PKCS1_PSS_PADDING:
		salt = salt_size(state, rsa);
		return salt >= 0 &&
		       RSA_padding_add_PKCS1_PSS_mgf1(rsa->padding, padded, in, state->digest,
						      state->mask, salt) > 0;
	default:
		memcpy(padded, in, in_size);
		return in_size == rsa->size;
	}
}

/* ---- signing ---- */

static bool sign_padded(struct fsp_rsa *rsa, const struct rsa_state *state, uint8_t *out,
			const uint8_t *in, size_t in_size)
{
	uint8_t *padded = OPENSSL_malloc(rsa->size);
	bool good;

	if (!padded)
		return false;
	ERR_set_mark();
	good = pad(state, rsa, padded, in, in_size);
	ERR_pop_to_mark();
	if (!good)
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PRIVATE);
	good = good && fsp_rsa_private(rsa, padded, out);
	fsp_cleanse(padded, rsa->size);
	return good;
}

static bool sign(struct fsp_signature *signature, uint8_t *out, size_t *size, const uint8_t *in,
		 size_t in_size)
{
	struct fsp_rsa *rsa = fsp_key_components(signature->key);
	const struct rsa_state *state;

	if (!rsa || !fsp_rsa_private_wanted(rsa))
		return false;
	state = know(signature);
	if (!state) {
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PRIVATE);
		return false;
	}
	if (!sign_padded(rsa, state, out, in, in_size))
		return false;
	*size = rsa->size;
	return true;
}

/* ---- verification ---- */

/* Whether what was signed is this digest, padded */
static bool is_padded(const struct rsa_state *state, const struct fsp_rsa *rsa,
		      const uint8_t *padded, const uint8_t *in, size_t in_size)
{
	uint8_t *wanted;
	int salt = state->salt == SALT_AUTO_DIGEST_MAX ? SALT_AUTO : state->salt;
	bool good;

	/* Software never takes nothing for a signed text */
	if (in_size == 0 || (state->digest && in_size != state->digest_size))
		return false;
	if (state->padding == RSA_PKCS1_PSS_PADDING)
		return RSA_verify_PKCS1_PSS_mgf1(rsa->padding, in, state->digest, state->mask,
						 padded, salt) > 0;
	wanted = OPENSSL_malloc(rsa->size);
	good = wanted && pad(state, rsa, wanted, in, in_size) &&
	       CRYPTO_memcmp(wanted, padded, rsa->size) == 0;
	OPENSSL_free(wanted);
	return good;
}

/* Software checks what a restricted key demands of a signature */
static const struct rsa_state *know_for(struct fsp_signature *signature, struct fsp_rsa *rsa,
					size_t size)
{
	const struct rsa_state *state = NULL;

	if (size == rsa->size && rsa->least_salt < 0)
		state = know(signature);
	if (!state)
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PUBLIC);
	return state;
}

static bool verify(struct fsp_signature *signature, const uint8_t *bytes, size_t size,
		   const uint8_t *in, size_t in_size)
{
	struct fsp_rsa *rsa = fsp_key_components(signature->key);
	const struct rsa_state *state;
	uint8_t *padded;
	bool good;

	if (!rsa || !fsp_rsa_public_wanted(rsa) || !(state = know_for(signature, rsa, size)))
		return false;
	padded = OPENSSL_malloc(rsa->size);
	if (!padded)
		return false;
	ERR_set_mark();
	good = fsp_rsa_public(rsa, bytes, padded) && is_padded(state, rsa, padded, in, in_size);
	ERR_pop_to_mark();
	OPENSSL_free(padded);
	return good;
}

static const struct fsp_signature_kind rsa_kind = {
	.name = "RSA",
	.sign = sign,
	.verify = verify,
	.state_size = sizeof(struct rsa_state),
	.changed = changed,
	.state_free = free_state,
};
FSP_SIGNATURE_RECOVER_TABLE(rsa);
