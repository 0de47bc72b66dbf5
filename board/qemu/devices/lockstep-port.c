/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lockstep port: the end of a cable to which any NIC model can be attached.
 *
 * Outgoing frames are serialised one after the other.  The port takes as many
 * full frames ahead of the wire as the link's queue has; beyond that it refuses
 * until there is room, so the NIC leaves the rest in the guest's ring.  A cable
 * to a switch has its queue in the switch, and SWITCH_FIFO here.  Incoming
 * frames are handed to the NIC at their time of arrival; a NIC that cannot take
 * one loses it, and the loss is counted.
 */
#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "net/net.h"
#include "net/queue.h"
#include "hw/firesteel/lockstep-port.h"

#define SWITCH_FIFO 2 /* frames ahead of the wire, towards a switch */
#define FULL_FRAME 1514             /* bytes of a full frame without FCS */
#define RATE_MIN 1000000ULL         /* bit/s */
#define RATE_MAX 100000000000ULL
#define LATENCY_MIN 10 /* ns: a barrier must be able to advance */
#define LATENCY_MAX 1000000000
#define QUEUE_MAX 65536 /* frames */

typedef struct Arrival {
    QSIMPLEQ_ENTRY(Arrival) next;
    int64_t at;
    uint32_t length;
    uint8_t data[];
} Arrival;

struct LockstepPort {
    DeviceState parent;

    Lockstep *node;
    LockstepTrace *trace;
    LockstepCable cable;
    bool is_switch;

    uint32_t index;
    NetClientState *nc;
    int64_t busy_until;
    QEMUTimer *tx_timer; /* there is room for a frame again */
    QEMUTimer *rx_timer; /* the first of @arrivals is due */
    QSIMPLEQ_HEAD(, Arrival) arrivals;
    LockstepCounters counters;
};

const uint32_t lockstep_size_bounds[LOCKSTEP_SIZE_CLASSES] = {
    19, 39, 79, 159, 319, 639, 1279, 2559, UINT32_MAX,
};

/* ---- sending ---- */

static void count(uint64_t *frames, uint64_t *bytes, uint64_t *sizes,
                  uint32_t length)
{
    unsigned i = 0;

    while (length > lockstep_size_bounds[i]) {
        i++;
    }
    sizes[i]++;
    *frames += 1;
    *bytes += length;
}

/* Is there room for one more frame?  If not, arrange to ask the NIC again. */
static bool port_has_room(LockstepPort *port, int64_t now)
{
    int64_t ahead = port->cable.is_switch ? SWITCH_FIFO : port->cable.queue;
    int64_t room_at = port->busy_until -
                      (ahead - 1) * lockstep_frame_ns(&port->cable, FULL_FRAME);

    if (now >= room_at) {
        return true;
    }
    port->counters.tx_stalls++;
    timer_mod_anticipate_ns(port->tx_timer, room_at);
    return false;
}

static void port_tx_room(void *opaque)
{
    LockstepPort *port = opaque;

    qemu_flush_queued_packets(port->nc);
}

static LockstepPort *port_of(NetClientState *nc)
{
    return *(LockstepPort **)(nc + 1);
}

static ssize_t port_receive(NetClientState *nc, const uint8_t *data,
                            size_t length)
{
    LockstepPort *port = port_of(nc);
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t start, end;

    if (length > LOCKSTEP_MAX_FRAME) {
        lockstep_port_lose(port, now, data, length);
        return length;
    }
    if (!port_has_room(port, now)) {
        return 0;
    }
    start = MAX(now, port->busy_until);
    end = start + lockstep_frame_ns(&port->cable, length);
    port->busy_until = end + lockstep_gap_ns(&port->cable);
    count(&port->counters.tx_frames, &port->counters.tx_bytes,
          port->counters.tx_sizes, length);
    lockstep_trace_tx(port->trace, start, end + port->cable.latency,
                      port->nc->name, data, length);
    LOCKSTEP_GET_CLASS(port->node)
        ->send(port->node, port, end + port->cable.latency, data, length);
    return length;
}

void lockstep_port_lose(LockstepPort *port, int64_t at, const uint8_t *data,
                        uint32_t length)
{
    port->counters.tx_dropped++;
    lockstep_trace_drop(port->trace, at, port->nc->name, data, length);
}

/* ---- receiving ---- */

void lockstep_port_arrive(LockstepPort *port, int64_t at, const uint8_t *data,
                          uint32_t length)
{
    Arrival *arrival = g_malloc(sizeof(*arrival) + length);

    arrival->at = at;
    arrival->length = length;
    memcpy(arrival->data, data, length);
    if (QSIMPLEQ_EMPTY(&port->arrivals)) {
        timer_mod_ns(port->rx_timer, at);
    }
    QSIMPLEQ_INSERT_TAIL(&port->arrivals, arrival, next);
}

static void port_deliver(LockstepPort *port, const Arrival *arrival)
{
    bool taken = qemu_can_send_packet(port->nc);

    if (taken) {
        qemu_send_packet(port->nc, arrival->data, arrival->length);
        count(&port->counters.rx_frames, &port->counters.rx_bytes,
              port->counters.rx_sizes, arrival->length);
    } else {
        port->counters.rx_dropped++;
    }
    lockstep_trace_rx(port->trace, arrival->at,
                      qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) - arrival->at,
                      port->nc->name, arrival->data, arrival->length, taken);
}

static void port_rx_due(void *opaque)
{
    LockstepPort *port = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    Arrival *first;

    while ((first = QSIMPLEQ_FIRST(&port->arrivals)) && first->at <= now) {
        QSIMPLEQ_REMOVE_HEAD(&port->arrivals, next);
        port_deliver(port, first);
        g_free(first);
    }
    if (first) {
        timer_mod_ns(port->rx_timer, first->at);
    }
}

/* ---- what others ask of a port ---- */

void lockstep_port_set_trace(LockstepPort *port, LockstepTrace *trace)
{
    port->trace = trace;
}

const LockstepCable *lockstep_port_cable(const LockstepPort *port)
{
    return &port->cable;
}

const LockstepCounters *lockstep_port_counters(const LockstepPort *port)
{
    return &port->counters;
}

const char *lockstep_port_name(const LockstepPort *port)
{
    return port->nc->name;
}

uint32_t lockstep_port_index(const LockstepPort *port)
{
    return port->index;
}

int64_t lockstep_port_busy_until(const LockstepPort *port)
{
    return port->busy_until;
}

/* ---- the device ---- */

static NetClientInfo port_net_info = {
    .type = NET_CLIENT_DRIVER_SOCKET,
    .size = sizeof(NetClientState) + sizeof(LockstepPort *),
    .receive = port_receive,
};

static bool port_check(LockstepPort *port, Error **errp)
{
    const LockstepCable *cable = &port->cable;

    if (!port->parent.id || !port->node) {
        error_setg(errp, "lockstep-port needs id=NAME and lockstep=ID");
    } else if (cable->rate < RATE_MIN || cable->rate > RATE_MAX) {
        error_setg(errp,
                   "lockstep-port %s: rate=%" PRIu64 ", allowed are %llu "
                   "to %llu bit/s",
                   port->parent.id, cable->rate, RATE_MIN, RATE_MAX);
    } else if (cable->latency < LATENCY_MIN || cable->latency > LATENCY_MAX) {
        error_setg(errp,
                   "lockstep-port %s: latency=%" PRId64 ", allowed are "
                   "%d to %d ns",
                   port->parent.id, cable->latency, LATENCY_MIN, LATENCY_MAX);
    } else if (cable->queue < 1 || cable->queue > QUEUE_MAX) {
        error_setg(errp,
                   "lockstep-port %s: queue=%u, allowed are 1 to %d "
                   "frames",
                   port->parent.id, cable->queue, QUEUE_MAX);
    } else {
        return true;
    }
    return false;
}

static void port_realize(DeviceState *dev, Error **errp)
{
    LockstepPort *port = LOCKSTEP_PORT(dev);
    int index;

    port->cable.is_switch = port->is_switch;
    if (!port_check(port, errp)) {
        return;
    }
    index = LOCKSTEP_GET_CLASS(port->node)->attach(port->node, port, errp);
    if (index < 0) {
        return;
    }
    port->index = index;
    QSIMPLEQ_INIT(&port->arrivals);
    port->tx_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, port_tx_room, port);
    port->rx_timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, port_rx_due, port);
    port->nc = qemu_new_net_client(&port_net_info, NULL, TYPE_LOCKSTEP_PORT,
                                   dev->id);
    *(LockstepPort **)(port->nc + 1) = port;
}

static const Property port_properties[] = {
    DEFINE_PROP_LINK("lockstep", LockstepPort, node, TYPE_LOCKSTEP, Lockstep *),
    DEFINE_PROP_UINT32("link", LockstepPort, cable.link, 0),
    DEFINE_PROP_BOOL("switch", LockstepPort, is_switch, false),
    DEFINE_PROP_UINT64("rate", LockstepPort, cable.rate, 100000000),
    DEFINE_PROP_INT64("latency", LockstepPort, cable.latency, 20000),
    DEFINE_PROP_UINT32("queue", LockstepPort, cable.queue, 2),
};

static void port_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "Ethernet port in lockstep with other nodes";
    dc->realize = port_realize;
    dc->user_creatable = true;
    dc->hotpluggable = false;
    device_class_set_props(dc, port_properties);
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static const TypeInfo port_type = {
    .name = TYPE_LOCKSTEP_PORT,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(LockstepPort),
    .class_init = port_class_init,
};

static void port_register(void)
{
    type_register_static(&port_type);
}
type_init(port_register)
