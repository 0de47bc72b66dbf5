// SPDX-License-Identifier: GPL-2.0-or-later
#include "recovery.h"

#include <linux/delay.h>
#include <linux/device.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "device.h"
#include "cmd.h"

#define BACKOFF_MIN_MS 10u
#define BACKOFF_MAX_MS 10000u

/* A core that worked for so long starts from the shortest pause again */
#define RECOVERED_MS 10000u

/* After this many commands since the last failure, the next one does not lengthen the pause */
#define RECOVERED_CMDS 1000u

#define RESET_POLLS 1000u

static const char *const fault_names[] = {
	[FIRESTEEL_BUS_ERROR] = "bus error",
	[FIRESTEEL_TIME_OUT] = "no answer in time",
	[FIRESTEEL_GONE] = "does not answer, or has been reset",
	[FIRESTEEL_WRONG_RESULT] = "wrong result",
};

bool firesteel_recovery_stop(void __iomem *registers)
{
	unsigned int polls = RESET_POLLS;
	u32 status;

	writel(0, registers + SILEX_CM_INT_EN);
	writel(SILEX_CM_CONFIG_SOFT_RESET, registers + SILEX_CM_CONFIG);
	writel(0, registers + SILEX_CM_CONFIG);
	do {
		status = readl(registers + SILEX_CM_STATUS);
		if (status == ~0u)
			return false;
	} while (status & SILEX_CM_STATUS_RESET_BUSY && --polls);
	if (!polls)
		return false;
	writel(SILEX_CM_INT_ALL, registers + SILEX_CM_INT_STAT_CLR);
	return true;
}

bool firesteel_recovery_reset(struct firesteel_queue *queue)
{
	void __iomem *registers = queue->registers;
	unsigned long flags;

	if (!firesteel_recovery_stop(registers))
		return false;
	writel(FIRESTEEL_CONFIG, registers + SILEX_CM_CONFIG);
	writel(FIRESTEEL_INTERRUPTS, registers + SILEX_CM_INT_EN);
	queue->enabled = FIRESTEEL_INTERRUPTS;
	/* a handler may be about to record older events */
	spin_lock_irqsave(&queue->events_lock, flags);
	atomic_set(&queue->events, 0);
	spin_unlock_irqrestore(&queue->events_lock, flags);
	return true;
}

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

/* Resets the core; if it does not answer, disables its bus mastering, which only PCI can do */
static bool recovery_reset_core(struct firesteel_queue *queue)
{
	struct device *dev = queue->device->dev;
	bool recovered = firesteel_recovery_reset(queue);

	if (!dev_is_pci(dev))
		queue->dma_not_quiesced = !recovered;
	else if (recovered)
		pci_set_master(to_pci_dev(dev));
	else
		pci_clear_master(to_pci_dev(dev));
	return recovered;
}

/* Until the next try; each is twice as long as the last */
static void recovery_pause(struct firesteel_queue *queue)
{
	if (!queue->closing)
		mod_delayed_work(system_wq, &queue->retry, msecs_to_jiffies(queue->backoff_ms));
	queue->backoff_ms = min(2 * queue->backoff_ms, BACKOFF_MAX_MS);
}

static void recovery_take_all(struct firesteel_queue *queue, struct list_head *done,
			      struct list_head *failed)
{
	list_splice_init(&queue->coalesced, done);
	list_splice_tail_init(&queue->running, failed);
	list_splice_tail_init(&queue->waiting, failed);
	queue->waited = false;
}

void firesteel_recovery_begin(struct firesteel_queue *queue, enum firesteel_fault fault,
			      struct list_head *done, struct list_head *failed)
{
	recovery_take_all(queue, done, failed);
	recovery_count(&queue->counts, fault);
	/* whatever reset one core of a window may have reset the other */
	if (fault == FIRESTEEL_GONE && queue->device->presence & SILEX_PRESENCE_PK)
		firesteel_pk_suspect(&queue->device->pk);
	queue->in_service = false;
	if (queue->counts.cmds - queue->cmds_before >= RECOVERED_CMDS)
		queue->backoff_ms = BACKOFF_MIN_MS;
	/* At once: until then the core may still write to its commands' buffers */
	recovery_reset_core(queue);
	if (!queue->faults++)
		dev_warn(queue->device->dev, "%s; in software until it has recovered\n",
			 fault_names[fault]);
	recovery_pause(queue);
}

/* Under the lock.  Nobody else processes requests that entered the backlog meanwhile. */
static void recovery_back_in_service(struct firesteel_queue *queue)
{
	queue->in_service = true;
	tasklet_schedule(&queue->tasklet);
}

/* The pause is over, or the core has worked for long enough */
static void recovery_retry_work(struct work_struct *work)
{
	struct firesteel_queue *queue = container_of(to_delayed_work(work), struct firesteel_queue,
						     retry);

	spin_lock_bh(&queue->lock);
	if (queue->closing) {
		/* it stays out of service */
	} else if (queue->in_service) {
		dev_info(queue->device->dev, "recovered after %u faults\n", queue->faults);
		queue->faults = 0;
		queue->backoff_ms = BACKOFF_MIN_MS;
	} else if (recovery_reset_core(queue)) {
		recovery_back_in_service(queue);
		queue->cmds_before = queue->counts.cmds;
		schedule_delayed_work(&queue->retry, msecs_to_jiffies(RECOVERED_MS));
	} else {
		recovery_pause(queue);
	}
	spin_unlock_bh(&queue->lock);
}

void firesteel_recovery_open(struct firesteel_queue *queue)
{
	queue->backoff_ms = BACKOFF_MIN_MS;
	INIT_DELAYED_WORK(&queue->retry, recovery_retry_work);
}

void firesteel_recovery_close(struct firesteel_queue *queue)
{
	LIST_HEAD(removed);
	LIST_HEAD(done);

	spin_lock_bh(&queue->lock);
	queue->closing = true;
	queue->in_service = false;
	recovery_take_all(queue, &done, &removed);
	recovery_reset_core(queue);
	writel(0, queue->registers + SILEX_CM_INT_EN);
	spin_unlock(&queue->lock);
	firesteel_queue_finish(&done, FIRESTEEL_NO_FAULT);
	firesteel_queue_finish(&removed, FIRESTEEL_REMOVED);
	local_bh_enable();
	/* which sends the backlog to software */
	tasklet_schedule(&queue->tasklet);
	cancel_delayed_work_sync(&queue->retry);
}

/* Wipes keys and backups */
static void recovery_wipe(struct firesteel_cmd *cmd, const void *data)
{
	memzero_explicit(cmd->arena, sizeof(*cmd->arena));
	memzero_explicit(cmd->backup, FIRESTEEL_BACKUP_SIZE);
	cmd->holder = NULL;
}

void firesteel_recovery_suspend(struct firesteel_queue *queue)
{
	firesteel_recovery_close(queue);
	firesteel_queue_each_free(queue, recovery_wipe, NULL);
}

void firesteel_recovery_resume(struct firesteel_queue *queue)
{
	spin_lock_bh(&queue->lock);
	queue->closing = false;
	queue->faults = 0;
	queue->backoff_ms = BACKOFF_MIN_MS;
	if (recovery_reset_core(queue)) {
		recovery_back_in_service(queue);
	} else {
		queue->faults = 1;
		dev_warn(queue->device->dev, "%s; in software until it has recovered\n",
			 fault_names[FIRESTEEL_GONE]);
		recovery_pause(queue);
	}
	spin_unlock_bh(&queue->lock);
}
