/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the nodes of a run tell each other: a header and a body in host byte
 * order, since all nodes are on one host.
 */
#ifndef FIRESTEEL_LOCKSTEP_MESSAGE_H
#define FIRESTEEL_LOCKSTEP_MESSAGE_H

#include "hw/firesteel/lockstep-wire.h"

#define LOCKSTEP_NAME_SIZE 64

typedef enum MessageType {
    MESSAGE_HELLO = 0x46530001,     /* also tells another program's bytes */
    MESSAGE_BARRIER,                /* report, frames */
    MESSAGE_BYE,                    /* report, frames: orderly power-off */
    MESSAGE_ABORT,                  /* the reason as text */
} MessageType;

typedef struct MessageHeader {
    uint32_t type;
    uint32_t length;                /* of the body */
} MessageHeader;

/* What a node tells the others when they meet; the same on every host CPU */
typedef struct LockstepHello {
    uint32_t node, nodes;
    char name[LOCKSTEP_NAME_SIZE];
    char build[LOCKSTEP_NAME_SIZE];
    char topology[LOCKSTEP_NAME_SIZE + 1];
    int64_t start; /* ns; the first barrier */
    uint32_t port_count;
    LockstepCable ports[LOCKSTEP_MAX_PORTS];
} LockstepHello;

/* What a node tells the others at a barrier, before its frames */
typedef struct LockstepReport {
    int64_t barrier; /* the barrier this is for */
    int64_t unsent; /* earliest arrival of any frame not yet sent */
    int64_t sent; /* earliest arrival among the frames just sent */
} LockstepReport;

#endif
