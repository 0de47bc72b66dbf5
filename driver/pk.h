/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public-key engine, which only programs use: uio-pk.c hands it to them, pk.c makes it fit for
 * use again after a program that has left it in some state.
 */
#ifndef FIRESTEEL_PK_H
#define FIRESTEEL_PK_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/spinlock.h>
#include <linux/uio_driver.h>
#include <linux/workqueue.h>

#include "mapping.h"
#include "share.h"
#include "silex/ba414.h"

struct firesteel_device;
struct seq_file;

struct firesteel_pk_counts {
	u64 opens;
	u64 recoveries; /* the core was cleared */
	u64 faults; /* it did not answer, or did not end */
	u64 interrupts;
	u64 wakes; /* asked for by a program */
	u64 resets; /* that nobody had announced */
};

struct firesteel_pk {
	struct device *dev;
	void __iomem *registers;
	void __iomem *ram;
	phys_addr_t base; /* of the window */

	/* uio-pk.c */
	struct uio_info info;
	struct firesteel_share *share;
	struct firesteel_mappings *mappings;
	unsigned int irq; /* 0: none */
	bool shared_irq; /* with CryptoMaster: it is never masked */
	spinlock_t lock; /* of the next */
	bool exported; /* events reach programs */
	atomic_t armed; /* the line is unmasked for one interrupt */
	unsigned int open_files;

	/* pk.c */
	struct delayed_work recovery;
	struct work_struct suspicion;
	unsigned int backoff_ms;
	bool faulty; /* the log tells of the first time */
	bool cleared; /* once at least: what others left before is gone */
	bool closing;

	struct firesteel_pk_counts counts;
};

/* Hands the engine to programs; it stays out of their reach if that fails, and the log says why */
void firesteel_pk_open(struct firesteel_device *device);

/* Takes it back, whatever programs are doing with it */
void firesteel_pk_close(struct firesteel_device *device);

/* The engine is reset, or without power, from the one to the other */
void firesteel_pk_suspend(struct firesteel_pk *pk);
void firesteel_pk_resume(struct firesteel_pk *pk);

/* The window may have been reset behind the driver's back */
void firesteel_pk_suspect(struct firesteel_pk *pk);

void firesteel_pk_show(struct firesteel_pk *pk, struct seq_file *file);

/* Makes all that sleep look again */
void firesteel_pk_wake(struct firesteel_pk *pk);

/* ---- pk.c ---- */

void firesteel_pk_recovery_open(struct firesteel_pk *pk);
void firesteel_pk_recovery_close(struct firesteel_pk *pk);

/* The lock is the kernel's: waits until the core has ended, clears it, hands the lock on */
void firesteel_pk_recover(struct firesteel_pk *pk);

/* Does that, and waits for it; if the core does not end it is tried again later */
void firesteel_pk_make_ready(struct firesteel_pk *pk);

/* Whether the core has not been reset since it was last made ready, and is there: silex/share.h */
bool firesteel_pk_has_canary(const struct firesteel_pk *pk);

/* If it has been: programs learn of it as of a reset that is announced.  May sleep. */
void firesteel_pk_look(struct firesteel_pk *pk);

/* Leaves nothing in a core that no program reaches any more */
void firesteel_pk_wipe(struct firesteel_pk *pk);

#endif
