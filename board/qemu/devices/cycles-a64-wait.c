/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for instructions of 64-bit ARM, see cycles-a64-wait.h.
 *
 * Times are half cycles: two instructions issue in one cycle.  Latencies are those of GCC's description of
 * the Cortex-A53 (gcc/config/arm/cortex-a53.md), but for sums on vectors, which LLVM measured
 * (AArch64SchedA53.td), and for AES: GCC has three cycles, and rounds in a row take two each
 * (published/cortex-a53).
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/firesteel/cycles-a64-class.h"
#include "hw/firesteel/cycles-a64-operands.h"
#include "hw/firesteel/cycles-a64-wait.h"

#define FILE_SIZE 32 /* registers */

typedef struct Step {
    uint32_t insn;
    CyclesCost cost;
    CyclesA64Operands operands;
} Step;

/* When an operand is needed: late, a cycle before that, or two */
typedef enum Use {
    LATE,
    EARLY,
    ADDRESS
} Use;

/* Which step of a row wrote each register last; NULL: none */
typedef struct Writers {
    const Step *core[FILE_SIZE], *vector[FILE_SIZE];
    unsigned at[CYCLES_A64_WINDOW]; /* when each step issued */
} Writers;

bool cycles_a64_ends_row(uint32_t insn)
{
    switch (cycles_a64_class(insn).class) {
    case CYCLES_BRANCH:
    case CYCLES_CALL:
    case CYCLES_INDIRECT_BRANCH:
    case CYCLES_SUPERVISOR_CALL:
    case CYCLES_EXCEPTION_RETURN:
    case CYCLES_OTHER:
        return true;
    default:
        return false;
    }
}

/* ---- what each takes of the processor ---- */

static bool takes_vector_unit(unsigned class)
{
    switch (class) {
    case CYCLES_NEON_Q:
    case CYCLES_NEON_MULTIPLY_Q:
    case CYCLES_NEON_PERMUTE_Q:
    case CYCLES_NEON_SHIFT_Q:
    case CYCLES_POLYNOMIAL:
    case CYCLES_SHA_HASH:
    case CYCLES_SHA_SCHEDULE:
        return true;
    default:
        return false;
    }
}

static bool takes_memory(unsigned class)
{
    return class == CYCLES_LOAD || class == CYCLES_STORE ||
           class == CYCLES_LOAD_MULTIPLE || class == CYCLES_STORE_MULTIPLE ||
           class == CYCLES_NEON_LOAD || class == CYCLES_NEON_STORE;
}

/* What the second of two waits for of the processor, CYCLES_CLASS_COUNT if nothing */
static unsigned unpaired(unsigned class, unsigned next)
{
    if (takes_vector_unit(class) && takes_vector_unit(next)) {
        return CYCLES_UNPAIRED_NEON;
    }
    return takes_memory(class) && takes_memory(next) ? CYCLES_UNPAIRED_MEMORY
                                                     : CYCLES_CLASS_COUNT;
}

/* How much later the step behind @step can issue, if it waits for no result */
static unsigned slots(const Step *step, bool is_last)
{
    bool alone = step->cost.class == CYCLES_LOAD_MULTIPLE ||
                 (step->cost.class == CYCLES_NEON_LOAD && step->cost.times > 1);

    return alone || (!is_last &&
                     unpaired(step->cost.class, step[1].cost.class) !=
                         CYCLES_CLASS_COUNT)
               ? 2
               : 1;
}

/* ---- results ---- */

static unsigned by_use(Use use, unsigned late, unsigned early, unsigned address)
{
    return use == LATE ? late : use == EARLY ? early : address;
}

/*
 * Is @insn ADR, a move of a constant, or LSL, LSR or ASR by one?  Its result is
 * there a cycle before that of a sum.
 */
static bool is_short(uint32_t insn)
{
    unsigned rotates = extract32(insn, 16, 6), last = extract32(insn, 10, 6);
    bool shifts = last == (extract32(insn, 31, 1) ? 63 : 31) ||
                  last + 1 == rotates;

    switch (extract32(insn, 23, 6)) {
    case 0x20:
    case 0x21: /* ADR */
    case 0x25: /* MOVN, MOVZ, MOVK */
        return true;
    case 0x26: /* SBFM, BFM, UBFM */
        return extract32(insn, 29, 2) != 1 && shifts;
    default:
        return false;
    }
}

/* Between the issue of @step and that of one which needs what it writes */
static unsigned latency(const Step *step, Use use)
{
    switch (step->cost.class) {
    case CYCLES_INTEGER:
        return is_short(step->insn) ? by_use(use, 0, 2, 4)
                                    : by_use(use, 2, 4, 6);
    case CYCLES_SHIFTED:
        return by_use(use, 2, 4, 6);
    case CYCLES_REGISTER_SHIFT:
        return by_use(use, 0, 2, 4);
    case CYCLES_LOAD:
        return by_use(use, 4, 6, 6);
    case CYCLES_LOAD_MULTIPLE:
        return by_use(use, 6, 8, 8);
    case CYCLES_MULTIPLY:
    case CYCLES_MULTIPLY_LONG:
    case CYCLES_MULTIPLY_HIGH:
        return by_use(use, 4, 6, 8);
    case CYCLES_NEON_LOAD:
        return step->cost.times > 1 ? 8 : 6;
    case CYCLES_SHA_SCHEDULE:
        return 6;
    case CYCLES_NEON_MULTIPLY_D:
    case CYCLES_NEON_MULTIPLY_Q:
    case CYCLES_POLYNOMIAL:
        return 8;
    case CYCLES_SHA_HASH:
        return 10;
    default:
        return 4;
    }
}

/* The class of waiting for what @step writes */
static unsigned waiting(const Step *step, bool as_address)
{
    switch (step->cost.class) {
    case CYCLES_INTEGER:
    case CYCLES_SHIFTED:
    case CYCLES_REGISTER_SHIFT:
        return as_address ? CYCLES_WAIT_ADDRESS : CYCLES_WAIT_INTEGER;
    case CYCLES_LOAD:
    case CYCLES_LOAD_MULTIPLE:
        return CYCLES_WAIT_LOAD;
    case CYCLES_MULTIPLY:
    case CYCLES_MULTIPLY_LONG:
    case CYCLES_MULTIPLY_HIGH:
        return CYCLES_WAIT_MULTIPLY;
    case CYCLES_NEON_LOAD:
        return CYCLES_WAIT_NEON_LOAD;
    case CYCLES_AES:
        return CYCLES_WAIT_AES;
    case CYCLES_POLYNOMIAL:
    case CYCLES_SHA_HASH:
    case CYCLES_SHA_SCHEDULE:
        return CYCLES_WAIT_HASH;
    default:
        return CYCLES_WAIT_NEON;
    }
}

/* Shifts by a constant, bit fields; what is shifted or multiplied by a register */
static Use use_of(const Step *step)
{
    switch (step->cost.class) {
    case CYCLES_INTEGER:
        return (step->insn & 0x1f000000) == 0x13000000 ? EARLY : LATE;
    case CYCLES_SHIFTED:
    case CYCLES_REGISTER_SHIFT:
    case CYCLES_MULTIPLY:
    case CYCLES_MULTIPLY_LONG:
    case CYCLES_MULTIPLY_HIGH:
        return EARLY;
    default:
        return LATE;
    }
}

/* A round of AES and the mixing of its columns go through the processor as one */
static bool are_one(const Step *step, const Step *next)
{
    bool round = (step->insn & 0xffffec00) == 0x4e284800;
    bool mixes = (next->insn & 0xffffec00) == 0x4e286800;

    return step + 1 == next && round && mixes &&
           extract32(step->insn, 12, 1) == extract32(next->insn, 12, 1);
}

/* ---- rows ---- */

/* When @step can have a register of @sources that @of wrote */
static unsigned ready(const Writers *writers, const Step *steps,
                      const Step *const *of, uint32_t sources, const Step *step,
                      Use use)
{
    unsigned when = 0, number;

    for (number = 0; number < FILE_SIZE; number++) {
        const Step *writer = of[number];

        if (writer && (sources >> number & 1) && !are_one(writer, step)) {
            when = MAX(when,
                       writers->at[writer - steps] + latency(writer, use));
        }
    }
    return when;
}

static void write_all(const Step **of, uint32_t results, const Step *step)
{
    unsigned number;

    for (number = 0; number < FILE_SIZE; number++) {
        if (results >> number & 1) {
            of[number] = step;
        }
    }
}

/* How long a row takes, from the issue of its first step to that of its last */
static unsigned takes(const Step *steps, unsigned count)
{
    Writers writers = { 0 };
    unsigned now = 0, i;

    for (i = 0; i < count; i++) {
        const Step *step = steps + i;
        const CyclesA64Operands *operands = &step->operands;

        now += i ? slots(step - 1, false) : 0;
        now = MAX(now, ready(&writers, steps, writers.core, operands->sources,
                             step, use_of(step)));
        now = MAX(now, ready(&writers, steps, writers.core, operands->addresses,
                             step, ADDRESS));
        now = MAX(now, ready(&writers, steps, writers.vector,
                             operands->vector_sources, step, LATE));
        writers.at[i] = now;
        write_all(writers.core, operands->results, step);
        write_all(writers.vector, operands->vector_results, step);
    }
    return now;
}

/* Is what the first step writes an address to the first that needs it? */
static bool is_address(const Step *steps, unsigned count)
{
    uint32_t results = steps->operands.results;
    unsigned i;

    for (i = 1; i < count; i++) {
        if (steps[i].operands.addresses & results) {
            return true;
        }
        if (steps[i].operands.sources & results) {
            return false;
        }
    }
    return false;
}

static Step step_of(uint32_t insn)
{
    return (Step) { insn, cycles_a64_class(insn), cycles_a64_operands(insn) };
}

CyclesCost cycles_a64_cost(const uint32_t *insns, unsigned count)
{
    Step steps[CYCLES_A64_WINDOW] = { step_of(insns[0]) };
    CyclesCost cost = steps[0].cost;
    unsigned i, waited;

    if (count == 1) {
        return cost;
    }
    for (i = 1; i < count; i++) {
        steps[i] = step_of(insns[i]);
    }
    waited = takes(steps, count) - takes(steps + 1, count - 1) -
             slots(steps, false);
    if (waited) {
        cost.also = waiting(steps, is_address(steps, count));
        cost.more = waited - 1;
    } else {
        cost.also = unpaired(cost.class, steps[1].cost.class);
    }
    return cost;
}
