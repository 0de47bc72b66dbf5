/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of the instructions of 64-bit ARM, see cycles-a64-class.h.
 *
 * Encodings: Arm Architecture Reference Manual for A-profile, C4.1.  Instructions that ARMv8.0 lacks are
 * of the class that their neighbours have.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/firesteel/cycles-a64-class.h"
#include "hw/firesteel/cycles-a64-vector.h"

#define FIELD_OF(high, low) extract32(insn, low, (high) - (low) + 1)
#define IS_SET(bit) extract32(insn, bit, 1)

static CyclesCost one(unsigned class)
{
    return (CyclesCost) { .class = class, .also = CYCLES_CLASS_COUNT };
}

static CyclesCost many(unsigned class, unsigned each, unsigned times)
{
    return (CyclesCost) {
        .class = class, .each = each, .times = times, .also = CYCLES_CLASS_COUNT
    };
}

/* ---- branches, exceptions, the system ---- */

/*
 * Caches, translations: SYS.  By address and to where devices see it is what Linux does for DMA; to
 * the point of unification is what it does for code, in the first level alone.
 */
static CyclesCost system_operation(uint32_t insn)
{
    static const uint32_t for_dma[] = {
        0x0087620, /* DC IVAC */
        0x00b7a20, /* DC CVAC */
        0x00b7e20, /* DC CIVAC */
    };
    const uint32_t zero = 0x00b7420; /* DC ZVA */
    uint32_t operation = FIELD_OF(20, 5) << 5;
    unsigned i;

    for (i = 0; i < sizeof(for_dma) / sizeof(for_dma[0]); i++) {
        if (operation == for_dma[i]) {
            return one(CYCLES_MAINTENANCE);
        }
    }
    return one(operation == zero ? CYCLES_ZERO_LINE : CYCLES_SYSTEM_WRITE);
}

static CyclesCost the_system(uint32_t insn)
{
    if (FIELD_OF(31, 12) == 0xd5033) { /* CLREX waits for nothing */
        return one(FIELD_OF(7, 5) >= 4 ? CYCLES_BARRIER : CYCLES_INTEGER);
    }
    if (FIELD_OF(31, 12) == 0xd5032) {
        return one(CYCLES_INTEGER); /* a hint */
    }
    if (IS_SET(21)) {
        return one(CYCLES_SYSTEM_READ);
    }
    return FIELD_OF(20, 19) == 1 ? system_operation(insn)
                                 : one(CYCLES_SYSTEM_WRITE);
}

static CyclesCost to_a_register(uint32_t insn)
{
    unsigned operation = FIELD_OF(24, 21);

    return one(operation == 4 || operation == 5 ? CYCLES_EXCEPTION_RETURN
                                                : CYCLES_INDIRECT_BRANCH);
}

/* C4.1.65 */
static CyclesCost branches(uint32_t insn)
{
    if (FIELD_OF(30, 26) == 5) {
        return one(IS_SET(31) ? CYCLES_CALL : CYCLES_BRANCH);
    }
    if (FIELD_OF(31, 24) == 0xd4) {
        bool calls = FIELD_OF(23, 21) == 0 && FIELD_OF(1, 0) != 0;

        return one(calls ? CYCLES_SUPERVISOR_CALL : CYCLES_OTHER);
    }
    if (FIELD_OF(31, 22) == 0xd5 << 2) {
        return the_system(insn);
    }
    if (FIELD_OF(31, 25) == 0x6b) {
        return to_a_register(insn);
    }
    if (FIELD_OF(31, 25) == 0x2a || FIELD_OF(30, 26) == 0xd) {
        return one(CYCLES_BRANCH);
    }
    return one(CYCLES_OTHER);
}

/* ---- loads and stores ---- */

static CyclesCost transfer(bool load, bool vector, unsigned registers)
{
    if (vector) {
        return load ? many(CYCLES_NEON_LOAD, CYCLES_NEON_LOAD_REGISTER,
                           registers)
                    : many(CYCLES_NEON_STORE, CYCLES_NEON_STORE_REGISTER,
                           registers);
    }
    if (registers == 1) {
        return one(load ? CYCLES_LOAD : CYCLES_STORE);
    }
    return load ? many(CYCLES_LOAD_MULTIPLE, CYCLES_LOAD_REGISTER, registers)
                : many(CYCLES_STORE_MULTIPLE, CYCLES_STORE_REGISTER, registers);
}

/* Structures: whole registers, or an element of each */
static CyclesCost structures(uint32_t insn)
{
    static const uint8_t whole[16] = { 4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2 };
    unsigned of_whole = whole[FIELD_OF(15, 12)];
    unsigned registers = IS_SET(24) ? IS_SET(13) * 2 + IS_SET(21) + 1
                                    : of_whole << IS_SET(30);

    return registers ? transfer(IS_SET(22), true, registers)
                     : one(CYCLES_OTHER);
}

/* Exclusive or ordered */
static CyclesCost ordered(uint32_t insn)
{
    bool pair = IS_SET(31) && !IS_SET(23) && IS_SET(21);

    return transfer(IS_SET(22), false, pair ? 2 : 1);
}

static CyclesCost pair(uint32_t insn)
{
    /* Pairs of 32 bits fill one register of 64 */
    unsigned registers = IS_SET(26) ? 1 << FIELD_OF(31, 30) : 2;

    return transfer(IS_SET(22), IS_SET(26), registers);
}

/* One register, or a preload */
static CyclesCost single(uint32_t insn)
{
    bool vector = IS_SET(26), preload = !vector && FIELD_OF(31, 22) == 0x3e2;
    bool atomic = FIELD_OF(11, 10) == 0 && IS_SET(21) && !IS_SET(24);
    bool load = FIELD_OF(23, 22) != 0 || atomic || preload;

    return vector ? transfer(IS_SET(22), true, 1 + IS_SET(23))
                  : transfer(load, false, 1);
}

/* C4.1.68 */
static CyclesCost loads_and_stores(uint32_t insn)
{
    switch (FIELD_OF(29, 28)) {
    case 0:
        return IS_SET(26) ? structures(insn) : ordered(insn);
    case 1:
        if (IS_SET(24)) {
            return transfer(FIELD_OF(23, 22) != 0, false, 1); /* LDAPUR */
        }
        return transfer(true, IS_SET(26),
                        IS_SET(26) && FIELD_OF(31, 30) == 2 ? 2 : 1);
    case 2:
        return pair(insn);
    default:
        return single(insn);
    }
}

/* ---- data processing by registers ---- */

static CyclesCost sums(uint32_t insn)
{
    bool extends = IS_SET(24) && IS_SET(21);
    bool whole = FIELD_OF(14, 13) == 2u + IS_SET(31); /* UXTW, UXTX */

    if (extends) {
        return one(whole && !FIELD_OF(12, 10) ? CYCLES_INTEGER
                                              : CYCLES_SHIFTED);
    }
    return one(FIELD_OF(15, 10) ? CYCLES_SHIFTED : CYCLES_INTEGER);
}

static CyclesCost products(uint32_t insn)
{
    bool high = FIELD_OF(22, 21) == 2;

    if (high) {
        return one(CYCLES_MULTIPLY_HIGH);
    }
    return one(IS_SET(31) && FIELD_OF(22, 21) == 0 ? CYCLES_MULTIPLY_LONG
                                                   : CYCLES_MULTIPLY);
}

static CyclesCost two_sources(uint32_t insn)
{
    switch (FIELD_OF(15, 10)) {
    case 2:
    case 3:
        return one(CYCLES_DIVIDE);
    case 8 ... 11:
        return one(CYCLES_REGISTER_SHIFT);
    default:
        return one(CYCLES_INTEGER); /* CRC32 */
    }
}

/* C4.1.69 */
static CyclesCost by_registers(uint32_t insn)
{
    if (!IS_SET(28)) {
        return sums(insn);
    }
    if (IS_SET(24)) {
        return products(insn);
    }
    if (FIELD_OF(23, 21) == 6 && !IS_SET(30)) {
        return two_sources(insn);
    }
    return one(CYCLES_INTEGER); /* with a carry or condition, or one source */
}

/* C4.1 */
CyclesCost cycles_a64_class(uint32_t insn)
{
    switch (FIELD_OF(28, 25)) {
    case 8:
    case 9:
        return one(CYCLES_INTEGER); /* with an immediate */
    case 10:
    case 11:
        return branches(insn);
    case 4:
    case 6:
    case 12:
    case 14:
        return loads_and_stores(insn);
    case 5:
    case 13:
        return by_registers(insn);
    case 7:
    case 15:
        return one(cycles_a64_vector_class(insn));
    default:
        return one(CYCLES_OTHER);
    }
}
