/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A port: the end of a cable to which any NIC model can be attached. */
#ifndef FIRESTEEL_LOCKSTEP_PORT_H
#define FIRESTEEL_LOCKSTEP_PORT_H

#include "hw/qdev-core.h"
#include "qom/object.h"
#include "hw/firesteel/lockstep-trace.h"
#include "hw/firesteel/lockstep-wire.h"

#define LOCKSTEP_SIZE_CLASSES 9

#define TYPE_LOCKSTEP "lockstep"
OBJECT_DECLARE_TYPE(Lockstep, LockstepClass, LOCKSTEP)

#define TYPE_LOCKSTEP_PORT "lockstep-port"
OBJECT_DECLARE_SIMPLE_TYPE(LockstepPort, LOCKSTEP_PORT)

/* What a port asks of its node */
struct LockstepClass {
    DeviceClass parent;

    /* Attach @port; its number on the node, or -1 with @errp */
    int (*attach)(Lockstep *node, LockstepPort *port, Error **errp);

    /* A frame leaves @port now; its arrival is already known */
    void (*send)(Lockstep *node, LockstepPort *port, int64_t arrival,
                 const uint8_t *data, uint32_t length);
};

/* Frames and bytes since power-on; sizes are of Ethernet frames without FCS */
typedef struct LockstepCounters {
    uint64_t tx_frames, tx_bytes, rx_frames, rx_bytes;
    uint64_t rx_dropped; /* the NIC's receive ring was full or off */
    /* never got onto the wire: too long, or no room in the switch */
    uint64_t tx_dropped;
    uint64_t tx_stalls; /* the wire refused a frame for the time being */
    uint64_t tx_sizes[LOCKSTEP_SIZE_CLASSES];
    uint64_t rx_sizes[LOCKSTEP_SIZE_CLASSES];
} LockstepCounters;

/* Upper bounds (inclusive) of the size classes, those of the published table */
extern const uint32_t lockstep_size_bounds[LOCKSTEP_SIZE_CLASSES];

/* From now on frames of @port go into @trace, which may be NULL */
void lockstep_port_set_trace(LockstepPort *port, LockstepTrace *trace);

const LockstepCable *lockstep_port_cable(const LockstepPort *port);
const LockstepCounters *lockstep_port_counters(const LockstepPort *port);
const char *lockstep_port_name(const LockstepPort *port);
uint32_t lockstep_port_index(const LockstepPort *port);

/* When the transmitter is free again, in virtual ns */
int64_t lockstep_port_busy_until(const LockstepPort *port);

/* A frame for @port's cable is lost at the time @at: counted and traced */
void lockstep_port_lose(LockstepPort *port, int64_t at, const uint8_t *data,
                        uint32_t length);

/* A frame that arrives at @port at the time @at, in the order of times */
void lockstep_port_arrive(LockstepPort *port, int64_t at, const uint8_t *data,
                          uint32_t length);

#endif
