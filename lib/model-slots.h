/* SPDX-License-Identifier: Apache-2.0 */
/* The lock page of a model's public-key core, and what the kernel does with that of a real one. */
#ifndef FS_MODEL_SLOTS_H
#define FS_MODEL_SLOTS_H

#include "share.h"

/* A page that this process shares with its children; NULL: there is no memory */
struct silex_share *fs_model_slots_new(void);
void fs_model_slots_free(struct silex_share *share);

/* Takes a slot for this process: its number, or -1 if others have all of them */
int fs_model_slots_join(struct silex_share *share);

/* Gives the slot back, which nobody uses */
void fs_model_slots_leave(struct silex_share *share, unsigned slot);

/* Frees the slots of processes that have ended; the caller has `own` */
void fs_model_slots_reap(struct silex_share *share, unsigned own);

/* The core was stopped: takes the lock from the slot, if that has it, and hands it on */
void fs_model_slots_reclaim(struct silex_share *share, unsigned slot);

#endif
