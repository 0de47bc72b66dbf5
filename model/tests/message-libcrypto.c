/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What libcrypto makes of a message. */
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "message.h"
#include "unit.h"

static const struct {
	uint32_t mode;
	const char *name;
} aes_modes[] = {
	{ SILEX_AES_MODE_ECB, "ECB" }, { SILEX_AES_MODE_CBC, "CBC-CTS" },
	{ SILEX_AES_MODE_CTR, "CTR" }, { SILEX_AES_MODE_CFB, "CFB" },
	{ SILEX_AES_MODE_OFB, "OFB" }, { SILEX_AES_MODE_CCM, "CCM" },
	{ SILEX_AES_MODE_GCM, "GCM" }, { SILEX_AES_MODE_XTS, "XTS" },
	{ SILEX_AES_MODE_CMAC, "CBC" }, /* what CMAC takes as its cipher */
}, digests[] = {
	{ SILEX_HASH_ALG_SHA1, "SHA1" },     { SILEX_HASH_ALG_SHA224, "SHA224" },
	{ SILEX_HASH_ALG_SHA256, "SHA256" }, { SILEX_HASH_ALG_SHA384, "SHA384" },
	{ SILEX_HASH_ALG_SHA512, "SHA512" },
};

const char *message_mode(const struct message *message)
{
	for (unsigned i = 0; message->hash && i < sizeof(digests) / sizeof(*digests); i++)
		if (digests[i].mode == message->mode)
			return digests[i].name;
	for (unsigned i = 0; i < sizeof(aes_modes) / sizeof(*aes_modes); i++)
		if (aes_modes[i].mode == message->mode)
			return aes_modes[i].name;
	return "unknown";
}

static void cipher_name(const struct message *message, char name[32])
{
	size_t size = message->key_size / (message->mode == SILEX_AES_MODE_XTS ? 2 : 1);

	snprintf(name, 32, "AES-%zu-%s", 8 * size, message_mode(message));
}

/* ---- plain modes ---- */

static void compute_cipher(struct message *message)
{
	/* the mode of the core: the last two blocks change places only when one is not full */
	char stealing[] = "CS2", name[32];
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_CIPHER_PARAM_CTS_MODE, stealing, 0),
		OSSL_PARAM_construct_end(),
	};
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher;
	int size = 0;

	cipher_name(message, name);
	cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	assert_non_null(cipher);
	assert_int_equal(EVP_CipherInit_ex2(context, cipher, message->key, message->iv,
					    !message->decrypt,
					    message->mode == SILEX_AES_MODE_CBC ? params : NULL),
			 1);
	EVP_CIPHER_CTX_set_padding(context, 0);
	assert_int_equal(EVP_CipherUpdate(context, message->expected, &size, message->input,
					  (int)message->size),
			 1);
	assert_int_equal(size, message->size);
	EVP_CIPHER_CTX_free(context);
	EVP_CIPHER_free(cipher);
}

/* ---- GCM and CCM ---- */

static void begin_seal(EVP_CIPHER_CTX *context, const struct message *message)
{
	const bool ccm = message->mode == SILEX_AES_MODE_CCM;
	EVP_CIPHER *cipher;
	char name[32];
	int size;

	cipher_name(message, name);
	cipher = EVP_CIPHER_fetch(NULL, name, NULL);
	assert_int_equal(EVP_EncryptInit_ex2(context, cipher, NULL, NULL, NULL), 1);
	EVP_CIPHER_free(cipher);
	EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, (int)message->iv_size, NULL);
	if (ccm)
		EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int)message->tag_size, NULL);
	assert_int_equal(EVP_EncryptInit_ex2(context, NULL, message->key, message->iv, NULL), 1);
	if (ccm)
		assert_int_equal(EVP_EncryptUpdate(context, NULL, &size, NULL, (int)message->size),
				 1);
	if (message->header_size > 0)
		assert_int_equal(EVP_EncryptUpdate(context, NULL, &size, message->header,
						   (int)message->header_size),
				 1);
}

static void seal(const struct message *message, const uint8_t *input, uint8_t *output, uint8_t *tag)
{
	EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
	uint8_t none[16];
	int size;

	begin_seal(context, message);
	/* CCM needs the call even when there is nothing */
	assert_int_equal(EVP_EncryptUpdate(context, message->size ? output : none, &size, input,
					   (int)message->size),
			 1);
	assert_int_equal(EVP_EncryptFinal_ex(context, none, &size), 1);
	EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG,
			    message->mode == SILEX_AES_MODE_CCM ? (int)message->tag_size : 16, tag);
	EVP_CIPHER_CTX_free(context);
}

/* Both modes encrypt with a key stream, so sealing a ciphertext gives its plaintext */
static void compute_aead(struct message *message)
{
	uint8_t ignored[16], *sealed;

	memset(message->tag, 0, sizeof(message->tag));
	if (!message->decrypt) {
		seal(message, message->input, message->expected, message->tag);
		return;
	}
	sealed = malloc(message->size + 1);
	assert_non_null(sealed);
	seal(message, message->input, message->expected, ignored);
	seal(message, message->expected, sealed, message->tag);
	free(sealed);
	for (size_t i = 0; message->mode == SILEX_AES_MODE_CCM && i < message->tag_size; i++)
		message->tag[i] ^= message->received[i];
}

/* ---- MACs and hashes ---- */

static void compute_cmac(struct message *message)
{
	char name[32];
	OSSL_PARAM params[2];
	size_t size;

	cipher_name(message, name);
	params[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_CIPHER, name, 0);
	params[1] = OSSL_PARAM_construct_end();
	assert_non_null(EVP_Q_mac(NULL, "CMAC", NULL, NULL, params, message->key, message->key_size,
				  message->input, message->size, message->tag, MESSAGE_TAG, &size));
}

static void compute_hash(struct message *message)
{
	const EVP_MD *digest = EVP_get_digestbyname(message_mode(message));

	if (message->hmac)
		assert_non_null(HMAC(digest, message->key, (int)message->key_size, message->input,
				     message->size, message->tag, NULL));
	else
		assert_int_equal(
			EVP_Digest(message->input, message->size, message->tag, NULL, digest, NULL),
			1);
}

void message_compute(struct message *message)
{
	if (message->hash)
		compute_hash(message);
	else if (message->mode == SILEX_AES_MODE_CMAC)
		compute_cmac(message);
	else if (message->mode == SILEX_AES_MODE_GCM || message->mode == SILEX_AES_MODE_CCM)
		compute_aead(message);
	else
		compute_cipher(message);
}
