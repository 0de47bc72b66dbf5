/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * GCM, NIST SP 800-38D.  The lengths come from the driver, as the trailer, so nettle's own count
 * of them is not used and is set back to 0 where nettle would refuse to continue.
 */
#include <nettle/memxor.h>
#include <string.h>

#include "aes-modes.h"

#define BLOCK SILEX_AES_BLOCK

static void gcm_begin(struct silex_aes *aes)
{
	struct gcm_ctx *context = &aes->gcm.context;

	silex_aes_expand(aes, &aes->key, false);
	gcm_set_key(&aes->gcm.key, &aes->key.encrypt, silex_aes_encrypt_of(&aes->key));
	gcm_set_iv(context, &aes->gcm.key, SILEX_AES_GCM_IV, aes->iv);
	silex_aes_count_blocks(aes, 2); /* the hash key, and the block that hides the tag */
	if (silex_aes_loads(aes)) {
		memcpy(context->ctr.b, aes->iv, BLOCK);
		memcpy(context->x.b, aes->context2, BLOCK);
	}
}

static void gcm_header(struct silex_aes *aes, const uint8_t *src, size_t size)
{
	aes->gcm.context.data_size = 0;
	gcm_update(&aes->gcm.context, &aes->gcm.key, size, src);
	silex_aes_count_blocks(aes, size / BLOCK);
}

static void gcm_crypt(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	struct gcm_ctx *context = &aes->gcm.context;
	nettle_cipher_func *cipher = silex_aes_encrypt_of(&aes->key);

	context->data_size = 0;
	if (silex_aes_decrypts(aes))
		gcm_decrypt(context, &aes->gcm.key, &aes->key.encrypt, cipher, size, dst, src);
	else
		gcm_encrypt(context, &aes->gcm.key, &aes->key.encrypt, cipher, size, dst, src);
	silex_aes_count_blocks(aes, (size + BLOCK - 1) / BLOCK);
}

static size_t gcm_tag(struct silex_aes *aes, uint8_t *dst, const uint8_t *trailer)
{
	uint8_t hidden[BLOCK];

	gcm_header(aes, trailer, BLOCK); /* the lengths are hashed like associated data */
	silex_aes_encrypt_of (&aes->key)(&aes->key.encrypt, BLOCK, hidden, aes->gcm.context.iv.b);
	memxor3(dst, aes->gcm.context.x.b, hidden, BLOCK);
	return SILEX_AES_TAG;
}

static size_t gcm_save(struct silex_aes *aes, uint8_t *dst)
{
	memcpy(dst, aes->gcm.context.ctr.b, BLOCK);
	memcpy(dst + BLOCK, aes->gcm.context.x.b, BLOCK);
	return SILEX_AES_AEAD_CONTEXT;
}

const struct silex_aes_mode silex_aes_gcm = {
	.bit = SILEX_AES_MODE_GCM,
	.begin = gcm_begin,
	.header = gcm_header,
	.blocks = gcm_crypt,
	.rest = gcm_crypt,
	.tag = gcm_tag,
	.save = gcm_save,
};
