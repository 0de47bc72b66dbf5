// SPDX-License-Identifier: GPL-2.0-or-later
#include "recovery.h"

#include <linux/device.h>
#include <linux/lockdep.h>
#include <linux/pci.h>

#include "queue.h"

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

/* Resets the core; if it does not answer, disables its bus mastering, which only PCI can do */
static bool recovery_reset_core(struct firesteel_recovery *recovery)
{
	struct device *dev = recovery->dev;
	bool recovered;

	lockdep_assert_held(&recovery->queue->lock);
	recovered = firesteel_cryptomaster_reset(&recovery->queue->cm);
	if (!dev_is_pci(dev))
		recovery->queue->pool.dma_not_quiesced = !recovered;
	else if (recovered)
		pci_set_master(to_pci_dev(dev));
	else
		pci_clear_master(to_pci_dev(dev));
	return recovered;
}

/* Until the next try; each is twice as long as the last */
static void recovery_pause(struct firesteel_recovery *recovery)
{
	lockdep_assert_held(&recovery->queue->lock);
	if (!recovery->closing)
		mod_delayed_work(system_wq, &recovery->retry,
				 msecs_to_jiffies(recovery->backoff_ms));
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
	recovery_pause(recovery);
}

/* The pause is over, or the core has worked for long enough */
static void recovery_retry_work(struct work_struct *work)
{
	struct firesteel_recovery *recovery = container_of(to_delayed_work(work),
							   struct firesteel_recovery, retry);
	struct firesteel_queue *queue = recovery->queue;

	spin_lock_bh(&queue->lock);
	if (recovery->closing) {
		/* it stays out of service */
	} else if (queue->in_service) {
		dev_info(recovery->dev, "recovered after %u faults\n", recovery->faults);
		recovery->faults = 0;
		recovery->backoff_ms = BACKOFF_MIN_MS;
	} else if (recovery_reset_core(recovery)) {
		firesteel_queue_enter_service(queue);
		recovery->cmds_before = queue->counts.cmds;
		schedule_delayed_work(&recovery->retry, msecs_to_jiffies(RECOVERED_MS));
	} else {
		recovery_pause(recovery);
	}
	spin_unlock_bh(&queue->lock);
}

int firesteel_recovery_open(struct firesteel_recovery *recovery, struct firesteel_queue *queue,
			    struct device *dev)
{
	recovery->queue = queue;
	recovery->dev = dev;
	recovery->backoff_ms = BACKOFF_MIN_MS;
	INIT_DELAYED_WORK(&recovery->retry, recovery_retry_work);
	if (!firesteel_cryptomaster_reset(&queue->cm))
		return -EIO;
	spin_lock_bh(&queue->lock);
	firesteel_queue_enter_service(queue);
	spin_unlock_bh(&queue->lock);
	return 0;
}

void firesteel_recovery_close(struct firesteel_recovery *recovery)
{
	struct firesteel_queue *queue = recovery->queue;
	LIST_HEAD(removed);
	LIST_HEAD(done);

	spin_lock_bh(&queue->lock);
	recovery->closing = true;
	firesteel_queue_leave_service(queue, &done, &removed);
	recovery_reset_core(recovery);
	firesteel_cryptomaster_enable(&queue->cm, 0);
	spin_unlock(&queue->lock);
	firesteel_queue_end(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_end(&removed, FIRESTEEL_REMOVED);
	local_bh_enable();
	/* which sends the backlog to software */
	firesteel_queue_kick(queue);
	cancel_delayed_work_sync(&recovery->retry);
}

/* Wipes keys and backups */
static void recovery_wipe(struct firesteel_cmd *cmd, const void *data)
{
	memzero_explicit(cmd->arena, sizeof(*cmd->arena));
	memzero_explicit(cmd->backup_memory, FIRESTEEL_BACKUP_SIZE);
	cmd->holder = NULL;
}

void firesteel_recovery_suspend(struct firesteel_recovery *recovery)
{
	firesteel_recovery_close(recovery);
	firesteel_pool_each_free(&recovery->queue->pool, recovery_wipe, NULL);
}

void firesteel_recovery_resume(struct firesteel_recovery *recovery)
{
	struct firesteel_queue *queue = recovery->queue;

	spin_lock_bh(&queue->lock);
	recovery->closing = false;
	recovery->faults = 0;
	recovery->backoff_ms = BACKOFF_MIN_MS;
	if (recovery_reset_core(recovery)) {
		firesteel_queue_enter_service(queue);
	} else {
		recovery->faults = 1;
		recovery_warn(recovery, FIRESTEEL_GONE);
		recovery_pause(recovery);
	}
	spin_unlock_bh(&queue->lock);
}
