/* SPDX-License-Identifier: Apache-2.0 */
/* The lock page of a model's public-key core, and the kernel's part in it. */
#ifndef FS_MODEL_SLOTS_H
#define FS_MODEL_SLOTS_H

#include "share.h"

/* A page that this process shares with its children; NULL: there is no memory */
struct silex_share *fs_model_slots_new(void);
void fs_model_slots_free(struct silex_share *share);

/* Takes a slot for this process: its number, or -1 if all are taken */
int fs_model_slots_join(struct silex_share *share);

/* Frees the slot, which nobody uses */
void fs_model_slots_leave(struct silex_share *share, unsigned slot);

/* Frees the slots of processes that have ended; `own` is the caller's */
void fs_model_slots_reap(struct silex_share *share, unsigned own);

/* The core was stopped: if the slot owns the lock, takes it away and hands it on */
void fs_model_slots_reclaim(struct silex_share *share, unsigned slot);

#endif
