// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures several requests of two sizes, in place like most callers': in software, on the core
 * with polling, and on the core with an interrupt.  The number of its reads tells how long polling
 * waited.  The system may do other work meanwhile, so the median counts.
 */
#include "calibrate.h"

#include <crypto/hash.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "wait-mode.h"
#include "request.h"
#include "silex/ba411.h"

#define SMALL_SIZE  64u
#define LARGE_SIZE  4096u
#define ROUNDS      5u
#define BUFFER_SIZE (LARGE_SIZE + 256u) /* with associated data before and a tag behind */
#define READS       32u
#define WAIT_NS     10000000u

/* Longest pause before the core is measured again */
#define PAUSE_MAX_MS 80u

/* A request that is repeated */
struct trial {
	struct firesteel_algorithm *algorithm;
	struct firesteel_device *device; /* the transform's */
	struct crypto_skcipher *skcipher;
	struct crypto_aead *aead;
	struct skcipher_request *skcipher_request;
	struct aead_request *aead_request;
	struct crypto_ahash *ahash;
	struct ahash_request *ahash_request;
	struct scatterlist list;
	u8 iv[16];
	u8 digest[HASH_MAX_DIGESTSIZE];
	u8 *buffer;
	struct completion ended;
	bool spins; /* waits without going to sleep */
};

/* ---- requests ---- */

static void trial_ended(void *data, int err)
{
	struct trial *trial = data;

	complete(&trial->ended);
}

static const u8 key[64] = { 1, 2, 3, [32] = 4, 5, 6 };

static int trial_open_skcipher(struct trial *trial)
{
	const struct skcipher_alg *api = &trial->algorithm->api.skcipher;

	trial->skcipher = crypto_alloc_skcipher(api->base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->skcipher))
		return PTR_ERR(trial->skcipher);
	trial->skcipher_request = skcipher_request_alloc(trial->skcipher, GFP_KERNEL);
	if (!trial->skcipher_request)
		return -ENOMEM;
	trial->device = firesteel_context_device(crypto_skcipher_ctx(trial->skcipher));
	skcipher_request_set_callback(trial->skcipher_request, 0, trial_ended, trial);
	return crypto_skcipher_setkey(trial->skcipher, key, api->max_keysize);
}

static int trial_open_aead(struct trial *trial)
{
	const struct aead_alg *api = &trial->algorithm->api.aead;

	trial->aead = crypto_alloc_aead(api->base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->aead))
		return PTR_ERR(trial->aead);
	trial->aead_request = aead_request_alloc(trial->aead, GFP_KERNEL);
	if (!trial->aead_request)
		return -ENOMEM;
	trial->device = firesteel_context_device(crypto_aead_ctx(trial->aead));
	aead_request_set_callback(trial->aead_request, 0, trial_ended, trial);
	if (trial->algorithm->authenc)
		return firesteel_authenc_trial_key(trial->aead, key);
	return firesteel_aead_trial_key(trial->algorithm, trial->aead, key);
}

static int trial_open_ahash(struct trial *trial)
{
	const struct ahash_alg *api = &trial->algorithm->api.ahash;

	trial->ahash = crypto_alloc_ahash(api->halg.base.cra_driver_name, 0, 0);
	if (IS_ERR(trial->ahash))
		return PTR_ERR(trial->ahash);
	trial->ahash_request = ahash_request_alloc(trial->ahash, GFP_KERNEL);
	if (!trial->ahash_request)
		return -ENOMEM;
	trial->device = firesteel_context_device(crypto_ahash_ctx(trial->ahash));
	ahash_request_set_callback(trial->ahash_request, 0, trial_ended, trial);
	if (!(crypto_ahash_get_flags(trial->ahash) & CRYPTO_TFM_NEED_KEY))
		return 0;
	return crypto_ahash_setkey(trial->ahash, key, 32);
}

/* With ciphertext stealing, a size whose last block is not full */
static unsigned int trial_size(const struct trial *trial, unsigned int size)
{
	return trial->algorithm->need.aes_caps & SILEX_AES_CAPS_CTS ? size + 4 : size;
}

static int trial_start(struct trial *trial, unsigned int size)
{
	size = trial_size(trial, size);
	if (trial->skcipher) {
		skcipher_request_set_crypt(trial->skcipher_request, &trial->list, &trial->list,
					   size, trial->iv);
		return crypto_skcipher_encrypt(trial->skcipher_request);
	}
	if (trial->ahash) {
		ahash_request_set_crypt(trial->ahash_request, &trial->list, trial->digest, size);
		return crypto_ahash_digest(trial->ahash_request);
	}
	aead_request_set_ad(trial->aead_request, 16);
	aead_request_set_crypt(trial->aead_request, &trial->list, &trial->list, size, trial->iv);
	return crypto_aead_encrypt(trial->aead_request);
}

/* ns until one request is done; 0: it failed */
static u64 trial_once(struct trial *trial, unsigned int size)
{
	u64 begin = ktime_get_ns(), now = begin;
	int err;

	reinit_completion(&trial->ended);
	err = trial_start(trial, size);
	if (err && err != -EINPROGRESS && err != -EBUSY)
		return 0;
	now = ktime_get_ns();
	if (!err)
		return now - begin;
	while (trial->spins && !completion_done(&trial->ended) && now - begin < WAIT_NS)
		now = ktime_get_ns();
	/* software may need another thread to run, and a faulty core may be slow, but every
	 * request ends
	 */
	wait_for_completion(&trial->ended);
	return trial->spins ? now - begin : ktime_get_ns() - begin;
}

struct sample {
	u64 ns;
	u64 reads; /* by polling meanwhile */
};

static int sample_compare(const void *a, const void *b)
{
	u64 first = ((const struct sample *)a)->ns, second = ((const struct sample *)b)->ns;

	return first < second ? -1 : first > second;
}

/* The median of several; ns is 0 if most have failed */
static struct sample calibrate_measure(struct trial *trial, unsigned int size)
{
	struct sample samples[ROUNDS];
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		u64 reads = trial->device->queue.counts.poll_reads;

		samples[round].ns = trial_once(trial, size);
		samples[round].reads = trial->device->queue.counts.poll_reads - reads;
	}
	sort(samples, ROUNDS, sizeof(*samples), sample_compare, NULL);
	return samples[ROUNDS / 2];
}

/* ---- linear models ---- */

static struct firesteel_linear calibrate_fit(u64 small, u64 large)
{
	u64 rise = large > small ? large - small : 0;
	u64 per_kib = div_u64(rise * 1024, LARGE_SIZE - SMALL_SIZE);
	u64 before = per_kib * SMALL_SIZE >> 10;

	return (struct firesteel_linear){ small > before ? small - before : 0, per_kib };
}

/* 0: out of service; the device may be gone by then, and its registers with it */
static u32 calibrate_read_ns(struct firesteel_queue *queue)
{
	u64 begin, end;
	unsigned int i;

	spin_lock_bh(&queue->lock);
	begin = ktime_get_ns();
	for (i = 0; queue->in_service && i < READS; i++)
		readl(queue->registers + SILEX_CM_STATUS);
	end = ktime_get_ns();
	spin_unlock_bh(&queue->lock);
	return i ? div_u64(end - begin, READS) : 0;
}

static void calibrate_software(struct trial *trial)
{
	struct firesteel_cost *cost = &trial->algorithm->cost;

	cost->idle_minimum = FIRESTEEL_NEVER;
	cost->busy_minimum = FIRESTEEL_NEVER;
	trial->spins = false;
	cost->software = calibrate_fit(calibrate_measure(trial, SMALL_SIZE).ns,
				       calibrate_measure(trial, LARGE_SIZE).ns);
}

/* The algorithm whose times on the core serve for all */
static bool calibrate_is_plain_cbc(const struct trial *trial)
{
	return trial->skcipher && trial->algorithm->mode == SILEX_AES_MODE_CBC &&
	       !(trial->algorithm->need.aes_caps & SILEX_AES_CAPS_CTS);
}

/* Requests that software did, including those instead of the core */
static long calibrate_software_requests(const struct trial *trial)
{
	const struct firesteel_use *use = &trial->algorithm->use;
	long requests = 0;
	unsigned int path;

	for (path = 0; path < FIRESTEEL_PATHS; path++)
		if (path != FIRESTEEL_HARDWARE)
			requests += atomic_long_read(&use->requests[path]);
	return requests;
}

/* false: the core was out of service, failed, or was fully used by others: some of the times are
 * software's
 */
static bool calibrate_hardware(struct trial *trial)
{
	struct firesteel_cost *cost = &trial->algorithm->cost;
	u32 each = calibrate_read_ns(&trial->device->queue);
	struct sample small, large, interrupted, slept;
	long software = calibrate_software_requests(trial);

	cost->idle_minimum = 0;
	cost->busy_minimum = 0;
	trial->spins = true;
	firesteel_wait_mode = FIRESTEEL_WAIT_POLL;
	small = calibrate_measure(trial, SMALL_SIZE);
	large = calibrate_measure(trial, LARGE_SIZE);
	firesteel_wait_mode = FIRESTEEL_WAIT_IRQ;
	interrupted = calibrate_measure(trial, SMALL_SIZE);
	trial->spins = false;
	slept = calibrate_measure(trial, SMALL_SIZE);
	if (calibrate_software_requests(trial) != software || !each)
		return false;
	cost->hardware = calibrate_fit(small.ns, large.ns);
	cost->hardware_processor = calibrate_fit(small.ns - min(small.ns, small.reads * each),
						 large.ns - min(large.ns, large.reads * each));
	if (!calibrate_is_plain_cbc(trial))
		return true;
	firesteel_core_estimate = calibrate_fit(small.reads * each, large.reads * each);
	if (interrupted.ns > small.ns)
		firesteel_interrupt_ns = interrupted.ns - small.ns;
	if (slept.ns > interrupted.ns)
		firesteel_sleep_ns = slept.ns - interrupted.ns;
	return true;
}

/* ---- measuring an algorithm ---- */

static void trial_close(struct trial *trial)
{
	skcipher_request_free(trial->skcipher_request);
	aead_request_free(trial->aead_request);
	ahash_request_free(trial->ahash_request);
	if (!IS_ERR_OR_NULL(trial->skcipher))
		crypto_free_skcipher(trial->skcipher);
	if (!IS_ERR_OR_NULL(trial->ahash))
		crypto_free_ahash(trial->ahash);
	if (!IS_ERR_OR_NULL(trial->aead))
		crypto_free_aead(trial->aead);
	kfree_sensitive(trial->buffer);
}

static int trial_open(struct trial *trial)
{
	trial->buffer = kzalloc(BUFFER_SIZE, GFP_KERNEL);
	if (!trial->buffer)
		return -ENOMEM;
	init_completion(&trial->ended);
	sg_init_one(&trial->list, trial->buffer, BUFFER_SIZE);
	trial->iv[0] = 3; /* a valid one for CCM, too */
	switch (trial->algorithm->kind) {
	case FIRESTEEL_SKCIPHER:
		return trial_open_skcipher(trial);
	case FIRESTEEL_AHASH:
		return trial_open_ahash(trial);
	default:
		return trial_open_aead(trial);
	}
}

void firesteel_calibrate(struct firesteel_algorithm *algorithm)
{
	enum firesteel_wait_mode completion = firesteel_wait_mode;
	struct trial trial = { .algorithm = algorithm };
	unsigned int pause_ms = 20;

	if (trial_open(&trial) == 0 && trial.device) {
		calibrate_software(&trial);
		/* a core that failed comes back after a pause that doubles */
		while (!(algorithm->cost.measured = calibrate_hardware(&trial)) &&
		       pause_ms <= PAUSE_MAX_MS) {
			firesteel_wait_mode = completion;
			msleep(pause_ms);
			pause_ms *= 2;
		}
		firesteel_wait_mode = completion;
		firesteel_cost_update(&algorithm->cost);
	}
	trial_close(&trial);
}
