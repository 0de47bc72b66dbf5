/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue of one CryptoMaster: jobs wait, are chained into one list of descriptors, and end.
 *
 * Life of a job: firesteel_queue_get() returns a free one; job.h fills in its descriptors;
 * firesteel_queue_submit() starts or queues it; when the core is done, or has failed,
 * job->finish() is called once, with bottom halves off, and releases the job by
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

#include "completion.h"
#include "silex/cryptomaster.h"

struct crypto_async_request;
struct firesteel_device;
struct firesteel_job;

/* Jobs of one CryptoMaster: a bit of a word for each */
#define FIRESTEEL_JOBS 32u

/* Why a chain of jobs ended without a result */
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
	u64 jobs;
	u64 chains;
	u64 interrupts;
	u64 idle_interrupts; /* nothing had ended */
	u64 polls; /* jobs that were polled for */
	u64 poll_reads; /* of INT_STAT_RAW, for these */
	u64 lost_interrupts; /* found by the watchdog */
	u64 bus_errors;
	u64 time_outs;
	u64 vanished;
	u64 wrong_results;
	u64 resets;
	u64 coalesced; /* chains whose results waited for those of the next */
	u64 backlogged; /* requests that waited for a job */
	u32 longest_chain;
};

struct firesteel_queue {
	struct firesteel_device *device;
	void __iomem *registers;
	struct firesteel_job *jobs; /* all of them */
	atomic_t free; /* free jobs, a bit for each */
	atomic_t transforms; /* opened so far; spreads them over the jobs */
	spinlock_t lock; /* of all below; taken with bottom halves off */

	struct list_head waiting;
	struct list_head running; /* the chain that the core works on */
	struct list_head coalesced; /* ended; results are delivered with the running chain's */
	struct list_head backlog; /* requests for which there was no job */
	unsigned int running_bytes;
	bool waited; /* a caller sleeps until one of the running jobs has ended */
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
	u64 jobs_before; /* done before it last returned to service */
	struct delayed_work retry;

	struct firesteel_queue_counts counts;
};

/* Returns 0 or a negative error number */
int firesteel_queue_open(struct firesteel_queue *queue, struct firesteel_device *device,
			 void __iomem *registers);

/* Every job ends before this returns; software finishes outstanding ones */
void firesteel_queue_close(struct firesteel_queue *queue);

irqreturn_t firesteel_queue_interrupt(int irq, void *queue);

/* A free job, searched from number `first` on; NULL: none, or the core is out of service */
struct firesteel_job *firesteel_queue_get(struct firesteel_queue *queue, unsigned int first);
void firesteel_queue_put(struct firesteel_job *job);

/* Calls `each` for all free jobs, which are reserved meanwhile */
void firesteel_queue_each_free(struct firesteel_queue *queue,
			       void (*each)(struct firesteel_job *job, const void *data),
			       const void *data);

/*
 * Starts or queues a job.  Returns -EINPROGRESS if it ends later, which then completes
 * job->request; otherwise the result of job->finish(): the job was polled, or the core is out of
 * service by now.
 */
int firesteel_queue_submit(struct firesteel_job *job);

/* Keeps a request until there is a job for it; false: the core is out of service */
bool firesteel_queue_backlog(struct firesteel_queue *queue, struct crypto_async_request *request);

/* The callback, in request.c: a job for a request of the backlog; NULL: the core went out of
 * service.  With bottom halves off.
 */
void firesteel_request_resume(struct crypto_async_request *request, struct firesteel_job *job);

/* The core cannot be trusted: software finishes its jobs, and recovery begins.  With bottom
 * halves off.
 */
void firesteel_queue_fail(struct firesteel_queue *queue, enum firesteel_fault fault);

/* Whether a job submitted now would have to wait.  A hint: it takes no lock. */
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

/* For recovery.c: ends jobs that are in no list any more, with bottom halves off */
void firesteel_queue_finish(struct list_head *jobs, enum firesteel_fault fault);

/* For recovery.c: sets INT_EN, if its value changes; under the lock */
void firesteel_queue_enable(struct firesteel_queue *queue, u32 interrupts);

#endif
