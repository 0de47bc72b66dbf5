/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Where the cores lie in the one window of 64 KiB through which a SoC shows them, and which of
 * them are there.  All registers are of 32 bits, little-endian, and take word accesses only;
 * operand RAM takes bytes and half-words as well on all known parts but the nRF54LM20A.
 *
 * Source: device headers of Silicon Labs EFR32MG22 (efr32mg22_cryptoacc.h) and Nordic nRF54L15
 * (nrf54l15_application.svd), which agree on this layout.
 */
#ifndef SILEX_SOC_H
#define SILEX_SOC_H

#define SILEX_WINDOW_SIZE 0x10000u

/* What every register reads when the cores are gone: removed, or without power */
#define SILEX_GONE 0xffffffffu

#define SILEX_CM_BASE       0x0000u /* CryptoMaster: cryptomaster.h */
#define SILEX_CM_SIZE       0x0040u
#define SILEX_PRESENCE_BASE 0x0400u /* what is there: below */
#define SILEX_PRESENCE_SIZE 0x001cu
#define SILEX_RNG_BASE      0x1000u /* BA431; not part of this programming model */
#define SILEX_PK_BASE       0x2000u /* BA414E registers: ba414.h */
#define SILEX_PK_SPACE      0x0048u /* "SIZE" is a field of COMMAND */
#define SILEX_PK_RAM_BASE   0x8000u /* BA414E operand RAM */
#define SILEX_PK_RAM_SIZE   0x4000u /* 16 slots of at most 1 KiB */
#define SILEX_PK_CODE_BASE  0xc000u /* BA414E microcode, where a part needs one; a reset loses it */
#define SILEX_PK_CODE_SIZE  0x4000u

/* Interrupt lines of a window, and vectors of its PCI function */
#define SILEX_LINE_CM 0
#define SILEX_LINE_PK 1
#define SILEX_LINES   2

/*
 * Presence and capabilities (read only).
 * Source: nrf54l15_application.svd; nRF54L15 reads 0x771 from SILEX_PRESENCE.
 */
#define SILEX_PRESENCE         0x400u
#define SILEX_PRESENCE_AES     (1u << 0) /* BA411E */
#define SILEX_PRESENCE_AES_GCM (1u << 1) /* BA415 */
#define SILEX_PRESENCE_AES_XTS (1u << 2) /* BA416 */
#define SILEX_PRESENCE_DES     (1u << 3) /* BA412 */
#define SILEX_PRESENCE_HASH    (1u << 4) /* BA413 */
#define SILEX_PRESENCE_CHACHA  (1u << 5) /* BA417 */
#define SILEX_PRESENCE_SHA3    (1u << 6) /* BA418 */
#define SILEX_PRESENCE_ZUC     (1u << 7) /* BA421 */
#define SILEX_PRESENCE_SM4     (1u << 8) /* BA419 */
#define SILEX_PRESENCE_PK      (1u << 9) /* BA414E */
#define SILEX_PRESENCE_RNG     (1u << 10) /* BA431 */
#define SILEX_PRESENCE_BA420   (1u << 11) /* this and the next three: Nordic, Silicon Labs */
#define SILEX_PRESENCE_BA423   (1u << 12)
#define SILEX_PRESENCE_BA422   (1u << 13)
#define SILEX_PRESENCE_ARIA    (1u << 14) /* BA424 */

/* BA411E: modes in the order of SILEX_AES_MODE_*; source as above, nRF54L15 has 0x070301ff */
#define SILEX_AES_CAPS         0x404u
#define SILEX_AES_CAPS_MODES   0x1ffu
#define SILEX_AES_CAPS_CTS     (1u << 16)
#define SILEX_AES_CAPS_MASKING (1u << 17)
#define SILEX_AES_CAPS_KEY_128 (1u << 24)
#define SILEX_AES_CAPS_KEY_192 (1u << 25)
#define SILEX_AES_CAPS_KEY_256 (1u << 26)
#define SILEX_AES_CAPS_KEYS \
	(SILEX_AES_CAPS_KEY_128 | SILEX_AES_CAPS_KEY_192 | SILEX_AES_CAPS_KEY_256)

/* BA411E: bits of the counter block that count in CTR mode */
#define SILEX_AES_COUNTER_BITS 0x408u

/* BA413: algorithms in the order of SILEX_HASH_ALG_*; source as above, nRF54L15 has 0x0003003f */
#define SILEX_HASH_CAPS        0x40cu
#define SILEX_HASH_CAPS_ALGS   0x7fu
#define SILEX_HASH_CAPS_PAD    (1u << 16)
#define SILEX_HASH_CAPS_HMAC   (1u << 17)
#define SILEX_HASH_CAPS_VERIFY (1u << 18)

/* Engines that are not part of this programming model; source: Nordic, Silicon Labs */
#define SILEX_SHA3_CAPS 0x410u /* BA418 */
#define SILEX_SM4_CAPS  0x414u /* BA419 */
#define SILEX_ARIA_CAPS 0x418u /* BA424 */

#endif
