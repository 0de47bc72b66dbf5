/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA414E: the public-key engine.
 *
 * Start: wait until STATUS_BUSY is 0, write COMMAND, write the operands into their slots, write
 * POINTERS (arithmetic, exponentiation and the curve operations 20 to 29), CONTROL = RUN (START |
 * CLEAR_IRQ); wait for BUSY = 0 or the interrupt, CONTROL = CLEAR_IRQ, read the errors from STATUS,
 * read the result's slot.  COMMAND comes before the operands, because SWAP_BYTES rules how operand
 * RAM is accessed.
 */
#ifndef SILEX_BA414_H
#define SILEX_BA414_H

#include "types.h"

/* Registers, byte offsets from SILEX_PK_BASE; source: Microchip trusted firmware, nrf54l15 svd */
#define SILEX_PK_POINTERS   0x00u
#define SILEX_PK_COMMAND    0x04u
#define SILEX_PK_CONTROL    0x08u
#define SILEX_PK_STATUS     0x0cu
#define SILEX_PK_VERSION    0x10u
#define SILEX_PK_TIMER      0x14u /* core cycles of the last operation; bit 0 is always 0 */
#define SILEX_PK_HWCONFIG   0x18u
#define SILEX_PK_OPSIZE     0x1cu /* this and the next two: AHB-master variant only */
#define SILEX_PK_MEMOFFSET  0x20u
#define SILEX_PK_CODEOFFSET 0x24u
#define SILEX_PK_ECC_INJECT 0x40u /* this and the next: variants with error-corrected RAM only */
#define SILEX_PK_ECC_STATUS 0x44u

/*
 * POINTERS: slots of the operands of arithmetic, exponentiation and the operations 20 to 29, where
 * A and C name the first slot of a point.  Source: Microchip; for 20 to 29 Nordic cmddefs_ecc.c,
 * Silicon Labs sx_primitives.c, IOsonata ba414ep.h, each of which places operands elsewhere.
 */
#define SILEX_PK_POINTER_A(slot) ((uint32_t)(slot) << 0)
#define SILEX_PK_POINTER_B(slot) ((uint32_t)(slot) << 8)
#define SILEX_PK_POINTER_C(slot) ((uint32_t)(slot) << 16) /* result */
#define SILEX_PK_POINTER_N(slot) ((uint32_t)(slot) << 24) /* modulus */
#define SILEX_PK_POINTER_MASK    0x0fu

/* COMMAND; source: Microchip; the reset value 0x0f is CLEAR_MEMORY */
#define SILEX_PK_OPCODE_MASK       0x7fu
#define SILEX_PK_FIELD_2M          (1u << 7) /* GF(2^m), else GF(p) */
#define SILEX_PK_SIZE(bytes)       (((uint32_t)(bytes) - 1u) << 8)
#define SILEX_PK_SIZE_OF(command)  ((((command) >> 8) & 0x3ffu) + 1u)
#define SILEX_PK_RAND_MOD          (1u << 19)
#define SILEX_PK_CURVE(curve)      ((uint32_t)(curve) << 20)
#define SILEX_PK_CURVE_OF(command) (((command) >> 20) & 7u)
#define SILEX_PK_RAND_KE           (1u << 24) /* randomised exponent or scalar */
#define SILEX_PK_RAND_PROJ         (1u << 25) /* randomised projective coordinates */
#define SILEX_PK_EDWARDS           (1u << 26)
#define SILEX_PK_SWAP_BYTES        (1u << 28) /* operand RAM big-endian */
#define SILEX_PK_FLAG_A      (1u << 29) /* EdDSA verification: low bit of x of the public key */
#define SILEX_PK_FLAG_B      (1u << 30) /* EdDSA verification: low bit of x of R */
#define SILEX_PK_CALC_R2     (1u << 31) /* the modulus has changed */
#define SILEX_PK_PROTECT_EXP (SILEX_PK_RAND_KE | SILEX_PK_RAND_MOD)
#define SILEX_PK_PROTECT_ECC (SILEX_PK_RAND_KE | SILEX_PK_RAND_PROJ)

/* SILEX_PK_CURVE: curves whose parameters are hard-wired; source: Microchip, AMD */
#define SILEX_PK_CURVE_LOADED  0u
#define SILEX_PK_CURVE_P256    1u
#define SILEX_PK_CURVE_P384    2u
#define SILEX_PK_CURVE_P521    3u
#define SILEX_PK_CURVE_P192    4u
#define SILEX_PK_CURVE_X25519  5u
#define SILEX_PK_CURVE_ED25519 6u

/* Opcodes: arithmetic; source: Microchip, nrf54l15 drivers */
#define SILEX_PK_OP_MODADD       0x01u
#define SILEX_PK_OP_MODSUB       0x02u
#define SILEX_PK_OP_MODMUL       0x03u
#define SILEX_PK_OP_REDUCE_ODD   0x04u
#define SILEX_PK_OP_MODDIV       0x05u
#define SILEX_PK_OP_MODINV_ODD   0x06u
#define SILEX_PK_OP_MODSQRT      0x07u
#define SILEX_PK_OP_MUL          0x08u
#define SILEX_PK_OP_MODINV_EVEN  0x09u
#define SILEX_PK_OP_REDUCE_EVEN  0x0au
#define SILEX_PK_OP_CLEAR_MEMORY 0x0fu

/* Opcodes: RSA, Diffie-Hellman, DSA, SRP; source as above */
#define SILEX_PK_OP_MODEXP            0x10u
#define SILEX_PK_OP_RSA_KEYGEN        0x11u
#define SILEX_PK_OP_RSA_CRT_PARAMS    0x12u
#define SILEX_PK_OP_RSA_CRT           0x13u
#define SILEX_PK_OP_RSA_PUBLIC        0x14u
#define SILEX_PK_OP_RSA_PRIVATE       0x15u
#define SILEX_PK_OP_RSA_SIGN          0x16u
#define SILEX_PK_OP_RSA_VERIFY        0x17u
#define SILEX_PK_OP_DSA_KEYGEN        0x18u
#define SILEX_PK_OP_DSA_SIGN          0x19u
#define SILEX_PK_OP_DSA_VERIFY        0x1au
#define SILEX_PK_OP_SRP_SERVER_KEY    0x1bu
#define SILEX_PK_OP_SRP_USER_KEY      0x1cu
#define SILEX_PK_OP_CRT_RECOMBINE     0x1du
#define SILEX_PK_OP_SRP_SERVER_PUBLIC 0x1eu
#define SILEX_PK_OP_CRT_DECRYPT_HALF  0x1fu
#define SILEX_PK_OP_MILLER_RABIN      0x42u

/* Opcodes: elliptic curves; source as above */
#define SILEX_PK_OP_ECC_DOUBLE         0x20u
#define SILEX_PK_OP_ECC_ADD            0x21u
#define SILEX_PK_OP_ECC_MUL            0x22u
#define SILEX_PK_OP_ECC_CHECK_AB       0x23u
#define SILEX_PK_OP_ECC_CHECK_N        0x24u
#define SILEX_PK_OP_ECC_CHECK_XY       0x25u
#define SILEX_PK_OP_ECC_ON_CURVE       0x26u
#define SILEX_PK_OP_ECC_DECOMPRESS     0x27u
#define SILEX_PK_OP_X25519             0x28u /* Montgomery multiplication; little-endian */
#define SILEX_PK_OP_ECC_CHECK_ORDER    0x29u
#define SILEX_PK_OP_ECDSA_SIGN         0x30u
#define SILEX_PK_OP_ECDSA_VERIFY       0x31u
#define SILEX_PK_OP_ECDSA_CHECK_PARAMS 0x32u
#define SILEX_PK_OP_EDDSA_BASE_MUL     0x3bu /* this and the next three: little-endian */
#define SILEX_PK_OP_EDDSA_SIGN         0x3cu /* no driver asks for countermeasures here */
#define SILEX_PK_OP_EDDSA_VERIFY       0x3du
#define SILEX_PK_OP_EDWARDS_MUL        0x3eu

/* CONTROL; source: Microchip */
#define SILEX_PK_CONTROL_START     (1u << 0)
#define SILEX_PK_CONTROL_CLEAR_IRQ (1u << 1)
#define SILEX_PK_CONTROL_RUN       (SILEX_PK_CONTROL_START | SILEX_PK_CONTROL_CLEAR_IRQ)

/* STATUS: written when an operation ends, cleared when the next one starts; source: Microchip */
#define SILEX_PK_STATUS_NOT_ON_CURVE                (1u << 4)
#define SILEX_PK_STATUS_INFINITY                    (1u << 5) /* Nordic, Silicon Labs */
#define SILEX_PK_STATUS_BAD_MICROCODE               (1u << 5) /* Microchip */
#define SILEX_PK_STATUS_OUT_OF_RANGE                (1u << 6)
#define SILEX_PK_STATUS_BAD_MODULUS                 (1u << 7)
#define SILEX_PK_STATUS_NOT_IMPLEMENTED             (1u << 8)
#define SILEX_PK_STATUS_BAD_SIGNATURE               (1u << 9)
#define SILEX_PK_STATUS_BAD_CURVE                   (1u << 10)
#define SILEX_PK_STATUS_NOT_INVERTIBLE              (1u << 11)
#define SILEX_PK_STATUS_COMPOSITE                   (1u << 12)
#define SILEX_PK_STATUS_NO_ROOT                     (1u << 13)
#define SILEX_PK_STATUS_BAD_ORDER                   (1u << 14) /* Microchip */
#define SILEX_PK_STATUS_EXPIRED                     (1u << 15)
#define SILEX_PK_STATUS_ERRORS                      0xfff0u
#define SILEX_PK_STATUS_BUSY                        (1u << 16)
#define SILEX_PK_STATUS_IRQ                         (1u << 17)
#define SILEX_PK_STATUS_FAIL_POINTER_OF(status)     (((status) >> 24) & 0x1fu)
#define SILEX_PK_STATUS_FAIL_POINTER_OLD_OF(status) ((status) & 0x0fu)

/* HWCONFIG; source: nrf54l15 svd; nRF54L15 has 0x01f72200, a Microchip module 0x43f30200 */
#define SILEX_PK_HWCONFIG_BYTES                  0xfffu /* of the largest operand */
#define SILEX_PK_HWCONFIG_MULTIPLIERS(power)     ((uint32_t)(power) << 12) /* 4^power of them */
#define SILEX_PK_HWCONFIG_MULTIPLIERS_OF(config) (((config) >> 12) & 0xfu)
#define SILEX_PK_HWCONFIG_GF_P                   (1u << 16)
#define SILEX_PK_HWCONFIG_GF_2M                  (1u << 17)
#define SILEX_PK_HWCONFIG_RAM_ECC                (1u << 18)
#define SILEX_PK_HWCONFIG_P256                   (1u << 20)
#define SILEX_PK_HWCONFIG_P384                   (1u << 21)
#define SILEX_PK_HWCONFIG_P521                   (1u << 22)
#define SILEX_PK_HWCONFIG_P192                   (1u << 23)
#define SILEX_PK_HWCONFIG_25519                  (1u << 24)
#define SILEX_PK_HWCONFIG_AHB_MASTER             (1u << 25)
#define SILEX_PK_HWCONFIG_NO_SM                  (1u << 29)
#define SILEX_PK_HWCONFIG_NO_CLEAR               (1u << 30)
#define SILEX_PK_HWCONFIG_NO_PROTECTION          (1u << 31)

/*
 * Operand RAM.  A big-endian operand is right-aligned at the end of its slot, at
 * slot * stride + stride - size; a little-endian one starts with the slot.
 * Source: Microchip, nrf54l15 drivers.
 */
#define SILEX_PK_SLOTS             16u
#define SILEX_PK_STRIDE(max_bytes) ((max_bytes) > 512u ? 1024u : 512u)

/* Slots; source: Microchip, nrf54l15 drivers */
#define SILEX_PK_SLOT_N        0u /* with these pointers, as silex_pk_pointers() gives them */
#define SILEX_PK_SLOT_A        6u
#define SILEX_PK_SLOT_B        8u
#define SILEX_PK_SLOT_C        10u
#define SILEX_PK_SLOT_UNUSED   14u /* holds an operand or a result only if POINTERS says so */
#define SILEX_PK_SLOT_BLINDING 15u /* the blinding factor: below */

#define SILEX_PK_SLOT_RSA_N      0u
#define SILEX_PK_SLOT_RSA_LAMBDA 1u
#define SILEX_PK_SLOT_RSA_IN     4u
#define SILEX_PK_SLOT_RSA_OUT    5u
#define SILEX_PK_SLOT_RSA_D      6u
#define SILEX_PK_SLOT_RSA_E      8u
#define SILEX_PK_SLOT_RSA_P      2u
#define SILEX_PK_SLOT_RSA_Q      3u
#define SILEX_PK_SLOT_RSA_DP     10u
#define SILEX_PK_SLOT_RSA_DQ     11u
#define SILEX_PK_SLOT_RSA_QINV   12u

#define SILEX_PK_SLOT_DSA_P 0u
#define SILEX_PK_SLOT_DSA_Q 2u
#define SILEX_PK_SLOT_DSA_G 3u
#define SILEX_PK_SLOT_DSA_K 5u
#define SILEX_PK_SLOT_DSA_X 6u
#define SILEX_PK_SLOT_DSA_Y 8u
#define SILEX_PK_SLOT_DSA_R 10u
#define SILEX_PK_SLOT_DSA_S 11u
#define SILEX_PK_SLOT_DSA_H 12u

#define SILEX_PK_SLOT_ECC_P     0u
#define SILEX_PK_SLOT_ECC_N     1u
#define SILEX_PK_SLOT_ECC_GX    2u
#define SILEX_PK_SLOT_ECC_GY    3u
#define SILEX_PK_SLOT_ECC_A     4u /* Edwards: d */
#define SILEX_PK_SLOT_ECC_B     5u /* Edwards: I, a root of -1 */
#define SILEX_PK_SLOT_ECC_X1    6u /* double, add, check x and y, order, decompress */
#define SILEX_PK_SLOT_ECC_Y1    7u
#define SILEX_PK_SLOT_ECC_X2    8u /* add */
#define SILEX_PK_SLOT_ECC_Y2    9u
#define SILEX_PK_SLOT_ECC_K     8u /* multiplication, with the point in 12, 13 */
#define SILEX_PK_SLOT_ECC_PX    12u
#define SILEX_PK_SLOT_ECC_PY    13u
#define SILEX_PK_SLOT_ECC_OUT_X 10u
#define SILEX_PK_SLOT_ECC_OUT_Y 11u

#define SILEX_PK_SLOT_ECDSA_D  6u
#define SILEX_PK_SLOT_ECDSA_K  7u
#define SILEX_PK_SLOT_ECDSA_QX 8u
#define SILEX_PK_SLOT_ECDSA_QY 9u
#define SILEX_PK_SLOT_ECDSA_R  10u
#define SILEX_PK_SLOT_ECDSA_S  11u
#define SILEX_PK_SLOT_ECDSA_H  12u

#define SILEX_PK_SLOT_X25519_P   6u
#define SILEX_PK_SLOT_X25519_K   8u
#define SILEX_PK_SLOT_X25519_OUT 10u

#define SILEX_PK_SLOT_EDDSA_K      6u /* two slots: low half, high half */
#define SILEX_PK_SLOT_EDDSA_R      8u /* two slots */
#define SILEX_PK_SLOT_EDDSA_AY     9u /* verification */
#define SILEX_PK_SLOT_EDDSA_SIG    10u /* sign: result; verification: input */
#define SILEX_PK_SLOT_EDDSA_SECRET 11u /* sign */
#define SILEX_PK_SLOT_EDDSA_RY     11u /* verification */
#define SILEX_PK_SLOT_EDWARDS_X    6u
#define SILEX_PK_SLOT_EDWARDS_Y    7u
#define SILEX_PK_SLOT_EDWARDS_K    8u

/*
 * The blinding factor, with RAND_KE, RAND_MOD or RAND_PROJ.  With RAND_MOD it is odd, for curves it
 * is not 0.  Drivers set bits 0 and 61 and clear the two above, so that its length, and with it the
 * time, is always the same.  Source: Nordic blind.c, Silicon Labs ba414ep_config.c.
 */
#define SILEX_PK_BLINDING_BYTES 8u
#define SILEX_PK_BLINDING_ODD   1ull
#define SILEX_PK_BLINDING_TOP   (1ull << 61)
#define SILEX_PK_BLINDING(random) \
	(((random) & (SILEX_PK_BLINDING_TOP - 1)) | SILEX_PK_BLINDING_TOP | SILEX_PK_BLINDING_ODD)

/* The value of POINTERS with which operands lie in the slots above; source: Nordic cmddefs_ecc.c */
static inline uint32_t silex_pk_pointers(uint32_t command)
{
	uint32_t opcode = command & SILEX_PK_OPCODE_MASK;
	bool point = opcode == SILEX_PK_OP_ECC_MUL || opcode == SILEX_PK_OP_ECC_ON_CURVE;

	return SILEX_PK_POINTER_A(point ? SILEX_PK_SLOT_ECC_PX : SILEX_PK_SLOT_A) |
	       SILEX_PK_POINTER_B(SILEX_PK_SLOT_B) | SILEX_PK_POINTER_C(SILEX_PK_SLOT_C) |
	       SILEX_PK_POINTER_N(SILEX_PK_SLOT_N);
}

#endif
