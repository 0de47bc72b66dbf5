/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of one CryptoMaster: commands wait, are chained into one list of descriptors, and end.
 *
 * Life of a command: firesteel_queue_get() returns a free one; cmd.h fills in its descriptors;
 * firesteel_queue_submit() starts or queues it; when the core is done, or has failed,
 * cmd->finish() is called once, with bottom halves off, and releases the command by
 * firesteel_queue_put().  Nothing is allocated on this path.
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

#include "wait-mode.h"
#include "silex/cryptomaster.h"

struct crypto_async_request;
struct firesteel_device;
struct firesteel_cmd;

/* Commands of one CryptoMaster: a bit of a word for each */
#define FIRESTEEL_CMDS 32u

/* Why a chain of commands ended without a result */
enum firesteel_fault {
	FIRESTEEL_NO_FAULT,
	FIRESTEEL_BUS_ERROR,
	FIRESTEEL_TIME_OUT,
	FIRESTEEL_GONE, /* registers read all ones, or as after a reset */
	FIRESTEEL_WRONG_RESULT, /* verify.c */
	FIRESTEEL_REMOVED,
};

/* Counters of the queue, under its lock; except interrupts, which the handler counts */
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

struct firesteel_queue {
	struct firesteel_device *device;
	void __iomem *registers;
	struct firesteel_cmd *cmds; /* all of them */
	atomic_t free; /* free commands, a bit for each */
	atomic_t transforms; /* opened so far; spreads them over the commands */
	spinlock_t lock; /* of all below; taken with bottom halves off */

	struct list_head waiting;
	struct list_head running; /* the chain that the core works on */
	struct list_head coalesced; /* ended; results are delivered with the running chain's */
	struct list_head backlog; /* requests for which there was no command */
	unsigned int running_bytes;
	bool waited; /* a caller sleeps until one of the running commands has ended */
	bool company; /* others were submitted while it ran */
	unsigned int polls_left; /* before an interrupt shows whether others come */
	unsigned long deadline; /* jiffies, of the running chain */
	spinlock_t events_lock; /* while INT_STAT_RAW is read, cleared and noted; nests in lock */
	atomic_t events; /* bits that came since the running chain was started, and were cleared */
	u32 enabled; /* the value of INT_EN */
	struct tasklet_struct tasklet;
	struct timer_list watchdog;

	/* service: recovery.c */
	bool in_service;
	bool closing;
	bool dma_not_quiesced; /* the core could not be stopped, and may still access memory */
	unsigned int faults; /* since it last worked; the log tells of the first */
	unsigned int backoff_ms; /* the next pause */
	u64 cmds_before; /* done before it last returned to service */
	struct delayed_work retry;

	struct firesteel_queue_counts counts;
};

/* Returns 0 or a negative error number */
int firesteel_queue_open(struct firesteel_queue *queue, struct firesteel_device *device,
			 void __iomem *registers);

/* Every command ends before this returns; software finishes outstanding ones */
void firesteel_queue_close(struct firesteel_queue *queue);

irqreturn_t firesteel_queue_interrupt(int irq, void *queue);

/* A free command, searched from number `first` on; NULL: none, or the core is out of service */
struct firesteel_cmd *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first);
void firesteel_queue_put(struct firesteel_cmd *cmd);

/* Calls `each` for all free commands, which are reserved meanwhile */
void firesteel_queue_each_free(struct firesteel_queue *queue,
			       void (*each)(struct firesteel_cmd *cmd, const void *data),
			       const void *data);

/*
 * Starts or queues a command.  Returns -EINPROGRESS if it ends later, which then completes
 * cmd->request; otherwise the result of cmd->finish(): the command was polled, or the core is out
 * of service by now.
 */
int firesteel_queue_submit(struct firesteel_cmd *cmd);

/* Keeps a request until there is a command for it; false: the core is out of service */
bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request);

/* The callback, in request.c: a command for a request of the backlog; NULL: the core went out of
 * service.  With bottom halves off.
 */
void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_cmd *cmd);

/* The core cannot be trusted: software finishes its commands, and recovery begins.  With bottom
 * halves off.
 */
void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault);

/* Whether a command submitted now would have to wait.  A hint: it takes no lock. */
static inline bool firesteel_queue_is_busy(const struct firesteel_queue *queue)
{
	return !list_empty(&queue->running);
}

static inline bool firesteel_queue_in_service(const struct firesteel_queue *queue)
{
	return READ_ONCE(queue->in_service);
}

/* For recovery.c: starts what waits, if the core is idle; under the lock */
void firesteel_queue_start(struct firesteel_queue *queue);

/* For recovery.c: ends commands that are in no list any more, with bottom halves off */
void firesteel_queue_finish(struct list_head *cmds, enum firesteel_fault fault);

/* For recovery.c: sets INT_EN, if its value changes; under the lock */
void firesteel_queue_enable(struct firesteel_queue *queue, u32 interrupts);

#endif
