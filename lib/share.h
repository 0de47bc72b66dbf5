/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of the public-key core between processes, as silex/share.h defines it.  Within a process
 * threads take turns first (turn.h), so that a slot has one user.
 */
#ifndef FS_SHARE_H
#define FS_SHARE_H

#include "transport.h"

/* The slot of that name, or -1 */
int fs_share_find(const struct silex_share *share, uint32_t name);

/* FIRESTEEL_ERROR_TIMEOUT, FAULT or GONE if it could not be acquired; `*waited` is set if there was
 * a wait.  `*generation` is the core's: as long as it does not change, results are the core's. */
int fs_share_acquire(struct fs_transport *transport, uint64_t deadline, uint32_t *generation,
		     bool *waited);
void fs_share_release(struct fs_transport *transport);

/* Instead of the release, when the core does not answer or was reset: the kernel recovers it */
void fs_share_give_up(struct fs_transport *transport);

/* What changes when the kernel has taken the core away from its owner */
uint32_t fs_share_generation(const struct fs_transport *transport);

/* Other processes that use the core or wait for it */
unsigned fs_share_before(const struct fs_transport *transport);

/* The ticket that has waited longest, in another slot than `own`; SILEX_SHARE_FREE if there is
 * none.  `*slot` is its slot. */
uint32_t fs_share_oldest(const struct silex_share *share, unsigned own, unsigned *slot);

/* Hands the lock on from `ticket`; returns the slot that got it if it sleeps, or -1 */
int fs_share_hand_on(struct silex_share *share, uint32_t ticket, unsigned own);

#endif
