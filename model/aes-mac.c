/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* CMAC, NIST SP 800-38B. */
#include <nettle/memxor.h>
#include <string.h>

#include "aes-modes.h"

#define BLOCK SILEX_AES_BLOCK

static void cmac_begin(struct silex_aes *aes)
{
	silex_aes_expand(aes, &aes->key, false);
	cmac128_set_key(&aes->cmac.key, &aes->key.encrypt, silex_aes_encrypt_of(&aes->key));
	silex_aes_count_blocks(aes, 1);
	cmac128_init(&aes->cmac.context);
	if (silex_aes_loads(aes))
		memcpy(aes->cmac.context.X.b, aes->iv, BLOCK);
}

/* Any number of bytes; nothing comes out */
static void cmac_take(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	(void)dst;
	cmac128_update(&aes->cmac.context, &aes->key.encrypt, silex_aes_encrypt_of(&aes->key), size,
		       src);
	silex_aes_count_blocks(aes, (size + BLOCK - 1) / BLOCK);
}

static size_t cmac_tag(struct silex_aes *aes, uint8_t *dst, const uint8_t *trailer)
{
	(void)trailer;
	cmac128_digest(&aes->cmac.context, &aes->cmac.key, &aes->key.encrypt,
		       silex_aes_encrypt_of(&aes->key), SILEX_AES_TAG, dst);
	return SILEX_AES_TAG;
}

/* nettle keeps the last block back, in case that it is the message's last */
static size_t cmac_save(struct silex_aes *aes, uint8_t *dst)
{
	struct cmac128_ctx *context = &aes->cmac.context;

	memcpy(dst, context->X.b, BLOCK);
	if (context->index == BLOCK) {
		memxor(dst, context->block.b, BLOCK);
		silex_aes_encrypt_block(aes, &aes->key, dst, dst);
	}
	return BLOCK;
}

const struct silex_aes_mode silex_aes_cmac = {
	.bit = SILEX_AES_MODE_CMAC,
	.silent = true,
	.begin = cmac_begin,
	.blocks = cmac_take,
	.rest = cmac_take,
	.tag = cmac_tag,
	.save = cmac_save,
};
