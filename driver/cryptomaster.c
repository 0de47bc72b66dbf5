// SPDX-License-Identifier: GPL-2.0-or-later
#include "cryptomaster.h"

#include <linux/ktime.h>

/* A reset takes the core some hundred cycles */
#define RESET_MAX_NS NSEC_PER_MSEC

/* Reads between two looks at the clock, which costs more instructions than a read; few enough that
 * the end is not far behind the deadline on a slow bus
 */
#define READS_IN_A_ROW 32u

/* ---- stopping ---- */

void firesteel_cryptomaster_init(struct firesteel_cryptomaster *cm, void __iomem *registers)
{
	cm->registers = registers;
	spin_lock_init(&cm->lock);
}

enum firesteel_stop firesteel_cryptomaster_stop(void __iomem *registers)
{
	u64 deadline;
	bool last;
	u32 status;

	writel(0, registers + SILEX_CM_INT_EN);
	writel(SILEX_CM_CONFIG_SOFT_RESET, registers + SILEX_CM_CONFIG);
	writel(0, registers + SILEX_CM_CONFIG);
	/* from now: whoever runs this may have had to wait before the reset began */
	deadline = ktime_get_ns() + RESET_MAX_NS;
	do {
		last = ktime_get_ns() > deadline;
		status = readl(registers + SILEX_CM_STATUS);
		if (status == SILEX_GONE)
			return FIRESTEEL_ABSENT;
	} while (status & SILEX_CM_STATUS_RESET_BUSY && !last);
	if (status & SILEX_CM_STATUS_RESET_BUSY)
		return FIRESTEEL_AT_WORK;
	writel(SILEX_CM_INT_ALL, registers + SILEX_CM_INT_STAT_CLR);
	return FIRESTEEL_STOPPED;
}

enum firesteel_stop firesteel_cryptomaster_reset(struct firesteel_cryptomaster *cm)
{
	enum firesteel_stop stop = firesteel_cryptomaster_stop(cm->registers);
	unsigned long flags;

	if (stop != FIRESTEEL_STOPPED)
		return stop;
	/* 0 after a reset: cryptomaster_look_closer() */
	writel(SILEX_CM_CONFIG_SG, cm->registers + SILEX_CM_CONFIG);
	/* a handler may be about to record older events */
	spin_lock_irqsave(&cm->lock, flags);
	writel(SILEX_CM_INT_ENDED, cm->registers + SILEX_CM_INT_EN);
	cm->enabled = SILEX_CM_INT_ENDED;
	cm->events = 0;
	spin_unlock_irqrestore(&cm->lock, flags);
	return FIRESTEEL_STOPPED;
}

/* ---- events ---- */

/*
 * Whether the running list is known to have ended without an error.  These bits were clear when it
 * was started, and a reset clears them: a core that was reset meanwhile does not show them.  An
 * interrupt without cause shows one of them at most.
 */
static bool cryptomaster_has_succeeded(u32 events)
{
	return (events & (SILEX_CM_INT_DONE | SILEX_CM_INT_ERRORS)) == SILEX_CM_INT_DONE;
}

bool firesteel_cryptomaster_interrupt(struct firesteel_cryptomaster *cm)
{
	u32 events;

	lockdep_assert_held(&cm->lock);
	/* out of service, and perhaps in a reset, on a line that others share */
	if (!cm->enabled)
		return false;
	/* all events in one access; it is known which of them interrupt */
	events = readl(cm->registers + SILEX_CM_INT_STAT_RAW);
	if (!(events & cm->enabled) || events == SILEX_GONE)
		return false;
	writel(events, cm->registers + SILEX_CM_INT_STAT_CLR);
	cm->events |= events;
	return true;
}

bool firesteel_cryptomaster_take_success(struct firesteel_cryptomaster *cm)
{
	lockdep_assert_held(&cm->lock);
	if (!cryptomaster_has_succeeded(cm->events))
		return false;
	cm->events = 0;
	return true;
}

/* Reads and clears the events */
static u32 cryptomaster_collect(struct firesteel_cryptomaster *cm)
{
	u32 events = readl(cm->registers + SILEX_CM_INT_STAT_RAW);

	writel(events, cm->registers + SILEX_CM_INT_STAT_CLR);
	return events | firesteel_cryptomaster_take_events(cm);
}

/* If interrupts are not conclusive.  An idle core may have been reset, and have done nothing:
 * CONFIG then differs.
 */
static enum firesteel_fault cryptomaster_look_closer(struct firesteel_cryptomaster *cm, u32 *events,
						     bool *ended)
{
	u32 status = readl(cm->registers + SILEX_CM_STATUS);

	*ended = true;
	if (status == SILEX_GONE)
		return FIRESTEEL_GONE;
	/* after STATUS: an error may have made it idle before its interrupt arrives */
	*events |= cryptomaster_collect(cm);
	*ended = cryptomaster_has_succeeded(*events);
	if (*ended)
		return FIRESTEEL_NO_FAULT;
	*ended = !(status & SILEX_CM_STATUS_BUSY);
	if ((*ended || *events & SILEX_CM_INT_ERRORS) &&
	    readl(cm->registers + SILEX_CM_CONFIG) != SILEX_CM_CONFIG_SG)
		return FIRESTEEL_GONE;
	return *events & SILEX_CM_INT_ERRORS ? FIRESTEEL_BUS_ERROR : FIRESTEEL_NO_FAULT;
}

enum firesteel_fault firesteel_cryptomaster_look(struct firesteel_cryptomaster *cm, u32 *events,
						 bool *ended)
{
	lockdep_assert_held(&cm->lock);
	*events = firesteel_cryptomaster_take_events(cm);
	*ended = cryptomaster_has_succeeded(*events);
	return *ended ? FIRESTEEL_NO_FAULT : cryptomaster_look_closer(cm, events, ended);
}

/* Whether there is nothing more to wait for */
static bool cryptomaster_is_conclusive(u32 events)
{
	return (events & SILEX_CM_INT_DONE) == SILEX_CM_INT_DONE || events & SILEX_CM_INT_ERRORS;
}

/* Reads events until they are conclusive, READS_IN_A_ROW times at most */
static u32 cryptomaster_read_on(const void __iomem *raw, u64 *reads)
{
	unsigned int left = READS_IN_A_ROW;
	u32 events;

	/* as few instructions as possible, as this loop runs for long */
	do
		events = readl_relaxed(raw);
	while (--left && !(events & (SILEX_CM_INT_PUSH_BLOCK_END | SILEX_CM_INT_ERRORS)));
	for (; left && !cryptomaster_is_conclusive(events); left--)
		events = readl_relaxed(raw);
	*reads += READS_IN_A_ROW - left;
	return events;
}

enum firesteel_fault firesteel_cryptomaster_poll(struct firesteel_cryptomaster *cm, u32 ns,
						 u64 *reads)
{
	const void __iomem *raw = cm->registers + SILEX_CM_INT_STAT_RAW;
	u32 events = cryptomaster_read_on(raw, reads);

	/* most commands have ended by now: others pay for the clock */
	if (!cryptomaster_is_conclusive(events)) {
		u64 deadline = ktime_get_ns() + ns;

		do
			events = cryptomaster_read_on(raw, reads);
		while (!cryptomaster_is_conclusive(events) && ktime_get_ns() < deadline);
	}
	/* before reading what the core has written */
	rmb();
	if (cryptomaster_has_succeeded(events)) {
		writel(SILEX_CM_INT_ALL, cm->registers + SILEX_CM_INT_STAT_CLR);
		return FIRESTEEL_NO_FAULT;
	}
	if (events == SILEX_GONE)
		return FIRESTEEL_GONE;
	return events & SILEX_CM_INT_ERRORS ? FIRESTEEL_BUS_ERROR : FIRESTEEL_TIME_OUT;
}
