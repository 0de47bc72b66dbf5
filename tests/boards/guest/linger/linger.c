// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A user of the kernel's crypto who is slow: when told to go he submits many requests at once from
 * processor 0, and in the callback of one of them he lingers, which keeps that processor.  When the
 * last one has ended, another processor frees transform and requests at once.  Results are compared
 * with the kernel's generic code, when they come and when the module goes.
 */
#include <crypto/skcipher.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#define SIZE     4096u
#define KEY_SIZE 32u
#define IV_SIZE  16u

static unsigned int count = 16;
module_param(count, uint, 0444);

/* The request that lingers; as many as there are: none */
static unsigned int at;
module_param(at, uint, 0444);

/* For so long */
static unsigned int ms = 1000;
module_param(ms, uint, 0444);

/* ---- what is told ---- */

static bool lingering;
module_param(lingering, bool, 0444);

static atomic_t ended, failed, wrong;

/* Callbacks that have begun */
static int linger_get_ended(char *text, const struct kernel_param *parameter)
{
	return sysfs_emit(text, "%d\n", atomic_read(&ended));
}

static const struct kernel_param_ops ended_ops = { .get = linger_get_ended };
module_param_cb(ended, &ended_ops, NULL, 0444);

/* ---- requests ---- */

struct linger_item {
	unsigned int number;
	struct skcipher_request *request;
	struct scatterlist list;
	u8 iv[IV_SIZE];
	u8 *data;
};

static struct crypto_skcipher *transform;
static struct linger_item *items;
static u8 *expected;
static DECLARE_COMPLETION(submitted);
static DECLARE_COMPLETION(freed);

static void linger_free(struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		skcipher_request_free(items[i].request);
	crypto_free_skcipher(transform);
	complete(&freed);
}
static DECLARE_WORK(free_work, linger_free);

static void linger(void)
{
	WRITE_ONCE(lingering, true);
	mdelay(ms);
	WRITE_ONCE(lingering, false);
}

/* Where there is one */
static unsigned int linger_other_processor(void)
{
	unsigned int other = cpumask_any_but(cpu_online_mask, smp_processor_id());

	return other < nr_cpu_ids ? other : WORK_CPU_UNBOUND;
}

static void linger_ended(void *data, int err)
{
	const struct linger_item *item = data;
	unsigned int number = item->number;

	if (err == -EINPROGRESS)
		return;
	if (err)
		atomic_inc(&failed);
	if (memcmp(item->data, expected, SIZE))
		atomic_inc(&wrong);
	if (atomic_inc_return(&ended) == count)
		schedule_work_on(linger_other_processor(), &free_work);
	if (number == at)
		linger();
}

/* All before the first has ended: nothing of the driver runs on this processor meanwhile */
static void linger_submit(struct work_struct *work)
{
	unsigned int i;

	local_bh_disable();
	for (i = 0; i < count; i++) {
		int err = crypto_skcipher_encrypt(items[i].request);

		if (err != -EINPROGRESS && err != -EBUSY)
			linger_ended(&items[i], err);
	}
	/* Before bottom halves run here: a callback may linger in them */
	complete(&submitted);
	local_bh_enable();
}
static DECLARE_WORK(submit_work, linger_submit);

/* ---- the start ---- */

/*
 * The writer and all that he starts keep off the processor that will be busy.  The write returns
 * when all requests have been submitted, and does not wait for callbacks.
 */
static int linger_go(const char *text, const struct kernel_param *parameter)
{
	struct cpumask others;

	if (cpumask_andnot(&others, cpu_online_mask, cpumask_of(0)))
		set_cpus_allowed_ptr(current, &others);
	schedule_work_on(0, &submit_work);
	wait_for_completion(&submitted);
	return 0;
}

static const struct kernel_param_ops go_ops = { .set = linger_go };
module_param_cb(go, &go_ops, NULL, 0200);

/* ---- before and after ---- */

static const u8 key[KEY_SIZE] = { 1, 2, 3 };

static int linger_expect(void)
{
	struct crypto_skcipher *generic = crypto_alloc_skcipher("cbc(aes-generic)", 0,
								CRYPTO_ALG_ASYNC);
	struct skcipher_request *request;
	struct scatterlist list;
	u8 iv[IV_SIZE] = {};
	int err = -ENOMEM;

	if (IS_ERR(generic))
		return PTR_ERR(generic);
	request = skcipher_request_alloc(generic, GFP_KERNEL);
	if (request) {
		sg_init_one(&list, expected, SIZE);
		skcipher_request_set_callback(request, 0, NULL, NULL);
		skcipher_request_set_crypt(request, &list, &list, SIZE, iv);
		err = crypto_skcipher_setkey(generic, key, KEY_SIZE)
			      ?: crypto_skcipher_encrypt(request);
	}
	skcipher_request_free(request);
	crypto_free_skcipher(generic);
	return err;
}

static int linger_prepare_item(struct linger_item *item, unsigned int number)
{
	item->number = number;
	item->request = skcipher_request_alloc(transform, GFP_KERNEL);
	item->data = kzalloc(SIZE, GFP_KERNEL);
	if (!item->request || !item->data)
		return -ENOMEM;
	sg_init_one(&item->list, item->data, SIZE);
	skcipher_request_set_callback(item->request, CRYPTO_TFM_REQ_MAY_BACKLOG, linger_ended,
				      item);
	skcipher_request_set_crypt(item->request, &item->list, &item->list, SIZE, item->iv);
	return 0;
}

static int linger_prepare(void)
{
	unsigned int i;
	int err;

	expected = kzalloc(SIZE, GFP_KERNEL);
	items = kcalloc(count, sizeof(*items), GFP_KERNEL);
	if (!expected || !items)
		return -ENOMEM;
	err = linger_expect() ?: crypto_skcipher_setkey(transform, key, KEY_SIZE);
	for (i = 0; !err && i < count; i++)
		err = linger_prepare_item(&items[i], i);
	return err;
}

static unsigned int linger_spoilt(void)
{
	unsigned int i, spoilt = 0;

	for (i = 0; i < count; i++)
		spoilt += !!memcmp(items[i].data, expected, SIZE);
	return spoilt;
}

static void linger_clean(void)
{
	unsigned int i;

	for (i = 0; items && i < count; i++)
		kfree(items[i].data);
	kfree(items);
	kfree(expected);
}

static int __init linger_init(void)
{
	unsigned int i;
	int err;

	transform = crypto_alloc_skcipher("cbc-aes-firesteel", 0, 0);
	if (IS_ERR(transform))
		return PTR_ERR(transform);
	err = linger_prepare();
	if (!err)
		return 0;
	for (i = 0; items && i < count; i++)
		skcipher_request_free(items[i].request);
	crypto_free_skcipher(transform);
	linger_clean();
	return err;
}
module_init(linger_init);

static void __exit linger_exit(void)
{
	flush_work(&submit_work);
	wait_for_completion(&freed);
	flush_work(&free_work);
	/* callbacks run with bottom halves disabled */
	synchronize_rcu();
	pr_info("linger: ended %d failed %d wrong %d spoilt %u\n", atomic_read(&ended),
		atomic_read(&failed), atomic_read(&wrong), linger_spoilt());
	linger_clean();
}
module_exit(linger_exit);

MODULE_DESCRIPTION("Lingers in the callback of a request");
MODULE_LICENSE("GPL");
