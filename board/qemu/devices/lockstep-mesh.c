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
#include "hw/firesteel/lockstep.h"

#define MAX_BODY (64u << 20)        /* bytes; far above a window's frames */
#define RETRY_MS 5
#define SIGNAL_CHECK_MS 200

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

typedef struct Peer {
    int fd;
    bool live;                      /* met, and has not said goodbye */
    bool deaf;                      /* its socket takes no more bytes */
    LockstepHello hello;
    GByteArray *out;                /* the next message, header first */
    size_t sent;                    /* bytes of @out that are on their way */
    GByteArray *in;                 /* received and not yet consumed */
} Peer;

static struct {
    uint32_t self, nodes;
    Peer peers[LOCKSTEP_MAX_NODES];
} mesh;

static int64_t wall_ms(void)
{
    return g_get_monotonic_time() / 1000;
}

static const char *peer_name(const Peer *peer)
{
    return peer->hello.name[0] ? peer->hello.name : "not yet known";
}

const LockstepHello *lockstep_mesh_hello(uint32_t number)
{
    return &mesh.peers[number].hello;
}

bool lockstep_mesh_is_live(uint32_t number)
{
    return mesh.peers[number].live;
}

/* ---- messages ---- */

static void out_reset(Peer *peer)
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
    GByteArray *out = mesh.peers[number].out;

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
                      (unsigned)(peer - mesh.peers), peer_name(peer));
    }
    return peer->in->len - sizeof(*header) < header->length ? NULL : header;
}

static void in_consume(Peer *peer, const MessageHeader *header)
{
    g_byte_array_remove_range(peer->in, 0, sizeof(*header) + header->length);
}

/* ---- moving bytes ---- */

static bool peer_sending(const Peer *peer)
{
    return !peer->deaf && peer->sent < peer->out->len;
}

static bool would_block(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/* Send what the socket takes; a peer that has left shows when we read */
static void peer_send(Peer *peer)
{
    while (peer_sending(peer)) {
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

static void end_on_signal(void)
{
    if (qemu_shutdown_requested_get()) {
        lockstep_fail("node %u (%s) was ended by a signal", mesh.self,
                      mesh.peers[mesh.self].hello.name);
    }
}

/* A complete message of @peer, or the end of the run when it died */
static const MessageHeader *peer_advance(Peer *peer)
{
    const MessageHeader *header;

    peer_send(peer);
    header = in_message(peer);
    if (!header && !peer_receive(peer)) {
        lockstep_fail("node %u (%s) died", (unsigned)(peer - mesh.peers),
                      peer_name(peer));
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

        for (i = 0; i < mesh.nodes; i++) {
            Peer *peer = &mesh.peers[i];
            short events = 0;

            if (peer->live) {
                events = peer_advance(peer) ? 0 : POLLIN;
                events |= peer_sending(peer) ? POLLOUT : 0;
            }
            if (events) {
                polls[count++] = (struct pollfd) { peer->fd, events };
            }
        }
        if (!count) {
            return;
        }
        if (poll(polls, count, SIGNAL_CHECK_MS) == 0) {
            end_on_signal();
        }
    }
}

/* ---- barriers ---- */

typedef void FrameFn(void *opaque, const LockstepFrame *frame,
                     const uint8_t *data);

static void take_frames(const Peer *peer, const uint8_t *at,
                        const uint8_t *end, FrameFn *frame_fn, void *opaque)
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
                      (unsigned)(peer - mesh.peers), peer_name(peer));
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
                      (unsigned)(peer - mesh.peers), peer_name(peer));
    }
    memcpy(&report, body, sizeof(report));
    if (header->type == MESSAGE_BYE) {
        peer->live = false;
    } else if (report.barrier != least->barrier) {
        lockstep_fail("node %u (%s) is at barrier %" PRId64 ", node %u at %"
                      PRId64, (unsigned)(peer - mesh.peers), peer_name(peer),
                      report.barrier, mesh.self, least->barrier);
    }
    least->unsent = MIN(least->unsent, report.unsent);
    least->sent = MIN(least->sent, report.sent);
    take_frames(peer, body + sizeof(report), body + header->length, frame_fn,
                opaque);
    in_consume(peer, header);
}

unsigned lockstep_mesh_exchange(LockstepReport *report, FrameFn *frame_fn,
                                void *opaque)
{
    LockstepReport own = *report;
    unsigned live = 0;
    uint32_t i;

    for (i = 0; i < mesh.nodes; i++) {
        if (mesh.peers[i].live) {
            out_finish(&mesh.peers[i], MESSAGE_BARRIER, &own);
        }
    }
    exchange_messages();
    for (i = 0; i < mesh.nodes; i++) {
        Peer *peer = &mesh.peers[i];

        if (peer->live) {
            out_reset(peer);
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
    int64_t until = wall_ms() + patience_ms;

    peer_send(peer);
    while (peer_sending(peer) && wall_ms() < until) {
        struct pollfd writable = { peer->fd, POLLOUT };

        poll(&writable, 1, SIGNAL_CHECK_MS);
        peer_send(peer);
    }
}

void lockstep_mesh_leave(void)
{
    LockstepReport report = { .unsent = INT64_MAX, .sent = INT64_MAX };
    uint32_t i;

    for (i = 0; i < mesh.nodes; i++) {
        Peer *peer = &mesh.peers[i];

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

    for (i = 0; i < mesh.nodes; i++) {
        Peer *peer = &mesh.peers[i];

        if (peer->live && (peer->sent == 0 || !peer_sending(peer))) {
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

/* ---- agreeing ---- */

static void agree_on_text(const Peer *peer, const char *what, const char *mine,
                          const char *theirs)
{
    if (strcmp(mine, theirs)) {
        lockstep_fail("the nodes do not fit: %s of node %u (%s) is %s, of "
                      "node %u (%s) %s", what, mesh.self,
                      mesh.peers[mesh.self].hello.name, mine,
                      (unsigned)(peer - mesh.peers), peer->hello.name, theirs);
    }
}

static void agree_on_number(const Peer *peer, uint32_t link, const char *what,
                            uint64_t mine, uint64_t theirs)
{
    if (mine != theirs) {
        lockstep_fail("the nodes do not fit: %s of link %u is %" PRIu64
                      " at node %u (%s), %" PRIu64 " at node %u (%s)", what,
                      link, mine, mesh.self, mesh.peers[mesh.self].hello.name,
                      theirs, (unsigned)(peer - mesh.peers),
                      peer->hello.name);
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
        agree_on_number(peer, mine->link, "queue", mine->queue,
                        theirs->queue);
    }
}

static void agree_with(const Peer *peer)
{
    const LockstepHello *mine = &mesh.peers[mesh.self].hello;
    const LockstepHello *theirs = &peer->hello;
    uint32_t i, j;

    if (theirs->nodes != mine->nodes) {
        lockstep_fail("the nodes do not fit: node %u (%s) counts %u nodes, "
                      "node %u (%s) %u", mesh.self, mine->name, mine->nodes,
                      theirs->node, theirs->name, theirs->nodes);
    }
    if (theirs->start != mine->start) {
        lockstep_fail("the nodes do not fit: node %u (%s) starts at %" PRId64
                      " ns, node %u (%s) at %" PRId64 " ns", mesh.self,
                      mine->name, mine->start, theirs->node, theirs->name,
                      theirs->start);
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

    for (i = 0; i < mesh.nodes; i++) {
        for (j = 0; j < mesh.peers[i].hello.port_count; j++) {
            const LockstepCable *cable = &mesh.peers[i].hello.ports[j];
            unsigned ends = 0;

            for (k = 0; k < mesh.nodes; k++) {
                for (l = 0; l < mesh.peers[k].hello.port_count; l++) {
                    ends += mesh.peers[k].hello.ports[l].link == cable->link;
                }
            }
            if (ends < 2 || (!cable->is_switch && ends > 2)) {
                lockstep_fail("link %u has %u ends, a point-to-point link has "
                              "2, a switch 2 or more", cable->link, ends);
            }
        }
    }
}

static void take_hello(Peer *peer)
{
    const MessageHeader *header = in_message(peer);

    if (header->type != MESSAGE_HELLO ||
        header->length != sizeof(peer->hello)) {
        lockstep_fail("node %u is of another build",
                      (unsigned)(peer - mesh.peers));
    }
    memcpy(&peer->hello, header + 1, sizeof(peer->hello));
    in_consume(peer, header);
    peer->hello.name[sizeof(peer->hello.name) - 1] = '\0';
    peer->hello.build[sizeof(peer->hello.build) - 1] = '\0';
    peer->hello.topology[sizeof(peer->hello.topology) - 1] = '\0';
    if (peer->hello.port_count > LOCKSTEP_MAX_PORTS) {
        lockstep_fail("node %u sent a damaged message",
                      (unsigned)(peer - mesh.peers));
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

    if (!name_socket(&name, dir, mesh.self)) {
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
    g_byte_array_append(peer->out, (uint8_t *)&mesh.peers[mesh.self].hello,
                        sizeof(LockstepHello));
    peer_send(peer);
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
        number >= LOCKSTEP_MAX_NODES || number == mesh.self) {
        lockstep_fail("something that is not a node called node %u",
                      mesh.self);
    }
    if (number >= mesh.nodes || mesh.peers[number].live) {
        lockstep_fail("node %u called node %u, which runs with nodes 0 to %u "
                      "and knows that one already or not at all", number,
                      mesh.self, mesh.nodes - 1);
    }
    peer_connected(&mesh.peers[number], fd);
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
    if (qemu_send_full(fd, &mesh.self, sizeof(mesh.self)) !=
        sizeof(mesh.self)) {
        lockstep_fail("node %u died", number);
    }
    peer_connected(&mesh.peers[number], fd);
}

/* Read what those who came have to say: it may be that we do not fit */
static void hear_all(void)
{
    uint32_t i;

    for (i = 0; i < mesh.nodes; i++) {
        Peer *peer = &mesh.peers[i];

        if (peer->live && peer_advance(peer) && !peer->hello.nodes) {
            take_hello(peer);
            agree_with(peer);
        }
    }
}

/* The first node with which we are not done yet, UINT32_MAX for none */
static uint32_t first_missing(void)
{
    uint32_t i;

    for (i = 0; i < mesh.nodes; i++) {
        const Peer *peer = &mesh.peers[i];

        if (i != mesh.self && (!peer->hello.nodes || peer_sending(peer))) {
            return i;
        }
    }
    return UINT32_MAX;
}

void lockstep_mesh_meet(const LockstepHello *self, const char *dir,
                        uint32_t timeout)
{
    int64_t until = wall_ms() + timeout * 1000LL;
    int listener;
    uint32_t i;

    mesh.self = self->node;
    mesh.nodes = self->nodes;
    mesh.peers[mesh.self].hello = *self;
    listener = listen_in(dir);
    while (first_missing() != UINT32_MAX) {
        if (wall_ms() >= until) {
            lockstep_fail("node %u did not come in time", first_missing());
        }
        end_on_signal();
        while (accept_caller(listener)) {
            /* and the next */
        }
        for (i = 0; i < mesh.self; i++) {
            if (!mesh.peers[i].live) {
                call(dir, i);
            }
        }
        hear_all();
        g_usleep(RETRY_MS * 1000);
    }
    close(listener);
    for (i = 0; i < mesh.nodes; i++) {
        if (mesh.peers[i].live) {
            out_reset(&mesh.peers[i]);
        }
    }
    check_links();
}
