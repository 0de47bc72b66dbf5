// SPDX-License-Identifier: GPL-2.0-or-later
/* Encryption without a tag, see order.h. */
#include <crypto/skcipher.h>

#include "order.h"

static void *skcipher_open(const char *algorithm, const u8 *key)
{
	struct crypto_skcipher *cipher = crypto_alloc_skcipher(algorithm, 0, 0);
	int err;

	if (IS_ERR(cipher))
		return cipher;
	err = crypto_skcipher_setkey(cipher, key, ORDER_KEY);
	if (!err)
		return cipher;
	crypto_free_skcipher(cipher);
	return ERR_PTR(err);
}

static void skcipher_close(void *transform)
{
	crypto_free_skcipher(transform);
}

static void *skcipher_request_new(void *transform)
{
	return skcipher_request_alloc(transform, GFP_KERNEL);
}

static void skcipher_request_drop(void *request)
{
	skcipher_request_free(request);
}

static int expect_of(struct crypto_skcipher *generic, const u8 *key, unsigned int size, u8 *data)
{
	struct skcipher_request *request = skcipher_request_alloc(generic, GFP_KERNEL);
	u8 iv[ORDER_IV] = {};
	struct scatterlist list;
	int err;

	if (!request)
		return -ENOMEM;
	sg_init_one(&list, data, size);
	skcipher_request_set_callback(request, 0, NULL, NULL);
	skcipher_request_set_crypt(request, &list, &list, size, iv);
	err = crypto_skcipher_setkey(generic, key, ORDER_KEY) ?: crypto_skcipher_encrypt(request);
	skcipher_request_free(request);
	return err;
}

static int skcipher_expect(const u8 *key, unsigned int size, u8 *before, u8 *after)
{
	struct crypto_skcipher *generic = crypto_alloc_skcipher("cbc(aes-generic)", 0,
								CRYPTO_ALG_ASYNC);
	int err;

	if (IS_ERR(generic))
		generic = crypto_alloc_skcipher("cbc(aes)", 0, CRYPTO_ALG_ASYNC);
	if (IS_ERR(generic))
		return PTR_ERR(generic);
	memcpy(after, before, size);
	err = expect_of(generic, key, size, after);
	crypto_free_skcipher(generic);
	return err;
}

static int skcipher_submit(struct order_item *item, unsigned int size, u32 flags,
			   crypto_completion_t done)
{
	skcipher_request_set_callback(item->request, flags, done, item);
	skcipher_request_set_crypt(item->request, item->list, item->list, size, item->iv);
	return crypto_skcipher_encrypt(item->request);
}

static int skcipher_spoil(struct order_item *item, unsigned int size)
{
	return 0;
}

const struct order_kind order_skcipher = {
	.open = skcipher_open,
	.close = skcipher_close,
	.request_new = skcipher_request_new,
	.request_free = skcipher_request_drop,
	.expect = skcipher_expect,
	.submit = skcipher_submit,
	.spoil = skcipher_spoil,
};
