// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether requests of one transform complete in the order in which they were submitted.
 *
 * When it is loaded each of its threads opens a transform and submits requests of several sizes,
 * many at a time and then one at a time, over and over; of some the driver may say that it is too
 * busy for more.  It compares results with the kernel's generic code, and tells the log what came of
 * it.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
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

/* Whether every second thread has one with a tag, whatever `algorithm` is */
static bool mixed;
module_param(mixed, bool, 0444);

/* Each on a processor of its own, as far as there are so many */
static unsigned int threads = 1;
module_param(threads, uint, 0444);

/* Requests of each thread; 0: until `stop` is set */
static unsigned int count = 4000;
module_param(count, uint, 0444);

static bool stop;
module_param(stop, bool, 0644);

/* How many each submits at a time: more than the driver has commands */
static unsigned int window = 96;
module_param(window, uint, 0444);

/* Whether the driver may keep the submitter from going on when it has no command */
static bool held_back = true;
module_param(held_back, bool, 0444);

/* Whether the submitter always lets itself be held back, and goes on all the same: then the driver
 * keeps as many requests as there are
 */
static bool flood;
module_param(flood, bool, 0444);

/* By how much every second request is shorter */
static unsigned int less;
module_param(less, uint, 0444);

/* Bytes of each entry of a request's list; 0: it has one entry */
static unsigned int entry;
module_param(entry, uint, 0444);

static const unsigned int sizes[] = { 1408, 16, 1408, 4096, 64, 512, 1408, 32, 2048 };

/* What came of requests */
struct order_counts {
	unsigned int completed, overtaken, wrong, failed, busy, at_once, refused;
};

/* A thread's */
struct order_run {
	const struct order_kind *kind;
	void *transform;
	u8 key[ORDER_KEY];
	struct order_item *items; /* of which there are `window` */
	u8 *before[ARRAY_SIZE(sizes)], *after[ARRAY_SIZE(sizes)];
	wait_queue_head_t progress;
	struct completion restart;
	struct completion ended;
	spinlock_t lock; /* of all counts but `busy` and `at_once`, which are the thread's own */
	struct order_counts counts;
	struct task_struct *task;
	int err;
};

static unsigned int item_index(const struct order_item *item)
{
	return item->number % ARRAY_SIZE(sizes);
}

static unsigned int index_size(unsigned int index)
{
	return sizes[index] - (index % 2 ? less : 0);
}

static unsigned int item_size(const struct order_item *item)
{
	return index_size(item_index(item));
}

static void item_fill(struct order_item *item)
{
	memcpy(item->data, item->run->before[item_index(item)], ORDER_ROOM);
	memset(item->iv, 0, sizeof(item->iv));
}

static void item_ended(struct order_item *item, int err)
{
	struct order_run *run = item->run;
	unsigned int index = item_index(item);
	bool bad = !err && memcmp(item->data, run->after[index], index_size(index));

	spin_lock_bh(&run->lock);
	run->counts.overtaken += item->number != run->counts.completed;
	run->counts.wrong += bad;
	run->counts.failed += err != item->due;
	run->counts.refused += err == -EBADMSG;
	WRITE_ONCE(run->counts.completed, run->counts.completed + 1);
	/* under the lock: without it the thread may have ended meanwhile */
	wake_up(&run->progress);
	spin_unlock_bh(&run->lock);
}

static void item_callback(order_completed *completed, int err)
{
	struct order_item *item = order_completed_data(completed);

	if (err != -EINPROGRESS)
		item_ended(item, err);
	else if (!flood)
		complete(&item->run->restart);
}

static void item_submit(struct order_item *item, unsigned int number)
{
	struct order_run *run = item->run;
	u32 flags = flood || (held_back && number % 7 == 3) ? CRYPTO_TFM_REQ_MAY_BACKLOG : 0;
	int err;

	item->number = number;
	item_fill(item);
	item->due = run->kind->spoil(item, item_size(item));
	err = run->kind->submit(item, item_size(item), flags, item_callback);
	if (err == -EINPROGRESS)
		return;
	if (err == -EBUSY) {
		run->counts.busy++;
		if (!flood)
			wait_for_completion(&run->restart);
		return;
	}
	run->counts.at_once++;
	item_ended(item, err);
}

static bool order_goes_on(unsigned int number)
{
	return count ? number < count : !READ_ONCE(stop);
}

static void order_submit_all(struct order_run *run)
{
	unsigned int round = 4 * window;
	unsigned int number;

	for (number = 0; order_goes_on(number); number++) {
		/* the last quarter of each round is made one at a time */
		unsigned int ahead = number % round < 3 * window ? window : 1;

		wait_event(run->progress, READ_ONCE(run->counts.completed) + ahead > number);
		item_submit(&run->items[number % window], number);
		cond_resched();
	}
	wait_event(run->progress, READ_ONCE(run->counts.completed) == number);
	/* the last one still holds the lock */
	spin_lock_bh(&run->lock);
	spin_unlock_bh(&run->lock);
}

/* ---- life of a thread ---- */

static int order_expect(struct order_run *run)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(sizes); i++) {
		run->before[i] = kzalloc(ORDER_ROOM, GFP_KERNEL);
		run->after[i] = kzalloc(ORDER_ROOM, GFP_KERNEL);
		if (!run->before[i] || !run->after[i])
			return -ENOMEM;
		get_random_bytes(run->before[i], index_size(i));
		err = run->kind->expect(run->key, index_size(i), run->before[i], run->after[i]);
	}
	return err;
}

static struct scatterlist *order_list(u8 *data)
{
	unsigned int each = entry ?: ORDER_ROOM, count = DIV_ROUND_UP(ORDER_ROOM, each), i;
	struct scatterlist *list = kcalloc(count, sizeof(*list), GFP_KERNEL);

	if (!list)
		return NULL;
	sg_init_table(list, count);
	for (i = 0; i < count; i++)
		sg_set_buf(&list[i], data + i * each, min(each, ORDER_ROOM - i * each));
	return list;
}

static int order_prepare(struct order_run *run)
{
	unsigned int i;

	run->items = kvcalloc(window, sizeof(*run->items), GFP_KERNEL);
	if (!run->items)
		return -ENOMEM;
	for (i = 0; i < window; i++) {
		struct order_item *item = &run->items[i];

		item->run = run;
		item->request = run->kind->request_new(run->transform);
		item->data = kmalloc(ORDER_ROOM, GFP_KERNEL);
		if (!item->request || !item->data)
			return -ENOMEM;
		item->list = order_list(item->data);
		if (!item->list)
			return -ENOMEM;
	}
	return 0;
}

static void order_clean(struct order_run *run)
{
	unsigned int i;

	for (i = 0; run->items && i < window; i++) {
		run->kind->request_free(run->items[i].request);
		kfree(run->items[i].data);
		kfree(run->items[i].list);
	}
	kvfree(run->items);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		kfree(run->before[i]);
		kfree(run->after[i]);
	}
}

static int order_test(struct order_run *run)
{
	int err = order_expect(run) ?: order_prepare(run);

	if (!err)
		order_submit_all(run);
	order_clean(run);
	return err;
}

static int order_thread(void *data)
{
	struct order_run *run = data;

	run->transform = run->kind->open(run->kind == &order_aead && mixed ? "gcm(aes)" : algorithm,
					 run->key);
	run->err = PTR_ERR_OR_ZERO(run->transform);
	if (!run->err) {
		run->err = order_test(run);
		run->kind->close(run->transform);
	}
	complete(&run->ended);
	/* the module's code is needed until the thread is gone */
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 100);
	return 0;
}

static int order_start(struct order_run *run, unsigned int index)
{
	unsigned int cpu = cpumask_nth(index % num_online_cpus(), cpu_online_mask);
	struct task_struct *task;

	run->kind = aead || (mixed && index % 2) ? &order_aead : &order_skcipher;
	init_waitqueue_head(&run->progress);
	init_completion(&run->restart);
	init_completion(&run->ended);
	spin_lock_init(&run->lock);
	get_random_bytes(run->key, sizeof(run->key));
	task = kthread_create(order_thread, run, "order/%u", index);
	if (IS_ERR(task))
		return PTR_ERR(task);
	kthread_bind(task, cpu);
	get_task_struct(task);
	run->task = task;
	wake_up_process(task);
	return 0;
}

/* ---- all threads ---- */

static void order_add(struct order_counts *sum, const struct order_counts *counts)
{
	sum->completed += counts->completed;
	sum->overtaken += counts->overtaken;
	sum->wrong += counts->wrong;
	sum->failed += counts->failed;
	sum->busy += counts->busy;
	sum->at_once += counts->at_once;
	sum->refused += counts->refused;
}

/* Waits for a thread; returns its error */
static int order_end(struct order_run *run, struct order_counts *sum)
{
	if (!run->task)
		return 0;
	/* may take minutes, which is no hung task, and the machine may sleep meanwhile */
	wait_for_completion_state(&run->ended, TASK_IDLE | TASK_FREEZABLE);
	kthread_stop(run->task);
	put_task_struct(run->task);
	order_add(sum, &run->counts);
	return run->err;
}

static int __init order_init(void)
{
	struct order_run *runs = kcalloc(threads, sizeof(*runs), GFP_KERNEL);
	struct order_counts sum = {};
	unsigned int i;
	int err = 0;

	if (!runs)
		return -ENOMEM;
	for (i = 0; !err && i < threads; i++)
		err = order_start(&runs[i], i);
	for (i = 0; i < threads; i++)
		err = order_end(&runs[i], &sum) ?: err;
	if (!err)
		pr_info("order: completed %u overtaken %u wrong %u failed %u busy %u at-once %u refused %u\n",
			sum.completed, sum.overtaken, sum.wrong, sum.failed, sum.busy, sum.at_once,
			sum.refused);
	kfree(runs);
	return err;
}
module_init(order_init);

static void __exit order_exit(void)
{
}
module_exit(order_exit);

MODULE_DESCRIPTION("Whether a driver of the crypto API keeps the order of requests");
MODULE_LICENSE("GPL");
