// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core cannot be stopped: it has no reset of its own.  So the driver waits until it is idle,
 * and then clears it.  If it never becomes idle, the driver checks it again, with growing pauses;
 * meanwhile the lock stays with the kernel, and programs use software.
 */
#include "pk.h"

#include <linux/delay.h>
#include <linux/device.h>

#include "silex/soc.h"

#define BACKOFF_MIN_MS 10u
#define BACKOFF_MAX_MS 10000u

/* Longer than any operation: key generation with operands of 4096 bits */
#define PATIENCE_MS 2000u

/* Where the core was found faulty before */
#define GLANCE_MS 1u

#define CLEAR_MS 10u

/* The value of POINTERS between operations: not 0, as after a reset (silex/share.h) */
#define CANARY                                                                       \
	(SILEX_PK_POINTER_A(SILEX_PK_SLOT_A) | SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) | \
	 SILEX_PK_POINTER_C(SILEX_PK_SLOT_C) | SILEX_PK_POINTER_N(SILEX_PK_SLOT_N))

/* Programs may open it before uio_register_device() returns, and events may come when it is gone */
void firesteel_pk_wake(struct firesteel_pk *pk)
{
	unsigned long flags;

	spin_lock_irqsave(&pk->lock, flags);
	if (pk->exported)
		uio_event_notify(&pk->info);
	spin_unlock_irqrestore(&pk->lock, flags);
}

/* Whether it is idle, within some time */
static bool pk_wait_idle(const struct firesteel_pk *pk, unsigned int ms)
{
	unsigned long deadline = jiffies + msecs_to_jiffies(ms) + 1;
	unsigned int us = 10;
	bool last;

	do {
		u32 status;

		last = time_after(jiffies, deadline);
		status = readl(pk->registers + SILEX_PK_STATUS);
		if (status == SILEX_GONE)
			return false;
		if (!(status & SILEX_PK_STATUS_BUSY))
			return true;
		us = min(2 * us, 1000u);
		usleep_range(us, 2 * us);
	} while (!last);
	return false;
}

static void pk_write_zeros(const struct firesteel_pk *pk)
{
	unsigned int at;

	for (at = 0; at < SILEX_PK_RAM_SIZE; at += sizeof(u32))
		writel_relaxed(0, pk->ram + at);
	readl(pk->registers + SILEX_PK_STATUS);
}

bool firesteel_pk_has_canary(const struct firesteel_pk *pk)
{
	u32 pointers = readl(pk->registers + SILEX_PK_POINTERS);

	return pointers && pointers != SILEX_GONE;
}

/* Whether operand RAM starts with this word, and the core was not reset before it was read */
static bool pk_begins_with(const struct firesteel_pk *pk, u32 word)
{
	return readl(pk->ram) == word && firesteel_pk_has_canary(pk);
}

/* Clears the idle core's operand RAM, and its last command; before, it gets the microcode that a
 * reset may have taken.  An idle core may have done nothing: the word that was written before must
 * be gone, and the canary must not.
 */
static bool pk_clear(const struct firesteel_pk *pk)
{
	if (pk->microcode)
		firesteel_microcode_write(pk->microcode, pk->code);
	writel(SILEX_PK_OP_CLEAR_MEMORY, pk->registers + SILEX_PK_COMMAND);
	writel(CANARY, pk->registers + SILEX_PK_POINTERS);
	writel(CANARY, pk->ram);
	if (!pk_begins_with(pk, CANARY))
		return false;
	writel(SILEX_PK_CONTROL_RUN, pk->registers + SILEX_PK_CONTROL);
	if (!pk_wait_idle(pk, CLEAR_MS))
		return false;
	if (readl(pk->registers + SILEX_PK_HWCONFIG) & SILEX_PK_HWCONFIG_NO_CLEAR)
		pk_write_zeros(pk);
	writel(SILEX_PK_CONTROL_CLEAR_IRQ, pk->registers + SILEX_PK_CONTROL);
	return pk_begins_with(pk, 0);
}

/* Unless it is at rest */
static void pk_recover_in(struct firesteel_pk *pk, unsigned int ms)
{
	unsigned long flags;

	spin_lock_irqsave(&pk->lock, flags);
	if (!pk->at_rest)
		queue_delayed_work(system_long_wq, &pk->recovery, msecs_to_jiffies(ms));
	spin_unlock_irqrestore(&pk->lock, flags);
}

static void pk_set_reset_known(struct firesteel_pk *pk, bool known)
{
	spin_lock_irq(&pk->lock);
	pk->reset_known = known;
	spin_unlock_irq(&pk->lock);
}

static void pk_back_in_service(struct firesteel_pk *pk, u32 takes)
{
	pk_set_reset_known(pk, false);
	WRITE_ONCE(pk->cleared, true);
	if (pk->faulty)
		dev_info(pk->dev, "public-key engine has recovered\n");
	WRITE_ONCE(pk->faulty, false);
	pk->backoff_ms = BACKOFF_MIN_MS;
	pk->counts.recoveries++;
	firesteel_share_hand_on(pk->share, takes);
	firesteel_pk_wake(pk);
}

static void pk_out_of_service(struct firesteel_pk *pk)
{
	if (!pk->faulty) {
		dev_warn(pk->dev,
			 "public-key engine does not finish; out of service until it does\n");
		firesteel_share_set_state(pk->share, SILEX_SHARE_FAULT);
		/* best effort: a running core ignores these writes */
		pk_write_zeros(pk);
		firesteel_pk_wake(pk);
	}
	WRITE_ONCE(pk->faulty, true);
	pk->counts.faults++;
	pk_recover_in(pk, pk->backoff_ms);
	pk->backoff_ms = min(2 * pk->backoff_ms, BACKOFF_MAX_MS);
}

void firesteel_pk_make_ready(struct firesteel_pk *pk)
{
	u32 takes = firesteel_share_takes(pk->share);

	if (pk_wait_idle(pk, pk->faulty ? GLANCE_MS : PATIENCE_MS) && pk_clear(pk))
		pk_back_in_service(pk, takes);
	else
		pk_out_of_service(pk);
}

/* True once for each reset: the canary is missing until recovery has written it again */
static bool pk_is_new_reset(struct firesteel_pk *pk)
{
	bool is_new;

	spin_lock_irq(&pk->lock);
	is_new = !pk->reset_known && !firesteel_pk_has_canary(pk);
	if (is_new) {
		pk->reset_known = true;
		pk->counts.resets++;
	}
	spin_unlock_irq(&pk->lock);
	return is_new;
}

void firesteel_pk_look(struct firesteel_pk *pk)
{
	if (READ_ONCE(pk->faulty) || !pk_is_new_reset(pk))
		return;
	firesteel_share_interrupt(pk->share);
	firesteel_pk_recover(pk);
	firesteel_pk_wake(pk);
}

static void pk_suspicion_work(struct work_struct *work)
{
	firesteel_pk_look(container_of(work, struct firesteel_pk, suspicion));
}

static void pk_recovery_work(struct work_struct *work)
{
	struct firesteel_pk *pk = container_of(to_delayed_work(work), struct firesteel_pk,
					       recovery);

	if (!READ_ONCE(pk->at_rest))
		firesteel_pk_make_ready(pk);
}

void firesteel_pk_recover(struct firesteel_pk *pk)
{
	pk_recover_in(pk, 0);
}

void firesteel_pk_recovery_open(struct firesteel_pk *pk)
{
	pk->backoff_ms = BACKOFF_MIN_MS;
	INIT_DELAYED_WORK(&pk->recovery, pk_recovery_work);
	INIT_WORK(&pk->suspicion, pk_suspicion_work);
}

static void pk_set_at_rest(struct firesteel_pk *pk, bool at_rest)
{
	spin_lock_irq(&pk->lock);
	WRITE_ONCE(pk->at_rest, at_rest);
	spin_unlock_irq(&pk->lock);
}

void firesteel_pk_recovery_suspend(struct firesteel_pk *pk)
{
	/* processes may end meanwhile */
	pk_set_at_rest(pk, true);
	cancel_work_sync(&pk->suspicion);
	cancel_delayed_work_sync(&pk->recovery);
	/* after recovery, which forgets it: from here on nobody looks */
	pk_set_reset_known(pk, true);
}

void firesteel_pk_recovery_resume(struct firesteel_pk *pk)
{
	pk_set_at_rest(pk, false);
	firesteel_pk_recover(pk);
}

void firesteel_pk_recovery_close(struct firesteel_pk *pk)
{
	pk_set_at_rest(pk, true);
	cancel_delayed_work_sync(&pk->recovery);
}

void firesteel_pk_wipe(struct firesteel_pk *pk)
{
	u32 status = readl(pk->registers + SILEX_PK_STATUS);

	if (status == SILEX_GONE ||
	    (pk_wait_idle(pk, pk->faulty ? GLANCE_MS : PATIENCE_MS) && pk_clear(pk)))
		return;
	pk_write_zeros(pk);
}
