// SPDX-License-Identifier: GPL-2.0-or-later
#include "queue.h"

#include <crypto/algapi.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/slab.h>

#include "cost.h"
#include "device.h"
#include "cmd.h"
#include "recovery.h"

#define BUSY (SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)
#define ERRORS (SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)

/* Of a chain: both sides have stopped, and its last output is in memory */
#define ENDS (SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_PUSH_BLOCK_END)

/* The most commands of one chain: its first command waits for its last */
#define CHAIN_MAX 8u

/* Results for which nobody sleeps wait for those of the next chain, if it takes no longer than
 * this: their consumer then processes all of them at once
 */
#define COALESCE_NS 100000u

/* Sleeping costs an interrupt, going to sleep and waking up.  The processor rather polls for up to
 * this many times as long: the request is done earlier, and it has no other work.
 */
#define PATIENCE 2u

/* Polling completes requests earlier if they are made one at a time; if there are several, it keeps
 * them from overlapping.  Polling cannot tell the two cases apart, so after this many polls one
 * request waits for its interrupt, to see whether others come meanwhile.
 */
#define POLLS_IN_A_ROW 16u

/* Polling keeps the processor from all other work: longer commands always wait for the interrupt */
#define POLL_MAX_NS 2000000u

#define WATCHDOG_PERIOD (HZ / 100 ?: 1)

/* ---- commands ---- */

static void queue_cmds_free(struct firesteel_queue *queue)
{
	struct device *dev = queue->device->dev;
	struct firesteel_cmd *cmds = queue->cmds;
	unsigned int i;

	spin_lock_bh(&queue->lock);
	queue->cmds = NULL;
	spin_unlock_bh(&queue->lock);
	/* a core that could not be stopped may still write there: rather leak the memory */
	for (i = 0; cmds && i < FIRESTEEL_CMDS; i++) {
		if (cmds[i].arena)
			memzero_explicit(&cmds[i].arena->keys, sizeof(cmds[i].arena->keys));
		if (queue->dma_not_quiesced)
			continue;
		kfree_sensitive(cmds[i].backup);
		if (!cmds[i].arena)
			continue;
		memzero_explicit(cmds[i].arena, sizeof(*cmds[i].arena));
		dma_free_coherent(dev, sizeof(*cmds[i].arena), cmds[i].arena, cmds[i].address);
	}
	if (!queue->dma_not_quiesced)
		kfree(cmds);
}

static int queue_cmds_allocate(struct firesteel_queue *queue)
{
	struct device *dev = queue->device->dev;
	unsigned int i;

	queue->cmds = kcalloc(FIRESTEEL_CMDS, sizeof(*queue->cmds), GFP_KERNEL);
	if (!queue->cmds)
		return -ENOMEM;
	for (i = 0; i < FIRESTEEL_CMDS; i++) {
		struct firesteel_cmd *cmd = &queue->cmds[i];

		cmd->queue = queue;
		cmd->backup = kmalloc(FIRESTEEL_BACKUP_SIZE, GFP_KERNEL);
		cmd->arena = dma_alloc_coherent(dev, sizeof(*cmd->arena), &cmd->address,
						GFP_KERNEL);
		if (!cmd->backup || !cmd->arena)
			return -ENOMEM;
	}
	atomic_set(&queue->free, ~0);
	return 0;
}

struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first)
{
	int free = atomic_read(&queue->free);
	unsigned int number;

	do {
		if (!free || !firesteel_queue_in_service(queue))
			return NULL;
		number = (first + __ffs(ror32(free, first % FIRESTEEL_CMDS))) % FIRESTEEL_CMDS;
	} while (!atomic_try_cmpxchg(&queue->free, &free, free & ~BIT(number)));
	return &queue->cmds[number];
}

void firesteel_queue_put(struct firesteel_cmd *cmd)
{
	struct firesteel_queue *queue = cmd->queue;

	/* ordered: the next user sees whose keys it has */
	atomic_fetch_or(BIT(cmd - queue->cmds), &queue->free);
	if (!list_empty_careful(&queue->backlog))
		tasklet_schedule(&queue->tasklet);
}

void firesteel_queue_each_free(struct firesteel_queue *queue,
			       void (*each)(struct firesteel_cmd *cmd, const void *data),
			       const void *data)
{
	unsigned int i;

	spin_lock_bh(&queue->lock);
	for (i = 0; queue->cmds && i < FIRESTEEL_CMDS; i++) {
		if (!(atomic_fetch_andnot(BIT(i), &queue->free) & BIT(i)))
			continue;
		each(&queue->cmds[i], data);
		atomic_fetch_or(BIT(i), &queue->free);
	}
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

/* Links the descriptors of waiting commands into one list, which becomes the running chain */
static void queue_chain(struct firesteel_queue *queue)
{
	struct firesteel_cmd *cmd, *next, *last = NULL;
	u32 length = 0;

	queue->running_bytes = 0;
	queue->company = false;
	list_for_each_entry_safe(cmd, next, &queue->waiting, node) {
		dma_addr_t push = cmd->address + offsetof(struct firesteel_arena, push);

		if (last) {
			last->arena->fetch[last->fetches - 1].next = cpu_to_le32(cmd->address);
			last->arena->push[last->pushes - 1].next = cpu_to_le32(push);
			/* the end of the whole chain is signalled */
			last->arena->push[last->pushes - 1].length &= ~cpu_to_le32(SILEX_LEN_IRQ);
		}
		list_move_tail(&cmd->node, &queue->running);
		cmd->started = true;
		queue->running_bytes += cmd->bytes;
		queue->waited |= cmd->waited;
		last = cmd;
		if (++length == CHAIN_MAX)
			break;
	}
	queue->counts.chains++;
	queue->counts.longest_chain = max(queue->counts.longest_chain, length);
}

/* Twice the expected time of the running commands */
static unsigned int queue_patience_ms(const struct firesteel_queue *queue)
{
	return firesteel_expected_ns(queue->running_bytes) / (NSEC_PER_MSEC / 2);
}

void firesteel_queue_start(struct firesteel_queue *queue)
{
	struct firesteel_cmd *first;

	if (!queue->in_service || !list_empty(&queue->running) || list_empty(&queue->waiting))
		return;
	queue_chain(queue);
	first = list_first_entry(&queue->running, struct firesteel_cmd, node);
	queue->deadline = jiffies +
			  msecs_to_jiffies(firesteel_timeout_ms + queue_patience_ms(queue));
	if (!timer_pending(&queue->watchdog))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	writel_relaxed(first->address, queue->registers + SILEX_CM_FETCH_ADDR);
	writel_relaxed(first->address + offsetof(struct firesteel_arena, push),
		       queue->registers + SILEX_CM_PUSH_ADDR);
	/* after everything that the core will read is in memory */
	writel(SILEX_CM_START_FETCH | SILEX_CM_START_PUSH, queue->registers + SILEX_CM_START);
}

/* ---- the end of commands ---- */

static void queue_end(struct firesteel_cmd *cmd, enum firesteel_fault fault)
{
	struct crypto_async_request *request = cmd->request;
	int result = cmd->finish(cmd, fault);

	if (result != -EINPROGRESS)
		crypto_request_complete(request, result);
}

void firesteel_queue_finish(struct list_head *cmds, enum firesteel_fault fault)
{
	struct firesteel_cmd *cmd, *next;

	list_for_each_entry_safe(cmd, next, cmds, node) {
		list_del(&cmd->node);
		queue_end(cmd, fault);
	}
}

/*
 * Whether the running chain is known to have ended without an error.  These bits were clear when it
 * was started, and a reset clears them: a core that was reset meanwhile does not show them.  An
 * interrupt without cause shows one of them at most.
 */
static bool queue_has_succeeded(u32 events)
{
	return (events & (ENDS | ERRORS)) == ENDS;
}

/* Reads and clears the events.  No interrupt handler may do so at the same time, and report them
 * when the next chain is already running.
 */
static u32 queue_collect(struct firesteel_queue *queue)
{
	unsigned long flags;
	u32 events;

	spin_lock_irqsave(&queue->events_lock, flags);
	events = readl(queue->registers + SILEX_CM_INT_STAT_RAW);
	writel(events, queue->registers + SILEX_CM_INT_STAT_CLR);
	events |= atomic_xchg(&queue->events, 0);
	spin_unlock_irqrestore(&queue->events_lock, flags);
	return events;
}

/* The same as queue_look(), if interrupts are not conclusive.  An idle core may have been reset, and
 * have done nothing: CONFIG then differs.
 */
static enum firesteel_fault queue_look_closer(struct firesteel_queue *queue, u32 *events,
					      bool *ended)
{
	u32 status = readl(queue->registers + SILEX_CM_STATUS);

	*ended = true;
	if (status == ~0u)
		return FIRESTEEL_GONE;
	/* after STATUS: an error may have made it idle before its interrupt arrives */
	*events |= queue_collect(queue);
	*ended = queue_has_succeeded(*events);
	if (*ended)
		return FIRESTEEL_NO_FAULT;
	*ended = !(status & BUSY);
	if ((*ended || *events & ERRORS) &&
	    readl(queue->registers + SILEX_CM_CONFIG) != FIRESTEEL_CONFIG)
		return FIRESTEEL_GONE;
	return *events & ERRORS ? FIRESTEEL_BUS_ERROR : FIRESTEEL_NO_FAULT;
}

/* The state of the running chain, and its events; under the lock */
static enum firesteel_fault queue_look(struct firesteel_queue *queue, u32 *events, bool *ended)
{
	*events = atomic_xchg(&queue->events, 0);
	*ended = queue_has_succeeded(*events);
	return *ended ? FIRESTEEL_NO_FAULT : queue_look_closer(queue, events, ended);
}

/* Whether finished results wait for the next chain; under the lock */
static bool queue_coalesces(const struct firesteel_queue *queue)
{
	return !list_empty(&queue->running) && !queue->waited &&
	       firesteel_expected_ns(queue->running_bytes) <= COALESCE_NS;
}

/* The running chain has ended: its commands go to `done`, and the next one starts; under the
 * lock
 */
static void queue_end_chain(struct firesteel_queue *queue, struct list_head *done)
{
	bool first = list_empty(&queue->coalesced);
	bool waited = queue->waited;
	bool alone = list_is_singular(&queue->running) && !queue->company;

	queue->polls_left = alone ? POLLS_IN_A_ROW : 0;
	list_splice_tail_init(&queue->running, &queue->coalesced);
	queue->waited = false;
	firesteel_queue_start(queue);
	if (first && !waited && queue_coalesces(queue))
		queue->counts.coalesced++;
	else
		list_splice_init(&queue->coalesced, done);
}

/* Advances the running chain; under the lock.  Returns why the commands in `failed` failed. */
static enum firesteel_fault queue_step(struct firesteel_queue *queue, bool by_watchdog,
				       struct list_head *done, struct list_head *failed)
{
	enum firesteel_fault fault;
	u32 events = 0;
	bool ended;

	if (list_empty(&queue->running)) {
		events = atomic_xchg(&queue->events, 0);
		queue->counts.idle_interrupts += events && !by_watchdog;
		return FIRESTEEL_NO_FAULT;
	}
	fault = queue_look(queue, &events, &ended);
	if (by_watchdog && !ended && time_after(jiffies, queue->deadline))
		fault = FIRESTEEL_TIME_OUT;
	if (fault) {
		firesteel_recovery_begin(queue, fault, done, failed);
	} else if (ended) {
		queue->counts.lost_interrupts += by_watchdog && !events;
		queue_end_chain(queue, done);
	} else {
		queue->counts.idle_interrupts += events && !by_watchdog;
	}
	return fault;
}

/* Assigns commands to requests of the backlog, or sends them to software */
static void queue_resume(struct firesteel_queue *queue)
{
	struct crypto_async_request *request;
	struct firesteel_cmd *cmd;

	while (!list_empty_careful(&queue->backlog)) {
		cmd = firesteel_queue_get(queue, 0);
		if (!cmd && firesteel_queue_in_service(queue)) {
			/* it may have returned to service since */
			if (atomic_read(&queue->free))
				continue;
			return;
		}
		spin_lock(&queue->lock);
		request = list_first_entry_or_null(&queue->backlog, struct crypto_async_request,
						   list);
		if (request)
			list_del(&request->list);
		spin_unlock(&queue->lock);
		if (request)
			firesteel_request_resume(request, cmd);
		else if (cmd)
			atomic_fetch_or(BIT(cmd - queue->cmds), &queue->free);
	}
}

static void queue_advance(struct firesteel_queue *queue, bool by_watchdog)
{
	enum firesteel_fault fault;
	LIST_HEAD(failed);
	LIST_HEAD(done);

	spin_lock(&queue->lock);
	fault = queue_step(queue, by_watchdog, &done, &failed);
	spin_unlock(&queue->lock);
	firesteel_queue_finish(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_finish(&failed, fault);
	queue_resume(queue);
}

static void queue_tasklet_run(struct tasklet_struct *tasklet)
{
	queue_advance(container_of(tasklet, struct firesteel_queue, tasklet), false);
}

static void queue_watchdog_run(struct timer_list *timer)
{
	struct firesteel_queue *queue = container_of(timer, struct firesteel_queue, watchdog);

	queue_advance(queue, true);
	spin_lock(&queue->lock);
	if (!list_empty(&queue->running))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	spin_unlock(&queue->lock);
}

irqreturn_t firesteel_queue_interrupt(int irq, void *data)
{
	struct firesteel_queue *queue = data;
	bool ours;
	u32 events;

	spin_lock(&queue->events_lock);
	/* all events in one access; it is known which of them interrupt */
	events = readl(queue->registers + SILEX_CM_INT_STAT_RAW);
	ours = events & READ_ONCE(queue->enabled) && events != ~0u;
	if (ours) {
		writel(events, queue->registers + SILEX_CM_INT_STAT_CLR);
		atomic_or(events, &queue->events);
	}
	spin_unlock(&queue->events_lock);
	if (!ours)
		return IRQ_NONE;
	queue->counts.interrupts++;
	tasklet_schedule(&queue->tasklet);
	return IRQ_HANDLED;
}

void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault)
{
	LIST_HEAD(failed);
	LIST_HEAD(done);

	spin_lock(&queue->lock);
	if (queue->in_service)
		firesteel_recovery_begin(queue, fault, &done, &failed);
	spin_unlock(&queue->lock);
	firesteel_queue_finish(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_finish(&failed, fault);
}

/* ---- submitting ---- */

/* Under the lock, for an idle core */
static bool queue_pays_to_poll(const struct firesteel_cmd *cmd)
{
	u32 most = firesteel_interrupt_ns;

	switch (READ_ONCE(firesteel_wait_mode)) {
	case FIRESTEEL_WAIT_POLL:
		return firesteel_expected_ns(cmd->bytes) <= POLL_MAX_NS;
	case FIRESTEEL_WAIT_ADAPTIVE:
		if (firesteel_expected_ns(cmd->bytes) <= most)
			return true;
		most = PATIENCE * (firesteel_interrupt_ns + firesteel_sleep_ns);
		if (!cmd->waited || !cmd->queue->polls_left ||
		    firesteel_expected_ns(cmd->bytes) > most)
			return false;
		cmd->queue->polls_left--;
		return true;
	default:
		return false;
	}
}

/* Polls for the running command, which is the only one, under the lock; false: it takes too long,
 * or there is an error
 */
static bool queue_poll(struct firesteel_queue *queue, const struct firesteel_cmd *cmd)
{
	const void __iomem *raw = queue->registers + SILEX_CM_INT_STAT_RAW;
	unsigned int left = 16 + firesteel_expected_ns(cmd->bytes) / 32, most = left;
	u32 events;

	/* as few instructions as possible, as this loop runs for long */
	do
		events = readl_relaxed(raw);
	while (!(events & (SILEX_CM_INT_PUSH_BLOCK_END | ERRORS)) && --left);
	while ((events & ENDS) != ENDS && !(events & ERRORS) && left && --left)
		events = readl_relaxed(raw);
	/* before reading what the core has written */
	rmb();
	queue->counts.poll_reads += most - left + 1;
	/* a core that is gone raises no interrupt */
	if (events == ~0u)
		tasklet_schedule(&queue->tasklet);
	return queue_has_succeeded(events);
}

/* Under the lock; true: the command has ended without a fault and is in no list */
static bool queue_run_polled(struct firesteel_cmd *cmd)
{
	struct firesteel_queue *queue = cmd->queue;

	firesteel_queue_enable(queue, 0);
	list_add_tail(&cmd->node, &queue->waiting);
	firesteel_queue_start(queue);
	if (queue_poll(queue, cmd)) {
		writel(SILEX_CM_INT_ALL, queue->registers + SILEX_CM_INT_STAT_CLR);
		list_del(&cmd->node);
		queue->waited = false;
		queue->counts.polls++;
		return true;
	}
	firesteel_queue_enable(queue, FIRESTEEL_INTERRUPTS);
	return false;
}

int firesteel_queue_submit(struct firesteel_cmd *cmd)
{
	struct firesteel_queue *queue = cmd->queue;
	enum firesteel_fault fault = FIRESTEEL_NO_FAULT;
	int result = -EINPROGRESS;
	bool ended = false;

	spin_lock_bh(&queue->lock);
	queue->counts.cmds++;
	if (!queue->in_service) {
		fault = FIRESTEEL_REMOVED;
		ended = true;
	} else if (list_empty(&queue->running) && queue_pays_to_poll(cmd)) {
		ended = queue_run_polled(cmd);
	} else {
		firesteel_queue_enable(queue, FIRESTEEL_INTERRUPTS);
		list_add_tail(&cmd->node, &queue->waiting);
		queue->company = !list_empty(&queue->running);
		firesteel_queue_start(queue);
	}
	spin_unlock(&queue->lock);
	if (ended)
		result = cmd->finish(cmd, fault);
	local_bh_enable();
	return result;
}

bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request)
{
	bool kept;

	spin_lock_bh(&queue->lock);
	kept = queue->in_service;
	if (kept) {
		list_add_tail(&request->list, &queue->backlog);
		queue->counts.backlogged++;
	}
	spin_unlock_bh(&queue->lock);
	/* a command may have become free before the request was in the list */
	smp_mb(); /* with atomic_fetch_or() in firesteel_queue_put() */
	if (kept && atomic_read(&queue->free))
		tasklet_schedule(&queue->tasklet);
	return kept;
}

/* ---- life ---- */

int firesteel_queue_open(struct firesteel_queue *queue, struct firesteel_device *device,
			 void __iomem *registers)
{
	int err;

	queue->device = device;
	queue->registers = registers;
	spin_lock_init(&queue->lock);
	spin_lock_init(&queue->events_lock);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->running);
	INIT_LIST_HEAD(&queue->coalesced);
	INIT_LIST_HEAD(&queue->backlog);
	tasklet_setup(&queue->tasklet, queue_tasklet_run);
	timer_setup(&queue->watchdog, queue_watchdog_run, 0);
	firesteel_recovery_open(queue);
	err = queue_cmds_allocate(queue);
	if (!err)
		err = firesteel_recovery_reset(queue) ? 0 : -EIO;
	if (err) {
		queue_cmds_free(queue);
		return err;
	}
	queue->in_service = true;
	return 0;
}

void firesteel_queue_close(struct firesteel_queue *queue)
{
	firesteel_recovery_close(queue);
	timer_shutdown_sync(&queue->watchdog);
	tasklet_kill(&queue->tasklet);
	/* those between get and submit */
	while (atomic_cmpxchg(&queue->free, ~0, 0) != ~0)
		usleep_range(100, 1000);
	tasklet_kill(&queue->tasklet);
	queue_cmds_free(queue);
}
