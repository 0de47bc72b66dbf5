// SPDX-License-Identifier: GPL-2.0-or-later
#include "queue.h"

#include <crypto/algapi.h>
#include <linux/lockdep.h>

#include "cost.h"
#include "order.h"
#include "section.h"

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

/* Requests of the backlog that one section resumes: others wait meanwhile */
#define RESUMED_MAX FIRESTEEL_CMDS

#define WATCHDOG_PERIOD (HZ / 100 ?: 1)

unsigned int firesteel_timeout_ms = 100;

/* ---- free commands ---- */

static void queue_kick(struct firesteel_queue *queue)
{
	firesteel_bh_queue(&queue->bh);
}

struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first)
{
	return firesteel_queue_in_service(queue) ? firesteel_pool_get(&queue->pool, first) : NULL;
}

void firesteel_queue_put(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	/* ordered: whoever still finds a bottom half at work leaves the command to it */
	firesteel_pool_put(&queue->pool, cmd);
	if (!list_empty(&queue->backlog) && !READ_ONCE(queue->advancing))
		queue_kick(queue);
}

/* ---- the core; under cm's lock ---- */

static void queue_set_state(struct firesteel_queue *queue, enum firesteel_queue_state state)
{
	lockdep_assert_held(&queue->cm.lock);
	WRITE_ONCE(queue->state, state);
}

static void queue_add_to_chain(struct firesteel_chain *chain, const struct firesteel_cmd *cmd)
{
	chain->bytes += cmd->bytes;
	chain->waited |= cmd->waited;
}

static void queue_clear_chain(struct firesteel_queue *queue)
{
	struct firesteel_chain *chain = &queue->chain;

	lockdep_assert_held(&queue->cm.lock);
	INIT_LIST_HEAD(&chain->cmds);
	chain->bytes = 0;
	chain->waited = false;
	chain->company = false;
}

/* Links the descriptors of waiting commands into one list, which becomes the chain */
static void queue_make_chain(struct firesteel_queue *queue)
{
	struct firesteel_cmd *cmd, *last = NULL;
	u32 length = 0;

	queue_clear_chain(queue);
	list_for_each_entry(cmd, &queue->waiting, node) {
		if (last) {
			silex_list_chain(&last->fetch, cmd->fetch.address);
			silex_list_chain(&last->push, cmd->push.address);
		}
		cmd->started = true;
		queue_add_to_chain(&queue->chain, cmd);
		last = cmd;
		if (++length == CHAIN_MAX)
			break;
	}
	list_cut_position(&queue->chain.cmds, &queue->waiting, &last->node);
	queue->waiting_length -= length;
	queue->counts.chains++;
	queue->counts.longest_chain = max(queue->counts.longest_chain, length);
}

/* An interrupt tells when the chain has ended, in at most twice the time that is expected */
static void queue_expect_interrupt(struct firesteel_queue *queue)
{
	unsigned int patience_ms = firesteel_expected_ns(queue->chain.bytes) / (NSEC_PER_MSEC / 2);
	unsigned int timeout_ms = READ_ONCE(firesteel_timeout_ms);

	queue_set_state(queue, FIRESTEEL_QUEUE_RUNNING);
	firesteel_cryptomaster_enable(&queue->cm, SILEX_CM_INT_ENDED);
	queue->chain.deadline = jiffies + msecs_to_jiffies(timeout_ms + patience_ms);
	if (!timer_pending(&queue->watchdog))
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
}

/* Starts what waits, if the core is idle */
static void queue_start(struct firesteel_queue *queue)
{
	struct firesteel_cmd *first;

	lockdep_assert_held(&queue->cm.lock);
	if (queue->state != FIRESTEEL_QUEUE_IDLE || list_empty(&queue->waiting))
		return;
	queue_make_chain(queue);
	queue_expect_interrupt(queue);
	first = list_first_entry(&queue->chain.cmds, struct firesteel_cmd, node);
	firesteel_cryptomaster_start(&queue->cm, first->fetch.address, first->push.address);
}

/* Whether finished results wait for the next chain */
static bool queue_coalesces(const struct firesteel_queue *queue)
{
	u32 most = list_empty(&queue->backlog) ? COALESCE_NS : COALESCE_BACKLOGGED_NS;

	lockdep_assert_held(&queue->cm.lock);
	return queue->state == FIRESTEEL_QUEUE_RUNNING && !queue->chain.waited &&
	       firesteel_expected_ns(queue->chain.bytes) <= most;
}

/* The chain has ended, and the next one starts */
static void queue_end_chain(struct firesteel_queue *queue)
{
	struct firesteel_chain *chain = &queue->chain;
	bool alone = list_is_singular(&chain->cmds) && !chain->company;
	bool first = list_empty(&queue->ended);
	bool waited = chain->waited;

	lockdep_assert_held(&queue->cm.lock);
	queue->polls_left = alone ? POLLS_IN_A_ROW : 0;
	list_splice_tail_init(&chain->cmds, &queue->ended);
	queue_set_state(queue, FIRESTEEL_QUEUE_IDLE);
	queue_start(queue);
	if (first && !waited && queue_coalesces(queue))
		queue->counts.coalesced++;
	else
		list_splice_tail_init(&queue->ended, &queue->due);
}

/* Whether the bottom half is to look at the core */
static bool queue_is_unclear(const struct firesteel_queue *queue)
{
	return queue->state >= FIRESTEEL_QUEUE_UNCLEAR;
}

/* Looks at the core, and advances the chain.  Returns why it failed. */
static enum firesteel_fault queue_look(struct firesteel_queue *queue)
{
	bool by_watchdog = queue->state == FIRESTEEL_QUEUE_WATCHED;
	enum firesteel_fault fault;
	u32 events = 0;
	bool ended;

	lockdep_assert_held(&queue->cm.lock);
	fault = firesteel_cryptomaster_look(&queue->cm, &events, &ended);
	if (by_watchdog && !ended && time_after(jiffies, queue->chain.deadline))
		fault = FIRESTEEL_TIME_OUT;
	if (fault)
		return fault;
	if (ended) {
		queue->counts.lost_interrupts += by_watchdog && !events;
		queue_end_chain(queue);
	} else {
		queue->counts.idle_interrupts += events && !by_watchdog;
		queue_set_state(queue, FIRESTEEL_QUEUE_RUNNING);
	}
	return FIRESTEEL_NO_FAULT;
}

/* Starts a full chain at once, as bottom halves may have other work for hundreds of microseconds.
 * One that is not full waits for its bottom half, which may be about to submit more.
 */
static void queue_note_interrupt(struct firesteel_queue *queue)
{
	lockdep_assert_held(&queue->cm.lock);
	queue->counts.interrupts++;
	if (queue->state < FIRESTEEL_QUEUE_RUNNING) {
		firesteel_cryptomaster_take_events(&queue->cm);
		queue->counts.idle_interrupts++;
	} else if (queue->waiting_length >= CHAIN_MAX &&
		   firesteel_cryptomaster_take_success(&queue->cm)) {
		queue_end_chain(queue);
	} else if (queue->state == FIRESTEEL_QUEUE_RUNNING) {
		queue_set_state(queue, FIRESTEEL_QUEUE_UNCLEAR);
	}
}

irqreturn_t firesteel_queue_interrupt(struct firesteel_queue *queue)
{
	bool ours, kick = false;

	spin_lock(&queue->cm.lock);
	ours = firesteel_cryptomaster_interrupt(&queue->cm);
	if (ours) {
		queue_note_interrupt(queue);
		kick = !list_empty(&queue->due) || queue_is_unclear(queue);
	}
	spin_unlock(&queue->cm.lock);
	if (kick)
		queue_kick(queue);
	return IRQ_RETVAL(ours);
}

static void queue_watchdog_run(struct timer_list *timer)
{
	struct firesteel_queue *queue = container_of(timer, struct firesteel_queue, watchdog);
	unsigned long flags;
	bool at_work;

	spin_lock_irqsave(&queue->cm.lock, flags);
	at_work = queue->state >= FIRESTEEL_QUEUE_RUNNING;
	if (at_work) {
		queue_set_state(queue, FIRESTEEL_QUEUE_WATCHED);
		mod_timer(&queue->watchdog, jiffies + WATCHDOG_PERIOD);
	}
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	if (at_work)
		queue_kick(queue);
}

/* ---- service ---- */

void firesteel_queue_enter_service(struct firesteel_queue *queue)
{
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	queue_set_state(queue, FIRESTEEL_QUEUE_IDLE);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	/* nobody else processes requests that entered the backlog meanwhile */
	queue_kick(queue);
}

void firesteel_queue_leave_service(struct firesteel_queue *queue, enum firesteel_fault fault)
{
	struct firesteel_cmd *cmd;
	unsigned long flags;
	LIST_HEAD(failed);

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	queue_set_state(queue, FIRESTEEL_QUEUE_OUT);
	list_splice_tail_init(&queue->ended, &queue->due);
	list_splice_tail_init(&queue->chain.cmds, &failed);
	list_splice_tail_init(&queue->waiting, &failed);
	queue->waiting_length = 0;
	queue_clear_chain(queue);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	list_for_each_entry(cmd, &failed, node)
		cmd->fault = fault;
	list_splice_tail(&failed, &queue->failed);
	queue_kick(queue);
}

void firesteel_queue_release(struct firesteel_queue *queue)
{
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	list_splice_tail_init(&queue->failed, &queue->due);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	queue_kick(queue);
}

void firesteel_queue_mask(struct firesteel_queue *queue)
{
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	firesteel_cryptomaster_enable(&queue->cm, 0);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
}

/* Those above know why */
static void queue_take_out(struct firesteel_queue *queue, enum firesteel_fault fault)
{
	firesteel_queue_leave_service(queue, fault);
	queue->callbacks->failed(queue->context, fault);
}

void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault)
{
	lockdep_assert_in_softirq();
	spin_lock(&queue->lock);
	if (firesteel_queue_in_service(queue))
		queue_take_out(queue, fault);
	spin_unlock(&queue->lock);
}

/* ---- the work ---- */

/* Looks at the core if that is called for, and takes what is due */
static void queue_take_due(struct firesteel_queue *queue, struct list_head *due)
{
	enum firesteel_fault fault = FIRESTEEL_NO_FAULT;
	unsigned long flags;

	spin_lock(&queue->lock);
	spin_lock_irqsave(&queue->cm.lock, flags);
	if (queue_is_unclear(queue))
		fault = queue_look(queue);
	list_splice_init(&queue->due, due);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	if (fault)
		queue_take_out(queue, fault);
	spin_unlock(&queue->lock);
}

/* Ends commands; false: the section is over */
static bool queue_end_due(struct firesteel_queue *queue, struct firesteel_section *section)
{
	struct firesteel_cmd *cmd, *next;
	unsigned long flags;
	bool goes_on = true;
	LIST_HEAD(left);
	LIST_HEAD(due);

	queue_take_due(queue, &due);
	/* those that have ended are used again: what their nodes say is of other lists */
	list_for_each_entry_safe(cmd, next, &due, node) {
		if (goes_on) {
			cmd->end(cmd, section);
			goes_on = firesteel_section_goes_on(section);
		} else {
			list_add_tail(&cmd->node, &left);
		}
	}
	if (list_empty(&left))
		return goes_on;
	spin_lock_irqsave(&queue->cm.lock, flags);
	list_splice(&left, &queue->due);
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	return false;
}

static struct crypto_async_request *queue_take_from_backlog(struct firesteel_queue *queue)
{
	struct crypto_async_request *request;

	spin_lock(&queue->lock);
	request = list_first_entry(&queue->backlog, struct crypto_async_request, list);
	list_del(&request->list);
	queue->backlog_length--;
	spin_unlock(&queue->lock);
	return request;
}

/* Assigns commands to requests of the backlog, from which nobody else takes any, or sends them to
 * software
 */
static void queue_resume(struct firesteel_queue *queue, struct firesteel_section *section)
{
	unsigned int most = RESUMED_MAX;
	bool goes_on = true;

	while (goes_on && most-- && !list_empty(&queue->backlog)) {
		struct firesteel_cmd *cmd = firesteel_queue_get(queue, 0);
		struct crypto_async_request *request;

		if (!cmd && firesteel_queue_in_service(queue))
			return;
		request = queue_take_from_backlog(queue);
		queue->callbacks->resume(request, cmd, section);
		goes_on = firesteel_section_goes_on(section);
	}
}

/* Whether there is something for the work to do */
static bool queue_has_work(struct firesteel_queue *queue)
{
	/* without cm's lock: whoever adds to the list, while this looks, asks for the work, too */
	if (data_race(!list_empty(&queue->due)))
		return true;
	return !list_empty(&queue->backlog) &&
	       (atomic_read(&queue->pool.free) || !firesteel_queue_in_service(queue));
}

static void queue_bh_run(struct firesteel_bh *bh)
{
	struct firesteel_queue *queue = container_of(bh, struct firesteel_queue, bh);
	struct firesteel_section section = {};

	WRITE_ONCE(queue->advancing, true);
	if (queue_end_due(queue, &section))
		queue_resume(queue, &section);
	WRITE_ONCE(queue->advancing, false);
	smp_mb(); /* with atomic_fetch_or() in firesteel_pool_put() */
	if (queue_has_work(queue))
		queue_kick(queue);
}

void firesteel_queue_settle(struct firesteel_queue *queue)
{
	do {
		queue_kick(queue);
		firesteel_bh_flush(&queue->bh);
	} while (queue_has_work(queue));
}

/* ---- submitting ---- */

/* For an idle core */
static bool queue_pays_to_poll(struct firesteel_queue *queue, const struct firesteel_cmd *cmd)
{
	u32 expected = firesteel_expected_ns(cmd->bytes);

	lockdep_assert_held(&queue->cm.lock);
	if (cmd->wait == FIRESTEEL_WAIT_IRQ ||
	    expected > firesteel_polled_ns(cmd->wait, cmd->waited))
		return false;
	if (cmd->wait == FIRESTEEL_WAIT_POLL ||
	    (cmd->waited && expected <= READ_ONCE(firesteel_interrupt_ns)))
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

/* Starts a command on the idle core, without interrupts */
static void queue_start_polled(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	lockdep_assert_held(&queue->cm.lock);
	firesteel_cryptomaster_enable(&queue->cm, 0);
	queue_set_state(queue, FIRESTEEL_QUEUE_POLLED);
	cmd->started = true;
	queue->counts.chains++;
	queue->counts.longest_chain = max(queue->counts.longest_chain, 1u);
	firesteel_cryptomaster_start(&queue->cm, cmd->fetch.address, cmd->push.address);
}

/* Starts a command if it pays to poll for its end, else queues it; true: it is to be polled for */
static bool queue_accept(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	unsigned long flags;
	bool polled;

	spin_lock_irqsave(&queue->cm.lock, flags);
	polled = queue->state == FIRESTEEL_QUEUE_IDLE && queue_pays_to_poll(queue, cmd);
	if (polled) {
		queue_start_polled(queue, cmd);
	} else {
		list_add_tail(&cmd->node, &queue->waiting);
		queue->waiting_length++;
		queue->chain.company = queue->state > FIRESTEEL_QUEUE_IDLE;
		queue_start(queue);
	}
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	return polled;
}

/* It takes longer than expected: the command becomes a chain, whose end an interrupt tells.  A core
 * that is gone raises none.
 */
static void queue_stop_polling(struct firesteel_queue *queue, struct firesteel_cmd *cmd,
			       enum firesteel_fault fault)
{
	lockdep_assert_held(&queue->cm.lock);
	queue_clear_chain(queue);
	list_add_tail(&cmd->node, &queue->chain.cmds);
	queue_add_to_chain(&queue->chain, cmd);
	queue_expect_interrupt(queue);
	if (fault == FIRESTEEL_GONE) {
		queue_set_state(queue, FIRESTEEL_QUEUE_UNCLEAR);
		queue_kick(queue);
	}
}

/* Until a command has ended that was started alone; false: its end follows */
static bool queue_poll(struct firesteel_queue *queue, struct firesteel_cmd *cmd)
{
	enum firesteel_fault fault;
	unsigned long flags;

	lockdep_assert_held(&queue->lock);
	fault = firesteel_cryptomaster_poll(&queue->cm, firesteel_patience_ns(cmd->bytes),
					    &queue->counts.poll_reads);
	spin_lock_irqsave(&queue->cm.lock, flags);
	if (fault) {
		queue_stop_polling(queue, cmd, fault);
	} else {
		queue_set_state(queue, FIRESTEEL_QUEUE_IDLE);
		queue->counts.polls++;
	}
	spin_unlock_irqrestore(&queue->cm.lock, flags);
	return !fault;
}

enum firesteel_submission firesteel_queue_submit(struct firesteel_queue *queue,
						 struct firesteel_cmd *cmd)
{
	enum firesteel_submission submission = FIRESTEEL_FOLLOWS;

	lockdep_assert_in_softirq();
	cmd->fault = FIRESTEEL_NO_FAULT;
	spin_lock(&queue->lock);
	queue->counts.cmds++;
	if (!firesteel_queue_in_service(queue))
		submission = FIRESTEEL_REFUSED;
	else if (queue_accept(queue, cmd) && queue_poll(queue, cmd))
		submission = FIRESTEEL_ENDED;
	else
		queue_place(cmd);
	spin_unlock(&queue->lock);
	return submission;
}

bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request,
			     bool held_back)
{
	bool kept;

	spin_lock_bh(&queue->lock);
	kept = firesteel_queue_in_service(queue) &&
	       (held_back || queue->backlog_length < BACKLOG_MAX);
	if (kept) {
		queue->backlog_length++;
		list_add_tail(&request->list, &queue->backlog);
		queue->counts.backlogged++;
	}
	spin_unlock_bh(&queue->lock);
	/* a command may have become free before the request was in the list */
	smp_mb(); /* with atomic_fetch_or() in firesteel_pool_put() */
	if (kept && atomic_read(&queue->pool.free))
		queue_kick(queue);
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
	INIT_LIST_HEAD(&queue->chain.cmds);
	INIT_LIST_HEAD(&queue->ended);
	INIT_LIST_HEAD(&queue->due);
	INIT_LIST_HEAD(&queue->failed);
	INIT_LIST_HEAD(&queue->backlog);
	firesteel_bh_init(&queue->bh, queue_bh_run);
	timer_setup(&queue->watchdog, queue_watchdog_run, 0);
	err = firesteel_pool_allocate(&queue->pool, dev);
	if (err)
		firesteel_pool_free(&queue->pool);
	return err;
}

void firesteel_queue_close(struct firesteel_queue *queue, bool quiet)
{
	firesteel_timer_shutdown(&queue->watchdog);
	/* those between get and submit */
	if (quiet)
		firesteel_pool_drain(&queue->pool);
	/* a handler, or whoever released a command, may have asked for it at the end */
	firesteel_bh_disable(&queue->bh);
	if (quiet)
		firesteel_pool_free(&queue->pool);
}
