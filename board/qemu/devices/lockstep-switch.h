/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store-and-forward switch without a process of its own. */
#ifndef FIRESTEEL_LOCKSTEP_SWITCH_H
#define FIRESTEEL_LOCKSTEP_SWITCH_H

#include "hw/firesteel/lockstep-port.h"

typedef struct LockstepSwitch LockstepSwitch;

/*
 * The replica of the switch that is link number @link, on node @number with
 * these ports
 */
LockstepSwitch *lockstep_switch_new(uint32_t link, uint32_t number,
                                    LockstepPort *const *ports, unsigned count);
uint32_t lockstep_switch_link(const LockstepSwitch *sw);

/* A frame that arrives at the switch at @frame->arrival */
void lockstep_switch_arrive(LockstepSwitch *sw, const LockstepFrame *frame,
                            const uint8_t *data);

#endif
