/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is on the wires between nodes: cables, frames, and their time. */
#ifndef FIRESTEEL_LOCKSTEP_WIRE_H
#define FIRESTEEL_LOCKSTEP_WIRE_H

#define LOCKSTEP_MAX_NODES 8
#define LOCKSTEP_MAX_PORTS 8        /* of one node */
#define LOCKSTEP_MAX_FRAME 16384 /* bytes, what the e1000 may send at most */

/* A cable as the nodes at its ends must agree on it */
typedef struct LockstepCable {
    uint32_t link; /* number of the link in the topology */
    uint32_t is_switch; /* the far end is a switch, not a node */
    uint64_t rate; /* bit/s */
    int64_t latency; /* ns, one way */
    /* frames that wait for this cable: in the switch, or else in the port */
    uint32_t queue;
    uint32_t reserved;
} LockstepCable;

/* A frame on its way: arrival is at the far node, or at the switch */
typedef struct LockstepFrame {
    int64_t arrival;
    uint32_t link;
    uint16_t node, port; /* the sender */
    uint32_t length;
    uint32_t reserved;
} LockstepFrame;

/* ns that a frame of @length bytes (without FCS) takes, preamble to FCS */
int64_t lockstep_frame_ns(const LockstepCable *cable, uint32_t length);

/* ns between the frames of a busy cable */
int64_t lockstep_gap_ns(const LockstepCable *cable);

/* The shortest time from "send now" to an arrival at the end of @cable */
int64_t lockstep_reach_ns(const LockstepCable *cable);

#endif
