// SPDX-License-Identifier: GPL-2.0-or-later
#include "queue.h"

#include <crypto/algapi.h>
#include <linux/lockdep.h>

#include "cost.h"
#include "order.h"

/* The most commands of one chain: its first command waits for its last */
#define CHAIN_MAX 8u

/* Results for which nobody sleeps wait for those of the next chain, if it takes no longer than
 * this: their consumer then processes all of them at once.  A full chain of the largest Internet
 * packets takes 250 us at 100 MHz, if AES and hash read each.  Where requests wait for a command,
 * the core is what limits, and a sender waits for what is held back: hence less.
 */
#define COALESCE_NS            300000u
#define COALESCE_BACKLOGGED_NS 100000u

/* Polling completes requests earlier if they are made one at a time; if there are several, it keeps
 * them from overlapping.  Polling cannot tell the two cases apart, so after this many polls one
 * request waits for its interrupt, to see whether others come meanwhile.
 */
#define POLLS_IN_A_ROW 16u

/* Requests that wait for a command although their owner may submit others: as many as the kernel's
 * own cryptd keeps
 */
#define BACKLOG_MAX 1000u

/* Requests of the backlog that one bottom half resumes: others wait meanwhile, and each may be
 * polled for, or done in software
 */
#define RESUMED_MAX FIRESTEEL_CMDS

#define WATCHDOG_PERIOD (HZ / 100 ?: 1)

unsigned int firesteel_timeout_ms = 100;

/* ---- free commands ---- */

void firesteel_queue_kick(struct firesteel_queue *queue)
{
	queue_work(system_bh_wq, &queue->work);
}

struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first)
{
	return firesteel_queue_in_service(queue) ? firesteel_pool_get(&queue->pool, first) : NULL;
}

void firesteel_queue_put(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	/* ordered: whoever still finds a bottom half at work leaves the command to it */
	firesteel_pool_put(&queue->pool, cmd);
	if (!list_empty_careful(&queue->backlog) && !READ_ONCE(queue->advancing))
		firesteel_queue_kick(queue);
}

/* ---- the core ---- */

/* Links the descriptors of waiting commands into one list, which becomes the running chain */
static void queue_chain(struct firesteel_queue *queue)
{
	struct firesteel_cmd *cmd, *last = NULL;
	u32 length = 0;

	queue->running_bytes = 0;
	queue->company = false;
	list_for_each_entry(cmd, &queue->waiting, node) {
		if (last) {
			silex_list_chain(&last->fetch, cmd->fetch.address);
			silex_list_chain(&last->push, cmd->push.address);
		}
		cmd->started = true;
		queue->running_bytes += cmd->bytes;
		queue->waited |= cmd->waited;
		last = cmd;
		if (++length == CHAIN_MAX)
			break;
	}
	list_cut_position(&queue->running, &queue->waiting, &last->node);
	queue->waiting_length -= length;
	queue->counts.chains++;
	queue->counts.longest_chain = max(queue->counts.longest_chain, length);
}

/* Twice the expected time of the running commands */
static unsigned int queue_patience_ms(const struct firesteel_queue *queue)
{
	return firesteel_expected_ns(queue->running_bytes) / (NSEC_PER_MSEC / 2);
}

/* Starts what waits, if the core is idle.  Under cm's lock, or with interrupts of the core disabled
 * under the queue's.
 */
static void queue_start(struct firesteel_queue *queue)
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
	firesteel_cryptomaster_start(&queue->cm, first->fetch.address, first->push.address);
}

/* ---- the end of commands ---- */

void firesteel_queue_end(struct list_head *cmds, enum firesteel_fault fault)
{
	struct firesteel_cmd *cmd, *next;

	lockdep_assert_in_softirq();
	/* those that have ended are used again */
	list_for_each_entry_safe(cmd, next, cmds, node)
		cmd->end(cmd, fault);
	INIT_LIST_HEAD(cmds);
}

/* Whether finished results wait for the next chain */
static bool queue_coalesces(const struct firesteel_queue *queue)
{
	u32 most = list_empty_careful(&queue->backlog) ? COALESCE_NS : COALESCE_BACKLOGGED_NS;

	lockdep_assert_held(&queue->cm.lock);
	return !list_empty(&queue->running) && !queue->waited &&
	       firesteel_expected_ns(queue->running_bytes) <= most;
}

/* The running chain has ended, and the next one starts */
static void queue_end_chain(struct firesteel_queue *queue)
{
	bool first = list_empty(&queue->ended);
	bool waited = queue->waited;
	bool alone = list_is_singular(&queue->running) && !queue->company;

	lockdep_assert_held(&queue->cm.lock);
	queue->polls_left = alone ? POLLS_IN_A_ROW : 0;
	list_splice_tail_init(&queue->running, &queue->ended);
	queue->waited = false;
	queue_start(queue);
	if (first && !waited && queue_coalesces(queue))
		queue->counts.coalesced++;
	else
		queue->due = true;
}

/* Looks at the core, and advances the running chain.  Returns why it failed. */
static enum firesteel_fault queue_look(struct firesteel_queue *queue, bool by_watchdog)
{
	enum firesteel_fault fault;
	u32 events = 0;
	bool ended;

	lockdep_assert_held(&queue->cm.lock);
	queue->unclear = false;
	if (list_empty(&queue->running)) {
		events = firesteel_cryptomaster_take_events(&queue->cm);
		queue->counts.idle_interrupts += events && !by_watchdog;
		return FIRESTEEL_NO_FAULT;
	}
	fault = firesteel_cryptomaster_look(&queue->cm, &events, &ended);
	if (by_watchdog && !ended && time_after(jiffies, queue->deadline))
		fault = FIRESTEEL_TIME_OUT;
	if (fault)
		return fault;
	if (ended) {
		queue->counts.lost_interrupts += by_watchdog && !events;
		queue_end_chain(queue);
	} else {
		queue->counts.idle_interrupts += events && !by_watchdog;
	}
	return FIRESTEEL_NO_FAULT;
}

/* The core's commands are in no list of the queue any more, and those above know why */
static void queue_take_out(struct firesteel_queue *queue, enum firesteel_fault fault,
			   struct list_head *done, struct list_head *failed)
{
	firesteel_queue_leave_service(queue, done, failed);
	queue->callbacks->failed(queue->context, fault);
}

/* Those whose results are due go to `done`.  Returns why the commands in `failed` failed. */
static enum firesteel_fault queue_step(struct firesteel_queue *queue, bool by_watchdog,
				       struct list_head *done, struct list_head *failed)
{
	enum firesteel_fault fault = FIRESTEEL_NO_FAULT;
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	if (queue->unclear || by_watchdog)
		fault = queue_look(queue, by_watchdog);
	if (queue->due)
		list_splice_init(&queue->ended, done);
	queue->due = false;
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	if (fault)
		queue_take_out(queue, fault, done, failed);
	return fault;
}

static struct crypto_async_request *queue_take_from_backlog(struct firesteel_queue *queue)
{
	struct crypto_async_request *request;

	spin_lock(&queue->lock);
	request = list_first_entry_or_null(&queue->backlog, struct crypto_async_request, list);
	if (request) {
		list_del(&request->list);
		queue->backlog_length--;
	}
	spin_unlock(&queue->lock);
	return request;
}

/* Assigns commands to requests of the backlog, or sends them to software */
static void queue_resume(struct firesteel_queue *queue)
{
	unsigned int most = RESUMED_MAX;
	struct crypto_async_request *request;
	struct firesteel_cmd *cmd;

	while (most-- && !list_empty_careful(&queue->backlog)) {
		cmd = firesteel_queue_get(queue, 0);
		if (!cmd && firesteel_queue_in_service(queue))
			return;
		request = queue_take_from_backlog(queue);
		if (request)
			queue->callbacks->resume(request, cmd);
		else if (cmd)
			firesteel_pool_put(&queue->pool, cmd);
	}
}

/* Whether requests of the backlog could be resumed */
static bool queue_could_resume(struct firesteel_queue *queue)
{
	return !list_empty_careful(&queue->backlog) &&
	       (atomic_read(&queue->pool.free) || !firesteel_queue_in_service(queue));
}

static void queue_advance(struct firesteel_queue *queue, bool by_watchdog)
{
	enum firesteel_fault fault;
	LIST_HEAD(failed);
	LIST_HEAD(done);

	spin_lock(&queue->lock);
	fault = queue_step(queue, by_watchdog, &done, &failed);
	spin_unlock(&queue->lock);
	WRITE_ONCE(queue->advancing, true);
	firesteel_queue_end(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_end(&failed, fault);
	queue_resume(queue);
	WRITE_ONCE(queue->advancing, false);
	smp_mb(); /* with atomic_fetch_or() in firesteel_pool_put() */
	if (queue_could_resume(queue))
		firesteel_queue_kick(queue);
}

static void queue_work_run(struct work_struct *work)
{
	queue_advance(container_of(work, struct firesteel_queue, work), false);
}

static void queue_watchdog_run(struct timer_list *timer)
{
	struct firesteel_queue *queue = container_of(timer, struct firesteel_queue, watchdog);
	unsigned long flags;

	queue_advance(queue, true);
	spin_lock(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	if (!list_empty(&queue->running))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	spin_unlock(&queue->lock);
}

/* Starts a full chain at once, as bottom halves may have other work for hundreds of microseconds.
 * One that is not full waits for its bottom half, which may be about to submit more.
 */
irqreturn_t firesteel_queue_interrupt(struct firesteel_queue *queue)
{
	bool ours, kick;

	spin_lock(&queue->cm.lock);
	ours = firesteel_cryptomaster_interrupt(&queue->cm);
	if (ours) {
		queue->counts.interrupts++;
		if (queue->waiting_length >= CHAIN_MAX && !list_empty(&queue->running) &&
		    firesteel_cryptomaster_take_success(&queue->cm))
			queue_end_chain(queue);
		else
			queue->unclear = true;
	}
	kick = queue->due || queue->unclear;
	spin_unlock(&queue->cm.lock);
	if (!ours)
		return IRQ_NONE;
	if (kick)
		firesteel_queue_kick(queue);
	return IRQ_HANDLED;
}

/* ---- service ---- */

void firesteel_queue_enter_service(struct firesteel_queue *queue)
{
	lockdep_assert_held(&queue->lock);
	WRITE_ONCE(queue->in_service, true);
	/* nobody else processes requests that entered the backlog meanwhile */
	firesteel_queue_kick(queue);
}

void firesteel_queue_leave_service(struct firesteel_queue *queue, struct list_head *done,
				   struct list_head *failed)
{
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	WRITE_ONCE(queue->in_service, false);
	list_splice_tail_init(&queue->ended, done);
	list_splice_tail_init(&queue->running, failed);
	list_splice_tail_init(&queue->waiting, failed);
	queue->waiting_length = 0;
	queue->waited = false;
	spin_unlock_irqrestore(&queue->cm.lock, flags);
}

void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault)
{
	LIST_HEAD(failed);
	LIST_HEAD(done);

	lockdep_assert_in_softirq();
	spin_lock(&queue->lock);
	if (queue->in_service)
		queue_take_out(queue, fault, &done, &failed);
	spin_unlock(&queue->lock);
	firesteel_queue_end(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_end(&failed, fault);
}

/* ---- submitting ---- */

/* Whether the core has nothing to do; it then stays so while the lock is held.  Without cm's lock
 * an empty list tells nothing: the handler on another CPU may be between two chains.
 */
static bool queue_is_idle(struct firesteel_queue *queue)
{
	unsigned long flags;
	bool idle;

	lockdep_assert_held(&queue->lock);
	if (firesteel_queue_is_busy(queue))
		return false;
	/* then the handler touches nothing */
	if (!queue->cm.enabled)
		return true;
	spin_lock_irqsave(&queue->cm.lock, flags);
	idle = list_empty(&queue->running);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	return idle;
}

/* For an idle core */
static bool queue_pays_to_poll(struct firesteel_queue *queue, const struct firesteel_cmd *cmd)
{
	enum firesteel_wait_mode mode = READ_ONCE(firesteel_wait_mode);
	u32 expected = firesteel_expected_ns(cmd->bytes);

	lockdep_assert_held(&queue->lock);
	if (mode == FIRESTEEL_WAIT_IRQ || expected > firesteel_polled_ns(cmd->waited))
		return false;
	if (mode == FIRESTEEL_WAIT_POLL || (cmd->waited && expected <= firesteel_interrupt_ns))
		return true;
	if (!queue->polls_left)
		return false;
	queue->polls_left--;
	return true;
}

/* Its end follows: it completes after those that were submitted before it */
static void queue_place(const struct firesteel_cmd *cmd)
{
	if (!cmd->ticket->placed)
		firesteel_order_enter(cmd->order, cmd->ticket);
}

/* Runs a command alone on an idle core; true: it has ended without a fault and is in no list */
static bool queue_run_polled(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	unsigned int most = 16 + firesteel_expected_ns(cmd->bytes) / 32;
	enum firesteel_fault fault;

	lockdep_assert_held(&queue->lock);
	firesteel_cryptomaster_enable(&queue->cm, 0);
	list_add_tail(&cmd->node, &queue->waiting);
	queue->waiting_length++;
	queue_start(queue);
	fault = firesteel_cryptomaster_poll(&queue->cm, most, &queue->counts.poll_reads);
	if (!fault) {
		list_del(&cmd->node);
		queue->waited = false;
		queue->counts.polls++;
		return true;
	}
	/* a core that is gone raises no interrupt */
	if (fault == FIRESTEEL_GONE) {
		queue->unclear = true;
		firesteel_queue_kick(queue);
	}
	firesteel_cryptomaster_enable(&queue->cm, SILEX_CM_INT_ENDED);
	return false;
}

/* Starts or queues a command whose end an interrupt will tell */
static void queue_add(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	unsigned long flags;

	firesteel_cryptomaster_enable(&queue->cm, SILEX_CM_INT_ENDED);
	spin_lock_irqsave(&queue->cm.lock, flags);
	list_add_tail(&cmd->node, &queue->waiting);
	queue->waiting_length++;
	queue->company = !list_empty(&queue->running);
	queue_start(queue);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
}

int firesteel_queue_submit(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	int result = -EINPROGRESS;

	lockdep_assert_in_softirq();
	spin_lock(&queue->lock);
	queue->counts.cmds++;
	if (!queue->in_service) {
		result = -ENODEV;
	} else if (queue_is_idle(queue) && queue_pays_to_poll(queue, cmd)) {
		if (queue_run_polled(queue, cmd))
			result = 0;
		else
			queue_place(cmd);
	} else {
		queue_place(cmd);
		queue_add(queue, cmd);
	}
	spin_unlock(&queue->lock);
	return result;
}

bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request,
			     bool held_back)
{
	bool kept;

	spin_lock_bh(&queue->lock);
	kept = queue->in_service && (held_back || queue->backlog_length < BACKLOG_MAX);
	if (kept) {
		queue->backlog_length++;
		list_add_tail(&request->list, &queue->backlog);
		queue->counts.backlogged++;
	}
	spin_unlock_bh(&queue->lock);
	/* a command may have become free before the request was in the list */
	smp_mb(); /* with atomic_fetch_or() in firesteel_pool_put() */
	if (kept && atomic_read(&queue->pool.free))
		firesteel_queue_kick(queue);
	return kept;
}

/* ---- life ---- */

int firesteel_queue_open(struct firesteel_queue *queue, struct device *dev, void __iomem *registers,
			 const struct firesteel_queue_callbacks *callbacks, void *context)
{
	int err;

	queue->callbacks = callbacks;
	queue->context = context;
	firesteel_cryptomaster_init(&queue->cm, registers);
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->running);
	INIT_LIST_HEAD(&queue->ended);
	INIT_LIST_HEAD(&queue->backlog);
	INIT_WORK(&queue->work, queue_work_run);
	timer_setup(&queue->watchdog, queue_watchdog_run, 0);
	err = firesteel_pool_allocate(&queue->pool, dev);
	if (err)
		firesteel_pool_free(&queue->pool);
	return err;
}

void firesteel_queue_close(struct firesteel_queue *queue)
{
	timer_shutdown_sync(&queue->watchdog);
	firesteel_queue_settle(queue);
	/* those between get and submit */
	firesteel_pool_drain(&queue->pool);
	firesteel_queue_settle(queue);
	firesteel_pool_free(&queue->pool);
}

void firesteel_queue_settle(struct firesteel_queue *queue)
{
	flush_work(&queue->work);
}
