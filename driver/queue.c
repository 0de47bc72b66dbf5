// SPDX-License-Identifier: GPL-2.0-or-later
#include "queue.h"

#include <crypto/algapi.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/slab.h>

#include "cost.h"
#include "device.h"
#include "job.h"
#include "recovery.h"

#define BUSY (SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)
#define ERRORS (SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)

/* Jobs that make up one chain at most: the first of them waits for the last */
#define CHAIN_MAX 8u

#define WATCHDOG_PERIOD (HZ / 100 ?: 1)

/* ---- jobs ---- */

static void jobs_free(struct firesteel_queue *queue)
{
	struct device *dev = queue->device->dev;
	unsigned int i;

	for (i = 0; queue->jobs && i < FIRESTEEL_JOBS; i++) {
		kfree_sensitive(queue->jobs[i].shadow);
		if (queue->jobs[i].arena)
			dma_free_coherent(dev, sizeof(*queue->jobs[i].arena), queue->jobs[i].arena,
					  queue->jobs[i].address);
	}
	kfree(queue->jobs);
	queue->jobs = NULL;
}

static int jobs_allocate(struct firesteel_queue *queue)
{
	struct device *dev = queue->device->dev;
	unsigned int i;

	queue->jobs = kcalloc(FIRESTEEL_JOBS, sizeof(*queue->jobs), GFP_KERNEL);
	if (!queue->jobs)
		return -ENOMEM;
	for (i = 0; i < FIRESTEEL_JOBS; i++) {
		struct firesteel_job *job = &queue->jobs[i];

		job->queue = queue;
		job->shadow = kmalloc(FIRESTEEL_SHADOW, GFP_KERNEL);
		job->arena = dma_alloc_coherent(dev, sizeof(*job->arena), &job->address,
						GFP_KERNEL);
		if (!job->shadow || !job->arena)
			return -ENOMEM;
		list_add_tail(&job->node, &queue->free);
	}
	return 0;
}

struct firesteel_job *firesteel_queue_take(struct firesteel_queue *queue)
{
	struct firesteel_job *job = NULL;

	spin_lock_bh(&queue->lock);
	if (queue->in_service && !list_empty(&queue->free)) {
		job = list_first_entry(&queue->free, struct firesteel_job, node);
		list_del(&job->node);
	}
	spin_unlock_bh(&queue->lock);
	return job;
}

void firesteel_queue_give(struct firesteel_job *job)
{
	struct firesteel_queue *queue = job->queue;

	memzero_explicit(job->arena->key, sizeof(job->arena->key));
	memzero_explicit(job->arena->key2, sizeof(job->arena->key2));
	memzero_explicit(job->arena->mac_key, sizeof(job->arena->mac_key));
	spin_lock_bh(&queue->lock);
	list_add(&job->node, &queue->free);
	spin_unlock_bh(&queue->lock);
}

/* ---- the core ---- */

void firesteel_queue_enable(struct firesteel_queue *queue, u32 interrupts)
{
	if (queue->enabled == interrupts)
		return;
	queue->enabled = interrupts;
	writel(interrupts, queue->registers + SILEX_CM_INT_EN);
}

/* Links the descriptors of what waits into one list; returns its last job */
static void chain(struct firesteel_queue *queue)
{
	struct firesteel_job *job, *next, *last = NULL;
	u32 length = 0;

	list_for_each_entry_safe (job, next, &queue->waiting, node) {
		if (last) {
			last->arena->fetch[last->fetches - 1].next = cpu_to_le32(job->address);
			last->arena->push[last->pushes - 1].next = cpu_to_le32(
				job->address + offsetof(struct firesteel_arena, push));
		}
		list_move_tail(&job->node, &queue->running);
		last = job;
		if (++length == CHAIN_MAX)
			break;
	}
	queue->counts.chains++;
	queue->counts.longest_chain = max(queue->counts.longest_chain, length);
}

void firesteel_queue_start(struct firesteel_queue *queue)
{
	struct firesteel_job *first;

	if (!queue->in_service || !list_empty(&queue->running) || list_empty(&queue->waiting))
		return;
	chain(queue);
	first = list_first_entry(&queue->running, struct firesteel_job, node);
	queue->deadline = jiffies + msecs_to_jiffies(firesteel_timeout_ms);
	if (!timer_pending(&queue->watchdog))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	writel_relaxed(first->address, queue->registers + SILEX_CM_FETCH_ADDR);
	writel_relaxed(first->address + offsetof(struct firesteel_arena, push),
		       queue->registers + SILEX_CM_PUSH_ADDR);
	/* after all that the core will read is in memory */
	writel(SILEX_CM_START_FETCH | SILEX_CM_START_PUSH, queue->registers + SILEX_CM_START);
}

/* ---- the end of jobs ---- */

static void finish(struct firesteel_job *job, enum firesteel_fault fault)
{
	struct crypto_async_request *request = job->request;
	int result = job->finish(job, fault);

	if (result != -EINPROGRESS)
		crypto_request_complete(request, result);
}

void firesteel_queue_finish(struct list_head *jobs, enum firesteel_fault fault)
{
	struct firesteel_job *job, *next;

	list_for_each_entry_safe (job, next, jobs, node) {
		list_del(&job->node);
		finish(job, fault);
	}
}

/* What has become of the running chain, after those interrupts; under the lock */
static enum firesteel_fault look(struct firesteel_queue *queue, u32 events, bool *ended)
{
	u32 status = readl(queue->registers + SILEX_CM_STATUS);

	*ended = true;
	if (status == ~0u)
		return FIRESTEEL_GONE;
	if (events & ERRORS)
		return FIRESTEEL_BUS_ERROR;
	*ended = !(status & BUSY);
	return FIRESTEEL_NO_FAULT;
}

/* Takes the running chain's jobs when they have ended, and starts the next */
static void advance(struct firesteel_queue *queue, bool by_watchdog)
{
	enum firesteel_fault fault;
	LIST_HEAD(done);
	bool ended;
	u32 events;

	spin_lock(&queue->lock);
	events = atomic_xchg(&queue->events, 0);
	if (list_empty(&queue->running)) {
		queue->counts.idle_interrupts += !by_watchdog;
		goto unlock;
	}
	fault = look(queue, events, &ended);
	if (by_watchdog && !ended && time_after(jiffies, queue->deadline))
		fault = FIRESTEEL_TIME_OUT;
	if (fault) {
		firesteel_recovery_begin(queue, fault, &done);
	} else if (ended) {
		queue->counts.lost_interrupts += !events;
		list_splice_init(&queue->running, &done);
		firesteel_queue_start(queue);
	} else {
		queue->counts.idle_interrupts += !by_watchdog;
	}
	spin_unlock(&queue->lock);
	firesteel_queue_finish(&done, fault);
	return;
unlock:
	spin_unlock(&queue->lock);
}

static void tasklet(struct tasklet_struct *tasklet)
{
	advance(container_of(tasklet, struct firesteel_queue, tasklet), false);
}

static void watchdog(struct timer_list *timer)
{
	struct firesteel_queue *queue = from_timer(queue, timer, watchdog);

	advance(queue, true);
	spin_lock(&queue->lock);
	if (!list_empty(&queue->running))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	spin_unlock(&queue->lock);
}

irqreturn_t firesteel_queue_interrupt(int irq, void *data)
{
	struct firesteel_queue *queue = data;
	u32 events = readl(queue->registers + SILEX_CM_INT_STAT);

	if (!events || events == ~0u)
		return IRQ_NONE;
	writel(events, queue->registers + SILEX_CM_INT_STAT_CLR);
	queue->counts.interrupts++;
	atomic_or(events, &queue->events);
	tasklet_schedule(&queue->tasklet);
	return IRQ_HANDLED;
}

/* ---- submitting ---- */

static bool pays_to_poll(const struct firesteel_job *job)
{
	switch (READ_ONCE(firesteel_completion)) {
	case FIRESTEEL_COMPLETION_POLL:
		return true;
	case FIRESTEEL_COMPLETION_ADAPTIVE:
		return firesteel_expected_ns(job->bytes) <= firesteel_interrupt_ns;
	default:
		return false;
	}
}

/* Waits for the running job, which is the only one, under the lock; false: it takes too long */
static bool poll(struct firesteel_queue *queue, const struct firesteel_job *job)
{
	unsigned int left = 16 + firesteel_expected_ns(job->bytes) / 32;

	while (left--) {
		u32 status = readl_relaxed(queue->registers + SILEX_CM_STATUS);

		queue->counts.poll_reads++;
		if (status == ~0u)
			return false;
		if (!(status & BUSY))
			return !(readl(queue->registers + SILEX_CM_INT_STAT_RAW) & ERRORS);
	}
	return false;
}

/* Under the lock; true: the job has ended without a fault and is in no list */
static bool run_polled(struct firesteel_job *job)
{
	struct firesteel_queue *queue = job->queue;

	firesteel_queue_enable(queue, 0);
	list_add_tail(&job->node, &queue->waiting);
	firesteel_queue_start(queue);
	if (poll(queue, job)) {
		writel(SILEX_CM_INT_ALL, queue->registers + SILEX_CM_INT_STAT_CLR);
		list_del(&job->node);
		queue->counts.polls++;
		return true;
	}
	firesteel_queue_enable(queue, FIRESTEEL_INTERRUPTS);
	return false;
}

int firesteel_queue_submit(struct firesteel_job *job, bool may_poll)
{
	struct firesteel_queue *queue = job->queue;
	bool ended = false;

	spin_lock_bh(&queue->lock);
	if (!queue->in_service) {
		spin_unlock_bh(&queue->lock);
		return job->finish(job, FIRESTEEL_REMOVED);
	}
	queue->counts.jobs++;
	if (may_poll && list_empty(&queue->running) && pays_to_poll(job)) {
		ended = run_polled(job);
	} else {
		firesteel_queue_enable(queue, FIRESTEEL_INTERRUPTS);
		list_add_tail(&job->node, &queue->waiting);
		firesteel_queue_start(queue);
	}
	spin_unlock_bh(&queue->lock);
	return ended ? job->finish(job, FIRESTEEL_NO_FAULT) : -EINPROGRESS;
}

/* ---- life ---- */

int firesteel_queue_open(struct firesteel_queue *queue, struct firesteel_device *device,
			 void __iomem *registers)
{
	int err;

	queue->device = device;
	queue->registers = registers;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->free);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->running);
	tasklet_setup(&queue->tasklet, tasklet);
	timer_setup(&queue->watchdog, watchdog, 0);
	firesteel_recovery_open(queue);
	err = jobs_allocate(queue);
	if (!err)
		err = firesteel_recovery_reset(queue) ? 0 : -EIO;
	if (err) {
		jobs_free(queue);
		return err;
	}
	queue->in_service = true;
	return 0;
}

static bool all_given(struct firesteel_queue *queue)
{
	bool all;

	spin_lock_bh(&queue->lock);
	all = list_count_nodes(&queue->free) == FIRESTEEL_JOBS;
	spin_unlock_bh(&queue->lock);
	return all;
}

void firesteel_queue_close(struct firesteel_queue *queue)
{
	LIST_HEAD(jobs);

	firesteel_recovery_close(queue, &jobs);
	timer_shutdown_sync(&queue->watchdog);
	tasklet_kill(&queue->tasklet);
	local_bh_disable();
	firesteel_queue_finish(&jobs, FIRESTEEL_REMOVED);
	local_bh_enable();
	/* those between take and submit */
	while (!all_given(queue))
		usleep_range(100, 1000);
	jobs_free(queue);
}
