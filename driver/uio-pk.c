// SPDX-License-Identifier: GPL-2.0-or-later
/* The public-key engine for programs, as silex/share.h has it. */
#include <linux/device.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "compat.h"
#include "uio-pk.h"

/* ---- interrupts ---- */

/* Whether an operation has ended since the last time; a running one has not */
static bool uio_pk_has_ended(struct firesteel_pk *pk)
{
	u32 status = READ_ONCE(pk->asleep) ? SILEX_GONE : readl(pk->registers + SILEX_PK_STATUS);

	if (status == SILEX_GONE || !(status & SILEX_PK_STATUS_IRQ))
		return false;
	writel(SILEX_PK_CONTROL_CLEAR_IRQ, pk->registers + SILEX_PK_CONTROL);
	return true;
}

static irqreturn_t uio_pk_interrupt(int irq, void *data)
{
	struct firesteel_pk *pk = data;

	if (!uio_pk_has_ended(pk))
		return IRQ_NONE;
	if (!pk->shared_irq) {
		disable_irq_nosync(irq);
		/* Arming before this line has no effect, but its program is woken below */
		atomic_set(&pk->armed, 0);
	}
	pk->counts.interrupts++;
	firesteel_pk_wake(pk);
	return IRQ_HANDLED;
}

static void uio_pk_arm(struct firesteel_pk *pk)
{
	/* after a reset, the awaited interrupt does not come */
	firesteel_pk_look(pk);
	if (uio_pk_has_ended(pk))
		firesteel_pk_wake(pk);
	else if (!pk->shared_irq && !atomic_xchg(&pk->armed, 1))
		enable_irq(pk->irq);
}

static void uio_pk_disarm(struct firesteel_pk *pk)
{
	if (pk->shared_irq || !pk->irq)
		return;
	/* waits for the handler: what is set after it is 0 or 1 for good */
	disable_irq(pk->irq);
	if (!atomic_xchg(&pk->armed, 0))
		enable_irq(pk->irq);
}

static int uio_pk_irqcontrol(struct uio_info *info, s32 word)
{
	struct firesteel_pk *pk = info->priv;
	int err;

	if ((u32)word & SILEX_SHARE_JOIN)
		return firesteel_share_join(pk->share, word);
	switch (word) {
	case SILEX_SHARE_DISARM:
		uio_pk_disarm(pk);
		return 0;
	case SILEX_SHARE_ARM:
		if (!pk->irq)
			return -EOPNOTSUPP;
		uio_pk_arm(pk);
		return 0;
	case SILEX_SHARE_WAKE:
		pk->counts.wakes++;
		firesteel_pk_wake(pk);
		return 0;
	case SILEX_SHARE_GIVE_UP:
		err = firesteel_share_give_up(pk->share);
		if (!err)
			firesteel_pk_recover(pk);
		return err;
	default:
		return -EINVAL;
	}
}

/* ---- files ---- */

static int uio_pk_open(struct uio_info *info, struct inode *inode)
{
	struct firesteel_pk *pk = info->priv;

	if (!READ_ONCE(pk->cleared))
		return -EIO;
	firesteel_pk_look(pk);
	pk->counts.opens++;
	pk->open_files++;
	return 0;
}

/* Closing the last file clears the core, even after programs that ignored the lock */
static int uio_pk_release(struct uio_info *info, struct inode *inode)
{
	struct firesteel_pk *pk = info->priv;

	if (--pk->open_files)
		return 0;
	uio_pk_disarm(pk);
	firesteel_share_seize(pk->share);
	firesteel_pk_recover(pk);
	return 0;
}

static int uio_pk_map(void *priv, struct firesteel_area *area)
{
	struct firesteel_pk *pk = priv;

	switch (area->map) {
	case SILEX_SHARE_PK_REGS_MAP:
	case SILEX_SHARE_PK_RAM_MAP:
		return firesteel_mapping_registers(pk->mappings, area,
						   pk->info.mem[area->map].addr);
	case SILEX_SHARE_PK_LOCK_MAP:
		firesteel_share_mmap(pk->share, area);
		return 0;
	default:
		return -EINVAL;
	}
}

static int uio_pk_mmap(struct uio_info *info, struct firesteel_new_area *new)
{
	return firesteel_mapping_create(info, new, uio_pk_map);
}

/* ---- life ---- */

/* A process that waited or owned has ended; called by the lock page */
static void uio_pk_changed(void *context, bool orphaned)
{
	struct firesteel_pk *pk = context;

	if (orphaned)
		firesteel_pk_recover(pk);
	else
		firesteel_pk_wake(pk);
}

static void uio_pk_describe(struct firesteel_pk *pk)
{
	pk->info = (struct uio_info){
		.name = SILEX_SHARE_PK,
		.version = "2",
		.irq = UIO_IRQ_CUSTOM,
		.priv = pk,
		.open = uio_pk_open,
		.release = uio_pk_release,
		.FIRESTEEL_UIO_MMAP = uio_pk_mmap,
		.irqcontrol = uio_pk_irqcontrol,
		.mem = {
			[SILEX_SHARE_PK_REGS_MAP] = {
				.name = "registers",
				.addr = pk->base + SILEX_PK_BASE,
				.size = PAGE_SIZE,
				.memtype = UIO_MEM_PHYS,
			},
			[SILEX_SHARE_PK_RAM_MAP] = {
				.name = "operands",
				.addr = pk->base + SILEX_PK_RAM_BASE,
				.size = SILEX_PK_RAM_SIZE,
				.memtype = UIO_MEM_PHYS,
			},
			[SILEX_SHARE_PK_LOCK_MAP] = {
				.name = "lock",
				.size = PAGE_SIZE,
				.memtype = UIO_MEM_LOGICAL,
			},
		},
	};
}

/* Without an interrupt, programs can poll */
static void uio_pk_request_interrupt(struct firesteel_pk *pk)
{
	unsigned long flags = pk->shared_irq ? IRQF_SHARED : IRQF_NO_AUTOEN;
	int err;

	if (!pk->irq)
		return;
	err = request_irq(pk->irq, uio_pk_interrupt, flags, SILEX_SHARE_PK, pk);
	if (err) {
		dev_warn(pk->dev, "public-key engine: no interrupt (%d)\n", err);
		pk->irq = 0;
	}
}

/* The core's previous user, a boot loader or another kernel, may have left keys in it.  While that
 * fails the lock is the kernel's, and uio_pk_open() refuses.
 */
static void uio_pk_clear_first(struct firesteel_pk *pk)
{
	firesteel_share_seize(pk->share);
	firesteel_pk_make_ready(pk);
}

static int uio_pk_export(struct firesteel_pk *pk)
{
	int err;

	uio_pk_request_interrupt(pk);
	pk->mappings = firesteel_mappings_new();
	pk->share = firesteel_share_new(pk->irq ? SILEX_SHARE_INTERRUPT : 0, uio_pk_changed, pk);
	firesteel_pk_recovery_open(pk);
	if (!pk->mappings || !pk->share) {
		err = -ENOMEM;
	} else {
		uio_pk_clear_first(pk);
		err = uio_register_device(pk->dev, &pk->info);
	}
	if (!err)
		return 0;
	firesteel_pk_recovery_close(pk);
	firesteel_share_put(pk->share);
	firesteel_mappings_revoke(pk->mappings);
	if (pk->irq)
		free_irq(pk->irq, pk);
	return err;
}

static irqreturn_t uio_pk_unused_interrupt(int irq, void *data)
{
	return IRQ_RETVAL(uio_pk_has_ended(data));
}

/* Not exported: on a line of both cores its interrupt after a reset would be nobody's */
static void uio_pk_attend(struct firesteel_pk *pk)
{
	if (!pk->shared_irq ||
	    request_irq(pk->irq, uio_pk_unused_interrupt, IRQF_SHARED, SILEX_SHARE_PK, pk))
		pk->irq = 0;
}

/* False: what was named cannot be used, and the log says why */
static bool uio_pk_take_microcode(struct firesteel_pk *pk)
{
	struct firesteel_microcode *microcode = firesteel_microcode_read(pk->dev);

	if (IS_ERR(microcode))
		return false;
	pk->microcode = microcode;
	return true;
}

static void uio_pk_set_exported(struct firesteel_pk *pk, bool exported)
{
	spin_lock_irq(&pk->lock);
	pk->exported = exported;
	spin_unlock_irq(&pk->lock);
}

/* False: programs cannot have it, and the log says why */
static bool uio_pk_offer(struct firesteel_pk *pk)
{
	int err = firesteel_mapping_page_check(pk->base) ?: uio_pk_export(pk);

	uio_pk_set_exported(pk, !err);
	if (!err)
		return true;
	kfree(pk->microcode);
	dev_warn(pk->dev, "public-key engine: cannot be exported to programs (%d)\n", err);
	return false;
}

void firesteel_uio_pk_open(struct firesteel_pk *pk, struct device *dev,
			   const struct firesteel_resources *resources)
{
	pk->dev = dev;
	pk->base = resources->base;
	pk->registers = resources->window + SILEX_PK_BASE;
	pk->ram = resources->window + SILEX_PK_RAM_BASE;
	pk->code = resources->window + SILEX_PK_CODE_BASE;
	pk->irq = resources->irqs[SILEX_LINE_PK];
	pk->shared_irq = resources->shared_irq;
	spin_lock_init(&pk->lock);
	uio_pk_describe(pk);
	if (!uio_pk_take_microcode(pk) || !uio_pk_offer(pk))
		uio_pk_attend(pk);
}

void firesteel_uio_pk_close(struct firesteel_pk *pk)
{
	if (!pk->exported) {
		if (pk->irq)
			free_irq(pk->irq, pk);
		return;
	}
	/* programs see that it is being removed; what they do from here on has no effect */
	firesteel_share_close(pk->share);
	uio_pk_set_exported(pk, false);
	uio_unregister_device(&pk->info);
	cancel_work_sync(&pk->suspicion);
	firesteel_pk_recovery_close(pk);
	firesteel_mappings_revoke(pk->mappings);
	firesteel_pk_wipe(pk);
	/* not before: wiping is an operation, whose interrupt must be handled where lines are
	 * shared
	 */
	if (pk->irq)
		free_irq(pk->irq, pk);
	firesteel_share_put(pk->share);
	kfree(pk->microcode);
}

void firesteel_uio_pk_suspend(struct firesteel_pk *pk)
{
	if (pk->exported) {
		firesteel_pk_recovery_suspend(pk);
		/* after recovery, which hands the engine on */
		firesteel_share_interrupt(pk->share);
		firesteel_pk_wake(pk);
	}
	WRITE_ONCE(pk->asleep, true);
	if (pk->irq)
		synchronize_irq(pk->irq);
}

/* In a context that may not sleep */
void firesteel_uio_pk_suspect(struct firesteel_pk *pk)
{
	unsigned long flags;

	spin_lock_irqsave(&pk->lock, flags);
	if (pk->exported && !pk->at_rest)
		schedule_work(&pk->suspicion);
	spin_unlock_irqrestore(&pk->lock, flags);
}

void firesteel_uio_pk_resume(struct firesteel_pk *pk)
{
	WRITE_ONCE(pk->asleep, false);
	if (pk->exported)
		firesteel_pk_recovery_resume(pk);
}

void firesteel_uio_pk_show(struct firesteel_pk *pk, struct seq_file *file)
{
	/* for people: one that is counted just now may be half of it */
	struct firesteel_pk_counts counts = data_race(pk->counts);
	const char *name = dev_name(pk->dev);
	struct firesteel_share_counts share;

	if (!pk->exported)
		return;
	share = firesteel_share_counts(pk->share);
	seq_printf(file, "%s pk opens %llu joined %llu refused %llu slots %u\n", name, counts.opens,
		   share.joined, share.refused, share.slots);
	seq_printf(file, "%s pk deaths %llu orphans %llu recoveries %llu faults %llu\n", name,
		   share.deaths, share.orphans, counts.recoveries, counts.faults);
	seq_printf(file, "%s pk interrupts %llu wakes %llu resets %llu\n", name, counts.interrupts,
		   counts.wakes, counts.resets);
}
