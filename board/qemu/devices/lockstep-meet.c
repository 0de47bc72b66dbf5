/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#include "qemu/sockets.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/lockstep-meet.h"
#include "hw/firesteel/lockstep-peer.h"

#define RETRY_MS 5

/* ---- agreeing ---- */

static void agree_on_text(const Peer *peer, const char *what, const char *mine,
                          const char *theirs)
{
    if (strcmp(mine, theirs)) {
        lockstep_fail("the nodes do not fit: %s of node %u (%s) is %s, of "
                      "node %u (%s) %s",
                      what, lockstep_mesh.self,
                      lockstep_mesh.peers[lockstep_mesh.self].hello.name, mine,
                      lockstep_peer_number(peer), peer->hello.name, theirs);
    }
}

static void agree_on_number(const Peer *peer, uint32_t link, const char *what,
                            uint64_t mine, uint64_t theirs)
{
    if (mine != theirs) {
        lockstep_fail("the nodes do not fit: %s of link %u is %" PRIu64
                      " at node %u (%s), %" PRIu64 " at node %u (%s)",
                      what, link, mine, lockstep_mesh.self,
                      lockstep_mesh.peers[lockstep_mesh.self].hello.name,
                      theirs, lockstep_peer_number(peer), peer->hello.name);
    }
}

static void agree_on_cable(const Peer *peer, const LockstepCable *mine,
                           const LockstepCable *theirs)
{
    if (mine->link != theirs->link) {
        return;
    }
    agree_on_number(peer, mine->link, "switch", mine->is_switch,
                    theirs->is_switch);
    if (!mine->is_switch) {
        agree_on_number(peer, mine->link, "rate", mine->rate, theirs->rate);
        agree_on_number(peer, mine->link, "latency", mine->latency,
                        theirs->latency);
        agree_on_number(peer, mine->link, "queue", mine->queue, theirs->queue);
    }
}

static void agree_with(const Peer *peer)
{
    const LockstepHello *mine = &lockstep_mesh.peers[lockstep_mesh.self].hello;
    const LockstepHello *theirs = &peer->hello;
    uint32_t i, j;

    if (theirs->nodes != mine->nodes) {
        lockstep_fail("the nodes do not fit: node %u (%s) counts %u nodes, "
                      "node %u (%s) %u",
                      lockstep_mesh.self, mine->name, mine->nodes, theirs->node,
                      theirs->name, theirs->nodes);
    }
    if (theirs->start != mine->start) {
        lockstep_fail("the nodes do not fit: node %u (%s) starts at %" PRId64
                      " ns, node %u (%s) at %" PRId64 " ns",
                      lockstep_mesh.self, mine->name, mine->start, theirs->node,
                      theirs->name, theirs->start);
    }
    agree_on_text(peer, "build", mine->build, theirs->build);
    for (i = 0; i < mine->port_count; i++) {
        for (j = 0; j < theirs->port_count; j++) {
            agree_on_cable(peer, &mine->ports[i], &theirs->ports[j]);
        }
    }
    agree_on_text(peer, "topology", mine->topology, theirs->topology);
}

/* A point-to-point link has two ends, a switch at least two */
static void check_links(void)
{
    uint32_t i, j, k, l;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        for (j = 0; j < lockstep_mesh.peers[i].hello.port_count; j++) {
            const LockstepCable *cable = &lockstep_mesh.peers[i].hello.ports[j];
            unsigned ends = 0;

            for (k = 0; k < lockstep_mesh.nodes; k++) {
                for (l = 0; l < lockstep_mesh.peers[k].hello.port_count; l++) {
                    ends += lockstep_mesh.peers[k].hello.ports[l].link ==
                            cable->link;
                }
            }
            if (ends < 2 || (!cable->is_switch && ends > 2)) {
                lockstep_fail("link %u has %u ends, a point-to-point link has "
                              "2, a switch 2 or more",
                              cable->link, ends);
            }
        }
    }
}

static void take_hello(Peer *peer, const MessageHeader *header)
{
    if (header->type != MESSAGE_HELLO ||
        header->length != sizeof(peer->hello)) {
        lockstep_fail("node %u is of another build",
                      lockstep_peer_number(peer));
    }
    memcpy(&peer->hello, header + 1, sizeof(peer->hello));
    lockstep_peer_consume(peer, header);
    peer->hello.name[sizeof(peer->hello.name) - 1] = '\0';
    peer->hello.build[sizeof(peer->hello.build) - 1] = '\0';
    peer->hello.topology[sizeof(peer->hello.topology) - 1] = '\0';
    if (peer->hello.port_count > LOCKSTEP_MAX_PORTS) {
        lockstep_fail("node %u sent a damaged message",
                      lockstep_peer_number(peer));
    }
}

/* ---- meeting ---- */

static bool name_socket(struct sockaddr_un *name, const char *dir,
                        uint32_t node)
{
    *name = (struct sockaddr_un) { .sun_family = AF_UNIX };
    return snprintf(name->sun_path, sizeof(name->sun_path), "%s/%u.sock", dir,
                    node) < sizeof(name->sun_path);
}

static int listen_in(const char *dir)
{
    struct sockaddr_un name;
    int fd = qemu_socket(AF_UNIX, SOCK_STREAM, 0);

    if (!name_socket(&name, dir, lockstep_mesh.self)) {
        lockstep_fail("the path of dir=%s is too long for a socket", dir);
    }
    unlink(name.sun_path);
    if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)) < 0 ||
        listen(fd, LOCKSTEP_MAX_NODES) < 0) {
        lockstep_fail("cannot listen on %s: %s", name.sun_path,
                      strerror(errno));
    }
    g_unix_set_fd_nonblocking(fd, true, NULL);
    return fd;
}

static void peer_connected(Peer *peer, int fd)
{
    MessageHeader header = {
        .type = MESSAGE_HELLO,
        .length = sizeof(LockstepHello),
    };

    g_unix_set_fd_nonblocking(fd, true, NULL);
    peer->fd = fd;
    peer->live = true;
    peer->in = g_byte_array_new();
    peer->out = g_byte_array_new();
    g_byte_array_append(peer->out, (uint8_t *)&header, sizeof(header));
    g_byte_array_append(
        peer->out, (uint8_t *)&lockstep_mesh.peers[lockstep_mesh.self].hello,
        sizeof(LockstepHello));
    lockstep_peer_send(peer);
}

/* Take the next caller; callers are told apart by the number they send first */
static bool accept_caller(int listener)
{
    uint32_t number = UINT32_MAX;
    int fd = accept(listener, NULL, NULL);

    if (fd < 0) {
        return false;
    }
    if (recv(fd, &number, sizeof(number), MSG_WAITALL) != sizeof(number) ||
        number >= LOCKSTEP_MAX_NODES || number == lockstep_mesh.self) {
        lockstep_fail("something that is not a node called node %u",
                      lockstep_mesh.self);
    }
    if (number >= lockstep_mesh.nodes || lockstep_mesh.peers[number].live) {
        lockstep_fail("node %u called node %u, which runs with nodes 0 to %u "
                      "and knows that one already or not at all",
                      number, lockstep_mesh.self, lockstep_mesh.nodes - 1);
    }
    peer_connected(&lockstep_mesh.peers[number], fd);
    return true;
}

/* Call a node that may not be there yet */
static void call(const char *dir, uint32_t number)
{
    struct sockaddr_un name;
    int fd = qemu_socket(AF_UNIX, SOCK_STREAM, 0);

    name_socket(&name, dir, number);
    if (fd < 0) {
        lockstep_fail("cannot make a socket: %s", strerror(errno));
    }
    if (connect(fd, (struct sockaddr *)&name, sizeof(name)) < 0) {
        close(fd);
        return;
    }
    if (qemu_send_full(fd, &lockstep_mesh.self, sizeof(lockstep_mesh.self)) !=
        sizeof(lockstep_mesh.self)) {
        lockstep_fail("node %u died", number);
    }
    peer_connected(&lockstep_mesh.peers[number], fd);
}

/* Read what those who came have to say: it may be that we do not fit */
static void hear_all(void)
{
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        Peer *peer = &lockstep_mesh.peers[i];

        const MessageHeader *header = peer->live ? lockstep_peer_advance(peer)
                                                 : NULL;

        if (header && !peer->hello.nodes) {
            take_hello(peer, header);
            agree_with(peer);
        }
    }
}

/* The first node with which we are not done yet, UINT32_MAX for none */
static uint32_t first_missing(void)
{
    uint32_t i;

    for (i = 0; i < lockstep_mesh.nodes; i++) {
        const Peer *peer = &lockstep_mesh.peers[i];

        if (i != lockstep_mesh.self &&
            (!peer->hello.nodes || lockstep_peer_sending(peer))) {
            return i;
        }
    }
    return UINT32_MAX;
}

void lockstep_mesh_meet(const LockstepHello *self, const char *dir,
                        uint32_t timeout)
{
    int64_t until = lockstep_wall_ms() + timeout * 1000LL;
    int listener;
    uint32_t i;

    lockstep_fail_tells(lockstep_peer_abort);
    lockstep_mesh.self = self->node;
    lockstep_mesh.nodes = self->nodes;
    lockstep_mesh.peers[lockstep_mesh.self].hello = *self;
    listener = listen_in(dir);
    while (first_missing() != UINT32_MAX) {
        if (lockstep_wall_ms() >= until) {
            lockstep_fail("node %u did not come in time", first_missing());
        }
        lockstep_end_on_signal();
        while (accept_caller(listener)) {
            /* and the next */
        }
        for (i = 0; i < lockstep_mesh.self; i++) {
            if (!lockstep_mesh.peers[i].live) {
                call(dir, i);
            }
        }
        hear_all();
        g_usleep(RETRY_MS * 1000);
    }
    close(listener);
    for (i = 0; i < lockstep_mesh.nodes; i++) {
        if (lockstep_mesh.peers[i].live) {
            lockstep_peer_reset(&lockstep_mesh.peers[i]);
        }
    }
    check_links();
}
