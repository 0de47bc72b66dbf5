/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * BA413: the hash and HMAC engine behind CryptoMaster.
 *
 * A message is a list of items: configuration word; saved state or HMAC key, as data with a
 * LAST of its own; message.  Data come in words of four bytes, the last padded with invalid
 * bytes; an empty message (or HMAC key) is four invalid bytes.
 */
#ifndef SILEX_BA413_H
#define SILEX_BA413_H

#define SILEX_HASH_WORD   4u
#define SILEX_HASH_CONFIG 0x00u /* byte offset of the configuration item */

/* Configuration word, algorithms one-hot; source: nrf54l15 drivers and svd */
#define SILEX_HASH_ALG_MASK   0x7fu
#define SILEX_HASH_ALG_MD5    (1u << 0)
#define SILEX_HASH_ALG_SHA1   (1u << 1)
#define SILEX_HASH_ALG_SHA224 (1u << 2)
#define SILEX_HASH_ALG_SHA256 (1u << 3)
#define SILEX_HASH_ALG_SHA384 (1u << 4)
#define SILEX_HASH_ALG_SHA512 (1u << 5)
#define SILEX_HASH_ALG_SM3    (1u << 6)
#define SILEX_HASH_HMAC       (1u << 8)
#define SILEX_HASH_PAD        (1u << 9) /* the core pads; else the message ends with its padding */
#define SILEX_HASH_FINAL      (1u << 10) /* the digest comes out; else the state */

/* Data types of SILEX_TAG_TYPE; source as above */
#define SILEX_HASH_DATA_MESSAGE   0u
#define SILEX_HASH_DATA_STATE     1u
#define SILEX_HASH_DATA_KEY       2u
#define SILEX_HASH_DATA_REFERENCE 3u

/* Bytes of a saved state: the chaining value, most significant byte first in each word */
#define SILEX_HASH_STATE_SHA1   20u
#define SILEX_HASH_STATE_SHA256 32u /* also SHA-224 */
#define SILEX_HASH_STATE_SHA512 64u /* also SHA-384 */

#endif
