/* SPDX-License-Identifier: Apache-2.0 */
#include "symmetric/cipher-init.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/proverr.h>

#include "base/error.h"
#include "symmetric/cipher-params.h"
#include "symmetric/cipher.h"

static bool take_iv(struct fsp_cipher *cipher, const unsigned char *iv, size_t size)
{
	if (iv && cipher->kind->iv_size) {
		if (size != cipher->kind->iv_size)
			return fsp_failed(PROV_R_INVALID_IV_LENGTH);
		/* A size that the compiler knows */
		memcpy(cipher->first_iv, iv, FSP_BLOCK);
		memcpy(cipher->iv, iv, FSP_BLOCK);
		cipher->has_iv = true;
		cipher->soft_stands = false;
	} else if (cipher->has_iv && cipher->kind->mode != FIRESTEEL_CTR) {
		/* As the default provider does: these start anew, CTR continues */
		memcpy(cipher->iv, cipher->first_iv, sizeof(cipher->iv));
		cipher->soft_stands = false;
	}
	return true;
}

static bool take_key(struct fsp_cipher *cipher, const unsigned char *key, size_t size)
{
	if (size != cipher->kind->key_size)
		return fsp_failed(PROV_R_INVALID_KEY_LENGTH);
	if (cipher->kind->mode == FIRESTEEL_XTS && !cipher->decrypt &&
	    CRYPTO_memcmp(key, key + size / 2, size / 2) == 0)
		return fsp_failed(PROV_R_XTS_DUPLICATED_KEYS);
	memcpy(cipher->key, key, size);
	cipher->keyed = true;
	cipher->soft.keyed = false;
	return true;
}

static int init(struct fsp_cipher *cipher, const unsigned char *key, size_t key_size,
		const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[], bool decrypt)
{
	/* What goes on where it stands: see take_iv() */
	if (!iv && (!cipher->has_iv || cipher->kind->mode == FIRESTEEL_CTR) &&
	    !fsp_cipher_recall(cipher))
		return 0;
	if (decrypt != cipher->decrypt)
		cipher->soft.keyed = false;
	cipher->decrypt = decrypt;
	cipher->part_size = 0;
	cipher->offset = 0;
	cipher->soft_stands = false;
	return take_iv(cipher, iv, iv_size) && (!key || take_key(cipher, key, key_size)) &&
	       fsp_cipher_set_ctx(cipher, params);
}

int fsp_cipher_encrypt_init(void *context, const unsigned char *key, size_t key_size,
			    const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[])
{
	return init(context, key, key_size, iv, iv_size, params, false);
}

int fsp_cipher_decrypt_init(void *context, const unsigned char *key, size_t key_size,
			    const unsigned char *iv, size_t iv_size, const OSSL_PARAM params[])
{
	return init(context, key, key_size, iv, iv_size, params, true);
}
