/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lockstep: Ethernet between QEMU processes in virtual time.
 *
 *   -device lockstep,id=wire,dir=DIR,node=0,nodes=2,name=board,topology=DIGEST
 *   -device lockstep-port,id=eth0,lockstep=wire,link=0,rate=100000000,
 *           latency=20000,queue=64
 *   -device e1000,netdev=eth0
 *
 * The nodes of a run meet in a directory, agree on the topology and from then
 * on pass one barrier after the other.  At a barrier every node sends every
 * other node the frames that its CPU has put on the wire since the last one,
 * each stamped with its time of arrival, and two promises: the earliest time
 * at which a frame that it has not sent yet could arrive anywhere, and the
 * earliest arrival among those it just sent.  From these all nodes compute
 * the same next barrier, before which nothing unknown can arrive.  So no node
 * ever sees a frame too late, and the result does not depend on the host.
 *
 * With start=NS the cables are plugged in at that virtual time: until then the
 * nodes boot side by side without a barrier, and frames are lost.
 *
 * Files: lockstep.c the node and its barriers, lockstep-meet.c how nodes meet,
 * lockstep-mesh.c the sockets,
 * lockstep-port.c a port, lockstep-switch.c a switch, lockstep-trace.c the
 * trace.
 */
#ifndef FIRESTEEL_LOCKSTEP_H
#define FIRESTEEL_LOCKSTEP_H

#include "hw/qdev-core.h"
#include "net/net.h"
#include "qom/object.h"

#define LOCKSTEP_MAX_NODES 8
#define LOCKSTEP_MAX_PORTS 8        /* of one node */
#define LOCKSTEP_NAME_SIZE 64
#define LOCKSTEP_SIZE_CLASSES 9
#define LOCKSTEP_MAX_FRAME 16384 /* bytes, what the e1000 may send at most */

#define TYPE_LOCKSTEP "lockstep"
OBJECT_DECLARE_SIMPLE_TYPE(Lockstep, LOCKSTEP)

#define TYPE_LOCKSTEP_PORT "lockstep-port"
OBJECT_DECLARE_SIMPLE_TYPE(LockstepPort, LOCKSTEP_PORT)

typedef struct LockstepSwitch LockstepSwitch;
typedef struct LockstepTrace LockstepTrace;

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

/* A frame on its way: arrival is at the far node, or at the switch */
typedef struct LockstepFrame {
    int64_t arrival;
    uint32_t link;
    uint16_t node, port; /* the sender */
    uint32_t length;
    uint32_t reserved;
} LockstepFrame;

/* What a node tells the others at a barrier, before its frames */
typedef struct LockstepReport {
    int64_t barrier; /* the barrier this is for */
    int64_t unsent; /* earliest arrival of any frame not yet sent */
    int64_t sent; /* earliest arrival among the frames just sent */
} LockstepReport;

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

/* ---- time on a cable ---- */

/* ns that a frame of @length bytes (without FCS) takes, preamble to FCS */
int64_t lockstep_frame_ns(const LockstepCable *cable, uint32_t length);

/* ns between the frames of a busy cable */
int64_t lockstep_gap_ns(const LockstepCable *cable);

/* The shortest time from "send now" to an arrival at the end of @cable */
int64_t lockstep_reach_ns(const LockstepCable *cable);

/* ---- the node: lockstep.c ---- */

/* Attach @port when it is realized; false with @errp when that cannot be */
bool lockstep_add_port(Lockstep *node, LockstepPort *port, Error **errp);

/* A frame leaves @port now; its arrival is already known */
void lockstep_send(Lockstep *node, LockstepPort *port, int64_t arrival,
                   const uint8_t *data, uint32_t length);

/* The node's own number, its trace, and its ports in the order of creation */
uint32_t lockstep_number(const Lockstep *node);
LockstepTrace *lockstep_trace(Lockstep *node);
LockstepPort *lockstep_port(Lockstep *node, unsigned index);

/* The node of this process, NULL when it has none */
Lockstep *lockstep_of_machine(void);

/* End this node, and with it the run, for a reason that is passed on */
G_NORETURN void lockstep_fail(const char *format, ...) G_GNUC_PRINTF(1, 2);

/* ---- the mesh: lockstep-mesh.c ---- */

/* Meet all other nodes within @timeout seconds, or end with the reason */
void lockstep_mesh_meet(const LockstepHello *self, const char *dir,
                        uint32_t timeout);

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

/* Tell the others why the run ends; used by lockstep_fail() */
void lockstep_mesh_abort(const char *reason);

/* ---- a port: lockstep-port.c ---- */

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

/* ---- a switch: lockstep-switch.c ---- */

/* This node's replica of the switch that is link number @link */
LockstepSwitch *lockstep_switch_new(Lockstep *node, uint32_t link);
uint32_t lockstep_switch_link(const LockstepSwitch *sw);

/* A frame that arrives at the switch at @frame->arrival */
void lockstep_switch_arrive(LockstepSwitch *sw, const LockstepFrame *frame,
                            const uint8_t *data);

/* ---- the trace: lockstep-trace.c ---- */

/* Start a trace in the file @path, or none when it is NULL */
LockstepTrace *lockstep_trace_open(const char *path);

/* A frame leaves: "tx START ARRIVAL PORT LENGTH CRC32" */
void lockstep_trace_tx(LockstepTrace *trace, int64_t start, int64_t arrival,
                       const char *port, const uint8_t *data, uint32_t length);

/*
 * A frame arrives: "rx TIME PORT LENGTH CRC32 taken|dropped LATE".  @late are
 * the ns by which the CPU was past @at: at most an instruction, or a stall.
 */
void lockstep_trace_rx(LockstepTrace *trace, int64_t at, int64_t late,
                       const char *port, const uint8_t *data, uint32_t length,
                       bool taken);

/* A full switch loses a frame for @port: "drop TIME PORT LENGTH CRC32" */
void lockstep_trace_drop(LockstepTrace *trace, int64_t at, const char *port,
                         const uint8_t *data, uint32_t length);

/* Close with a line of the final clocks and the number of barriers */
void lockstep_trace_close(LockstepTrace *trace, uint64_t barriers);

#endif
