/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of one CryptoMaster: commands wait, are chained into one list of descriptors, and end.
 *
 * Life of a command: firesteel_queue_get() returns a free one; cmd.h fills in its descriptors;
 * firesteel_queue_submit() starts or queues it; when the core is done, or has failed, cmd->end() is
 * called once, unless firesteel_queue_submit() has said so already; firesteel_queue_put() releases
 * it.  Nothing is allocated on this path.
 */
#ifndef FIRESTEEL_QUEUE_H
#define FIRESTEEL_QUEUE_H

#include <linux/atomic.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "cryptomaster.h"
#include "fault.h"
#include "pool.h"

struct crypto_async_request;

/* Counters of the queue, under its locks */
struct firesteel_queue_counts {
	u64 cmds;
	u64 chains;
	u64 interrupts;
	u64 idle_interrupts; /* nothing had ended */
	u64 polls; /* commands that were polled for */
	u64 poll_reads; /* of INT_STAT_RAW, for these */
	u64 lost_interrupts; /* found by the watchdog */
	u64 bus_errors;
	u64 time_outs;
	u64 vanished;
	u64 wrong_results;
	u64 resets;
	u64 coalesced; /* chains whose results waited for those of the next */
	u64 backlogged; /* requests that waited for a command */
	u32 longest_chain;
};

/* What the queue asks of those above it */
struct firesteel_queue_callbacks {
	/* A command for a request of the backlog; NULL: the core went out of service.  With bottom
	 * halves off.
	 */
	void (*resume)(struct crypto_async_request *request, struct firesteel_cmd *cmd);

	/* The core has failed, and was taken out of service; under the lock */
	void (*failed)(void *context, enum firesteel_fault fault);
};

/*
 * Locking.  `lock` is everybody's but the interrupt handler's, which takes cm's alone, and moves on
 * from one chain to the next.  What the handler touches therefore needs cm's lock, too, or the
 * core's interrupts disabled, after which no handler touches it.  An idle core stays idle while
 * `lock` is held: the handler starts a chain only when one has ended, all others hold `lock`.
 *
 * The ends of commands, and the backlog's requests that are resumed, run without locks.
 */
struct firesteel_queue {
	const struct firesteel_queue_callbacks *callbacks;
	void *context; /* of the callbacks */
	struct firesteel_cryptomaster cm; /* whose lock nests in `lock` */
	struct firesteel_pool pool;
	atomic_t transforms; /* opened so far; spreads them over the commands */
	spinlock_t lock; /* of all below; taken with bottom halves off */

	/* ---- under cm's lock, too, while interrupts of the core are enabled ---- */

	struct list_head waiting;
	struct list_head running; /* the chain that the core works on */
	struct list_head ended; /* whose results are to be delivered */
	unsigned int waiting_length;
	unsigned int running_bytes;
	bool in_service;
	bool waited; /* a caller sleeps until one of the running commands has ended */
	bool company; /* others were submitted while it ran */
	bool due; /* results of those that have ended wait no longer */
	bool unclear; /* the bottom half is to look at the core */
	unsigned int polls_left; /* before an interrupt shows whether others come */
	unsigned long deadline; /* jiffies, of the running chain */

	/* ---- */

	struct list_head backlog; /* requests for which there was no command */
	unsigned int backlog_length;
	bool advancing; /* a bottom half is at work, and looks at the backlog at its end */
	struct work_struct work; /* after an interrupt; in bottom halves */
	struct timer_list watchdog;

	struct firesteel_queue_counts counts;
};

/* The module parameter `timeout`: how long a core may not answer */
extern unsigned int firesteel_timeout_ms;

/* Out of service until firesteel_queue_enter_service().  Returns 0 or a negative error number. */
int firesteel_queue_open(struct firesteel_queue *queue, struct device *dev, void __iomem *registers,
			 const struct firesteel_queue_callbacks *callbacks, void *context);

/* After it was taken out of service for good; every command ends before this returns */
void firesteel_queue_close(struct firesteel_queue *queue);

/* After the last interrupt: a handler may have been under way */
void firesteel_queue_settle(struct firesteel_queue *queue);

irqreturn_t firesteel_queue_interrupt(struct firesteel_queue *queue);

/* ---- commands ---- */

/* A free command, searched from number `first` on; NULL: none, or the core is out of service */
struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first);
void firesteel_queue_put(struct firesteel_queue *queue, struct firesteel_cmd *cmd);

/*
 * Starts or queues a command; with bottom halves off.  Returns -EINPROGRESS if cmd->end() follows;
 * 0 if it was polled for, and has ended; -ENODEV if the core is out of service by now.
 */
int firesteel_queue_submit(struct firesteel_queue *queue, struct firesteel_cmd *cmd);

/* Keeps a request until there is a command for it; false: the core is out of service, or the
 * backlog is full.  `held_back`: its owner submits no other until it has left, so that it may
 * always enter.
 */
bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request,
			     bool held_back);

/* The core cannot be trusted: software finishes its commands.  With bottom halves off. */
void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault);

/* Whether a command submitted now would have to wait.  A hint: it takes no lock, and between two
 * chains the core looks idle.
 */
static inline bool firesteel_queue_is_busy(const struct firesteel_queue *queue)
{
	return !list_empty(&queue->running);
}

static inline bool firesteel_queue_in_service(const struct firesteel_queue *queue)
{
	return READ_ONCE(queue->in_service);
}

/* ---- service; for recovery.c ---- */

/* Under the lock, when the core has been reset */
void firesteel_queue_enter_service(struct firesteel_queue *queue);

/* Under the lock: commands that have ended go to `done`, waiting and running ones to `failed` */
void firesteel_queue_leave_service(struct firesteel_queue *queue, struct list_head *done,
				   struct list_head *failed);

/* Ends commands that are in no list of the queue any more, with bottom halves off */
void firesteel_queue_end(struct list_head *cmds, enum firesteel_fault fault);

/* Attends to the backlog, which is software's while the core is out of service */
void firesteel_queue_kick(struct firesteel_queue *queue);

#endif
