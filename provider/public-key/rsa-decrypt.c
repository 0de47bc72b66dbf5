/* SPDX-License-Identifier: Apache-2.0 */
/*
 * RSA decryption: the private operation on the core, and libcrypto's own functions remove the
 * padding in constant time.  Two of them it does not export; see rsa-unpad.c.
 *
 * Whether software or the core decrypts follows from key and ciphertext alone, never from what is
 * inside.
 */
/* libcrypto's functions for padding are deprecated: see public-key/rsa.h */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "public-key/rsa-decrypt.h"

#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/prov_ssl.h>
#include <openssl/proverr.h>
#include <openssl/rsa.h>

#include "base/constant-time.h"
#include "base/memory.h"
#include "base/policy.h"
#include "public-key/rsa-unpad.h"
#include "public-key/rsa.h"

/* Of OpenSSL 3.2 */
#ifndef OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION
#define OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION "implicit-rejection"
#endif

/* What software was given */
struct settings {
	int padding;
	unsigned implicit; /* no error tells that padding was wrong */
	unsigned version, other_version; /* of TLS */
	char digest[80], mask[80];
	void *label;
	size_t label_size;
};

static bool ask(const struct fsp_functions *software, void *soft, struct settings *settings)
{
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_ASYM_CIPHER_PARAM_PAD_MODE, &settings->padding),
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_IMPLICIT_REJECTION,
					  &settings->implicit),
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_CLIENT_VERSION,
					  &settings->version),
		OSSL_PARAM_construct_uint(OSSL_ASYM_CIPHER_PARAM_TLS_NEGOTIATED_VERSION,
					  &settings->other_version),
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_OAEP_DIGEST,
						 settings->digest, sizeof(settings->digest)),
		OSSL_PARAM_construct_utf8_string(OSSL_ASYM_CIPHER_PARAM_MGF1_DIGEST, settings->mask,
						 sizeof(settings->mask)),
		OSSL_PARAM_construct_octet_ptr(OSSL_ASYM_CIPHER_PARAM_OAEP_LABEL, &settings->label,
					       0),
		OSSL_PARAM_construct_end(),
	};
	bool good;

	memset(settings, 0, sizeof(*settings));
	ERR_set_mark();
	good = FSP_SOFT(software, asym_cipher_get_ctx_params,
			ASYM_CIPHER_GET_CTX_PARAMS)(soft, params) > 0;
	ERR_pop_to_mark();
	if (OSSL_PARAM_modified(&params[6]) && settings->label)
		settings->label_size = params[6].return_size;
	return good;
}

/* Whether we can remove this padding, into a buffer of this size */
static bool fit(const struct settings *settings, const struct fsp_rsa *rsa, size_t capacity)
{
	switch (settings->padding) {
	case RSA_PKCS1_PADDING:
	case RSA_NO_PADDING:
	case RSA_PKCS1_OAEP_PADDING:
		return capacity >= rsa->size;
	case RSA_PKCS1_WITH_TLS_PADDING:
		return capacity >= SSL_MAX_MASTER_KEY_LENGTH && settings->version > 0 &&
		       rsa->size >= RSA_PKCS1_PADDING_SIZE + SSL_MAX_MASTER_KEY_LENGTH;
	default:
		return false;
	}
}

static int unpad_oaep(const struct fsp_rsa *rsa, const struct settings *settings, uint8_t *out,
		      size_t capacity, const uint8_t *padded)
{
	OSSL_LIB_CTX *library = rsa->provider->library;
	const char *name = *settings->digest ? settings->digest : "SHA1";
	EVP_MD *digest = EVP_MD_fetch(library, name, FSP_SOFTWARE);
	EVP_MD *mask = EVP_MD_fetch(library, *settings->mask ? settings->mask : name, FSP_SOFTWARE);
	int size = -1;

	if (digest && mask)
		size = RSA_padding_check_PKCS1_OAEP_mgf1(out, (int)capacity, padded, (int)rsa->size,
							 (int)rsa->size, settings->label,
							 (int)settings->label_size, digest, mask);
	EVP_MD_free(digest);
	EVP_MD_free(mask);
	return size;
}

/* One function or the other without a branch */
typedef int end_mark(void);

static end_mark *choose(size_t mask, end_mark *if_true, end_mark *if_false)
{
	return (end_mark *)fsp_mask_select(mask, (size_t)if_true, (size_t)if_false);
}

/* libcrypto raises two errors for wrong padding.  As there, the second one is always raised, and
 * removed again if the padding was right: no branch reveals which it was. */
static int unpad_pkcs1(const struct fsp_rsa *rsa, uint8_t *out, const uint8_t *padded)
{
	int size = (int)rsa->size;
	int got = RSA_padding_check_PKCS1_type_2(out, size, padded, size, size);
	size_t wrong = fsp_mask_top_bit((size_t)(ptrdiff_t)got);

	ERR_set_mark();
	ERR_raise(ERR_LIB_RSA, RSA_R_PADDING_CHECK_FAILED);
	choose(wrong, ERR_clear_last_mark, ERR_pop_to_mark)();
	return got;
}

/* The size of what was inside; less than 0: an error */
static int unpad(const struct fsp_rsa *rsa, const struct settings *settings, uint8_t *out,
		 size_t capacity, const uint8_t *padded, const uint8_t *in)
{
	int size = (int)rsa->size;

	switch (settings->padding) {
	case RSA_NO_PADDING:
		memcpy(out, padded, rsa->size);
		return size;
	case RSA_PKCS1_OAEP_PADDING:
		return unpad_oaep(rsa, settings, out, capacity, padded);
	case RSA_PKCS1_WITH_TLS_PADDING:
		return fsp_rsa_unpad_tls(rsa, out, padded, settings->version,
					 settings->other_version);
	default:
		if (settings->implicit)
			return fsp_rsa_unpad_implicit(rsa, out, rsa->size, padded, in);
		return unpad_pkcs1(rsa, out, padded);
	}
}

bool fsp_rsa_decrypt(struct fsp_rsa *rsa, const struct fsp_functions *software, void *soft,
		     uint8_t *out, size_t *size, size_t capacity, const uint8_t *in, size_t in_size,
		     int *answer)
{
	struct settings settings;
	uint8_t *padded;
	bool good;
	size_t wrong;
	int got;

	if (in_size != rsa->size || !fsp_rsa_private_wanted(rsa))
		return false;
	if (!ask(software, soft, &settings) || !fit(&settings, rsa, capacity)) {
		fsp_policy_unfit(rsa->provider, FSP_TASK_RSA_PRIVATE);
		return false;
	}
	padded = OPENSSL_malloc(rsa->size);
	good = padded && fsp_rsa_private(rsa, in, padded);
	if (good) {
		got = unpad(rsa, &settings, out, capacity, padded, in);
		wrong = fsp_mask_top_bit((size_t)(ptrdiff_t)got);
		*size = fsp_mask_select(wrong, *size, (size_t)(ptrdiff_t)got);
		*answer = (int)(1 & ~wrong);
	}
	fsp_cleanse(padded, rsa->size);
	return good;
}
