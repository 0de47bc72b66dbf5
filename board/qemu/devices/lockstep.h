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
 * Files, the top first: lockstep.c the node and its barriers, lockstep-switch.c
 * a switch, lockstep-port.c a port, lockstep-mesh.c what nodes exchange,
 * lockstep-meet.c how they meet, lockstep-peer.c the sockets, lockstep-trace.c
 * the trace, lockstep-wire.c cables, lockstep-fail.c how a run ends.
 */
#ifndef FIRESTEEL_LOCKSTEP_H
#define FIRESTEEL_LOCKSTEP_H

#include "hw/firesteel/lockstep-port.h"

/* The node of this process, NULL when it has none */
Lockstep *lockstep_of_machine(void);

/*
 * Are the cables plugged in, or has a port been used before that?  Never true of
 * a node that is alone.
 */
bool lockstep_has_begun(const Lockstep *node);

/* Its ports in the order of creation, NULL after the last */
LockstepPort *lockstep_port(Lockstep *node, unsigned index);

#endif
