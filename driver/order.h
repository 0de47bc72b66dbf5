/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order in which requests of one transform complete: that in which they were submitted.
 *
 * A request whose end follows has a place in its transform's sequence.  When it has ended it
 * completes as soon as all before it have.  A request that ends at once while there is nobody
 * before it needs no place: that is all that order costs a user with one request at a time.
 */
#ifndef FIRESTEEL_ORDER_H
#define FIRESTEEL_ORDER_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

struct crypto_async_request;

/* Of a transform.  Outlives it by an RCU grace period: a transform may be freed by the last
 * completion, while the order is still in use.
 */
struct firesteel_order {
	spinlock_t lock; /* of all below; taken with bottom halves off */
	struct list_head tickets; /* of requests that have not completed, the first one first */
	struct task_struct *completer; /* in whose context completions are called; NULL: none */
	struct list_head late; /* in the list of those whose completions are to be called */
	struct rcu_head rcu;
};

/* The start of every request's state */
struct firesteel_ticket {
	struct list_head node; /* of the order */
	struct crypto_async_request *request;
	int result; /* -EINPROGRESS until it is known */
	bool placed; /* it has a place */
	bool accepted; /* its user knows that it will be done: it hears only of the end */
};

/* NULL: no memory */
struct firesteel_order *firesteel_order_open(void);
void firesteel_order_close(struct firesteel_order *order);

/* After the last transform was closed, before the module goes */
void firesteel_order_settle(void);

/* A request begins */
static inline void firesteel_ticket_open(struct firesteel_ticket *ticket,
					 struct crypto_async_request *request)
{
	ticket->request = request;
	ticket->result = -EINPROGRESS;
	ticket->placed = false;
	ticket->accepted = false;
}

/* Whether a request that is submitted now has others before it.  Takes no lock: those that the same
 * user has submitted are seen.
 */
static inline bool firesteel_order_is_busy(const struct firesteel_order *order)
{
	const struct task_struct *completer;

	if (!list_empty(&order->tickets))
		return true;
	/* with smp_wmb() in order_complete(): whoever took the last one off is seen */
	smp_rmb();
	completer = READ_ONCE(order->completer);
	/* a completion may itself submit the next request: it is the only one then */
	return completer && completer != current;
}

/* Gives a request its place, behind all others.  With bottom halves off. */
void firesteel_order_enter(struct firesteel_order *order, struct firesteel_ticket *ticket);

/* A request has ended, with or without a place: completes all that are due.  With bottom halves
 * off.  Without a place nothing happens before it gets one.
 */
void firesteel_order_end(struct firesteel_order *order, struct firesteel_ticket *ticket,
			 int result);

/* The same for a request that is still being submitted, whose user's completion is not to be called
 * here: returns its result if it is the first, else -EINPROGRESS.  Bottom halves may be on.
 */
int firesteel_order_return(struct firesteel_order *order, struct firesteel_ticket *ticket,
			   int result);

#endif
