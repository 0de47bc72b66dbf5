// SPDX-License-Identifier: GPL-2.0-or-later
/* Decryption with a tag, of which some are forged, see order.h. */
#include <crypto/aead.h>

#include "order.h"

static void *aead_open(const char *algorithm, const u8 *key)
{
	struct crypto_aead *cipher = crypto_alloc_aead(algorithm, 0, 0);
	int err;

	if (IS_ERR(cipher))
		return cipher;
	err = crypto_aead_setkey(cipher, key, ORDER_KEY)
		      ?: crypto_aead_setauthsize(cipher, ORDER_TAG);
	if (!err)
		return cipher;
	crypto_free_aead(cipher);
	return ERR_PTR(err);
}

static void aead_close(void *transform)
{
	crypto_free_aead(transform);
}

static void *aead_request_new(void *transform)
{
	return aead_request_alloc(transform, GFP_KERNEL);
}

static void aead_request_drop(void *request)
{
	if (request)
		aead_request_free(request);
}

static int expect_of(struct crypto_aead *generic, const u8 *key, unsigned int size, u8 *data)
{
	struct aead_request *request = aead_request_alloc(generic, GFP_KERNEL);
	u8 iv[ORDER_IV] = {};
	struct scatterlist list;
	int err;

	if (!request)
		return -ENOMEM;
	sg_init_one(&list, data, size + ORDER_TAG);
	aead_request_set_callback(request, 0, NULL, NULL);
	aead_request_set_crypt(request, &list, &list, size, iv);
	aead_request_set_ad(request, 0);
	err = crypto_aead_setkey(generic, key, ORDER_KEY) ?:
	      crypto_aead_setauthsize(generic, ORDER_TAG) ?: crypto_aead_encrypt(request);
	aead_request_free(request);
	return err;
}

static int aead_expect(const u8 *key, unsigned int size, u8 *before, u8 *after)
{
	struct crypto_aead *generic = crypto_alloc_aead("gcm_base(ctr(aes-generic),ghash-generic)",
							0, CRYPTO_ALG_ASYNC);
	int err;

	if (IS_ERR(generic))
		generic = crypto_alloc_aead("gcm(aes)", 0, CRYPTO_ALG_ASYNC);
	if (IS_ERR(generic))
		return PTR_ERR(generic);
	memcpy(after, before, size);
	err = expect_of(generic, key, size, before);
	crypto_free_aead(generic);
	return err;
}

static int aead_submit(struct order_item *item, unsigned int size, u32 flags,
		       crypto_completion_t done)
{
	aead_request_set_callback(item->request, flags, done, item);
	aead_request_set_crypt(item->request, item->list, item->list, size + ORDER_TAG, item->iv);
	aead_request_set_ad(item->request, 0);
	return crypto_aead_decrypt(item->request);
}

static int aead_spoil(struct order_item *item, unsigned int size)
{
	if (item->number % 5 != 2)
		return 0;
	item->data[size + item->number % ORDER_TAG] ^= 1;
	return -EBADMSG;
}

const struct order_kind order_aead = {
	.open = aead_open,
	.close = aead_close,
	.request_new = aead_request_new,
	.request_free = aead_request_drop,
	.expect = aead_expect,
	.submit = aead_submit,
	.spoil = aead_spoil,
};
