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

static CyclesArmOperands none(void)
{
    return (CyclesArmOperands) { .result = -1 };
}

static CyclesArmOperands from(int result, uint16_t sources)
{
    return (CyclesArmOperands) { .result = result, .sources = sources };
}

/* ---- ARM ---- */

static CyclesArmOperands a32_data(uint32_t insn)
{
    unsigned operation = FIELD_OF(24, 21);
    bool tests = operation >= 8 && operation <= 11;
    bool moves = operation == 13 || operation == 15;
    uint16_t sources = 0;

    if (tests && !IS_SET(20)) { /* miscellaneous; MOVW and MOVT */
        return IS_SET(25) ? from(FIELD_OF(15, 12), 0) : none();
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

static CyclesArmOperands a32_extra(uint32_t insn)
{
    if (FIELD_OF(6, 5) == 0) {
        if (IS_SET(24)) {
            return none();
        }
        return from(IS_SET(23) ? -1 : (int)FIELD_OF(19, 16),
                    R(FIELD_OF(3, 0)) | R(FIELD_OF(11, 8)));
    }
    return from(IS_SET(20) ? (int)FIELD_OF(15, 12) : -1,
                R(FIELD_OF(19, 16)) | (IS_SET(22) ? 0 : R(FIELD_OF(3, 0))));
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
            return FIELD_OF(24, 23) == 2
                       ? none()
                       : from(FIELD_OF(15, 12),
                              R(FIELD_OF(3, 0)) | R(FIELD_OF(19, 16)));
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
    int result = FIELD_OF(11, 8);
    uint16_t sources = 0;

    if (FIELD_OF(19, 16) != 15) {
        sources |= R(FIELD_OF(19, 16));
    }
    if (IS_SET(27)) {
        sources |= R(FIELD_OF(3, 0));
    }
    return from(result == 15 ? -1 : result, sources);
}

static CyclesArmOperands t32_memory(uint32_t insn)
{
    bool by_register = !IS_SET(23) && !FIELD_OF(11, 6);

    return from(IS_SET(20) ? (int)FIELD_OF(15, 12) : -1,
                R(FIELD_OF(19, 16)) | (by_register ? R(FIELD_OF(3, 0)) : 0));
}

static CyclesArmOperands t32_operands(uint32_t insn)
{
    switch (FIELD_OF(31, 25)) {
    case 0x75:
        return t32_data(insn);
    case 0x78 ... 0x7b:
        return IS_SET(15) ? none() : t32_data(insn);
    case 0x7c:
        return t32_memory(insn);
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
        return from(IS_SET(11) ? (int)FIELD_OF(10, 8) : -1, 0);
    case 10:
        return from(FIELD_OF(10, 8), 0);
    case 11:
        if (FIELD_OF(11, 8) == 2 || FIELD_OF(11, 8) == 10) {
            return from(FIELD_OF(2, 0),
                        R(FIELD_OF(5, 3))); /* extend, reverse */
        }
        return none();
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
