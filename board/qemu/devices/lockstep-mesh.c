/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mesh: one UNIX stream socket between each two nodes of a run.
 *
 * Node N listens on DIR/N.sock and calls all nodes with smaller numbers.
 * Messages are a header and a body in host byte order (all nodes are on one
 * host).  A node that goes without a goodbye ends the run on all others.
 */
#include "qemu/osdep.h"
#include "qemu/sockets.h"
#include <poll.h>
#include "system/runstate.h"
#include "lockstep-mesh.h"

#define MAX_BODY (64u << 20)        /* bytes; far above a window's frames */
#define SIGNAL_CHECK_MS 200

Mesh lockstep_mesh;

int64_t lockstep_wall_ms(void)
{
    return g_get_monotonic_time() / 1000;
}

uint32_t lockstep_peer_number(const Peer *peer)
{
    return peer - lockstep_mesh.peers;
}

const char *lockstep_peer_name(const Peer *peer)
{
    return peer->hello.name[0] ? peer->hello.name : "not yet known";
}

const LockstepHello *lockstep_mesh_hello(uint32_t number)
{
    return &lockstep_mesh.peers[number].hello;
}

bool lockstep_mesh_is_live(uint32_t number)
{
    return lockstep_mesh.peers[number].live;
}

/* ---- messages ---- */

void lockstep_peer_reset(Peer *peer)
{
    g_byte_array_set_size(peer->out,
                          sizeof(MessageHeader) + sizeof(LockstepReport));
    peer->sent = 0;
}

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

/* The message at the head of what @peer has sent, NULL while incomplete */
static const MessageHeader *in_message(const Peer *peer)
{
    const MessageHeader *header = (const MessageHeader *)peer->in->data;

    if (peer->in->len < sizeof(*header)) {
        return NULL;
    }
    if (header->type < MESSAGE_HELLO || header->type > MESSAGE_ABORT ||
        header->length > MAX_BODY) {
        lockstep_fail("node %u (%s) speaks another protocol",
                      lockstep_peer_number(peer), lockstep_peer_name(peer));
    }
    return peer->in->len - sizeof(*header) < header->length ? NULL : header;
}

void lockstep_peer_consume(Peer *peer, const MessageHeader *header)
{
    g_byte_array_remove_range(peer->in, 0, sizeof(*header) + header->length);
}

/* ---- moving bytes ---- */

bool lockstep_peer_sending(const Peer *peer)
{
    return !peer->deaf && peer->sent < peer->out->len;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Send what the socket takes; a peer that has left shows when we read */
void lockstep_peer_send(Peer *peer)
{
    while (lockstep_peer_sending(peer)) {
        ssize_t n = send(peer->fd, peer->out->data + peer->sent,
                         peer->out->len - peer->sent, MSG_NOSIGNAL);

        if (n < 0 && would_block()) {
            return;
        }
        if (n < 0) {
            peer->deaf = true;
            return;
        }
        peer->sent += n;
    }
}

/* Receive what there is; false when the peer's end is closed */
static bool peer_receive(Peer *peer)
{
    uint8_t buffer[65536];
    ssize_t n = recv(peer->fd, buffer, sizeof(buffer), 0);

    if (n > 0) {
        g_byte_array_append(peer->in, buffer, n);
    }
    return n > 0 || (n < 0 && would_block());
}

void lockstep_end_on_signal(void)
{
    if (qemu_shutdown_requested_get()) {
        lockstep_fail("node %u (%s) was ended by a signal", lockstep_mesh.self,
                      lockstep_mesh.peers[lockstep_mesh.self].hello.name);
    }
}

/* A complete message of @peer, or the end of the run when it died */
const MessageHeader *lockstep_peer_advance(Peer *peer)
{
    const MessageHeader *header;

    lockstep_peer_send(peer);
    header = in_message(peer);
    if (!header && !peer_receive(peer)) {
        lockstep_fail("node %u (%s) died", lockstep_peer_number(peer),
                      lockstep_peer_name(peer));
    }
    header = in_message(peer);
    if (header && header->type == MESSAGE_ABORT) {
        g_autofree char *reason = g_strndup((const char *)(header + 1),
                                            header->length);

        lockstep_fail("%s", reason);
    }
    return header;
}

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
    const MessageHeader *header = in_message(peer);
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

/* Send @peer's message whole, unless it has left or does not read */
static void flush_out(Peer *peer, int patience_ms)
{
    int64_t until = lockstep_wall_ms() + patience_ms;

    lockstep_peer_send(peer);
    while (lockstep_peer_sending(peer) && lockstep_wall_ms() < until) {
        struct pollfd writable = { peer->fd, POLLOUT };

        poll(&writable, 1, SIGNAL_CHECK_MS);
        lockstep_peer_send(peer);
    }
}

void lockstep_mesh_leave(int64_t sent)
{
    LockstepReport report = { .unsent = INT64_MAX, .sent = sent };
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        Peer *peer = &lockstep_mesh.peers[i];

        if (peer->live) {
            out_finish(peer, MESSAGE_BYE, &report);
            flush_out(peer, INT_MAX);
            peer->live = false;
        }
    }
}

void lockstep_mesh_abort(const char *reason)
{
    MessageHeader header = {
        .type = MESSAGE_ABORT,
        .length = strlen(reason),
    };
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        Peer *peer = &lockstep_mesh.peers[i];

        if (peer->live && (peer->sent == 0 || !lockstep_peer_sending(peer))) {
            peer->live = false;
            peer->sent = 0;
            g_byte_array_set_size(peer->out, 0);
            g_byte_array_append(peer->out, (uint8_t *)&header, sizeof(header));
            g_byte_array_append(peer->out, (const uint8_t *)reason,
                                header.length);
            flush_out(peer, 1000);
        }
    }
}
