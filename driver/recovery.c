// SPDX-License-Identifier: GPL-2.0-or-later
#include "recovery.h"

#include <linux/device.h>
#include <linux/lockdep.h>

#include "compat.h"
#include "queue.h"
#include "reach.h"

#define BACKOFF_MIN_MS 10u
#define BACKOFF_MAX_MS 10000u

/* A core that worked for so long starts from the shortest pause again */
#define RECOVERED_MS 10000u

/* After this many commands since the last failure, the next one does not lengthen the pause */
#define RECOVERED_CMDS 1000u

static const char *const fault_names[] = {
	[FIRESTEEL_BUS_ERROR] = "bus error",
	[FIRESTEEL_TIME_OUT] = "no answer in time",
	[FIRESTEEL_GONE] = "does not answer, or has been reset",
	[FIRESTEEL_WRONG_RESULT] = "wrong result",
};

static void recovery_count(struct firesteel_queue_counts *counts, enum firesteel_fault fault)
{
	switch (fault) {
	case FIRESTEEL_BUS_ERROR:
		counts->bus_errors++;
		break;
	case FIRESTEEL_TIME_OUT:
		counts->time_outs++;
		break;
	case FIRESTEEL_WRONG_RESULT:
		counts->wrong_results++;
		break;
	default:
		counts->vanished++;
	}
	counts->resets++;
}

static void recovery_warn(const struct firesteel_recovery *recovery, enum firesteel_fault fault)
{
	dev_warn(recovery->dev, "%s; in software until it has recovered\n", fault_names[fault]);
}

/* Resets the core; false: it does not answer.  Of one that was stopped, or cannot write any more as
 * its bus mastering is disabled, which only PCI can do, the commands end.
 */
static bool recovery_reset_core(struct firesteel_recovery *recovery)
{
	enum firesteel_stop stop;

	lockdep_assert_held(&recovery->queue->lock);
	stop = firesteel_cryptomaster_reset(&recovery->queue->cm);
	if (stop == FIRESTEEL_STOPPED) {
		recovery->quiet = true;
		firesteel_reach_memory(recovery->dev);
	} else {
		recovery->quiet = firesteel_reach_nothing(recovery->dev) ||
				  stop == FIRESTEEL_ABSENT;
	}
	if (recovery->quiet)
		firesteel_queue_release(recovery->queue);
	return stop == FIRESTEEL_STOPPED;
}

static void recovery_retry_in(struct firesteel_recovery *recovery, unsigned int ms)
{
	lockdep_assert_held(&recovery->queue->lock);
	if (!recovery->closing)
		mod_delayed_work(firesteel_wq, &recovery->retry, msecs_to_jiffies(ms));
}

/* Until the next try; each is twice as long as the last */
static void recovery_pause(struct firesteel_recovery *recovery)
{
	recovery_retry_in(recovery, recovery->backoff_ms);
	recovery->backoff_ms = min(2 * recovery->backoff_ms, BACKOFF_MAX_MS);
}

void firesteel_recovery_begin(struct firesteel_recovery *recovery, enum firesteel_fault fault)
{
	struct firesteel_queue_counts *counts = &recovery->queue->counts;

	lockdep_assert_held(&recovery->queue->lock);
	recovery_count(counts, fault);
	if (counts->cmds - recovery->cmds_before >= RECOVERED_CMDS)
		recovery->backoff_ms = BACKOFF_MIN_MS;
	/* At once: until then the core may still write to its commands' buffers */
	recovery_reset_core(recovery);
	if (!recovery->faults++)
		recovery_warn(recovery, fault);
	/* requests wait until it is quiet */
	if (recovery->quiet)
		recovery_pause(recovery);
	else
		recovery_retry_in(recovery, 0);
}

/* Into service, if the core answers */
static bool recovery_try(struct firesteel_recovery *recovery)
{
	lockdep_assert_held(&recovery->queue->lock);
	if (!recovery_reset_core(recovery))
		return false;
	firesteel_queue_enter_service(recovery->queue);
	recovery->cmds_before = recovery->queue->counts.cmds;
	return true;
}

static void recovery_has_recovered(struct firesteel_recovery *recovery)
{
	dev_info(recovery->dev, "recovered after %u faults\n", recovery->faults);
	recovery->faults = 0;
	recovery->backoff_ms = BACKOFF_MIN_MS;
}

bool firesteel_recovery_is_stuck(struct firesteel_recovery *recovery)
{
	bool quiet;

	spin_lock_bh(&recovery->queue->lock);
	quiet = recovery->quiet;
	spin_unlock_bh(&recovery->queue->lock);
	return !quiet;
}

/* A core that its own reset does not stop.  Returns whether it writes to memory no more. */
static bool recovery_quiesce(struct firesteel_recovery *recovery)
{
	struct firesteel_queue *queue = recovery->queue;

	if (!firesteel_recovery_is_stuck(recovery))
		return true;
	if (!recovery->quiesce || !recovery->quiesce(recovery->context))
		return false;
	spin_lock_bh(&queue->lock);
	recovery->quiet = true;
	firesteel_queue_release(queue);
	spin_unlock_bh(&queue->lock);
	return true;
}

/* The pause is over, or the core has worked for long enough */
static void recovery_retry_work(struct work_struct *work)
{
	struct firesteel_recovery *recovery = container_of(to_delayed_work(work),
							   struct firesteel_recovery, retry);
	struct firesteel_queue *queue = recovery->queue;

	recovery_quiesce(recovery);
	spin_lock_bh(&queue->lock);
	if (recovery->closing)
		; /* it stays out of service */
	else if (firesteel_queue_in_service(queue))
		recovery_has_recovered(recovery);
	else if (recovery_try(recovery))
		schedule_delayed_work(&recovery->retry, msecs_to_jiffies(RECOVERED_MS));
	else
		recovery_pause(recovery);
	spin_unlock_bh(&queue->lock);
}

int firesteel_recovery_open(struct firesteel_recovery *recovery, struct firesteel_queue *queue,
			    struct device *dev)
{
	recovery->queue = queue;
	recovery->dev = dev;
	recovery->backoff_ms = BACKOFF_MIN_MS;
	INIT_DELAYED_WORK(&recovery->retry, recovery_retry_work);
	recovery->quiet = true;
	if (firesteel_cryptomaster_reset(&queue->cm) != FIRESTEEL_STOPPED)
		return -EIO;
	spin_lock_bh(&queue->lock);
	firesteel_queue_enter_service(queue);
	spin_unlock_bh(&queue->lock);
	return 0;
}

bool firesteel_recovery_close(struct firesteel_recovery *recovery)
{
	struct firesteel_queue *queue = recovery->queue;
	bool quiet;

	spin_lock_bh(&queue->lock);
	recovery->closing = true;
	firesteel_queue_leave_service(queue, FIRESTEEL_REMOVED);
	recovery_reset_core(recovery);
	firesteel_queue_mask(queue);
	spin_unlock_bh(&queue->lock);
	cancel_delayed_work_sync(&recovery->retry);
	quiet = recovery_quiesce(recovery);
	firesteel_queue_settle(queue);
	return quiet;
}

bool firesteel_recovery_cut_off(struct firesteel_recovery *recovery)
{
	return firesteel_reach_nothing(recovery->dev) ||
	       (recovery->quiesce && recovery->quiesce(recovery->context));
}

bool firesteel_recovery_suspend(struct firesteel_recovery *recovery)
{
	struct firesteel_pool *pool = &recovery->queue->pool;

	if (!firesteel_recovery_close(recovery))
		return false;
	/* those between get and submit have keys and callers' memory, too */
	firesteel_pool_drain(pool);
	firesteel_pool_refill(pool);
	return true;
}

void firesteel_recovery_resume(struct firesteel_recovery *recovery)
{
	struct firesteel_queue *queue = recovery->queue;

	spin_lock_bh(&queue->lock);
	recovery->closing = false;
	recovery->faults = 0;
	recovery->backoff_ms = BACKOFF_MIN_MS;
	if (!recovery_try(recovery)) {
		recovery->faults = 1;
		recovery_warn(recovery, FIRESTEEL_GONE);
		recovery_pause(recovery);
	}
	spin_unlock_bh(&queue->lock);
}
