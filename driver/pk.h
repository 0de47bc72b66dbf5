/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The public-key engine, and how it is made fit for use after a program has left it in an unknown
 * state.
 */
#ifndef FIRESTEEL_PK_H
#define FIRESTEEL_PK_H

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/spinlock.h>
#include <linux/uio_driver.h>
#include <linux/workqueue.h>

#include "mapping.h"
#include "microcode.h"
#include "share.h"
#include "silex/ba414.h"

struct firesteel_pk_counts {
	u64 opens;
	u64 recoveries; /* the core was cleared */
	u64 faults; /* it did not answer, or did not finish */
	u64 interrupts;
	u64 wakes; /* asked for by a program */
	u64 resets; /* unannounced ones */
};

struct firesteel_pk {
	struct device *dev;
	void __iomem *registers;
	void __iomem *ram;
	void __iomem *code; /* microcode RAM */
	struct firesteel_microcode *microcode; /* NULL: the engine needs none */
	phys_addr_t base; /* of the window */

	/* uio-pk.c */
	struct uio_info info;
	struct firesteel_share *share;
	struct firesteel_mappings *mappings;
	unsigned int irq; /* 0: none */
	bool shared_irq; /* with CryptoMaster: it is never masked */
	spinlock_t lock; /* of the next three */
	bool exported; /* events reach programs */
	bool reset_known; /* counted or announced; recovery follows */
	bool at_rest; /* asleep, or closing: no work is queued */
	atomic_t armed; /* unmasked for one interrupt */
	unsigned int open_files;

	/* pk.c */
	struct delayed_work recovery;
	struct work_struct suspicion;
	unsigned int backoff_ms;
	bool faulty; /* logged the first time */
	bool cleared; /* at least once: data of earlier users are gone */
	bool asleep; /* its registers must not be accessed */

	struct firesteel_pk_counts counts;
};

/* Wakes all programs that sleep, so that they check again */
void firesteel_pk_wake(struct firesteel_pk *pk);

void firesteel_pk_recovery_open(struct firesteel_pk *pk);
void firesteel_pk_recovery_close(struct firesteel_pk *pk);

/* Until firesteel_pk_recovery_resume(), which recovers it, the core is not accessed; a reset is
 * neither counted nor recovered from
 */
void firesteel_pk_recovery_suspend(struct firesteel_pk *pk);
void firesteel_pk_recovery_resume(struct firesteel_pk *pk);

/* The lock is the kernel's: waits until the core is idle, clears it, passes the lock on */
void firesteel_pk_recover(struct firesteel_pk *pk);

/* Does that synchronously; if the core does not become idle, tries again later */
void firesteel_pk_make_ready(struct firesteel_pk *pk);

/* Whether the core has not been reset since it was last made ready, and is there: silex/share.h */
bool firesteel_pk_has_canary(const struct firesteel_pk *pk);

/* If it has been reset, notifies programs as of an announced reset.  May sleep. */
void firesteel_pk_look(struct firesteel_pk *pk);

/* Clears a core that no program can access any more */
void firesteel_pk_wipe(struct firesteel_pk *pk);

#endif
