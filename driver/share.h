/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's side of the lock page (silex/share.h): who has a slot, and what happens to the lock
 * when its owner exits.
 *
 * Programs may write anything to the page.  The kernel uses what they write only in comparisons, so
 * they can break the lock for each other, but nothing else.
 */
#ifndef FIRESTEEL_SHARE_H
#define FIRESTEEL_SHARE_H

#include <linux/mm_types.h>

#include "silex/share.h"

struct firesteel_area;
struct firesteel_share;

struct firesteel_share_counts {
	u32 slots; /* in use now */
	u64 joined; /* slots assigned */
	u64 refused; /* slots refused: none was free */
	u64 deaths; /* of processes that waited for the lock or owned it */
	u64 orphans; /* how often the lock became the kernel's */
};

/*
 * `flags` as in struct silex_share.  `changed` is called when a process that waited for the lock or
 * owned it has ended; `orphaned`: the lock is the kernel's now.  It may sleep, and must not call
 * the functions below.  Returns NULL if there is no memory.
 */
struct firesteel_share *
firesteel_share_new(u32 flags, void (*changed)(void *context, bool orphaned), void *context);

/* The device is being removed: no more callbacks, and nobody can get the lock */
void firesteel_share_close(struct firesteel_share *share);

/* Drops the reference; slots stay until their processes end */
void firesteel_share_put(struct firesteel_share *share);

/* Maps the page, with a slot for the area's address space, which mmap() fails without */
void firesteel_share_mmap(struct firesteel_share *share, struct firesteel_area *area);

/* Gives the slot of the caller's address space a name.  -EPERM: it has none; -EEXIST: another slot
 * has that name.
 */
int firesteel_share_join(struct firesteel_share *share, u32 name);

/* The caller gives up what it owns: the lock is the kernel's now.  -EPERM: it does not own it. */
int firesteel_share_give_up(struct firesteel_share *share);

/* Nobody uses the device: the lock is the kernel's, whatever the page says */
void firesteel_share_seize(struct firesteel_share *share);

/* The core disappears, or loses its state, for a while: the lock is the kernel's, results that have
 * not been read are invalid, and nobody waits until firesteel_share_hand_on()
 */
void firesteel_share_interrupt(struct firesteel_share *share);

void firesteel_share_set_state(struct firesteel_share *share, u32 state);

/* Counts how often the lock has become the kernel's */
u32 firesteel_share_takes(struct firesteel_share *share);

/* The core was stopped and cleared: starts a new generation, and passes on the kernel's lock.
 * `takes` was read before: if the lock has become the kernel's again meanwhile, it stays there.
 */
void firesteel_share_hand_on(struct firesteel_share *share, u32 takes);

struct firesteel_share_counts firesteel_share_counts(struct firesteel_share *share);

#endif
