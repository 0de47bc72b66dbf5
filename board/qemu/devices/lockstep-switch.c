/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store-and-forward switch without a process of its own.
 *
 * Every node with a cable to the switch keeps a replica.  A sender's frame
 * goes to all of them, stamped with the time at which it is wholly inside the
 * switch.  Each replica takes the frames in the same order (time, then node,
 * then port), so all learn the same addresses, and each serialises only what
 * leaves on its own node's cables.
 */
#include "qemu/osdep.h"
#include "qemu/queue.h"
#include "qemu/timer.h"
#include "hw/firesteel/lockstep-switch.h"

typedef struct Ingress {
    QTAILQ_ENTRY(Ingress) next;
    LockstepFrame frame;
    uint8_t data[];
} Ingress;

/* The switch's transmitter towards one of this node's ports */
typedef struct Egress {
    LockstepPort *port;
    int64_t busy_until;
    uint64_t sent;
    int64_t *starts; /* of the last frames sent, as many as the queue has */
} Egress;

struct LockstepSwitch {
    uint32_t link;
    uint32_t node;                  /* the number of ours */
    QTAILQ_HEAD(, Ingress) pending;
    QEMUTimer *timer;               /* the first of @pending is inside */
    GHashTable *where;              /* address → sender_key() */
    Egress egress[LOCKSTEP_MAX_PORTS];
    unsigned egress_count;
};

static gpointer sender_key(uint32_t node, uint32_t port)
{
    return GUINT_TO_POINTER(1 + node * LOCKSTEP_MAX_PORTS + port);
}

/* An Ethernet address as a pointer-sized hash key (64-bit hosts) */
static gpointer address_key(const uint8_t *address)
{
    uint64_t key = 0;

    QEMU_BUILD_BUG_ON(sizeof(gpointer) < sizeof(key));
    memcpy(&key, address, 6);
    return (gpointer)(uintptr_t)key;
}

static void egress_send(Egress *out, const Ingress *in)
{
    const LockstepCable *cable = lockstep_port_cable(out->port);
    int64_t start = MAX(in->frame.arrival, out->busy_until);
    int64_t *slot = &out->starts[out->sent % cable->queue];
    int64_t end;

    /* The frame that was sent a whole queue ago still waits: no room */
    if (*slot > in->frame.arrival) {
        lockstep_port_lose(out->port, in->frame.arrival, in->data,
                           in->frame.length);
        return;
    }
    *slot = start;
    out->sent++;
    end = start + lockstep_frame_ns(cable, in->frame.length);
    out->busy_until = end + lockstep_gap_ns(cable);
    lockstep_port_arrive(out->port, end + cable->latency, in->data,
                         in->frame.length);
}

static void switch_forward(LockstepSwitch *sw, const Ingress *in)
{
    gpointer from = sender_key(in->frame.node, in->frame.port);
    gpointer to = NULL;
    unsigned i;

    if (in->frame.length < 14) {
        return;
    }
    g_hash_table_insert(sw->where, address_key(in->data + 6), from);
    if (!(in->data[0] & 1)) {
        to = g_hash_table_lookup(sw->where, address_key(in->data));
    }
    for (i = 0; i < sw->egress_count; i++) {
        gpointer here = sender_key(sw->node,
                                   lockstep_port_index(sw->egress[i].port));

        if (here != from && (!to || here == to)) {
            egress_send(&sw->egress[i], in);
        }
    }
}

static void switch_due(void *opaque)
{
    LockstepSwitch *sw = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    Ingress *first;

    while ((first = QTAILQ_FIRST(&sw->pending)) &&
           first->frame.arrival <= now) {
        QTAILQ_REMOVE(&sw->pending, first, next);
        switch_forward(sw, first);
        g_free(first);
    }
    if (first) {
        timer_mod(sw->timer, first->frame.arrival);
    }
}

static bool comes_before(const LockstepFrame *a, const LockstepFrame *b)
{
    if (a->arrival != b->arrival) {
        return a->arrival < b->arrival;
    }
    return a->node != b->node ? a->node < b->node : a->port < b->port;
}

void lockstep_switch_arrive(LockstepSwitch *sw, const LockstepFrame *frame,
                            const uint8_t *data)
{
    Ingress *in = g_malloc(sizeof(*in) + frame->length), *at;

    in->frame = *frame;
    memcpy(in->data, data, frame->length);
    QTAILQ_FOREACH (at, &sw->pending, next) {
        if (comes_before(frame, &at->frame)) {
            break;
        }
    }
    if (at) {
        QTAILQ_INSERT_BEFORE(at, in, next);
    } else {
        QTAILQ_INSERT_TAIL(&sw->pending, in, next);
    }
    timer_mod(sw->timer, QTAILQ_FIRST(&sw->pending)->frame.arrival);
}

LockstepSwitch *lockstep_switch_new(uint32_t link, uint32_t number,
                                    LockstepPort *const *ports, unsigned count)
{
    LockstepSwitch *sw = g_new0(LockstepSwitch, 1);
    unsigned i;

    sw->link = link;
    sw->node = number;
    QTAILQ_INIT(&sw->pending);
    sw->where = g_hash_table_new(NULL, NULL);
    sw->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, switch_due, sw);
    for (i = 0; i < count; i++) {
        const LockstepCable *cable = lockstep_port_cable(ports[i]);

        if (cable->link == link) {
            sw->egress[sw->egress_count++] = (Egress) {
                .port = ports[i],
                .starts = g_new0(int64_t, cable->queue),
            };
        }
    }
    return sw;
}

uint32_t lockstep_switch_link(const LockstepSwitch *sw)
{
    return sw->link;
}
