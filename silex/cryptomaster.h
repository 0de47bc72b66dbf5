/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * CryptoMaster: the DMA in front of the symmetric engines.
 *
 * A fetcher reads items (configuration and data) from memory and hands them to the engine that
 * their tag names; a pusher writes what the engine gives back to memory.  Each follows a linked
 * list of descriptors (scatter-gather) or one register set (direct).
 *
 * Start: clear INT_STAT, enable INT_ENDED (push-stopped and both bus errors), write both list
 * addresses, CONFIG = SG, START = BOTH.  Done: STATUS has nothing of BUSY (FETCH_BUSY, PUSH_BUSY,
 * PUSH_WAITING), or the push-stopped interrupt.  After a bus error: CONFIG = SOFT_RESET, then 0,
 * wait until RESET_BUSY is 0, enable the interrupts again.  message.h makes the lists.
 */
#ifndef SILEX_CRYPTOMASTER_H
#define SILEX_CRYPTOMASTER_H

#include "types.h"

/* Registers, byte offsets from SILEX_CM_BASE; source: nrf54l15_application.svd */
#define SILEX_CM_FETCH_ADDR    0x00u /* list (scatter-gather) or data (direct); low word */
#define SILEX_CM_FETCH_ADDR_HI 0x04u
#define SILEX_CM_FETCH_LEN     0x08u /* direct mode: SILEX_LEN_* */
#define SILEX_CM_FETCH_TAG     0x0cu /* direct mode: SILEX_TAG_* */
#define SILEX_CM_PUSH_ADDR     0x10u
#define SILEX_CM_PUSH_ADDR_HI  0x14u
#define SILEX_CM_PUSH_LEN      0x18u /* direct mode: SILEX_LEN_* */
#define SILEX_CM_INT_EN        0x1cu
#define SILEX_CM_INT_SET       0x20u /* enables the interrupts whose bits are 1 */
#define SILEX_CM_INT_CLR       0x24u /* disables the interrupts whose bits are 1 */
#define SILEX_CM_INT_STAT_RAW  0x28u
#define SILEX_CM_INT_STAT      0x2cu /* raw and enabled: the interrupt line is up while not 0 */
#define SILEX_CM_INT_STAT_CLR  0x30u /* clears the raw bits that are 1 */
#define SILEX_CM_CONFIG        0x34u
#define SILEX_CM_START         0x38u
#define SILEX_CM_STATUS        0x3cu

/* INT_*; source as above */
#define SILEX_CM_INT_FETCH_BLOCK_END (1u << 0)
#define SILEX_CM_INT_FETCH_STOPPED   (1u << 1)
#define SILEX_CM_INT_FETCH_ERROR     (1u << 2) /* bus error */
#define SILEX_CM_INT_PUSH_BLOCK_END  (1u << 3)
#define SILEX_CM_INT_PUSH_STOPPED    (1u << 4)
#define SILEX_CM_INT_PUSH_ERROR      (1u << 5) /* bus error */
#define SILEX_CM_INT_ALL             0x3fu
#define SILEX_CM_INT_ERRORS          (SILEX_CM_INT_FETCH_ERROR | SILEX_CM_INT_PUSH_ERROR)
/* to enable: a job has ended, well or not */
#define SILEX_CM_INT_ENDED           (SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_ERRORS)
/* raw bits of a job that has ended well, if its last push descriptor has SILEX_LEN_IRQ: a reset
 * that came before START makes both sides stop, too, but ends no block
 */
#define SILEX_CM_INT_DONE \
	(SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED | SILEX_CM_INT_PUSH_BLOCK_END)

/* CONFIG; source as above */
#define SILEX_CM_CONFIG_FETCH_SG   (1u << 0)
#define SILEX_CM_CONFIG_PUSH_SG    (1u << 1)
#define SILEX_CM_CONFIG_FETCH_STOP (1u << 2) /* stop at the end of the running descriptor */
#define SILEX_CM_CONFIG_PUSH_STOP  (1u << 3)
#define SILEX_CM_CONFIG_SOFT_RESET (1u << 4)
#define SILEX_CM_CONFIG_SG         (SILEX_CM_CONFIG_FETCH_SG | SILEX_CM_CONFIG_PUSH_SG)

/* START; source as above */
#define SILEX_CM_START_FETCH (1u << 0)
#define SILEX_CM_START_PUSH  (1u << 1)
#define SILEX_CM_START_BOTH  (SILEX_CM_START_FETCH | SILEX_CM_START_PUSH)

/* STATUS; source as above */
#define SILEX_CM_STATUS_FETCH_BUSY      (1u << 0)
#define SILEX_CM_STATUS_PUSH_BUSY       (1u << 1)
#define SILEX_CM_STATUS_FETCH_NOT_EMPTY (1u << 4)
#define SILEX_CM_STATUS_PUSH_WAITING    (1u << 5) /* the pusher waits for data */
#define SILEX_CM_STATUS_RESET_BUSY      (1u << 6)
#define SILEX_CM_STATUS_PUSH_FIFO(s)    ((s) >> 16) /* words in the push FIFO */
#define SILEX_CM_STATUS_BUSY \
	(SILEX_CM_STATUS_FETCH_BUSY | SILEX_CM_STATUS_PUSH_BUSY | SILEX_CM_STATUS_PUSH_WAITING)

/* Descriptor on a 32-bit host and on a 64-bit one; source: nrf_cracen_cm_dma.h */
struct silex_descriptor {
	silex_le32 addr;
	silex_le32 next; /* address of the next descriptor, SILEX_NEXT_STOP after the last */
	silex_le32 length; /* SILEX_LEN_* */
	silex_le32 tag; /* SILEX_TAG_*; ignored by the pusher */
};

struct silex_descriptor64 {
	silex_le64 addr;
	silex_le64 next;
	silex_le32 length;
	silex_le32 tag;
};

#define SILEX_NEXT_STOP 1u /* bit 0 of next: this descriptor is the last one */

/* Length word of a descriptor and of FETCH_LEN, PUSH_LEN; source: nrf_cracen_cm_dma.h */
#define SILEX_LEN_MASK       0x0fffffffu /* bytes; Nordic parts: bits 23:0 */
#define SILEX_LEN_CONST_ADDR (1u << 28) /* every word from or to the same address */
#define SILEX_LEN_REALIGN    (1u << 29) /* what follows starts on a word of its own */
#define SILEX_LEN_DISCARD    (1u << 30) /* push: drop the bytes */
#define SILEX_LEN_ZERO_PAD   (1u << 30) /* FETCH_LEN, direct mode: the bytes are zeros */
#define SILEX_LEN_IRQ        (1u << 31) /* interrupt BLOCK_END after this descriptor */

/* Tag of a fetched item; source: nrf_cracen_cm_dma.h, nrf54l15 drivers */
#define SILEX_TAG_ENGINE          0x0fu
#define SILEX_ENGINE_BYPASS       0x0u
#define SILEX_ENGINE_AES          0x1u /* BA411E: ba411.h */
#define SILEX_ENGINE_DES          0x2u
#define SILEX_ENGINE_HASH         0x3u /* BA413: ba413.h */
#define SILEX_ENGINE_CHACHA       0x4u
#define SILEX_ENGINE_SHA3         0x5u
#define SILEX_ENGINE_AES_GCM      0x6u
#define SILEX_ENGINE_AES_XTS      0x7u
#define SILEX_ENGINE_SM4          0xbu
#define SILEX_ENGINE_ARIA         0xfu /* BA424; source: Silicon Labs */
#define SILEX_TAG_CONFIG          (1u << 4) /* configuration, else data */
#define SILEX_TAG_LAST            (1u << 5) /* the message ends with this item */
#define SILEX_TAG_TYPE(type)      ((uint32_t)(type) << 6) /* data: SILEX_AES_*, SILEX_HASH_DATA_* */
#define SILEX_TAG_TYPE_OF(tag)    (((tag) >> 6) & 3u)
#define SILEX_TAG_OFFSET(offset)  ((uint32_t)(offset) << 8) /* configuration: byte offset */
#define SILEX_TAG_OFFSET_OF(tag)  (((tag) >> 8) & 0xffu)
/*
 * data: so many bytes are no part of the item, counted back from the end of the engine's last
 * block (AES 16 bytes, hash 4) whether they were fetched or not.  Source: Silicon Labs
 * sx_blk_cipher.c and sx_hash.c, whose lengths leave them out; Nordic cmdma.h, whose lengths
 * include them.
 */
#define SILEX_TAG_INVALID(bytes)  ((uint32_t)(bytes) << 8)
#define SILEX_TAG_INVALID_OF(tag) (((tag) >> 8) & 0x1fu)

#endif
