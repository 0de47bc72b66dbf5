/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operands of the instructions of 64-bit ARM, see cycles-a64-operands.h.
 *
 * Encodings: Arm Architecture Reference Manual for A-profile, C4.1.  What a store writes and what a product is
 * added to is needed late, so nothing waits for it.
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "hw/firesteel/cycles-a64-operands.h"

#define FIELD_OF(high, low) extract32(insn, low, (high) - (low) + 1)
#define IS_SET(bit) extract32(insn, bit, 1)
#define BIT_OF(number) (UINT32_C(1) << (number))
#define D FIELD_OF(4, 0)
#define N BIT_OF(FIELD_OF(9, 5))
#define M BIT_OF(FIELD_OF(20, 16))
#define NOTHING 31 /* the register of zeros, or the stack pointer */

static CyclesA64Operands none(void)
{
    return (CyclesA64Operands) { 0 };
}

/* Of core registers */
static CyclesA64Operands core(unsigned result, uint32_t sources)
{
    return (CyclesA64Operands) {
        .results = BIT_OF(result) & ~BIT_OF(NOTHING),
        .sources = sources & ~BIT_OF(NOTHING),
    };
}

static CyclesA64Operands vector(unsigned result, uint32_t sources)
{
    return (CyclesA64Operands) {
        .vector_results = BIT_OF(result),
        .vector_sources = sources,
    };
}

/* ---- core registers ---- */

static CyclesA64Operands by_immediate(uint32_t insn)
{
    bool keeps = FIELD_OF(30, 29) == (FIELD_OF(25, 23) == 6 ? 1 : 3);

    switch (FIELD_OF(25, 23)) {
    case 0:
    case 1:
        return core(D, 0); /* ADR */
    case 5: /* MOVN, MOVZ, MOVK */
        return core(D, keeps ? BIT_OF(D) : 0);
    case 6: /* SBFM, BFM, UBFM */
        return core(D, keeps ? N | BIT_OF(D) : N);
    case 7:
        return core(D, N | M); /* EXTR */
    default:
        return core(D, N);
    }
}

/* With a carry or a condition, of two sources or one */
static CyclesA64Operands by_rarer(uint32_t insn)
{
    bool one = FIELD_OF(23, 21) == 6 && IS_SET(30);
    bool compares = FIELD_OF(23, 21) == 2;

    if (compares) {
        return core(NOTHING, IS_SET(11) ? N : N | M);
    }
    return core(D, one ? N : N | M);
}

static CyclesA64Operands by_registers(uint32_t insn)
{
    return IS_SET(28) && !IS_SET(24) ? by_rarer(insn) : core(D, N | M);
}

/* ---- loads and stores ---- */

/* Is the address the sum of two registers? */
static bool has_offset_register(uint32_t insn)
{
    return FIELD_OF(29, 28) == 3 && !IS_SET(24) && IS_SET(21) &&
           FIELD_OF(11, 10) == 2;
}

/* Is it a load that is no preload? */
static bool loads(uint32_t insn)
{
    bool single = FIELD_OF(29, 28) == 3, core = !IS_SET(26);
    bool preload = core && FIELD_OF(31, 30) == 3 && FIELD_OF(23, 22) == 2;

    if (FIELD_OF(29, 28) == 1) {
        return IS_SET(24) ? FIELD_OF(23, 22) != 0 /* LDAPUR, or its store */
                          : !core || FIELD_OF(31, 30) != 3;
    }
    return single ? !preload && (core ? FIELD_OF(23, 22) != 0 : IS_SET(22))
                  : IS_SET(22);
}

/*
 * The registers of a structure: as many as its elements, the same again if they
 * are whole and do not interleave; an element alone leaves the rest
 */
static uint32_t structure(uint32_t insn)
{
    static const uint8_t whole[16] = { 4, 0, 4, 0, 3, 0, 3, 1, 2, 0, 2 };
    unsigned count = IS_SET(24) ? IS_SET(13) * 2 + IS_SET(21) + 1
                                : whole[FIELD_OF(15, 12)];
    uint32_t registers = BIT_OF(count) - 1;

    return registers << D | (D ? registers >> (32 - D) : 0);
}

/* What a load writes but for its address */
static uint32_t loaded(uint32_t insn)
{
    uint32_t both = BIT_OF(D) | BIT_OF(FIELD_OF(14, 10));

    switch (FIELD_OF(29, 28)) {
    case 0: /* structures; exclusive or ordered, pairs among them */
        if (IS_SET(26)) {
            return structure(insn);
        }
        return IS_SET(31) && !IS_SET(23) && IS_SET(21) ? both : BIT_OF(D);
    case 2:
        return both;
    default:
        return BIT_OF(D);
    }
}

static CyclesA64Operands loads_and_stores(uint32_t insn)
{
    bool literal = FIELD_OF(29, 28) == 1 && !IS_SET(24);
    CyclesA64Operands operands = none();

    if (loads(insn) && IS_SET(26)) {
        operands.vector_results = loaded(insn);
    } else if (loads(insn)) {
        operands.results = loaded(insn) & ~BIT_OF(NOTHING);
    }
    if (!literal) {
        operands.addresses = N | (has_offset_register(insn) ? M : 0);
        operands.addresses &= ~BIT_OF(NOTHING);
    }
    return operands;
}

/* ---- vectors ---- */

/* AESE, AESD, and those of SHA but SHA1H and AESMC read what they write */
static CyclesA64Operands cryptography(uint32_t insn)
{
    bool aes = !IS_SET(28), three = !aes && !IS_SET(21);
    unsigned operation = FIELD_OF(16, 12);
    bool mixes = aes ? operation >= 6 : !three && operation == 0;

    return vector(D, N | (three ? M : 0) | (mixes ? 0 : BIT_OF(D)));
}

/* Products and sums that are added to what was there */
static bool accumulates(uint32_t insn)
{
    unsigned operation = FIELD_OF(15, 11);
    bool selects = operation == 3 && IS_SET(29) && FIELD_OF(23, 22);

    if (IS_SET(24)) {
        return IS_SET(10) ? operation == 2 || operation == 6 : !IS_SET(15);
    }
    if (!IS_SET(21)) {
        return false;
    }
    if (!IS_SET(10)) {
        return !IS_SET(11) &&
               (FIELD_OF(15, 12) == 5 || (IS_SET(15) && !IS_SET(14)));
    }
    return operation == 0x0f || operation == 0x12 || operation == 0x19 ||
           selects;
}

/* Has it a second register?  Those with one are shifts by a constant, copies, and REV and its like */
static bool has_second(uint32_t insn)
{
    if (IS_SET(24)) {
        return !IS_SET(10);
    }
    return IS_SET(21) ? FIELD_OF(11, 10) != 2 : !IS_SET(10);
}

static CyclesA64Operands vectors(uint32_t insn)
{
    bool is_aes = (insn & 0xff3e0c00) == 0x4e280800;
    bool is_sha = (insn & 0xff208c00) == 0x5e000000 ||
                  (insn & 0xff3e0c00) == 0x5e280800;
    bool is_number = IS_SET(28) && !IS_SET(30);
    bool immediate = (insn & 0x9ff80400) == 0x0f000400;
    bool moves = !IS_SET(21) && !IS_SET(24) && IS_SET(10) && !IS_SET(15);

    if (is_aes || is_sha) {
        return cryptography(insn);
    }
    if (is_number || moves || IS_SET(31)) {
        return none(); /* also what goes between the register files */
    }
    if (immediate) {
        return vector(D, 0);
    }
    return vector(D, N | (has_second(insn) ? M : 0) |
                         (accumulates(insn) ? BIT_OF(D) : 0));
}

CyclesA64Operands cycles_a64_operands(uint32_t insn)
{
    switch (FIELD_OF(28, 25)) {
    case 8:
    case 9:
        return by_immediate(insn);
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
        return vectors(insn);
    default:
        return none();
    }
}
