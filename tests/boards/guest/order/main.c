// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether requests of one transform complete in the order in which they were submitted.
 *
 * When it is loaded it submits requests of several sizes, many at a time and then one at a time,
 * over and over; of some the driver may say that it is too busy for more.  It compares results with
 * the kernel's generic code, and tells the log what came of it.
 */
#include <crypto/skcipher.h>
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/wait.h>

#define SIZE_MAX_BYTES 4096u
#define BLOCK          16u

static char *algorithm = "cbc(aes)";
module_param(algorithm, charp, 0444);

static unsigned int count = 4000;
module_param(count, uint, 0444);

/* How many are submitted at a time: more than the driver has commands */
static unsigned int window = 96;
module_param(window, uint, 0444);

/* Whether the driver may keep the submitter from going on when it has no command */
static bool held_back = true;
module_param(held_back, bool, 0444);

static const unsigned int sizes[] = { 1408, 16, 1408, 4096, 64, 512, 1408, 32, 2048 };

struct item {
	struct skcipher_request *request;
	struct scatterlist list;
	u8 iv[BLOCK];
	u8 *data;
	unsigned int number; /* of the request, from 0 */
};

static struct item *items; /* of which there are `window` */
static u8 *plain, *expected[ARRAY_SIZE(sizes)];
static DECLARE_WAIT_QUEUE_HEAD(progress);
static struct completion restart;
static DEFINE_SPINLOCK(lock);

/* Under the lock */
static unsigned int completed, overtaken, wrong, failed;

static unsigned int busy, at_once;

static unsigned int item_index(const struct item *item)
{
	return item->number % ARRAY_SIZE(sizes);
}

static void item_ended(struct item *item, int err)
{
	unsigned int index = item_index(item);

	spin_lock_bh(&lock);
	overtaken += item->number != completed;
	failed += err != 0;
	wrong += !err && memcmp(item->data, expected[index], sizes[index]);
	completed++;
	spin_unlock_bh(&lock);
	wake_up(&progress);
}

static void item_callback(void *data, int err)
{
	if (err == -EINPROGRESS)
		complete(&restart);
	else
		item_ended(data, err);
}

static void item_submit(struct item *item, unsigned int number)
{
	u32 flags = held_back && number % 7 == 3 ? CRYPTO_TFM_REQ_MAY_BACKLOG : 0;
	unsigned int size;
	int err;

	item->number = number;
	size = sizes[item_index(item)];
	memcpy(item->data, plain, size);
	memset(item->iv, 0, sizeof(item->iv));
	skcipher_request_set_callback(item->request, flags, item_callback, item);
	skcipher_request_set_crypt(item->request, &item->list, &item->list, size, item->iv);
	err = crypto_skcipher_encrypt(item->request);
	if (err == -EINPROGRESS)
		return;
	if (err == -EBUSY) {
		busy++;
		wait_for_completion(&restart);
		return;
	}
	at_once++;
	item_ended(item, err);
}

static void order_run(void)
{
	unsigned int round = 4 * window;
	unsigned int number;

	for (number = 0; number < count; number++) {
		/* the last quarter of each round is made one at a time */
		unsigned int ahead = number % round < 3 * window ? window : 1;

		wait_event(progress, READ_ONCE(completed) + ahead > number);
		item_submit(&items[number % window], number);
	}
	wait_event(progress, READ_ONCE(completed) == count);
	/* the last one still holds the lock */
	spin_lock_bh(&lock);
	spin_unlock_bh(&lock);
}

/* ---- what is compared with ---- */

static int expect(struct crypto_skcipher *generic, unsigned int index)
{
	struct skcipher_request *request = skcipher_request_alloc(generic, GFP_KERNEL);
	struct scatterlist list;
	u8 iv[BLOCK] = {};
	int err;

	expected[index] = kmemdup(plain, sizes[index], GFP_KERNEL);
	if (!request || !expected[index])
		return -ENOMEM;
	sg_init_one(&list, expected[index], sizes[index]);
	skcipher_request_set_callback(request, 0, NULL, NULL);
	skcipher_request_set_crypt(request, &list, &list, sizes[index], iv);
	err = crypto_skcipher_encrypt(request);
	skcipher_request_free(request);
	return err;
}

static int expect_all(const u8 *key, unsigned int size)
{
	struct crypto_skcipher *generic = crypto_alloc_skcipher("cbc(aes-generic)", 0,
								CRYPTO_ALG_ASYNC);
	unsigned int i;
	int err;

	if (IS_ERR(generic))
		return PTR_ERR(generic);
	err = crypto_skcipher_setkey(generic, key, size);
	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++)
		err = expect(generic, i);
	crypto_free_skcipher(generic);
	return err;
}

/* ---- life ---- */

static int order_prepare(struct crypto_skcipher *cipher)
{
	unsigned int i;

	items = kvcalloc(window, sizeof(*items), GFP_KERNEL);
	if (!items)
		return -ENOMEM;
	for (i = 0; i < window; i++) {
		struct item *item = &items[i];

		item->request = skcipher_request_alloc(cipher, GFP_KERNEL);
		item->data = kmalloc(SIZE_MAX_BYTES, GFP_KERNEL);
		if (!item->request || !item->data)
			return -ENOMEM;
		sg_init_one(&item->list, item->data, SIZE_MAX_BYTES);
	}
	return 0;
}

static void order_clean(void)
{
	unsigned int i;

	for (i = 0; items && i < window; i++) {
		skcipher_request_free(items[i].request);
		kfree(items[i].data);
	}
	kvfree(items);
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		kfree(expected[i]);
	kfree(plain);
}

static int order_test(struct crypto_skcipher *cipher)
{
	u8 key[32];
	int err;

	get_random_bytes(key, sizeof(key));
	plain = kmalloc(SIZE_MAX_BYTES, GFP_KERNEL);
	if (!plain)
		return -ENOMEM;
	get_random_bytes(plain, SIZE_MAX_BYTES);
	err = expect_all(key, sizeof(key)) ?: crypto_skcipher_setkey(cipher, key, sizeof(key));
	err = err ?: order_prepare(cipher);
	if (err)
		return err;
	order_run();
	pr_info("order: completed %u overtaken %u wrong %u failed %u busy %u at-once %u\n",
		completed, overtaken, wrong, failed, busy, at_once);
	return 0;
}

static int __init order_init(void)
{
	struct crypto_skcipher *cipher = crypto_alloc_skcipher(algorithm, 0, 0);
	int err;

	if (IS_ERR(cipher))
		return PTR_ERR(cipher);
	init_completion(&restart);
	err = order_test(cipher);
	order_clean();
	crypto_free_skcipher(cipher);
	return err;
}
module_init(order_init);

static void __exit order_exit(void)
{
}
module_exit(order_exit);

MODULE_DESCRIPTION("Whether a driver of the crypto API keeps the order of requests");
MODULE_LICENSE("GPL");
