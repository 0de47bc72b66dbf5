/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The node of a lockstep run: its ports and switches, and its barriers.
 *
 * Life cycle:
 *   1. the ports attach while the machine is built;
 *   2. when it is ready, before its first instruction, it meets the others;
 *   3. a timer at each barrier exchanges frames and sets the next barrier;
 *   4. power-off by the guest hands over the last frames and leaves; any
 *      other end is a failure of the whole run.
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "hw/qdev-properties.h"
#include "system/runstate.h"
#include "system/system.h"
#include "hw/firesteel/build-id.h"
#include "hw/firesteel/lockstep.h"
#include "hw/firesteel/lockstep-fail.h"
#include "hw/firesteel/lockstep-meet.h"
#include "hw/firesteel/lockstep-mesh.h"
#include "hw/firesteel/lockstep-switch.h"
#include "hw/firesteel/vtime.h"

#define NEVER (INT64_MAX / 4)

struct Lockstep {
    DeviceState parent;

    char *dir, *name, *topology, *trace_path;
    uint32_t number, nodes, timeout;
    int64_t start;              /* the cables are plugged in at this time */

    LockstepPort *ports[LOCKSTEP_MAX_PORTS];
    unsigned port_count;
    LockstepSwitch *switches[LOCKSTEP_MAX_PORTS];
    unsigned switch_count;

    int64_t barrier;            /* the one we are waiting for */
    int64_t sent;               /* earliest arrival of what we sent since */
    int64_t reach;              /* shortest way from any node to another */
    uint64_t barriers;
    ShutdownCause cause;
    QEMUTimer *timer;
    LockstepTrace *trace;
    Notifier ready, shutdown;
};

static Lockstep *the_node;

/* ---- ports ---- */

static int node_attach(Lockstep *node, LockstepPort *port, Error **errp)
{
    const LockstepCable *cable = lockstep_port_cable(port);
    unsigned i;

    if (node->port_count == LOCKSTEP_MAX_PORTS) {
        error_setg(errp, "lockstep: more than %d ports", LOCKSTEP_MAX_PORTS);
        return -1;
    }
    for (i = 0; i < node->port_count; i++) {
        if (lockstep_port_cable(node->ports[i])->link == cable->link &&
            !cable->is_switch) {
            error_setg(errp, "lockstep: link %u has two ports on this node",
                       cable->link);
            return -1;
        }
    }
    node->ports[node->port_count] = port;
    return node->port_count++;
}

LockstepPort *lockstep_port(Lockstep *node, unsigned index)
{
    return index < node->port_count ? node->ports[index] : NULL;
}

Lockstep *lockstep_of_machine(void)
{
    return the_node;
}

bool lockstep_has_begun(const Lockstep *node)
{
    unsigned i;

    /* Who is alone has nobody to begin with, however late it boots */
    if (node->nodes == 1) {
        return false;
    }
    for (i = 0; i < node->port_count; i++) {
        if (lockstep_port_busy_until(node->ports[i])) {
            return true;
        }
    }
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >= node->start;
}

/* ---- frames ---- */

static LockstepSwitch *find_switch(Lockstep *node, uint32_t link)
{
    unsigned i;

    for (i = 0; i < node->switch_count; i++) {
        if (lockstep_switch_link(node->switches[i]) == link) {
            return node->switches[i];
        }
    }
    return NULL;
}

static bool is_on_link(const LockstepHello *hello, uint32_t link)
{
    unsigned i;

    for (i = 0; i < hello->port_count; i++) {
        if (hello->ports[i].link == link) {
            return true;
        }
    }
    return false;
}

static void node_send(Lockstep *node, LockstepPort *port, int64_t arrival,
                      const uint8_t *data, uint32_t length)
{
    const LockstepCable *cable = lockstep_port_cable(port);
    LockstepFrame frame = {
        .arrival = arrival,
        .link = cable->link,
        .node = node->number,
        .port = lockstep_port_index(port),
        .length = length,
    };
    uint32_t i;

    if (qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) < node->start) {
        return;         /* lost: the cable is not plugged in yet */
    }
    node->sent = MIN(node->sent, arrival);
    for (i = 0; i < node->nodes; i++) {
        if (lockstep_mesh_is_live(i) &&
            is_on_link(lockstep_mesh_hello(i), cable->link)) {
            lockstep_mesh_queue(i, &frame, data);
        }
    }
    if (cable->is_switch) {
        lockstep_switch_arrive(find_switch(node, cable->link), &frame, data);
    }
}

static void frame_received(void *opaque, const LockstepFrame *frame,
                           const uint8_t *data)
{
    Lockstep *node = opaque;
    LockstepSwitch *sw = find_switch(node, frame->link);
    unsigned i;

    if (frame->arrival <= node->barrier) {
        lockstep_fail("a frame of node %u for %" PRId64
                      " came after barrier %" PRId64 ": a defect of lockstep",
                      frame->node, frame->arrival, node->barrier);
    }
    if (sw) {
        lockstep_switch_arrive(sw, frame, data);
        return;
    }
    for (i = 0; i < node->port_count; i++) {
        if (lockstep_port_cable(node->ports[i])->link == frame->link) {
            lockstep_port_arrive(node->ports[i], frame->arrival, data,
                                 frame->length);
        }
    }
}

/* ---- barriers ---- */

static bool cpu_is_idle(void)
{
    CPUState *cpu;

    CPU_FOREACH (cpu) {
        if (!cpu->halted || cpu_has_work(cpu)) {
            return false;
        }
    }
    return true;
}

/* The earliest arrival of any frame that this node has not yet sent */
static int64_t earliest_unsent(Lockstep *node, int64_t now)
{
    int64_t wakes = now, earliest = NEVER, deadline;
    unsigned i;

    if (cpu_is_idle()) {
        deadline = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                              QEMU_TIMER_ATTR_ALL);
        wakes = deadline < 0 ? NEVER : MIN(now + deadline, NEVER);
    }
    for (i = 0; i < node->port_count; i++) {
        int64_t free = lockstep_port_busy_until(node->ports[i]);

        earliest = MIN(earliest, MAX(wakes, free) +
                                     lockstep_reach_ns(
                                         lockstep_port_cable(node->ports[i])));
    }
    return earliest;
}

static void node_barrier(void *opaque)
{
    Lockstep *node = opaque;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL), next;
    LockstepReport report = {
        .barrier = node->barrier,
        .unsent = earliest_unsent(node, now),
        .sent = node->sent,
    };

    if (qemu_shutdown_requested_get() || qemu_reset_requested_get()) {
        return;         /* node_stopped() says the rest */
    }
    if (!lockstep_mesh_exchange(&report, frame_received, node)) {
        return;         /* all others have powered off */
    }
    node->barriers++;
    node->sent = NEVER;
    /* Strictly before the arrival: all that is due at a time is then known */
    next = MIN(report.unsent, report.sent + node->reach) - 1;
    assert(next > node->barrier);
    node->barrier = next;
    timer_mod(node->timer, next);
}

/* ---- life cycle ---- */

static void fill_hello(const Lockstep *node, LockstepHello *hello)
{
    unsigned i;

    *hello = (LockstepHello) {
        .node = node->number,
        .nodes = node->nodes,
        .port_count = node->port_count,
        .start = node->start,
    };
    pstrcpy(hello->name, sizeof(hello->name), node->name);
    pstrcpy(hello->build, sizeof(hello->build), FIRESTEEL_BUILD);
    pstrcpy(hello->topology, sizeof(hello->topology), node->topology);
    for (i = 0; i < node->port_count; i++) {
        hello->ports[i] = *lockstep_port_cable(node->ports[i]);
    }
}

static int64_t shortest_reach(const Lockstep *node)
{
    int64_t reach = NEVER;
    uint32_t i, j;

    for (i = 0; i < node->nodes; i++) {
        const LockstepHello *hello = lockstep_mesh_hello(i);

        for (j = 0; j < hello->port_count; j++) {
            reach = MIN(reach, lockstep_reach_ns(&hello->ports[j]));
        }
    }
    return reach;
}

static void set_trace(Lockstep *node, LockstepTrace *trace)
{
    unsigned i;

    node->trace = trace;
    for (i = 0; i < node->port_count; i++) {
        lockstep_port_set_trace(node->ports[i], trace);
    }
}

static void node_ready(Notifier *notifier, void *data)
{
    Lockstep *node = container_of(notifier, Lockstep, ready);
    LockstepHello hello;
    unsigned i;

    set_trace(node, lockstep_trace_open(node->trace_path));
    for (i = 0; i < node->port_count; i++) {
        const LockstepCable *cable = lockstep_port_cable(node->ports[i]);

        if (cable->is_switch && !find_switch(node, cable->link)) {
            node->switches[node->switch_count++] = lockstep_switch_new(
                cable->link, node->number, node->ports, node->port_count);
        }
    }
    fill_hello(node, &hello);
    lockstep_mesh_meet(&hello, node->dir, node->timeout);
    node->reach = shortest_reach(node);
    node->sent = NEVER;
    node->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, node_barrier, node);
    node->barrier = node->start;
    timer_mod(node->timer, node->barrier);
}

static void node_shutdown(Notifier *notifier, void *data)
{
    Lockstep *node = container_of(notifier, Lockstep, shutdown);

    node->cause = *(ShutdownCause *)data;
}

/* All vCPUs have stopped, so the clocks stand still at the guest's last act */
static void node_stopped(void *opaque, bool running, RunState state)
{
    Lockstep *node = opaque;

    if (running) {
        return;
    }
    if (node->cause == SHUTDOWN_CAUSE_GUEST_RESET) {
        lockstep_fail("node %u (%s) died: its guest reset the board",
                      node->number, node->name);
    }
    if (node->cause == SHUTDOWN_CAUSE_GUEST_SHUTDOWN) {
        lockstep_mesh_leave(node->sent);
        lockstep_trace_close(node->trace, node->barriers);
        set_trace(node, NULL);
        node->cause = SHUTDOWN_CAUSE_NONE;
    }
}

static void node_realize(DeviceState *dev, Error **errp)
{
    Lockstep *node = LOCKSTEP(dev);

    if (!vtime_has_rate()) {
        error_setg(errp, "lockstep needs -icount rate=N,sleep=off");
    } else if (the_node) {
        error_setg(errp, "lockstep: a machine is one node, not two");
    } else if (!node->dir || !node->name || !node->topology) {
        error_setg(errp, "lockstep needs dir=, name= and topology=");
    } else if (node->nodes < 1 || node->nodes > LOCKSTEP_MAX_NODES ||
               node->number >= node->nodes) {
        error_setg(errp,
                   "lockstep: node=%u of nodes=%u, allowed are 1 to %d "
                   "nodes, numbered from 0",
                   node->number, node->nodes, LOCKSTEP_MAX_NODES);
    } else {
        the_node = node;
        node->ready.notify = node_ready;
        qemu_add_machine_init_done_notifier(&node->ready);
        node->shutdown.notify = node_shutdown;
        qemu_register_shutdown_notifier(&node->shutdown);
        qemu_add_vm_change_state_handler(node_stopped, node);
    }
}

static const Property node_properties[] = {
    DEFINE_PROP_STRING("dir", Lockstep, dir),
    DEFINE_PROP_STRING("name", Lockstep, name),
    DEFINE_PROP_STRING("topology", Lockstep, topology),
    DEFINE_PROP_STRING("trace", Lockstep, trace_path),
    DEFINE_PROP_UINT32("node", Lockstep, number, 0),
    DEFINE_PROP_UINT32("nodes", Lockstep, nodes, 2),
    DEFINE_PROP_UINT32("timeout", Lockstep, timeout, 60),
    DEFINE_PROP_INT64("start", Lockstep, start, 0),
};

static void node_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    LockstepClass *lc = LOCKSTEP_CLASS(klass);

    lc->attach = node_attach;
    lc->send = node_send;
    dc->desc = "Node of a run in lockstep virtual time";
    dc->realize = node_realize;
    dc->user_creatable = true;
    dc->hotpluggable = false;
    device_class_set_props(dc, node_properties);
    set_bit(DEVICE_CATEGORY_NETWORK, dc->categories);
}

static const TypeInfo node_type = {
    .name = TYPE_LOCKSTEP,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(Lockstep),
    .class_size = sizeof(LockstepClass),
    .class_init = node_class_init,
};

static void node_register(void)
{
    type_register_static(&node_type);
}
type_init(node_register)
