/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA411E: the AES engine behind CryptoMaster.
 *
 * A message is a list of items in this order: configuration word, key, IV or saved context,
 * second key (XTS), associated data, payload, trailer.  Each input is padded to 16 bytes with
 * invalid bytes.  What comes back: associated data (as long as it went in, padded to 16; to be
 * discarded), payload padded to 16, then tag or context.
 */
#ifndef SILEX_BA411_H
#define SILEX_BA411_H

#define SILEX_AES_BLOCK 16u

/* Byte offsets of configuration items; source: nrf54l15 drivers (offsets agree with EFR32) */
#define SILEX_AES_CONFIG 0x00u
#define SILEX_AES_KEY    0x08u /* 16, 24 or 32 bytes, first byte first */
#define SILEX_AES_IV     0x28u /* IV, counter block, tweak (XTS) or first 16 bytes of the context */
#define SILEX_AES_CONTEXT2  0x38u /* GCM, CCM: second half of the context */
#define SILEX_AES_KEY2      0x48u /* XTS */
#define SILEX_AES_MASK_SEED 0x68u
#define SILEX_AES_REGISTERS 0x6cu

/* Configuration word; source as above */
#define SILEX_AES_DECRYPT       (1u << 0)
#define SILEX_AES_KEY_SIZE_MASK (3u << 2) /* some cores take the size from the key's length */
#define SILEX_AES_KEY_128       (0u << 2)
#define SILEX_AES_KEY_256       (1u << 2)
#define SILEX_AES_KEY_192       (2u << 2)
#define SILEX_AES_CONTEXT_LOAD  (1u << 4)
#define SILEX_AES_CONTEXT_SAVE  (1u << 5)
#define SILEX_AES_MODE_MASK     (0x1ffu << 8)
#define SILEX_AES_MODE_ECB      (1u << 8)
#define SILEX_AES_MODE_CBC      (1u << 9)
#define SILEX_AES_MODE_CTR      (1u << 10)
#define SILEX_AES_MODE_CFB      (1u << 11)
#define SILEX_AES_MODE_OFB      (1u << 12)
#define SILEX_AES_MODE_CCM      (1u << 13)
#define SILEX_AES_MODE_GCM      (1u << 14)
#define SILEX_AES_MODE_XTS      (1u << 15)
#define SILEX_AES_MODE_CMAC     (1u << 16)

/* Data types of SILEX_TAG_TYPE; source as above */
#define SILEX_AES_PAYLOAD   0u
#define SILEX_AES_HEADER    1u /* GCM: associated data. CCM: B0, length of the data, the data */
#define SILEX_AES_REFERENCE 3u

/*
 * GCM: the trailer is an item of 16 bytes, the bit lengths of associated data and payload, most
 * significant byte first; the tag always comes out whole, and the host compares.
 * CCM: no IV; when decrypting the trailer is the received tag, and what comes out is its
 * difference (exclusive or) from the computed one: zeros when they agree.
 * Source: nrf54l15 drivers.
 */
#define SILEX_AES_TRAILER      16u
#define SILEX_AES_TAG          16u
#define SILEX_AES_GCM_IV       12u
#define SILEX_AES_CONTEXT      16u /* CBC, CTR, CFB, OFB, XTS, CMAC */
#define SILEX_AES_AEAD_CONTEXT 32u /* GCM, CCM */

#endif
