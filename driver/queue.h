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

#include "compat.h"
#include "cryptomaster.h"
#include "fault.h"
#include "pool.h"

struct crypto_async_request;
struct firesteel_section;

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
	 * halves off.  Counts in the section what takes this processor's time: software's bytes,
	 * and those that were polled for.
	 */
	void (*resume)(struct crypto_async_request *request, struct firesteel_cmd *cmd,
		       struct firesteel_section *section);

	/* The core has failed, and was taken out of service; under the lock */
	void (*failed)(void *context, enum firesteel_fault fault);
};

enum firesteel_queue_state {
	FIRESTEEL_QUEUE_OUT, /* of service */
	FIRESTEEL_QUEUE_IDLE,
	/* At work: */
	FIRESTEEL_QUEUE_POLLED, /* on a command for whose end its submitter polls */
	FIRESTEEL_QUEUE_RUNNING, /* on a chain whose end an interrupt tells */
	FIRESTEEL_QUEUE_UNCLEAR, /* an interrupt came: the bottom half is to look at the core */
	FIRESTEEL_QUEUE_WATCHED, /* the watchdog came: the same */
};

/* Commands that the core works on one after another */
struct firesteel_chain {
	struct list_head cmds;
	unsigned int bytes;
	bool waited; /* a caller sleeps until one of them has ended */
	bool company; /* others were submitted while it ran */
	unsigned long deadline; /* jiffies */
};

/*
 * Locking.  `lock` is everybody's but the interrupt handler's; while it is held, nobody but the
 * handler changes the state, and no command ends that was submitted meanwhile.  What the handler
 * touches, too, needs cm's lock, which nests in `lock`.
 *
 * The work alone ends commands and resumes requests of the backlog.  It does so without locks, in
 * sections: what is left after one is the next one's, so that others run in between.
 */
struct firesteel_queue {
	const struct firesteel_queue_callbacks *callbacks;
	void *context; /* of the callbacks */
	struct firesteel_cryptomaster cm;
	struct firesteel_pool pool;
	atomic_t transforms; /* opened so far; spreads them over the commands */

	/* ---- under cm's lock ---- */

	enum firesteel_queue_state state;
	struct list_head waiting;
	unsigned int waiting_length;
	struct firesteel_chain chain; /* that the core works on */
	struct list_head ended; /* whose results may wait for those of the next chain */
	struct list_head due; /* to be ended */
	unsigned int polls_left; /* before an interrupt shows whether others come */

	/* ---- */

	spinlock_t lock; /* of all below; taken with bottom halves off */
	/* The core failed on them, and may still write to their memory */
	struct list_head failed;
	/* Requests for which there was no command; only added to its end and deleted one by one,
	 * so that list_empty() may be called without the lock
	 */
	struct list_head backlog;
	unsigned int backlog_length;
	bool advancing; /* the work runs, and looks at the backlog at its end */
	struct firesteel_bh bh; /* the work */
	struct timer_list watchdog;

	struct firesteel_queue_counts counts;
};

/* The module parameter `timeout`: how long a core may not answer */
extern unsigned int firesteel_timeout_ms;

/* Out of service until firesteel_queue_enter_service().  Returns 0 or a negative error number. */
int firesteel_queue_open(struct firesteel_queue *queue, struct device *dev, void __iomem *registers,
			 const struct firesteel_queue_callbacks *callbacks, void *context);

/* After it was taken out of service for good, and has settled: the work runs no more.  `quiet`: the
 * last command is free, and so is the memory of all, before this returns; else the core may still
 * write to it, and it is kept.
 */
void firesteel_queue_close(struct firesteel_queue *queue, bool quiet);

irqreturn_t firesteel_queue_interrupt(struct firesteel_queue *queue);

/* ---- commands ---- */

/* A free command, searched from number `first` on; NULL: none, or the core is out of service */
struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first);
void firesteel_queue_put(struct firesteel_queue *queue, struct firesteel_cmd *cmd);

enum firesteel_submission {
	FIRESTEEL_ENDED, /* the command was polled for, and has ended well */
	FIRESTEEL_FOLLOWS, /* cmd->end() follows */
	FIRESTEEL_REFUSED, /* the core is out of service by now */
};

/* Starts or queues a command; with bottom halves off */
enum firesteel_submission firesteel_queue_submit(struct firesteel_queue *queue,
						 struct firesteel_cmd *cmd);

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
	return READ_ONCE(queue->state) > FIRESTEEL_QUEUE_IDLE;
}

static inline bool firesteel_queue_in_service(const struct firesteel_queue *queue)
{
	return READ_ONCE(queue->state) != FIRESTEEL_QUEUE_OUT;
}

/* ---- service; for recovery.c ---- */

/* Under the lock, when the core has been reset */
void firesteel_queue_enter_service(struct firesteel_queue *queue);

/* Under the lock: commands that have ended are delivered; waiting and running ones have failed, and
 * stay so until firesteel_queue_release()
 */
void firesteel_queue_leave_service(struct firesteel_queue *queue, enum firesteel_fault fault);

/* Under the lock: the core interrupts no more until it is reset */
void firesteel_queue_mask(struct firesteel_queue *queue);

/* Under the lock: the core writes to memory no more, and software finishes what has failed */
void firesteel_queue_release(struct firesteel_queue *queue);

/* Out of service: waits until all commands that were released, and all requests of the backlog,
 * have ended.  May sleep.
 */
void firesteel_queue_settle(struct firesteel_queue *queue);

#endif
