/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers through which instructions of 32-bit ARM depend on each other,
 * see cycles-arm-operands.h.  What is not told apart has no result and no
 * source.
 *
 * Encodings: ARM Architecture Reference Manual, ARMv7-A and ARMv7-R edition, A5
 * and A6.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/firesteel/cycles-arm-operands.h"

#define FIELD_OF(high, low) extract32(insn, low, (high) - (low) + 1)
#define IS_SET(bit) extract32(insn, bit, 1)
#define R(number) (1u << (number))
#define SP 13
#define PC 15

static CyclesArmOperands none(void)
{
    return (CyclesArmOperands) { .result = -1 };
}

/* Nothing waits for the program counter */
static CyclesArmOperands from(int result, uint16_t sources)
{
    return (CyclesArmOperands) { .result = result == PC ? -1 : result,
                                 .sources = sources & ~R(PC) };
}

/* ---- ARM ---- */

/* MOVW, MOVT, and what writes the processor's state by an immediate */
static CyclesArmOperands a32_wide(uint32_t insn)
{
    unsigned target = FIELD_OF(15, 12);

    if (IS_SET(21)) {
        return none();
    }
    return from(target, IS_SET(22) ? R(target) : 0);
}

/* CLZ, products of halfwords; all else is not told apart (A5.2.7, .12) */
static CyclesArmOperands a32_miscellaneous(uint32_t insn)
{
    if ((insn & 0x0ff000f0) == 0x01600010) {
        return from(FIELD_OF(15, 12), R(FIELD_OF(3, 0)));
    }
    if (IS_SET(7)) {
        bool wide = FIELD_OF(22, 21) == 2;

        return from(wide ? -1 : (int)FIELD_OF(19, 16),
                    R(FIELD_OF(3, 0)) | R(FIELD_OF(11, 8)));
    }
    return none();
}

static CyclesArmOperands a32_data(uint32_t insn)
{
    unsigned operation = FIELD_OF(24, 21);
    bool tests = operation >= 8 && operation <= 11;
    bool moves = operation == 13 || operation == 15;
    uint16_t sources = 0;

    if (tests && !IS_SET(20)) {
        return IS_SET(25) ? a32_wide(insn) : a32_miscellaneous(insn);
    }
    if (!moves) {
        sources |= R(FIELD_OF(19, 16));
    }
    if (!IS_SET(25)) {
        sources |= R(FIELD_OF(3, 0));
        if (IS_SET(4)) {
            sources |= R(FIELD_OF(11, 8));
        }
    }
    return from(tests ? -1 : (int)FIELD_OF(15, 12), sources);
}

/* Products, and what has exclusive access (A5.2.5, .10) */
static CyclesArmOperands a32_product(uint32_t insn)
{
    bool wide = IS_SET(23) || FIELD_OF(23, 21) == 2;
    bool two = FIELD_OF(22, 21) == 1; /* LDREXD */

    if (IS_SET(24)) {
        return from(IS_SET(20) && !two ? (int)FIELD_OF(15, 12) : -1,
                    R(FIELD_OF(19, 16)));
    }
    return from(wide ? -1 : (int)FIELD_OF(19, 16),
                R(FIELD_OF(3, 0)) | R(FIELD_OF(11, 8)));
}

/* The same, and transfers of halfwords and doublewords (A5.2.8) */
static CyclesArmOperands a32_extra(uint32_t insn)
{
    if (FIELD_OF(6, 5) == 0) {
        return a32_product(insn);
    }
    return from(IS_SET(20) ? (int)FIELD_OF(15, 12) : -1,
                R(FIELD_OF(19, 16)) | (IS_SET(22) ? 0 : R(FIELD_OF(3, 0))));
}

/* Packing, saturation, reversal: who has a second source (A5.4.3) */
static bool a32_packs_two(uint32_t insn)
{
    bool extends_and_adds = FIELD_OF(7, 5) == 3;
    bool packs_or_selects = FIELD_OF(22, 20) == 0;

    return extends_and_adds || packs_or_selects;
}

/* Media instructions (A5.4) */
static CyclesArmOperands a32_media(uint32_t insn)
{
    unsigned operation = FIELD_OF(24, 20), target = FIELD_OF(15, 12);
    uint16_t sources = R(FIELD_OF(3, 0));

    if (operation >= 0x10 && operation <= 0x18) { /* products, divides */
        return from(operation == 0x14 ? -1 : (int)FIELD_OF(19, 16),
                    sources | R(FIELD_OF(11, 8)));
    }
    if (operation >= 0x1c && operation <= 0x1d) { /* bits of another */
        sources |= R(target);
    }
    if (operation < 8 || (operation < 0x10 && a32_packs_two(insn))) {
        sources |= R(FIELD_OF(19, 16));
    }
    return from(target, sources);
}

static CyclesArmOperands a32_operands(uint32_t insn)
{
    if (FIELD_OF(31, 28) == 0xf) {
        return none();
    }
    switch (FIELD_OF(27, 25)) {
    case 0:
        if (IS_SET(7) && IS_SET(4)) {
            return a32_extra(insn);
        }
        /* fall through */
    case 1:
        return a32_data(insn);
    case 3:
        if (IS_SET(4)) {
            return a32_media(insn);
        }
        /* fall through */
    case 2:
        return from(IS_SET(20) ? (int)FIELD_OF(15, 12) : -1,
                    R(FIELD_OF(19, 16)) | (IS_SET(25) ? R(FIELD_OF(3, 0)) : 0));
    default:
        return none();
    }
}

/* ---- Thumb, 32 bits ---- */

static CyclesArmOperands t32_data(uint32_t insn)
{
    uint16_t sources = R(FIELD_OF(19, 16));

    if (IS_SET(27)) {
        sources |= R(FIELD_OF(3, 0));
    }
    return from(FIELD_OF(11, 8), sources);
}

/* An immediate; those that are unlike the others are MOVW, MOVT and BFI */
static CyclesArmOperands t32_immediate(uint32_t insn)
{
    unsigned target = FIELD_OF(11, 8);

    switch (FIELD_OF(25, 20)) {
    case 0x24:
        return from(target, 0);
    case 0x2c:
        return from(target, R(target));
    case 0x36:
        return from(target, R(FIELD_OF(19, 16)) | R(target));
    default:
        return t32_data(insn);
    }
}

/* Elements and structures of NEON's registers */
static bool is_t32_neon(uint32_t insn)
{
    return (insn & 0xff100000) == 0xf9000000;
}

static CyclesArmOperands t32_memory(uint32_t insn)
{
    bool literal = FIELD_OF(19, 16) == PC;
    bool by_register = !IS_SET(23) && !FIELD_OF(11, 6) && !literal;

    return from(IS_SET(20) ? (int)FIELD_OF(15, 12) : -1,
                R(FIELD_OF(19, 16)) | (by_register ? R(FIELD_OF(3, 0)) : 0));
}

/* LDREX, LDREXB, LDREXH; all else transfers several registers, or stores */
static CyclesArmOperands t32_multiple(uint32_t insn)
{
    bool word = (insn & 0xfff00000) == 0xe8500000;
    bool shorter = (insn & 0xfff000e0) == 0xe8d00040;

    return word || shorter ? from(FIELD_OF(15, 12), R(FIELD_OF(19, 16)))
                           : none();
}

static CyclesArmOperands t32_operands(uint32_t insn)
{
    switch (FIELD_OF(31, 25)) {
    case 0x74:
        return t32_multiple(insn);
    case 0x75:
        return t32_data(insn);
    case 0x78 ... 0x7b:
        return IS_SET(15) ? none() : t32_immediate(insn);
    case 0x7c:
        return is_t32_neon(insn) ? none() : t32_memory(insn);
    case 0x7d:
        if (IS_SET(24) && IS_SET(23)) {
            return none(); /* products of 64 bits, divides */
        }
        return from(FIELD_OF(11, 8), R(FIELD_OF(19, 16)) | R(FIELD_OF(3, 0)));
    default:
        return none();
    }
}

/* ---- Thumb, 16 bits ---- */

static CyclesArmOperands t16_arithmetic(uint32_t insn)
{
    unsigned second = FIELD_OF(13, 10) == 6 ? R(FIELD_OF(8, 6)) : 0;
    unsigned operation = FIELD_OF(12, 11), target = FIELD_OF(10, 8);

    if (!IS_SET(13)) {
        return from(FIELD_OF(2, 0), R(FIELD_OF(5, 3)) | second);
    }
    return from(operation == 1 ? -1 : (int)target,
                operation == 0 ? 0 : R(target));
}

static CyclesArmOperands t16_data(uint32_t insn)
{
    unsigned operation = FIELD_OF(9, 6);
    unsigned target = FIELD_OF(2, 0);

    if (IS_SET(11)) {
        return from(FIELD_OF(10, 8), 0); /* a literal */
    }
    if (IS_SET(10)) {
        unsigned high = target | IS_SET(7) << 3;

        if (FIELD_OF(9, 8) == 3) {
            return none();
        }
        return from(FIELD_OF(9, 8) == 1 ? -1 : (int)high,
                    R(FIELD_OF(6, 3)) | (FIELD_OF(9, 8) == 2 ? 0 : R(high)));
    }
    return from(operation == 8 || operation == 10 || operation == 11
                    ? -1
                    : (int)target,
                R(FIELD_OF(5, 3)) |
                    (operation == 9 || operation == 15 ? 0 : R(target)));
}

/* Sums with the stack pointer, extensions, reversals (A6.2.5) */
static CyclesArmOperands t16_miscellaneous(uint32_t insn)
{
    switch (FIELD_OF(11, 8)) {
    case 0:
        return from(SP, R(SP));
    case 2:
    case 10:
        return from(FIELD_OF(2, 0), R(FIELD_OF(5, 3)));
    default:
        return none();
    }
}

static CyclesArmOperands t16_operands(uint32_t insn)
{
    switch (FIELD_OF(15, 12)) {
    case 0 ... 3:
        return t16_arithmetic(insn);
    case 4:
        return t16_data(insn);
    case 5:
        return from(FIELD_OF(11, 9) < 3 ? -1 : (int)FIELD_OF(2, 0),
                    R(FIELD_OF(5, 3)) | R(FIELD_OF(8, 6)));
    case 6 ... 8:
        return from(IS_SET(11) ? (int)FIELD_OF(2, 0) : -1, R(FIELD_OF(5, 3)));
    case 9:
        return from(IS_SET(11) ? (int)FIELD_OF(10, 8) : -1, R(SP));
    case 10:
        return from(FIELD_OF(10, 8), IS_SET(11) ? R(SP) : 0);
    case 11:
        return t16_miscellaneous(insn);
    default:
        return none();
    }
}

CyclesArmOperands cycles_arm_operands(uint32_t insn, CyclesArmSet set)
{
    return set == CYCLES_A32   ? a32_operands(insn)
           : set == CYCLES_T32 ? t32_operands(insn)
                               : t16_operands(insn);
}
