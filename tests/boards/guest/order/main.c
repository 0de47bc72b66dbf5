// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether requests of one transform complete in the order in which they were submitted.
 *
 * When it is loaded it submits requests of several sizes, many at a time and then one at a time,
 * over and over; of some the driver may say that it is too busy for more.  It compares results with
 * the kernel's generic code, and tells the log what came of it.
 */
#include <linux/completion.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "order.h"

static char *algorithm = "cbc(aes)";
module_param(algorithm, charp, 0444);

/* Whether that is one with a tag */
static bool aead;
module_param(aead, bool, 0444);

static unsigned int count = 4000;
module_param(count, uint, 0444);

/* How many are submitted at a time: more than the driver has commands */
static unsigned int window = 96;
module_param(window, uint, 0444);

/* Whether the driver may keep the submitter from going on when it has no command */
static bool held_back = true;
module_param(held_back, bool, 0444);

static const unsigned int sizes[] = { 1408, 16, 1408, 4096, 64, 512, 1408, 32, 2048 };

static const struct order_kind *kind;
static struct order_item *items; /* of which there are `window` */
static u8 *before[ARRAY_SIZE(sizes)], *after[ARRAY_SIZE(sizes)];
static DECLARE_WAIT_QUEUE_HEAD(progress);
static struct completion restart;
static DEFINE_SPINLOCK(lock);

/* Under the lock */
static unsigned int completed, overtaken, wrong, failed, refused;

static unsigned int busy, at_once;

static unsigned int item_index(const struct order_item *item)
{
	return item->number % ARRAY_SIZE(sizes);
}

static void item_fill(struct order_item *item)
{
	memcpy(item->data, before[item_index(item)], ORDER_SIZE + ORDER_TAG);
	memset(item->iv, 0, sizeof(item->iv));
}

static void item_ended(struct order_item *item, int err)
{
	unsigned int index = item_index(item);
	bool bad = !err && memcmp(item->data, after[index], sizes[index]);

	spin_lock_bh(&lock);
	overtaken += item->number != completed;
	wrong += bad;
	failed += err != item->due;
	refused += err == -EBADMSG;
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

static void item_submit(struct order_item *item, unsigned int number)
{
	u32 flags = held_back && number % 7 == 3 ? CRYPTO_TFM_REQ_MAY_BACKLOG : 0;
	int err;

	item->number = number;
	item_fill(item);
	item->due = kind->spoil(item, sizes[item_index(item)]);
	err = kind->submit(item, sizes[item_index(item)], flags, item_callback);
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

/* ---- life ---- */

static int order_expect(const u8 *key)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++) {
		before[i] = kzalloc(ORDER_SIZE + ORDER_TAG, GFP_KERNEL);
		after[i] = kzalloc(ORDER_SIZE + ORDER_TAG, GFP_KERNEL);
		if (!before[i] || !after[i])
			return -ENOMEM;
		get_random_bytes(before[i], sizes[i]);
		err = kind->expect(key, sizes[i], before[i], after[i]);
	}
	return err;
}

static int order_prepare(void)
{
	unsigned int i;

	items = kvcalloc(window, sizeof(*items), GFP_KERNEL);
	if (!items)
		return -ENOMEM;
	for (i = 0; i < window; i++) {
		struct order_item *item = &items[i];

		item->request = kind->request_new();
		item->data = kmalloc(ORDER_SIZE + ORDER_TAG, GFP_KERNEL);
		if (!item->request || !item->data)
			return -ENOMEM;
		sg_init_one(&item->list, item->data, ORDER_SIZE + ORDER_TAG);
	}
	return 0;
}

static void order_clean(void)
{
	unsigned int i;

	for (i = 0; items && i < window; i++) {
		kind->request_free(items[i].request);
		kfree(items[i].data);
	}
	kvfree(items);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		kfree(before[i]);
		kfree(after[i]);
	}
}

static int order_test(const u8 *key)
{
	int err = order_expect(key) ?: order_prepare();

	if (!err) {
		order_run();
		pr_info("order: completed %u overtaken %u wrong %u failed %u busy %u at-once %u refused %u\n",
			completed, overtaken, wrong, failed, busy, at_once, refused);
	}
	order_clean();
	return err;
}

static int __init order_init(void)
{
	u8 key[ORDER_KEY];
	int err;

	kind = aead ? &order_aead : &order_skcipher;
	init_completion(&restart);
	get_random_bytes(key, sizeof(key));
	err = kind->open(algorithm, key) ?: order_test(key);
	kind->close();
	return err;
}
module_init(order_init);

static void __exit order_exit(void)
{
}
module_exit(order_exit);

MODULE_DESCRIPTION("Whether a driver of the crypto API keeps the order of requests");
MODULE_LICENSE("GPL");
