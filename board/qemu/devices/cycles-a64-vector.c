/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classes of 64-bit ARM's instructions on vectors and floating point, see cycles-a64-vector.h.
 *
 * Encodings: Arm Architecture Reference Manual for A-profile, C4.1.70.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/firesteel/cycles-a64-vector.h"

#define FIELD_OF(high, low) extract32(insn, low, (high) - (low) + 1)
#define IS_SET(bit) extract32(insn, bit, 1)

/* @double_class or the class of the same on 128 bits, which follows it */
static unsigned sized(unsigned double_class, bool quad)
{
    return double_class + quad;
}

/* ---- cryptography ---- */

/* Three registers: SHA1C, SHA1P, SHA1M, SHA256H, SHA256H2 and two that schedule */
static unsigned hashes(uint32_t insn)
{
    unsigned operation = FIELD_OF(14, 12);

    return operation == 3 || operation == 6 ? CYCLES_SHA_SCHEDULE
                                            : CYCLES_SHA_HASH;
}

/* The class of an instruction for cryptography, CYCLES_CLASS_COUNT if it is none */
static unsigned cryptography(uint32_t insn)
{
    if ((insn & 0xff3e0c00) == 0x4e280800) {
        return CYCLES_AES;
    }
    if ((insn & 0xff208c00) == 0x5e000000) {
        return hashes(insn);
    }
    if ((insn & 0xff3e0c00) == 0x5e280800) {
        return CYCLES_SHA_SCHEDULE;
    }
    if ((insn & 0xbf20fc00) == 0x0e20e000 && FIELD_OF(23, 22) == 3) {
        return CYCLES_POLYNOMIAL;
    }
    return CYCLES_CLASS_COUNT;
}

/* ---- one number in floating point ---- */

static unsigned number(uint32_t insn)
{
    bool three = IS_SET(24);
    bool divides = FIELD_OF(11, 10) == 2 && FIELD_OF(15, 12) == 1;
    bool root = FIELD_OF(14, 10) == 0x10 && FIELD_OF(20, 15) == 3;

    if (three) {
        return CYCLES_FLOAT;
    }
    if (!IS_SET(21) || FIELD_OF(15, 10) == 0) {
        return CYCLES_NEON_MOVE; /* conversions to integers, FMOV */
    }
    return divides || root ? CYCLES_FLOAT_DIVIDE : CYCLES_FLOAT;
}

/* ---- vectors; scalars are encoded alike, and as long as 64 bits ---- */

/* Three of the same length: products and what has floating point, shifts by a register, all else */
static unsigned same(uint32_t insn, bool quad)
{
    unsigned operation = FIELD_OF(15, 11);

    switch (operation) {
    case 0x08 ... 0x0b:
        return sized(CYCLES_NEON_SHIFT_D, quad);
    case 0x12:
    case 0x13:
    case 0x16:
        return sized(CYCLES_NEON_MULTIPLY_D, quad);
    case 0x1f:
        if (IS_SET(29) && !IS_SET(23)) {
            return CYCLES_FLOAT_DIVIDE;
        }
        /* fall through */
    case 0x18 ... 0x1e:
        return sized(CYCLES_NEON_MULTIPLY_D, quad);
    default:
        return sized(CYCLES_NEON_D, quad);
    }
}

/* Two registers */
static unsigned two(uint32_t insn, bool quad)
{
    unsigned operation = FIELD_OF(16, 12);

    if (operation == 0x1f && IS_SET(29) && IS_SET(23)) {
        return CYCLES_FLOAT_DIVIDE; /* a root */
    }
    switch (operation) {
    case 0x00:
    case 0x01: /* REV */
    case 0x12:
    case 0x14: /* narrower */
        return sized(CYCLES_NEON_PERMUTE_D, quad);
    case 0x13:
        return CYCLES_NEON_SHIFT_Q;
    case 0x0c ... 0x0f:
    case 0x16 ... 0x1f:
        return sized(CYCLES_NEON_MULTIPLY_D, quad);
    default:
        return sized(CYCLES_NEON_D, quad);
    }
}

/* Elements to and from registers of either file */
static unsigned copies(uint32_t insn, bool quad)
{
    bool from_element = FIELD_OF(14, 11) == 0 || IS_SET(29) || IS_SET(28);

    return from_element ? sized(CYCLES_NEON_PERMUTE_D, quad) : CYCLES_NEON_MOVE;
}

/* Bit 21 is set: two or three registers of equal or different lengths */
static unsigned registers(uint32_t insn, bool quad)
{
    if (IS_SET(10)) {
        return same(insn, quad);
    }
    if (!IS_SET(11)) {
        bool product = FIELD_OF(15, 12) >= 8;

        return product ? CYCLES_NEON_MULTIPLY_Q : CYCLES_NEON_Q;
    }
    return FIELD_OF(20, 17) == 0 ? two(insn, quad) : sized(CYCLES_NEON_D, quad);
}

/* Bit 21 is clear: EXT, TBL, ZIP and their like; copies; what later architectures have */
static unsigned moves(uint32_t insn, bool quad)
{
    if (IS_SET(15)) {
        return sized(CYCLES_NEON_MULTIPLY_D, quad); /* dot products */
    }
    if (!IS_SET(10)) {
        return sized(CYCLES_NEON_PERMUTE_D, quad);
    }
    return FIELD_OF(23, 22) == 0 ? copies(insn, quad)
                                 : sized(CYCLES_NEON_MULTIPLY_D, quad);
}

/* Bit 24 is set: products with an element; immediates; shifts by a constant */
static unsigned constants(uint32_t insn, bool quad)
{
    unsigned operation = FIELD_OF(15, 11);

    if (!IS_SET(10)) {
        /* Products that are twice as long have 128 bits */
        return sized(CYCLES_NEON_MULTIPLY_D, quad || IS_SET(13));
    }
    if (FIELD_OF(22, 19) == 0 && !IS_SET(28)) {
        return sized(CYCLES_NEON_D, quad);
    }
    if (operation == 0x1c || operation == 0x1f) {
        return sized(CYCLES_NEON_MULTIPLY_D, quad); /* conversions */
    }
    return sized(CYCLES_NEON_SHIFT_D, quad || operation >= 0x10);
}

unsigned cycles_a64_vector_class(uint32_t insn)
{
    bool scalar = IS_SET(28), quad = IS_SET(30) && !scalar;
    unsigned class = cryptography(insn);

    if (class != CYCLES_CLASS_COUNT) {
        return class;
    }
    if (scalar && !IS_SET(30)) {
        return number(insn);
    }
    if (IS_SET(31)) {
        return CYCLES_NEON_Q; /* cryptography of later architectures */
    }
    if (IS_SET(24)) {
        return constants(insn, quad);
    }
    return IS_SET(21) ? registers(insn, quad) : moves(insn, quad);
}
