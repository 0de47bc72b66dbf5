/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a node exchanges with all others at a barrier, and when it leaves. */
#ifndef FIRESTEEL_LOCKSTEP_MESH_H
#define FIRESTEEL_LOCKSTEP_MESH_H

#include "hw/firesteel/lockstep-message.h"

/* What node @number said of itself; for our own number, what we said */
const LockstepHello *lockstep_mesh_hello(uint32_t number);

/* Is the node still there?  False for ourselves. */
bool lockstep_mesh_is_live(uint32_t number);

/* Put a frame into what node @number gets at the next barrier */
void lockstep_mesh_queue(uint32_t number, const LockstepFrame *frame,
                         const uint8_t *data);

/*
 * Exchange reports and frames with all live nodes.  @report is filled with
 * the minima over all of them; @frame is called for every frame received, in
 * the order of the nodes.  Returns the number of nodes that are still there.
 */
unsigned lockstep_mesh_exchange(LockstepReport *report,
                                void (*frame)(void *opaque,
                                              const LockstepFrame *frame,
                                              const uint8_t *data),
                                void *opaque);

/*
 * Orderly power-off: hand over the last frames, the earliest of which arrives
 * at @sent, and leave
 */
void lockstep_mesh_leave(int64_t sent);

#endif
