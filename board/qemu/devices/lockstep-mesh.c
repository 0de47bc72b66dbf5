/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include <poll.h>
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/lockstep-mesh.h"
#include "hw/firesteel/lockstep-peer.h"

#define SIGNAL_CHECK_MS 200

const LockstepHello *lockstep_mesh_hello(uint32_t number)
{
    return &lockstep_mesh.peers[number].hello;
}

bool lockstep_mesh_is_live(uint32_t number)
{
    return lockstep_mesh.peers[number].live;
}

/* ---- sending ---- */

static void out_finish(Peer *peer, MessageType type,
                       const LockstepReport *report)
{
    MessageHeader header = {
        .type = type,
        .length = peer->out->len - sizeof(header),
    };

    memcpy(peer->out->data, &header, sizeof(header));
    memcpy(peer->out->data + sizeof(header), report, sizeof(*report));
}

void lockstep_mesh_queue(uint32_t number, const LockstepFrame *frame,
                         const uint8_t *data)
{
    GByteArray *out = lockstep_mesh.peers[number].out;

    g_byte_array_append(out, (const uint8_t *)frame, sizeof(*frame));
    g_byte_array_append(out, data, frame->length);
}

/* ---- exchanging ---- */

/* Move bytes until every live peer has our message and we have one of each */
static void exchange_messages(void)
{
    for (;;) {
        struct pollfd polls[LOCKSTEP_MAX_NODES];
        nfds_t count = 0;
        uint32_t i;

        for (i = 0; i < lockstep_mesh.nodes; i++) {
            Peer *peer = &lockstep_mesh.peers[i];
            short events = 0;

            if (peer->live) {
                events = lockstep_peer_advance(peer) ? 0 : POLLIN;
                events |= lockstep_peer_sending(peer) ? POLLOUT : 0;
            }
            if (events) {
                polls[count++] = (struct pollfd) { peer->fd, events };
            }
        }
        if (!count) {
            return;
        }
        if (poll(polls, count, SIGNAL_CHECK_MS) == 0) {
            lockstep_end_on_signal();
        }
    }
}

/* ---- barriers ---- */

typedef void FrameFn(void *opaque, const LockstepFrame *frame,
                     const uint8_t *data);

static void take_frames(const Peer *peer, const uint8_t *at, const uint8_t *end,
                        FrameFn *frame_fn, void *opaque)
{
    while (at < end) {
        LockstepFrame frame;

        if (end - at < sizeof(frame)) {
            break;
        }
        memcpy(&frame, at, sizeof(frame));
        at += sizeof(frame);
        if (frame.length > LOCKSTEP_MAX_FRAME || end - at < frame.length) {
            break;
        }
        frame_fn(opaque, &frame, at);
        at += frame.length;
    }
    if (at != end) {
        lockstep_fail("node %u (%s) sent a damaged message",
                      lockstep_peer_number(peer), lockstep_peer_name(peer));
    }
}

static void take_report(Peer *peer, LockstepReport *least, FrameFn *frame_fn,
                        void *opaque)
{
    const MessageHeader *header = lockstep_peer_message(peer);
    const uint8_t *body = (const uint8_t *)(header + 1);
    LockstepReport report;

    if (header->length < sizeof(report) || header->type == MESSAGE_HELLO) {
        lockstep_fail("node %u (%s) sent a damaged message",
                      lockstep_peer_number(peer), lockstep_peer_name(peer));
    }
    memcpy(&report, body, sizeof(report));
    if (header->type == MESSAGE_BYE) {
        peer->live = false;
    } else if (report.barrier != least->barrier) {
        lockstep_fail("node %u (%s) is at barrier %" PRId64
                      ", node %u at %" PRId64,
                      lockstep_peer_number(peer), lockstep_peer_name(peer),
                      report.barrier, lockstep_mesh.self, least->barrier);
    }
    least->unsent = MIN(least->unsent, report.unsent);
    least->sent = MIN(least->sent, report.sent);
    take_frames(peer, body + sizeof(report), body + header->length, frame_fn,
                opaque);
    lockstep_peer_consume(peer, header);
}

unsigned lockstep_mesh_exchange(LockstepReport *report, FrameFn *frame_fn,
                                void *opaque)
{
    LockstepReport own = *report;
    unsigned live = 0;
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        if (lockstep_mesh.peers[i].live) {
            out_finish(&lockstep_mesh.peers[i], MESSAGE_BARRIER, &own);
        }
    }
    exchange_messages();
    for (i = 0; i < lockstep_mesh.nodes; i++) {
        Peer *peer = &lockstep_mesh.peers[i];

        if (peer->live) {
            lockstep_peer_reset(peer);
            take_report(peer, report, frame_fn, opaque);
            live += peer->live;
        }
    }
    return live;
}

/* ---- leaving ---- */

void lockstep_mesh_leave(int64_t sent)
{
    LockstepReport report = { .unsent = INT64_MAX, .sent = sent };
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        Peer *peer = &lockstep_mesh.peers[i];

        if (peer->live) {
            out_finish(peer, MESSAGE_BYE, &report);
            lockstep_peer_flush(peer, INT_MAX);
            peer->live = false;
        }
    }
}
