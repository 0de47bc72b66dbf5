// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures several requests of two sizes, in place like most callers': in software, on the core
 * with polling, and on the core with an interrupt.  The number of its reads tells how long polling
 * waited.  The system may do other work meanwhile, so the median counts.
 */
#include "calibrate.h"

#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include "request.h"
#include "trial.h"

#define SMALL_SIZE  64u
#define LARGE_SIZE  4096u
#define ROUNDS      5u
#define BUFFER_SIZE (LARGE_SIZE + 256u) /* with associated data before and a tag behind */
#define READS       32u
#define WAIT_NS     10000000u

/* A request takes no longer, unless the core has failed */
#define PATIENCE HZ

/* Longest pause before the core is measured again */
#define PAUSE_MAX_MS 80u

/* ---- requests ---- */

/* A trial's request */
enum {
	TRIAL_RUNS,
	TRIAL_ENDED,
	TRIAL_LEFT, /* nobody waits for it: who ends it closes the trial */
};

static LIST_HEAD(late_trials);
static DEFINE_SPINLOCK(late_lock); /* taken with bottom halves off */

static void trial_close_late(struct work_struct *work);
static DECLARE_WORK(late_work, trial_close_late);

static void trial_ended(firesteel_completed *completed, int err)
{
	struct firesteel_trial *trial = firesteel_completed_data(completed);

	if (atomic_xchg(&trial->end, TRIAL_ENDED) != TRIAL_LEFT) {
		complete(&trial->completion);
		return;
	}
	spin_lock(&late_lock);
	list_add_tail(&trial->late, &late_trials);
	spin_unlock(&late_lock);
	schedule_work(&late_work);
}

static int trial_open(struct firesteel_trial *trial)
{
	trial->buffer = kzalloc(BUFFER_SIZE, GFP_KERNEL);
	if (!trial->buffer)
		return -ENOMEM;
	trial->ended = trial_ended;
	init_completion(&trial->completion);
	sg_init_one(&trial->list, trial->buffer, BUFFER_SIZE);
	trial->iv[0] = 3; /* a valid one for CCM, too */
	return trial->algorithm->class->trial_open(trial);
}

static void trial_close(struct firesteel_trial *trial)
{
	trial->algorithm->class->trial_close(trial);
	kfree_sensitive(trial->buffer);
	kfree(trial);
}

static void trial_close_late(struct work_struct *work)
{
	struct firesteel_trial *trial, *next;
	LIST_HEAD(trials);

	spin_lock_bh(&late_lock);
	list_splice_init(&late_trials, &trials);
	spin_unlock_bh(&late_lock);
	list_for_each_entry_safe(trial, next, &trials, late)
		trial_close(trial);
}

/* What the core may still write to stays, with the request that nobody waits for */
static void trial_leave(struct firesteel_trial *trial)
{
	if (trial->stuck && atomic_cmpxchg(&trial->end, TRIAL_RUNS, TRIAL_LEFT) == TRIAL_RUNS)
		return;
	if (trial->stuck)
		wait_for_completion(&trial->completion);
	trial_close(trial);
}

/* Every request ends, unless the core can neither be used nor stopped */
static void trial_await(struct firesteel_trial *trial)
{
	struct firesteel_recovery *recovery = &trial->context->device->recovery;

	while (!trial->stuck && !wait_for_completion_timeout(&trial->completion, PATIENCE))
		trial->stuck = firesteel_recovery_is_stuck(recovery);
}

/* ns until one request is done; 0: it failed */
static u64 trial_once(struct firesteel_trial *trial, unsigned int size)
{
	u64 begin = ktime_get_ns(), now = begin;
	int err;

	if (trial->stuck)
		return 0;
	reinit_completion(&trial->completion);
	atomic_set(&trial->end, TRIAL_RUNS);
	err = trial->algorithm->class->trial_start(trial, size);
	if (err && err != -EINPROGRESS && err != -EBUSY)
		return 0;
	now = ktime_get_ns();
	if (!err)
		return now - begin;
	while (trial->spins && !completion_done(&trial->completion) && now - begin < WAIT_NS)
		now = ktime_get_ns();
	/* software may need another thread to run, and a faulty core may be slow */
	trial_await(trial);
	/* `now` may have been read before the interrupt that ended the loop */
	return ktime_get_ns() - begin;
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

static u64 calibrate_poll_reads(struct firesteel_queue *queue)
{
	u64 reads;

	spin_lock_bh(&queue->lock);
	reads = queue->counts.poll_reads;
	spin_unlock_bh(&queue->lock);
	return reads;
}

/* The median of several; ns is 0 if most have failed */
static struct sample calibrate_measure(struct firesteel_trial *trial, unsigned int size)
{
	struct firesteel_queue *queue = &trial->context->device->queue;
	struct sample samples[ROUNDS];
	unsigned int round;

	for (round = 0; round < ROUNDS; round++) {
		u64 reads = calibrate_poll_reads(queue);

		samples[round].ns = trial_once(trial, size);
		samples[round].reads = calibrate_poll_reads(queue) - reads;
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
	for (i = 0; firesteel_queue_in_service(queue) && i < READS; i++)
		readl(queue->cm.registers + SILEX_CM_STATUS);
	end = ktime_get_ns();
	spin_unlock_bh(&queue->lock);
	return i ? div_u64(end - begin, READS) : 0;
}

static void calibrate_software(struct firesteel_trial *trial)
{
	struct firesteel_cost *cost = &trial->algorithm->cost;

	trial->context->way = FIRESTEEL_SOFTWARE;
	trial->spins = false;
	cost->software = calibrate_fit(calibrate_measure(trial, SMALL_SIZE).ns,
				       calibrate_measure(trial, LARGE_SIZE).ns);
}

/* Requests that software did, including those instead of the core */
static long calibrate_software_requests(const struct firesteel_trial *trial)
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
static bool calibrate_hardware(struct firesteel_trial *trial)
{
	struct firesteel_cost *cost = &trial->algorithm->cost;
	u32 each = calibrate_read_ns(&trial->context->device->queue);
	struct sample small, large, interrupted, slept;
	long software = calibrate_software_requests(trial);

	trial->spins = true;
	trial->context->way = FIRESTEEL_POLLED;
	small = calibrate_measure(trial, SMALL_SIZE);
	large = calibrate_measure(trial, LARGE_SIZE);
	trial->context->way = FIRESTEEL_INTERRUPTED;
	interrupted = calibrate_measure(trial, SMALL_SIZE);
	trial->spins = false;
	slept = calibrate_measure(trial, SMALL_SIZE);
	if (trial->stuck || calibrate_software_requests(trial) != software || !each)
		return false;
	cost->hardware = calibrate_fit(small.ns, large.ns);
	cost->hardware_processor = calibrate_fit(small.ns - min(small.ns, small.reads * each),
						 large.ns - min(large.ns, large.reads * each));
	if (!trial->algorithm->is_reference)
		return true;
	firesteel_core_set(calibrate_fit(small.reads * each, large.reads * each),
			   interrupted.ns - min(interrupted.ns, small.ns),
			   slept.ns - min(slept.ns, interrupted.ns));
	return true;
}

/* ---- measuring an algorithm ---- */

static const u8 key[64] = { 1, 2, 3, [32] = 4, 5, 6 };

void firesteel_calibrate(struct firesteel_algorithm *algorithm)
{
	struct firesteel_trial *trial = kzalloc(sizeof(*trial), GFP_KERNEL);
	unsigned int pause_ms = 20;

	if (!trial)
		return;
	trial->algorithm = algorithm;
	trial->key = key;
	if (trial_open(trial) == 0 && trial->context->device) {
		calibrate_software(trial);
		/* a core that failed comes back after a pause that doubles */
		while (!(algorithm->cost.measured = calibrate_hardware(trial)) && !trial->stuck &&
		       pause_ms <= PAUSE_MAX_MS) {
			msleep(pause_ms);
			pause_ms *= 2;
		}
		firesteel_cost_update(&algorithm->cost);
	}
	trial_leave(trial);
}

void firesteel_calibrate_settle(void)
{
	flush_work(&late_work);
}
