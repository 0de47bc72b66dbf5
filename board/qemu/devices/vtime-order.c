/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order in which CPUs run, see vtime-order.h. */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "exec/cpu-common.h"
#include "exec/exec-all.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"
#include "system/cpus.h"
#include "system/runstate.h"
#include "hw/firesteel/cycles.h"
#include "hw/firesteel/trace.h"
#include "hw/firesteel/vtime-order.h"
#include "hw/firesteel/vtime-rate.h"

#define NONE INT64_C(-1)
#define QUANTUM_MIN 10 /* ns */
#define QUANTUM_MAX 1000000

/* ns that any turn ends after, so that what follows from it has 64 bits */
#define TURN_MAX INT32_MAX

/*
 * An event comes after that many ns at the latest.  A processor may end a wait
 * at any time, and has to when memory that it watches is written, which nobody
 * tells us.
 */
#define EVENT_NS 1000

/*
 * With a seed, a turn lasts at most the quantum or, as likely, a half, a quarter
 * or an eighth of it: both sides of a race may be short or long.
 */
#define TURN_SCALES 4

/* What is known of a CPU besides its clock */
typedef struct Place {
    bool asleep;            /* it waits for an interrupt */
    int64_t woken;          /* when that came; NONE */
    int64_t access;         /* lets the others come up to this first; NONE */
    int64_t accessed;       /* its instructions at its last access; NONE */
    bool event;             /* the event register */
    int64_t event_due;      /* it waits for an event, until then; NONE */
} Place;

static struct Order {
    Place places[VTIME_CPUS_MAX];
    int64_t quantum;
    int64_t now;            /* the board's clock: no CPU is behind it */
    int64_t last;           /* when what was done last was done */
    int32_t turn;           /* whose turn is not over; NONE */
    int64_t began;          /* when it began */
    int64_t end;            /* when it ends at the latest, by the seed */
    int64_t limit, due;     /* when it is; when the next timer is due */
    bool changed;           /* somebody has been woken in this turn */
    bool over;              /* the guest has asked for power-off or a reset */
    uint64_t seed;          /* 0: the order does not vary */
    uint64_t random;        /* where the seed's sequence is */
    bool varies;
} order = { .quantum = VTIME_QUANTUM, .turn = NONE, .end = INT64_MAX };

static const VMStateField place_fields[] = {
    VMSTATE_BOOL(asleep, Place),  VMSTATE_INT64(woken, Place),
    VMSTATE_INT64(access, Place), VMSTATE_INT64(accessed, Place),
    VMSTATE_BOOL(event, Place),   VMSTATE_INT64(event_due, Place),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription place_vmstate = {
    .name = "firesteel-vtime-place",
    .fields = place_fields,
};

static const VMStateField fields[] = {
    VMSTATE_STRUCT_ARRAY(places, struct Order, VTIME_CPUS_MAX, 0, place_vmstate,
                         Place),
    VMSTATE_INT64(now, struct Order),
    VMSTATE_INT64(last, struct Order),
    VMSTATE_INT32(turn, struct Order),
    VMSTATE_END_OF_LIST(),
};

static const VMStateDescription vmstate = {
    .name = "firesteel-vtime-order",
    .fields = fields,
};

bool vtime_order_set(uint64_t quantum, uint64_t seed, Error **errp)
{
    unsigned i;

    if (quantum < QUANTUM_MIN || quantum > QUANTUM_MAX) {
        error_setg(errp, "-icount quantum=%" PRIu64 ": allowed are %d to %d ns",
                   quantum, QUANTUM_MIN, QUANTUM_MAX);
        return false;
    }
    order.quantum = quantum;
    order.seed = seed;
    for (i = 0; i < VTIME_CPUS_MAX; i++) {
        order.places[i] = (Place) {
            .woken = NONE,
            .access = NONE,
            .accessed = NONE,
            .event_due = NONE,
        };
    }
    vmstate_register(NULL, 0, &vmstate, &order);
    return true;
}

void vtime_order_vary(void)
{
    order.random = order.seed;
    order.varies = order.seed && vtime_several();
}

static Place *place_of(const CPUState *cpu)
{
    return &order.places[cpu->cpu_index];
}

int64_t vtime_now(void)
{
    return current_cpu && current_cpu->running ? vtime_cpu(current_cpu)->time_ns
                                               : order.now;
}

/* When it does what it does next */
static int64_t next_of(int i)
{
    const Place *place = &order.places[i];

    return MAX(vtime_cpus[i].time_ns, MAX(place->access, place->event_due));
}

/* The CPU that is behind all that are awake, but for @except; NONE */
static int behind(int except)
{
    int i, first = NONE;

    for (i = 0; i < vtime_cpu_count; i++) {
        if (i != except && !order.places[i].asleep &&
            (first == NONE || next_of(i) < next_of(first))) {
            first = i;
        }
    }
    return first;
}

/* ---- what CPUs do ---- */

/* The clock of @cpu, with what it has executed of its current run */
static int64_t time_within(CPUState *cpu)
{
    icount_update(cpu);
    return vtime_cpu(cpu)->time_ns;
}

void vtime_order_access(CPUState *cpu, uintptr_t retaddr)
{
    Place *place = place_of(cpu);
    int64_t now, executed;
    int first;

    if (!vtime_several() || !retaddr || !cpu->running) {
        return;
    }
    now = time_within(cpu);
    executed = vtime_cpu(cpu)->instructions;
    if (place->accessed == executed) {
        return; /* the same instruction goes on: it cannot be taken back */
    }
    first = behind(cpu->cpu_index);
    if (first != NONE && next_of(first) < now) {
        place->access = now;
        cpu->exception_index = EXCP_YIELD;
        cpu_loop_exit_restore(cpu, retaddr);
    }
    place->accessed = executed;
}

static void end_wait(int i, int64_t now)
{
    order.places[i].event_due = NONE;
    vtime_cpu_pass(&vtime_cpus[i], &vtime_cpus[i].waited_ns, now);
}

void vtime_order_interrupt(CPUState *cpu)
{
    Place *place = place_of(cpu);

    if (!vtime_has_rate() || !qemu_in_vcpu_thread() || cpu->running) {
        return;
    }
    if (place->asleep && place->woken == NONE) {
        place->woken = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    } else if (place->event_due != NONE) {
        end_wait(cpu->cpu_index, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    } else {
        return;
    }
    order.changed = true;
    if (current_cpu && current_cpu->running) {
        cpu_exit(current_cpu); /* its turn may be over sooner */
    }
}

void vtime_order_wait_for_event(CPUState *cpu)
{
    Place *place = place_of(cpu);

    if (!vtime_several()) {
        return;
    }
    if (!place->event && !cpu_has_work(cpu)) {
        place->event_due = time_within(cpu) + EVENT_NS;
    }
    place->event = false;
}

void vtime_order_send_event(void)
{
    int64_t now = time_within(current_cpu);
    int i;

    for (i = 0; i < vtime_cpu_count; i++) {
        if (order.places[i].event_due == NONE) {
            order.places[i].event = true;
            continue;
        }
        end_wait(i, now);
        order.changed = true;
        cpu_exit(current_cpu);
    }
}

void vtime_order_end(void)
{
    order.over = true;
}

VTimeCpu vtime_order_clock(unsigned i)
{
    const Place *place = &order.places[i];
    VTimeCpu clock = vtime_cpus[i];

    if (place->asleep) {
        vtime_cpu_pass(&clock, &clock.idle_ns,
                       place->woken == NONE ? vtime_now() : place->woken);
    }
    return clock;
}

/* ---- who runs ---- */

static bool is_stopped(void)
{
    int i;

    for (i = 0; i < vtime_cpu_count; i++) {
        if (cpu_is_stopped(vtime_cpus[i].cpu)) {
            return true;
        }
    }
    return false;
}

/* See who sleeps now, and who no longer does */
static void look(void)
{
    int i;

    for (i = 0; i < vtime_cpu_count; i++) {
        CPUState *cpu = vtime_cpus[i].cpu;
        Place *place = &order.places[i];

        if (cpu->halted && !cpu_has_work(cpu)) {
            place->asleep = true;
            place->woken = place->access = place->event_due = NONE;
        } else if (place->asleep) {
            vtime_cpu_pass(&vtime_cpus[i], &vtime_cpus[i].idle_ns,
                           place->woken == NONE ? order.last : place->woken);
            place->asleep = false;
            place->woken = NONE;
        }
    }
    order.changed = false;
}

/* The next number of the seed's sequence: splitmix64 */
static uint64_t random_number(void)
{
    uint64_t z = order.random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Could @i run before @first, which is behind all others? */
static bool may_precede(int i, int first)
{
    const Place *place = &order.places[i];

    return !place->asleep && place->access == NONE &&
           place->event_due == NONE &&
           vtime_cpus[i].time_ns <
               MIN(next_of(first) + order.quantum, order.due);
}

/* Whose turn it is: that of @first, or with a seed of any that may precede it */
static int choose(int first)
{
    int choice[VTIME_CPUS_MAX];
    int i, n = 0;

    if (!order.varies) {
        return first;
    }
    for (i = 0; i < vtime_cpu_count; i++) {
        if (i == first || may_precede(i, first)) {
            choice[n++] = i;
        }
    }
    return choice[random_number() % n];
}

static int64_t random_turn(void)
{
    uint64_t most = order.quantum >> random_number() % TURN_SCALES;

    return 1 + random_number() % MAX(most, 1);
}

static void end_turn(void)
{
    const VTimeCpu *clock = &vtime_cpus[order.turn];

    trace_vtime_turn(order.turn, order.began, clock->time_ns,
                     clock->cpu->cc->get_pc(clock->cpu));
    order.turn = NONE;
}

static void begin_turn(int i)
{
    Place *place = &order.places[i];

    order.turn = i;
    place->access = NONE;
    if (place->event_due != NONE) {
        end_wait(i, place->event_due);
    }
    order.began = vtime_cpus[i].time_ns;
    if (order.varies) {
        order.end = order.began + random_turn();
    }
}

/* What a clock counts between its time and @limit */
static int64_t work_until(const VTimeCpu *clock, int64_t limit)
{
    int64_t work = vtime_insns_to_ns(clock->work);

    return vtime_ns_to_insns(work + limit - clock->time_ns) - clock->work;
}

/* Grant the CPU whose turn it is what it may execute; false: nothing */
static bool grant(CPUState **cpu, int64_t *budget)
{
    const VTimeCpu *clock = &vtime_cpus[order.turn];
    int other = behind(order.turn);
    int64_t most = clock->time_ns + TURN_MAX;

    if (other != NONE) {
        most = MIN(MIN(most, order.end), next_of(other) + order.quantum);
    }
    order.limit = MIN(order.due, most);
    if (order.limit <= clock->time_ns) {
        return false;
    }
    *cpu = clock->cpu;
    *budget = work_until(clock, order.limit);
    if (cycles_on) {
        cycles_grant(*cpu, *budget);
        *budget = CYCLES_UNLIMITED;
    }
    return true;
}

/* It is the turn of whose turn is not over; else, who is chosen begins one */
static void take_turn(int first, CPUState **cpu, int64_t *budget)
{
    order.now = MAX(order.now, next_of(first));
    if (order.turn == NONE) {
        begin_turn(choose(first));
    }
    if (!grant(cpu, budget)) {
        end_turn();
        begin_turn(choose(first));
        if (!grant(cpu, budget)) {
            g_assert_not_reached(); /* who was chosen is not past anything */
        }
    }
}

VTimeNext vtime_order_next(CPUState **cpu, int64_t *budget)
{
    int64_t deadline;
    int first;

    if (order.over || is_stopped()) {
        return VTIME_WAIT;
    }
    look();
    first = behind(NONE);
    /* The last CPU to sleep may have gone past a timer, whose time is over then */
    order.now = MAX(order.now, first == NONE ? order.last : next_of(first));
    deadline = qemu_clock_deadline_ns_all(QEMU_CLOCK_VIRTUAL,
                                          QEMU_TIMER_ATTR_ALL);
    if (first == NONE && deadline < 0) {
        return VTIME_WAIT;
    }
    if (first == NONE || deadline == 0) {
        order.now += deadline;
        order.last = order.now;
        return VTIME_TIMERS;
    }
    order.due = deadline < 0 ? INT64_MAX : order.now + deadline;
    take_turn(first, cpu, budget);
    return VTIME_RUN;
}

bool vtime_order_left(CPUState **cpu, int64_t *budget)
{
    const VTimeCpu *clock = vtime_cpu(*cpu);
    const Place *place = place_of(*cpu);
    int first;

    order.last = clock->time_ns;
    if (order.over) {
        order.now = MAX(order.now, order.last);
    }
    if (place->access == NONE && place->event_due == NONE && !(*cpu)->halted &&
        order.last < order.limit) {
        return false; /* the host had a reason, and the turn goes on */
    }
    end_turn();
    if ((*cpu)->halted || order.changed || order.over || !vtime_several()) {
        return false;
    }
    first = behind(NONE);
    if (next_of(first) >= order.due || vtime_cpus[first].cpu->exit_request) {
        return false;
    }
    take_turn(first, cpu, budget);
    return true;
}
