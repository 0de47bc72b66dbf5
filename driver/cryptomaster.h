/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of one CryptoMaster: how it is started, looked at, stopped and reset. */
#ifndef FIRESTEEL_CRYPTOMASTER_H
#define FIRESTEEL_CRYPTOMASTER_H

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>

#include "fault.h"
#include "silex/cryptomaster.h"
#include "silex/soc.h"

/* What came of the attempt to stop a core */
enum firesteel_stop {
	FIRESTEEL_STOPPED,
	/* Registers read all ones: it has no power, no clock, or was unplugged.  Assumption: such a
	 * core writes nothing.
	 */
	FIRESTEEL_ABSENT,
	FIRESTEEL_AT_WORK, /* the reset does not end: it may still write to memory */
};

struct firesteel_cryptomaster {
	void __iomem *registers;
	/* of the two below and of the queue's state; taken with interrupts off; nests in the
	 * queue's lock
	 */
	spinlock_t lock;
	u32 events; /* bits that came since the running list was started, and were cleared */
	u32 enabled; /* the value of INT_EN */
};

void firesteel_cryptomaster_init(struct firesteel_cryptomaster *cm, void __iomem *registers);

/* Stops the core, without interrupts; takes a millisecond at most */
enum firesteel_stop firesteel_cryptomaster_stop(void __iomem *registers);

/* Stops the core, and makes it ready for lists if it has stopped */
enum firesteel_stop firesteel_cryptomaster_reset(struct firesteel_cryptomaster *cm);

/* Sets INT_EN, if its value changes; under the lock.  With 0 the interrupt handler touches nothing
 * from then on.
 */
static inline void firesteel_cryptomaster_enable(struct firesteel_cryptomaster *cm, u32 interrupts)
{
	lockdep_assert_held(&cm->lock);
	if (cm->enabled == interrupts)
		return;
	cm->enabled = interrupts;
	writel(interrupts, cm->registers + SILEX_CM_INT_EN);
}

/* Starts an idle core on two lists of descriptors */
static inline void firesteel_cryptomaster_start(struct firesteel_cryptomaster *cm, u32 fetch,
						u32 push)
{
	writel_relaxed(fetch, cm->registers + SILEX_CM_FETCH_ADDR);
	writel_relaxed(push, cm->registers + SILEX_CM_PUSH_ADDR);
	/* after everything that the core will read is in memory */
	writel(SILEX_CM_START_BOTH, cm->registers + SILEX_CM_START);
}

/* The interrupt handler: notes and clears events; false: there is none.  Under the lock. */
bool firesteel_cryptomaster_interrupt(struct firesteel_cryptomaster *cm);

/* The events noted since the last call; under the lock */
static inline u32 firesteel_cryptomaster_take_events(struct firesteel_cryptomaster *cm)
{
	u32 events = cm->events;

	cm->events = 0;
	return events;
}

/* Whether the events noted so far say that the running list has ended without an error, and forgets
 * them if so; under the lock
 */
bool firesteel_cryptomaster_take_success(struct firesteel_cryptomaster *cm);

/* The state of the running list, and its events; under the lock */
enum firesteel_fault firesteel_cryptomaster_look(struct firesteel_cryptomaster *cm, u32 *events,
						 bool *ended);

/*
 * Polls for the end of the running list, for `ns` or a few reads longer; adds the number of reads
 * to `reads`.
 * FIRESTEEL_NO_FAULT: it has ended, and its events are cleared.  FIRESTEEL_TIME_OUT: not yet.
 */
enum firesteel_fault firesteel_cryptomaster_poll(struct firesteel_cryptomaster *cm, u32 ns,
						 u64 *reads);

#endif
