/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/sockets.h"
#include <poll.h>
#include "system/runstate.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/lockstep-peer.h"

#define MAX_BODY (64u << 20)        /* bytes; far above a window's frames */
#define POLL_MS 200

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

/* ---- messages ---- */

void lockstep_peer_reset(Peer *peer)
{
    g_byte_array_set_size(peer->out,
                          sizeof(MessageHeader) + sizeof(LockstepReport));
    peer->sent = 0;
}

const MessageHeader *lockstep_peer_message(const Peer *peer)
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

const MessageHeader *lockstep_peer_advance(Peer *peer)
{
    const MessageHeader *header;

    lockstep_peer_send(peer);
    header = lockstep_peer_message(peer);
    if (!header && !peer_receive(peer)) {
        lockstep_fail("node %u (%s) died", lockstep_peer_number(peer),
                      lockstep_peer_name(peer));
    }
    header = lockstep_peer_message(peer);
    if (header && header->type == MESSAGE_ABORT) {
        g_autofree char *reason = g_strndup((const char *)(header + 1),
                                            header->length);

        lockstep_fail("%s", reason);
    }
    return header;
}

void lockstep_peer_flush(Peer *peer, int patience_ms)
{
    int64_t until = lockstep_wall_ms() + patience_ms;

    lockstep_peer_send(peer);
    while (lockstep_peer_sending(peer) && lockstep_wall_ms() < until) {
        struct pollfd writable = { peer->fd, POLLOUT };

        poll(&writable, 1, POLL_MS);
        lockstep_peer_send(peer);
    }
}

void lockstep_peer_abort(const char *reason)
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
            lockstep_peer_flush(peer, 1000);
        }
    }
}
