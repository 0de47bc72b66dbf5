/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of the instructions of 32-bit ARM, see cycles-arm-class.h.
 *
 * Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition, A5
 * (ARM), A6 (Thumb) and A7 (NEON and floating point).
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "hw/firesteel/cycles-arm-class.h"

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

/* ---- NEON and floating point ---- */

/* @double_class or the class of the same on 128 bits, which follows it */
static CyclesCost neon(unsigned double_class, bool quad)
{
    return one(double_class + quad);
}

/* Three registers of the same length (A7.4.1) */
static CyclesCost neon_same(uint32_t insn, bool quad)
{
    unsigned a = FIELD_OF(11, 8);

    if (a == 9 || (a == 0xb && !IS_SET(4)) || a >= 0xc) {
        return neon(CYCLES_NEON_MULTIPLY_D, quad); /* floating point too */
    }
    if (a == 4 || a == 5) {
        return neon(CYCLES_NEON_SHIFT_D, quad);
    }
    return neon(CYCLES_NEON_D, quad);
}

/* Three registers of different lengths (A7.4.2), and a scalar (A7.4.3) */
static CyclesCost neon_long(uint32_t insn, bool unsigned_bit)
{
    unsigned a = FIELD_OF(11, 8);

    if (!IS_SET(6)) {
        return one(a >= 8 ? CYCLES_NEON_MULTIPLY_Q : CYCLES_NEON_Q);
    }
    if (a == 2 || a == 3 || a == 6 || a == 7 || a == 0xa || a == 0xb) {
        return one(CYCLES_NEON_MULTIPLY_Q);
    }
    return neon(CYCLES_NEON_MULTIPLY_D, unsigned_bit);
}

/* VEXT, two registers (A7.4.5), VTBL, VTBX, VDUP */
static CyclesCost neon_other(uint32_t insn, bool unsigned_bit, bool quad)
{
    if (!unsigned_bit) {
        return neon(CYCLES_NEON_PERMUTE_D, quad);
    }
    if (!IS_SET(11)) {
        bool moves = FIELD_OF(17, 16) == 2 ||
                     (FIELD_OF(17, 16) == 0 && FIELD_OF(10, 7) <= 2);

        return neon(moves ? CYCLES_NEON_PERMUTE_D : CYCLES_NEON_D, quad);
    }
    if (!IS_SET(10)) {
        return neon(CYCLES_NEON_PERMUTE_D, FIELD_OF(9, 8) != 0);
    }
    return neon(CYCLES_NEON_PERMUTE_D, quad);
}

static CyclesCost neon_data(uint32_t insn, bool unsigned_bit)
{
    bool quad = IS_SET(6);

    if (!IS_SET(23)) {
        return neon_same(insn, quad);
    }
    if (IS_SET(4)) {
        if (FIELD_OF(21, 19) == 0 && !IS_SET(7)) {
            return neon(CYCLES_NEON_D, quad); /* an immediate */
        }
        return neon(CYCLES_NEON_SHIFT_D, quad || FIELD_OF(11, 8) >= 8);
    }
    if (FIELD_OF(21, 20) != 3) {
        return neon_long(insn, unsigned_bit);
    }
    return neon_other(insn, unsigned_bit, quad);
}

static CyclesCost neon_transfer(bool load, unsigned registers)
{
    return load
               ? many(CYCLES_NEON_LOAD, CYCLES_NEON_LOAD_REGISTER, registers)
               : many(CYCLES_NEON_STORE, CYCLES_NEON_STORE_REGISTER, registers);
}

/* Elements and structures (A7.7): whole registers, or an element of each */
static CyclesCost neon_elements(uint32_t insn)
{
    static const uint8_t whole[16] = { 4, 4, 4, 4, 3, 3, 3, 1, 2, 2, 2 };
    unsigned registers = IS_SET(23) ? FIELD_OF(9, 8) + 1
                                    : whole[FIELD_OF(11, 8)];

    return neon_transfer(IS_SET(21), registers);
}

/*
 * Registers of coprocessor 15: caches and translations are c7 and c8.  Invalidating (c6) and cleaning
 * (c10) a line of data is what Linux does for DMA, each time with the second level's controller as
 * well; cleaning to the point of unification (c11) and cleaning with invalidating (c14) is what it
 * does for code, in the first level alone.
 */
static CyclesCost system_register(uint32_t insn)
{
    bool by_address = FIELD_OF(19, 16) == 7 && FIELD_OF(7, 5) == 1 &&
                      (FIELD_OF(3, 0) == 6 || FIELD_OF(3, 0) == 10);

    if (FIELD_OF(11, 8) == 15 && IS_SET(4) && !IS_SET(20) && by_address) {
        return one(CYCLES_MAINTENANCE);
    }
    return one(IS_SET(20) ? CYCLES_SYSTEM_READ : CYCLES_SYSTEM_WRITE);
}

static CyclesCost coprocessor(uint32_t insn)
{
    if (FIELD_OF(27, 24) == 0xf) {
        return one(CYCLES_SUPERVISOR_CALL);
    }
    if (FIELD_OF(11, 9) != 5) {
        return system_register(insn);
    }
    if (FIELD_OF(27, 25) == 6) {
        bool single = IS_SET(24) && !IS_SET(21);

        if ((insn & 0x0fe00000) == 0x0c400000) {
            return one(CYCLES_NEON_MOVE);
        }
        return neon_transfer(IS_SET(20), single ? 1 : (FIELD_OF(7, 0) + 1) / 2);
    }
    if (IS_SET(4)) {
        return one(CYCLES_NEON_MOVE);
    }
    if ((insn & 0x0fb00e50) == 0x0e800a00 ||
        (insn & 0x0fbf0ed0) == 0x0eb10ac0) {
        return one(CYCLES_FLOAT_DIVIDE);
    }
    return one(CYCLES_FLOAT);
}

/* ---- core registers ---- */

static CyclesCost load_multiple(uint32_t list)
{
    CyclesCost cost = many(CYCLES_LOAD_MULTIPLE, CYCLES_LOAD_REGISTER,
                           ctpop32(list));

    if (list & (1u << 15)) {
        cost.also = CYCLES_INDIRECT_BRANCH;
    }
    return cost;
}

static CyclesCost store_multiple(unsigned registers)
{
    return many(CYCLES_STORE_MULTIPLE, CYCLES_STORE_REGISTER, registers);
}

static CyclesCost load_one(bool into_pc)
{
    CyclesCost cost = one(CYCLES_LOAD);

    if (into_pc) {
        cost.also = CYCLES_INDIRECT_BRANCH;
    }
    return cost;
}

static CyclesCost load_two(void)
{
    return many(CYCLES_LOAD_MULTIPLE, CYCLES_LOAD_REGISTER, 2);
}

/* DSB, DMB, ISB; and CLREX, which waits for nothing */
static CyclesCost waits(uint32_t insn)
{
    return one(FIELD_OF(7, 4) >= 4 ? CYCLES_BARRIER : CYCLES_INTEGER);
}

/* Unconditional ones (A5.7) */
static CyclesCost a32_unconditional(uint32_t insn)
{
    if (FIELD_OF(27, 25) == 1) {
        return neon_data(insn, IS_SET(24));
    }
    if (FIELD_OF(27, 24) == 4 && !IS_SET(20)) {
        return neon_elements(insn);
    }
    if ((insn & 0xfff00000) == 0xf5700000) {
        return waits(insn);
    }
    if ((insn & 0xfe500000) == 0xf8400000) {
        return store_multiple(2); /* SRS */
    }
    if ((insn & 0xfe500000) == 0xf8100000) {
        return one(CYCLES_EXCEPTION_RETURN);
    }
    if (FIELD_OF(27, 26) == 1) {
        return one(CYCLES_LOAD); /* a preload */
    }
    if (FIELD_OF(27, 25) == 5) {
        return one(CYCLES_CALL);
    }
    return FIELD_OF(27, 26) == 3 ? coprocessor(insn) : one(CYCLES_SYSTEM_WRITE);
}

/* Multiplies, synchronisation, halfwords and doublewords (A5.2.5, .8, .10) */
static CyclesCost a32_extra(uint32_t insn)
{
    if (FIELD_OF(6, 5) == 0) {
        if (IS_SET(24)) {
            return one(IS_SET(20) ? CYCLES_LOAD : CYCLES_STORE);
        }
        return one(IS_SET(23) || FIELD_OF(23, 21) == 2 ? CYCLES_MULTIPLY_LONG
                                                       : CYCLES_MULTIPLY);
    }
    if (IS_SET(20)) {
        return one(CYCLES_LOAD);
    }
    return FIELD_OF(6, 5) == 1   ? one(CYCLES_STORE)
           : FIELD_OF(6, 5) == 2 ? load_two()
                                 : store_multiple(2);
}

/* An operation that has the program counter as its result */
static bool writes_pc(uint32_t insn)
{
    return FIELD_OF(15, 12) == 15 && FIELD_OF(24, 23) != 2;
}

/* A shift by a constant alone is a move, and costs no more than one */
static bool is_move(uint32_t insn)
{
    return FIELD_OF(24, 21) == 13;
}

static CyclesCost a32_register(uint32_t insn)
{
    if (IS_SET(7) && IS_SET(4)) {
        return a32_extra(insn);
    }
    if ((insn & 0x0f900000) == 0x01000000) { /* miscellaneous, A5.2.12 */
        if ((insn & 0x0ff000f0) == 0x01200030) {
            return one(CYCLES_CALL); /* BLX of a register */
        }
        if ((insn & 0x0ff000d0) == 0x01200010) {
            return one(CYCLES_INDIRECT_BRANCH);
        }
        if (IS_SET(7)) {
            return one(CYCLES_MULTIPLY); /* of halfwords */
        }
        if (FIELD_OF(7, 4) == 0) {
            return one(IS_SET(21) ? CYCLES_SYSTEM_WRITE : CYCLES_SYSTEM_READ);
        }
        return one(CYCLES_INTEGER);
    }
    if (writes_pc(insn)) {
        return one(IS_SET(20) ? CYCLES_EXCEPTION_RETURN
                              : CYCLES_INDIRECT_BRANCH);
    }
    return one(IS_SET(4)                           ? CYCLES_REGISTER_SHIFT
               : FIELD_OF(11, 4) && !is_move(insn) ? CYCLES_SHIFTED
                                                   : CYCLES_INTEGER);
}

static CyclesCost a32_immediate(uint32_t insn)
{
    if ((insn & 0x0fb00000) == 0x03200000) {
        bool hint = FIELD_OF(22, 16) == 0x20; /* such as NOP */

        return one(hint ? CYCLES_INTEGER : CYCLES_SYSTEM_WRITE);
    }
    if (writes_pc(insn)) {
        return one(IS_SET(20) ? CYCLES_EXCEPTION_RETURN
                              : CYCLES_INDIRECT_BRANCH);
    }
    return one(CYCLES_INTEGER);
}

/* Media instructions (A5.4) */
static CyclesCost a32_media(uint32_t insn)
{
    if ((insn & 0x0fd0f0f0) == 0x0710f010) {
        return one(CYCLES_DIVIDE);
    }
    if (FIELD_OF(24, 23) == 2) {
        return one(FIELD_OF(22, 20) == 4 ? CYCLES_MULTIPLY_LONG
                                         : CYCLES_MULTIPLY);
    }
    return one(CYCLES_INTEGER);
}

static CyclesCost a32(uint32_t insn)
{
    if (FIELD_OF(31, 28) == 0xf) {
        return a32_unconditional(insn);
    }
    switch (FIELD_OF(27, 25)) {
    case 0:
        return a32_register(insn);
    case 1:
        return a32_immediate(insn);
    case 3:
        if (IS_SET(4)) {
            return a32_media(insn);
        }
        /* fall through */
    case 2:
        return IS_SET(20) ? load_one(FIELD_OF(15, 12) == 15)
                          : one(CYCLES_STORE);
    case 4:
        if (IS_SET(20)) {
            return IS_SET(22) && IS_SET(15) ? one(CYCLES_EXCEPTION_RETURN)
                                            : load_multiple(insn & 0xffff);
        }
        return store_multiple(ctpop32(insn & 0xffff));
    case 5:
        return one(IS_SET(24) ? CYCLES_CALL : CYCLES_BRANCH);
    default:
        return coprocessor(insn);
    }
}

/* ---- Thumb, 32 bits ---- */

/* Multiple registers, doublewords, exclusives, table branches (A6.3.5, .6) */
static CyclesCost t32_multiple(uint32_t insn)
{
    if (!IS_SET(22)) {
        if (FIELD_OF(24, 23) == 0 || FIELD_OF(24, 23) == 3) {
            return IS_SET(20) ? one(CYCLES_EXCEPTION_RETURN)
                              : store_multiple(2); /* SRS */
        }
        return IS_SET(20) ? load_multiple(insn & 0xffff)
                          : store_multiple(ctpop32(insn & 0xffff));
    }
    if ((insn & 0xfff0ffe0) == 0xe8d0f000) {
        return load_one(true); /* TBB, TBH */
    }
    if (!IS_SET(24) && !IS_SET(21)) {
        return one(IS_SET(20) ? CYCLES_LOAD : CYCLES_STORE); /* exclusive */
    }
    return IS_SET(20) ? load_two() : store_multiple(2);
}

/* The processor's state, barriers, hints (A6.3.4) */
static CyclesCost t32_miscellaneous(uint32_t insn)
{
    if ((insn & 0xfff0ff00) == 0xf3d08f00) {
        return one(CYCLES_EXCEPTION_RETURN); /* SUBS PC, LR */
    }
    if ((insn & 0xfff0ff00) == 0xf3b08f00) {
        return waits(insn);
    }
    if ((insn & 0xfff0ff00) == 0xf3a08000) {
        return one(CYCLES_INTEGER); /* a hint, such as NOP */
    }
    return one(FIELD_OF(25, 21) == 0x1f ? CYCLES_SYSTEM_READ
                                        : CYCLES_SYSTEM_WRITE);
}

/* Immediates and branches (A6.3.1, .3, .4) */
static CyclesCost t32_immediate(uint32_t insn)
{
    if (!IS_SET(15)) {
        return one(CYCLES_INTEGER);
    }
    if (!(insn & 0x5000) && FIELD_OF(25, 23) == 7) {
        return t32_miscellaneous(insn);
    }
    return one(IS_SET(14) ? CYCLES_CALL : CYCLES_BRANCH);
}

/* An operand that may be shifted by a constant (A6.3.11) */
static CyclesCost t32_shifted(uint32_t insn)
{
    bool move = FIELD_OF(24, 21) == 2 && FIELD_OF(19, 16) == 15;

    return one((insn & 0x70c0) && !move ? CYCLES_SHIFTED : CYCLES_INTEGER);
}

/* Multiplies and divides (A6.3.16, .17) */
static CyclesCost t32_multiply(uint32_t insn)
{
    if (!IS_SET(23)) {
        return one(CYCLES_MULTIPLY);
    }
    return one(FIELD_OF(22, 20) == 1 || FIELD_OF(22, 20) == 3
                   ? CYCLES_DIVIDE
                   : CYCLES_MULTIPLY_LONG);
}

static CyclesCost t32(uint32_t insn)
{
    if ((insn & 0xef000000) == 0xef000000) {
        return neon_data(insn, IS_SET(28));
    }
    if ((insn & 0xff100000) == 0xf9000000) {
        return neon_elements(insn);
    }
    if ((insn & 0xec000000) == 0xec000000) {
        return coprocessor(insn);
    }
    switch (FIELD_OF(31, 25)) {
    case 0x74:
        return t32_multiple(insn);
    case 0x75:
        return t32_shifted(insn);
    case 0x78 ... 0x7b:
        return t32_immediate(insn);
    case 0x7c:
        return IS_SET(20)
                   ? load_one(FIELD_OF(15, 12) == 15 && FIELD_OF(22, 21) == 2)
                   : one(CYCLES_STORE);
    case 0x7d:
        if (IS_SET(24)) {
            return t32_multiply(insn);
        }
        return one(!IS_SET(23) && !IS_SET(7) ? CYCLES_REGISTER_SHIFT
                                             : CYCLES_INTEGER);
    default:
        return one(CYCLES_OTHER);
    }
}

/* ---- Thumb, 16 bits ---- */

/* High registers, and branches to registers (A6.2.3) */
static CyclesCost t16_high(uint32_t insn)
{
    bool into_pc = FIELD_OF(9, 8) != 1 && IS_SET(7) && FIELD_OF(2, 0) == 7;

    if (FIELD_OF(9, 8) == 3) {
        return one(IS_SET(7) ? CYCLES_CALL : CYCLES_INDIRECT_BRANCH);
    }
    return one(into_pc ? CYCLES_INDIRECT_BRANCH : CYCLES_INTEGER);
}

/* Data processing (A6.2.2) */
static CyclesCost t16_data(uint32_t insn)
{
    unsigned operation = FIELD_OF(9, 6);

    if (IS_SET(11)) {
        return one(CYCLES_LOAD);
    }
    if (IS_SET(10)) {
        return t16_high(insn);
    }
    if (operation == 13) {
        return one(CYCLES_MULTIPLY);
    }
    return one(operation == 2 || operation == 3 || operation == 4 ||
                       operation == 7
                   ? CYCLES_REGISTER_SHIFT
                   : CYCLES_INTEGER);
}

/* Push, pop and what has no other place (A6.2.5) */
static CyclesCost t16_miscellaneous(uint32_t insn)
{
    if ((insn & 0xfe00) == 0xb400) {
        return store_multiple(ctpop32(insn & 0x1ff));
    }
    if ((insn & 0xfe00) == 0xbc00) {
        return load_multiple((insn & 0xff) | IS_SET(8) << 15);
    }
    if ((insn & 0xffc0) == 0xb640) {
        return one(CYCLES_SYSTEM_WRITE); /* CPS, SETEND */
    }
    return one((insn & 0xf500) == 0xb100 ? CYCLES_BRANCH : CYCLES_INTEGER);
}

static CyclesCost t16(uint32_t insn)
{
    switch (FIELD_OF(15, 12)) {
    case 4:
        return t16_data(insn);
    case 5:
        return one(FIELD_OF(11, 9) < 3 ? CYCLES_STORE : CYCLES_LOAD);
    case 6 ... 9:
        return one(IS_SET(11) ? CYCLES_LOAD : CYCLES_STORE);
    case 11:
        return t16_miscellaneous(insn);
    case 12:
        return IS_SET(11) ? load_multiple(insn & 0xff)
                          : store_multiple(ctpop32(insn & 0xff));
    case 13:
        return one(FIELD_OF(11, 8) == 15 ? CYCLES_SUPERVISOR_CALL
                                         : CYCLES_BRANCH);
    case 14:
        return one(CYCLES_BRANCH);
    default:
        return one(CYCLES_INTEGER);
    }
}

CyclesCost cycles_arm_class(uint32_t insn, CyclesArmSet set)
{
    return set == CYCLES_A32   ? a32(insn)
           : set == CYCLES_T32 ? t32(insn)
                               : t16(insn);
}
