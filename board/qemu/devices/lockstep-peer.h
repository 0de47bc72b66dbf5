/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other nodes of a run, and how messages get to them and from them: what
 * lockstep-meet.c and lockstep-mesh.c rest on.
 *
 * There is one UNIX stream socket between each two nodes.  A node that goes
 * without a goodbye ends the run on all others.
 */
#ifndef FIRESTEEL_LOCKSTEP_PEER_H
#define FIRESTEEL_LOCKSTEP_PEER_H

#include "hw/firesteel/lockstep-message.h"

typedef struct Peer {
    int fd;
    bool live;                      /* met, and has not said goodbye */
    bool deaf;                      /* its socket takes no more bytes */
    LockstepHello hello;
    GByteArray *out;                /* the next message, header first */
    size_t sent;                    /* bytes of @out that are on their way */
    GByteArray *in;                 /* received and not yet consumed */
} Peer;

typedef struct Mesh {
    uint32_t self, nodes;
    Peer peers[LOCKSTEP_MAX_NODES];
} Mesh;

extern Mesh lockstep_mesh;

/* A peer's number, and its name or "not yet known" */
uint32_t lockstep_peer_number(const Peer *peer);
const char *lockstep_peer_name(const Peer *peer);

/* Wall clock, for time-outs */
int64_t lockstep_wall_ms(void);

/* Has not all of @peer->out been taken by the socket? */
bool lockstep_peer_sending(const Peer *peer);

/* Send what the socket takes; a peer that has left shows when we read */
void lockstep_peer_send(Peer *peer);

/*
 * Move bytes both ways.  Returns a complete message of @peer or NULL; ends
 * the run when it died, or when it says that the run has failed.
 */
const MessageHeader *lockstep_peer_advance(Peer *peer);

/* Forget the message at the head of what @peer has sent */
void lockstep_peer_consume(Peer *peer, const MessageHeader *header);

/* The message at the head of what @peer has sent, NULL while incomplete */
const MessageHeader *lockstep_peer_message(const Peer *peer);

/* Start the next message: room for a header and a report */
void lockstep_peer_reset(Peer *peer);

/* Send @peer's message whole, unless it has left or does not read */
void lockstep_peer_flush(Peer *peer, int patience_ms);

/* Tell all why the run ends */
void lockstep_peer_abort(const char *reason);

/* End this node when somebody told this process to stop */
void lockstep_end_on_signal(void);

#endif
