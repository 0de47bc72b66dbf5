/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers of one CryptoMaster: how it is started, looked at, stopped and reset. */
#ifndef FIRESTEEL_CRYPTOMASTER_H
#define FIRESTEEL_CRYPTOMASTER_H

#include <linux/atomic.h>
#include <linux/io.h>
#include <linux/spinlock.h>

#include "fault.h"
#include "silex/cryptomaster.h"
#include "silex/soc.h"

struct firesteel_cryptomaster {
	void __iomem *registers;
	/* of all that the interrupt handler touches, here and in the queue; taken with interrupts
	 * off; nests in the queue's lock
	 */
	spinlock_t lock;
	u32 events; /* bits that came since the running list was started, and were cleared */
	u32 enabled; /* the value of INT_EN */
};

void firesteel_cryptomaster_init(struct firesteel_cryptomaster *cm, void __iomem *registers);

/* Stops the core, without interrupts; false: it does not answer */
bool firesteel_cryptomaster_stop(void __iomem *registers);

/* Stops the core and makes it ready for lists; false: it does not answer */
bool firesteel_cryptomaster_reset(struct firesteel_cryptomaster *cm);

void firesteel_cryptomaster_set_enabled(struct firesteel_cryptomaster *cm, u32 interrupts);

/* Sets INT_EN, if its value changes.  With 0 the interrupt handler touches nothing from then on. */
static inline void firesteel_cryptomaster_enable(struct firesteel_cryptomaster *cm, u32 interrupts)
{
	if (cm->enabled != interrupts)
		firesteel_cryptomaster_set_enabled(cm, interrupts);
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
 * Polls for the end of the running list, `most` times; adds the number of reads to `reads`.
 * FIRESTEEL_NO_FAULT: it has ended, and its events are cleared.  FIRESTEEL_TIME_OUT: not yet.
 */
enum firesteel_fault firesteel_cryptomaster_poll(struct firesteel_cryptomaster *cm,
						 unsigned int most, u64 *reads);

#endif
