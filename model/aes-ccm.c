/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * CCM, NIST SP 800-38C.  The header begins with B0, which tells the lengths of counter and tag and
 * the nonce; all of the header goes into the MAC as it comes.
 */
#include <nettle/memxor.h>
#include <string.h>

#include "../silex/message.h"
#include "aes-modes.h"
#include "wipe.h"

#define BLOCK SILEX_AES_BLOCK
#define BATCH (32 * BLOCK)

static void first_counter(struct silex_aes *aes, const uint8_t *block)
{
	unsigned length = SILEX_CCM_LENGTH_OF(block[0]);

	memcpy(aes->ccm.first, block, BLOCK - length);
	memset(aes->ccm.first + BLOCK - length, 0, length);
	aes->ccm.first[0] &= 7;
}

static void ccm_begin(struct silex_aes *aes)
{
	silex_aes_expand(aes, &aes->key, false);
	memset(aes->ccm.mac, 0, BLOCK);
	aes->ccm.tag = 0;
	aes->ccm.begun = silex_aes_loads(aes);
	if (!aes->ccm.begun)
		return;
	/* a context does not tell the length of the tag: all of it comes out (assumption) */
	first_counter(aes, aes->iv);
	memcpy(aes->ccm.mac, aes->context2, BLOCK);
	aes->ccm.tag = SILEX_AES_TAG;
}

static void authenticate(struct silex_aes *aes, const uint8_t *src, size_t size)
{
	uint8_t dropped[BATCH];

	silex_aes_count_blocks(aes, size / BLOCK);
	while (size > 0) {
		size_t piece = size < BATCH ? size : BATCH;

		silex_aes_cbc_encrypt(&aes->key, aes->ccm.mac, piece, dropped, src);
		src += piece;
		size -= piece;
	}
	silex_wipe(dropped, sizeof(dropped));
}

static void ccm_header(struct silex_aes *aes, const uint8_t *src, size_t size)
{
	if (!aes->ccm.begun) {
		aes->ccm.begun = true;
		aes->ccm.tag = SILEX_CCM_TAG_OF(src[0]);
		first_counter(aes, src);
		memcpy(aes->iv, aes->ccm.first, BLOCK);
		aes->iv[BLOCK - 1] = 1;
	}
	authenticate(aes, src, size);
}

static void crypt_counter(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	silex_aes_crypt_counter(aes, 8 * SILEX_CCM_LENGTH_OF(aes->iv[0]), dst, src, size);
}

static void ccm_blocks(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	if (!silex_aes_decrypts(aes))
		authenticate(aes, src, size);
	crypt_counter(aes, dst, src, size);
	if (silex_aes_decrypts(aes))
		authenticate(aes, dst, size);
}

static void ccm_rest(struct silex_aes *aes, uint8_t *dst, const uint8_t *src, size_t size)
{
	uint8_t plain[BLOCK] = { 0 };

	crypt_counter(aes, dst, src, size);
	memcpy(plain, silex_aes_decrypts(aes) ? dst : src, size);
	authenticate(aes, plain, BLOCK);
	silex_wipe(plain, sizeof(plain));
}

/* Encrypting the tag; decrypting its difference from the trailer; zeros behind it */
static size_t ccm_tag(struct silex_aes *aes, uint8_t *dst, const uint8_t *trailer)
{
	uint8_t tag[BLOCK];

	if (aes->ccm.tag == 0)
		return 0;
	silex_aes_encrypt_block(aes, &aes->key, tag, aes->ccm.first);
	memxor(tag, aes->ccm.mac, BLOCK);
	if (silex_aes_decrypts(aes))
		memxor(tag, trailer, BLOCK);
	memset(dst, 0, BLOCK);
	memcpy(dst, tag, aes->ccm.tag);
	return SILEX_AES_TAG;
}

static size_t ccm_save(struct silex_aes *aes, uint8_t *dst)
{
	memcpy(dst, aes->iv, BLOCK);
	memcpy(dst + BLOCK, aes->ccm.mac, BLOCK);
	return SILEX_AES_AEAD_CONTEXT;
}

const struct silex_aes_mode silex_aes_ccm = {
	.bit = SILEX_AES_MODE_CCM,
	.begin = ccm_begin,
	.header = ccm_header,
	.blocks = ccm_blocks,
	.rest = ccm_rest,
	.tag = ccm_tag,
	.save = ccm_save,
};
