// SPDX-License-Identifier: GPL-2.0-or-later
#include "order.h"

#include <crypto/algapi.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "compat.h"

/* Orders with completions to be called that nobody else will call */
static LIST_HEAD(late_orders);
static DEFINE_SPINLOCK(late_lock);

static void order_call_late(struct firesteel_bh *bh);
static DECLARE_FIRESTEEL_BH(late_bh, order_call_late);

/* ---- life ---- */

struct firesteel_order *firesteel_order_open(void)
{
	struct firesteel_order *order = kzalloc(sizeof(*order), GFP_KERNEL);

	if (!order)
		return NULL;
	spin_lock_init(&order->lock);
	INIT_LIST_HEAD(&order->tickets);
	INIT_LIST_HEAD(&order->late);
	return order;
}

void firesteel_order_close(struct firesteel_order *order)
{
	WARN_ON_ONCE(!list_empty(&order->tickets));
	spin_lock_bh(&late_lock);
	list_del_init(&order->late);
	spin_unlock_bh(&late_lock);
	kfree_rcu(order, rcu);
}

void firesteel_order_settle(void)
{
	firesteel_bh_flush(&late_bh);
}

/* ---- completions ---- */

/* The first request, if it has ended */
static struct firesteel_ticket *order_due(struct firesteel_order *order)
{
	struct firesteel_ticket *first = list_first_entry_or_null(&order->tickets,
								  struct firesteel_ticket, node);

	return first && first->result != -EINPROGRESS ? first : NULL;
}

/* Completes all that are due, unless another is at it, who then does so.  Completions run without
 * the lock, and one at a time: on two CPUs they could overtake each other.  Bottom halves are off,
 * so the task tells who is at it also where it can be preempted meanwhile.
 */
static void order_complete(struct firesteel_order *order) __must_hold(&order->lock)
{
	struct firesteel_ticket *ticket;

	lockdep_assert_held(&order->lock);
	lockdep_assert_in_softirq();
	if (order->completer)
		return;
	WRITE_ONCE(order->completer, current);
	smp_wmb(); /* with smp_rmb() in firesteel_order_is_busy() */
	while ((ticket = order_due(order))) {
		list_del(&ticket->node);
		spin_unlock(&order->lock);
		/* which may free the request, and the transform */
		firesteel_complete(ticket->request, ticket->result);
		spin_lock(&order->lock);
	}
	/* whoever sees this also sees what the completions did */
	smp_store_release(&order->completer, NULL);
}

static void order_call_late(struct firesteel_bh *bh)
{
	struct firesteel_order *order;

	/* an order that is closed as soon as it is in no list */
	rcu_read_lock();
	for (;;) {
		spin_lock(&late_lock);
		order = list_first_entry_or_null(&late_orders, struct firesteel_order, late);
		if (order)
			list_del_init(&order->late);
		spin_unlock(&late_lock);
		if (!order)
			break;
		spin_lock(&order->lock);
		order_complete(order);
		spin_unlock(&order->lock);
	}
	rcu_read_unlock();
}

/* Somebody else completes what is due: whoever submits a request may hold a lock that its
 * completion takes
 */
static void order_complete_later(struct firesteel_order *order)
{
	lockdep_assert_held(&order->lock);
	if (order->completer || !order_due(order))
		return;
	spin_lock(&late_lock);
	if (list_empty(&order->late))
		list_add_tail(&order->late, &late_orders);
	spin_unlock(&late_lock);
	firesteel_bh_queue(&late_bh);
}

/* ---- requests ---- */

void firesteel_order_enter(struct firesteel_order *order, struct firesteel_ticket *ticket)
{
	lockdep_assert_in_softirq();
	spin_lock(&order->lock);
	ticket->placed = true;
	list_add_tail(&ticket->node, &order->tickets);
	/* it may have ended meanwhile */
	if (ticket->result != -EINPROGRESS)
		order_complete_later(order);
	spin_unlock(&order->lock);
}

void firesteel_order_end(struct firesteel_order *order, struct firesteel_ticket *ticket, int result)
{
	spin_lock(&order->lock);
	ticket->result = result;
	if (ticket->placed)
		order_complete(order);
	spin_unlock(&order->lock);
}

int firesteel_order_return(struct firesteel_order *order, struct firesteel_ticket *ticket,
			   int result)
{
	bool others;

	spin_lock_bh(&order->lock);
	others = order->tickets.next != &ticket->node ||
		 (order->completer && order->completer != current);
	if (others) {
		ticket->result = result;
		result = -EINPROGRESS;
	} else {
		list_del(&ticket->node);
	}
	order_complete_later(order);
	spin_unlock_bh(&order->lock);
	return result;
}
