/* SPDX-License-Identifier: Apache-2.0 */
/* ECDSA's nonce: RFC 6979, 3.2, with the addition of 3.6 and HMAC-SHA-512 for any hash. */
#ifndef FS_NONCE_H
#define FS_NONCE_H

#include "number.h"

#define FS_NONCE_MAX 72u /* bytes of an order */

/*
 * A number between 1 and order - 1 in `size` bytes, the length of the order, at most FS_NONCE_MAX.
 * `hash` is the message's, with the order's number of bits.  `extra` is the addition of 3.6, 32
 * bytes, or NULL.
 */
void fs_nonce_make(struct firesteel_bytes order, struct firesteel_bytes secret,
		   struct firesteel_bytes hash, const uint8_t *extra, uint8_t *nonce, size_t size);

/* The leftmost `bits` of `digest`, in `size` bytes: RFC 6979, 2.3.2.  `bits` is the length of the
 * order. */
void fs_nonce_truncate(struct firesteel_bytes digest, unsigned bits, uint8_t *hash, size_t size);

#endif
