/* SPDX-License-Identifier: Apache-2.0 */
#include "keys/decoder.h"

#include <string.h>

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/core_object.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

#include "keys/key.h"
#include "keys/keymgmt.h"
#include "keys/kinds.h"

#define DER_SEQUENCE 0x30

/* A decoder knows nothing but the provider */
static void *new(void *provider)
{
	return provider;
}

static void free_decoder(void *decoder)
{
	(void)decoder;
}

/* Only for parameters: two numbers in a row could be an RSA key, for a caller who accepts any key */
static int does_selection(void *provider, int selection)
{
	(void)provider;
	return selection & OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS &&
	       !(selection & OSSL_KEYMGMT_SELECT_KEYPAIR);
}

/* ---- one DER object ---- */

static bool read_bytes(const struct fsp_provider *provider, OSSL_CORE_BIO *from, uint8_t *to,
		       size_t size)
{
	size_t got, done = 0;

	while (done < size) {
		if (!provider->bio_read(from, to + done, size - done, &got) || got == 0)
			return false;
		done += got;
	}
	return true;
}

/* Reads no byte more than a sequence has: others may follow.  NULL: it is none. */
static uint8_t *read_der(const struct fsp_provider *provider, OSSL_CORE_BIO *from, size_t *size)
{
	uint8_t head[4], *der;
	size_t head_size = 2, length;

	if (!read_bytes(provider, from, head, 2) || head[0] != DER_SEQUENCE || head[1] > 0x82 ||
	    head[1] == 0x80)
		return NULL;
	length = head[1];
	if (head[1] & 0x80) {
		head_size += head[1] & 0x7f;
		if (!read_bytes(provider, from, head + 2, head_size - 2))
			return NULL;
		length = head_size == 3 ? head[2] : (size_t)head[2] << 8 | head[3];
	}
	*size = head_size + length;
	der = OPENSSL_malloc(*size);
	if (!der)
		return NULL;
	memcpy(der, head, head_size);
	if (read_bytes(provider, from, der + head_size, length))
		return der;
	OPENSSL_free(der);
	return NULL;
}

/* ---- decoding ---- */

static BIGNUM *next_number(const uint8_t **at, const uint8_t *end)
{
	ASN1_INTEGER *integer = *at < end ? d2i_ASN1_INTEGER(NULL, at, end - *at) : NULL;
	BIGNUM *number = integer ? ASN1_INTEGER_to_BN(integer, NULL) : NULL;

	ASN1_INTEGER_free(integer);
	if (number && !BN_is_negative(number))
		return number;
	BN_free(number);
	return NULL;
}

static void *build(struct fsp_provider *provider, const BIGNUM *prime, const BIGNUM *generator,
		   const BIGNUM *length)
{
	OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
	OSSL_PARAM *params = NULL;
	void *made = NULL;

	if (builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_P, prime) &&
	    OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_FFC_G, generator) &&
	    (!length || OSSL_PARAM_BLD_push_int(builder, OSSL_PKEY_PARAM_DH_PRIV_LEN,
						(int)BN_get_word(length))) &&
	    (params = OSSL_PARAM_BLD_to_param(builder)))
		made = fsp_key_data(fsp_key_software(provider, &fsp_key_dh_kind),
				    OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS, params);
	OSSL_PARAM_free(params);
	OSSL_PARAM_BLD_free(builder);
	return made;
}

/*
 * DHParameter of PKCS #3: prime, base, and optionally the length of secrets.  It is parsed here
 * because software's decoder cannot be fetched alone: libcrypto's search for one would find us
 * again.
 */
static void *decode_parameters(struct fsp_provider *provider, const uint8_t *der, size_t size)
{
	const uint8_t *at = der, *end;
	BIGNUM *prime, *generator, *length;
	void *made = NULL;
	int tag, class;
	long content;

	if (ASN1_get_object(&at, &content, &tag, &class, (long)size) != V_ASN1_CONSTRUCTED ||
	    tag != V_ASN1_SEQUENCE)
		return NULL;
	end = at + content;
	prime = next_number(&at, end);
	generator = next_number(&at, end);
	length = at < end ? next_number(&at, end) : NULL;
	if (prime && generator && at == end && (!length || BN_num_bits(length) < 31))
		made = build(provider, prime, generator, length);
	BN_free(prime);
	BN_free(generator);
	BN_free(length);
	return made;
}

/* A reference is a pointer to the pointer, which whoever takes the key clears */
static int hand_over(struct fsp_key **key, OSSL_CALLBACK *callback, void *argument)
{
	int type = OSSL_OBJECT_PKEY;
	const OSSL_PARAM params[] = {
		OSSL_PARAM_construct_int(OSSL_OBJECT_PARAM_TYPE, &type),
		OSSL_PARAM_construct_utf8_string(OSSL_OBJECT_PARAM_DATA_TYPE, (char *)"DH", 0),
		OSSL_PARAM_construct_octet_string(OSSL_OBJECT_PARAM_REFERENCE, key, sizeof(*key)),
		OSSL_PARAM_construct_end(),
	};

	return callback(params, argument);
}

/* What is not ours is no error: another decoder may know it */
static int decode(void *decoder, OSSL_CORE_BIO *from, int selection, OSSL_CALLBACK *callback,
		  void *argument, OSSL_PASSPHRASE_CALLBACK *passphrase, void *passphrase_argument)
{
	struct fsp_provider *provider = decoder;
	struct fsp_key *key;
	void *data = NULL;
	size_t size = 0;
	uint8_t *der;
	int good;

	(void)selection;
	(void)passphrase;
	(void)passphrase_argument;
	ERR_set_mark();
	der = read_der(provider, from, &size);
	if (der)
		data = decode_parameters(provider, der, size);
	OPENSSL_free(der);
	ERR_pop_to_mark();
	if (!data)
		return 1;
	key = fsp_key_wrap(provider, &fsp_key_dh_kind, data);
	if (!key)
		return 0;
	good = hand_over(&key, callback, argument);
	fsp_key_drop(key);
	return good;
}

/* To whom our keys are no keys of their own */
static int export_object(void *decoder, const void *reference, size_t size, OSSL_CALLBACK *callback,
			 void *argument)
{
	struct fsp_key *const *key = reference;

	(void)decoder;
	return reference && size == sizeof(*key) &&
	       fsp_key_export(*key, OSSL_KEYMGMT_SELECT_ALL_PARAMETERS, callback, argument);
}

#define FUNCTION(number, function) { OSSL_FUNC_DECODER_##number, (void (*)(void))(function) }

const OSSL_DISPATCH fsp_decoder_dh[] = {
	FUNCTION(NEWCTX, new),
	FUNCTION(FREECTX, free_decoder),
	FUNCTION(DOES_SELECTION, does_selection),
	FUNCTION(DECODE, decode),
	FUNCTION(EXPORT_OBJECT, export_object),
	{ 0, NULL },
};
