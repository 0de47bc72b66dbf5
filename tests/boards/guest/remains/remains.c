// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether plaintext stays in memory after requests have ended: encrypts random bytes in place, so
 * often that every job of the driver has had some, and then looks for them at the begin of every
 * page of the kernel's memory, where buffers of many pages begin.
 */
#include <crypto/skcipher.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>

#define REMAINS_SIZE     4096u
#define REMAINS_HEAD     16u
#define REMAINS_REQUESTS 64u

/* Heads of what was encrypted, inverted: they themselves are not to be found */
static u8 remains_heads[REMAINS_REQUESTS][REMAINS_HEAD];

static void remains_note(u8 *inverted, const u8 *bytes)
{
	unsigned int i;

	for (i = 0; i < REMAINS_HEAD; i++)
		inverted[i] = ~bytes[i];
}

static bool remains_is_head(const u8 *bytes)
{
	u8 inverted[REMAINS_HEAD];
	unsigned int i;

	remains_note(inverted, bytes);
	for (i = 0; i < REMAINS_REQUESTS; i++) {
		if (!memcmp(inverted, remains_heads[i], REMAINS_HEAD))
			return true;
	}
	return false;
}

static unsigned int remains_count(void)
{
	unsigned int found = 0;
	const u8 *page;

	for (page = (const u8 *)PAGE_OFFSET; page < (const u8 *)high_memory; page += PAGE_SIZE) {
		if (virt_addr_valid(page) && remains_is_head(page))
			found++;
	}
	return found;
}

static int remains_encrypt(struct skcipher_request *request, u8 *buffer)
{
	DECLARE_CRYPTO_WAIT(wait);
	struct scatterlist list;
	u8 iv[16] = {};

	sg_init_one(&list, buffer, REMAINS_SIZE);
	skcipher_request_set_callback(request, CRYPTO_TFM_REQ_MAY_BACKLOG, crypto_req_done, &wait);
	skcipher_request_set_crypt(request, &list, &list, REMAINS_SIZE, iv);
	return crypto_wait_req(crypto_skcipher_encrypt(request), &wait);
}

/* Each from a transform of its own, as those are spread over the jobs */
static int remains_one(u8 *buffer)
{
	struct crypto_skcipher *cipher = crypto_alloc_skcipher("cbc-aes-firesteel", 0, 0);
	struct skcipher_request *request;
	u8 key[32] = { 1 };
	int err;

	if (IS_ERR(cipher))
		return PTR_ERR(cipher);
	request = skcipher_request_alloc(cipher, GFP_KERNEL);
	err = request ? crypto_skcipher_setkey(cipher, key, sizeof(key)) : -ENOMEM;
	if (!err)
		err = remains_encrypt(request, buffer);
	skcipher_request_free(request);
	crypto_free_skcipher(cipher);
	return err;
}

static int __init remains_init(void)
{
	u8 *buffer = (u8 *)__get_free_page(GFP_KERNEL);
	unsigned int i, control, found;
	int err = 0;

	if (!buffer)
		return -ENOMEM;
	for (i = 0; i < REMAINS_REQUESTS && !err; i++) {
		get_random_bytes(buffer, REMAINS_SIZE);
		remains_note(remains_heads[i], buffer);
		err = remains_one(buffer);
	}
	found = remains_count();
	remains_note(buffer, remains_heads[0]);
	control = remains_count() - found;
	pr_info("remains: error %d found %u control %u\n", err, found, control);
	memzero_explicit(buffer, REMAINS_SIZE);
	free_page((unsigned long)buffer);
	return err;
}
module_init(remains_init);

static void __exit remains_exit(void)
{
}
module_exit(remains_exit);

MODULE_DESCRIPTION("looks for what the driver has left of requests");
MODULE_LICENSE("GPL");
