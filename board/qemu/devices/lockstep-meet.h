/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the nodes of a run meet, and what they must agree on.  Node N listens on
 * DIR/N.sock and calls all nodes with smaller numbers.
 */
#ifndef FIRESTEEL_LOCKSTEP_MEET_H
#define FIRESTEEL_LOCKSTEP_MEET_H

#include "hw/firesteel/lockstep-message.h"

/* Meet all other nodes within @timeout seconds, or end with the reason */
void lockstep_mesh_meet(const LockstepHello *self, const char *dir,
                        uint32_t timeout);

#endif
