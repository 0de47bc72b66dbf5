/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Sizes of the hash algorithms, and the padding of FIPS 180-4. */
#ifndef SILEX_TESTS_HASHES_H
#define SILEX_TESTS_HASHES_H

#include <stddef.h>
#include <stdint.h>

#define HASHES         5u
#define HASH_BLOCK_MAX 128u

/* All sizes in bytes */
struct hash {
	uint32_t algorithm; /* SILEX_HASH_ALG_* */
	size_t block;
	size_t state;
	size_t digest;
	size_t length; /* of the message's length in the padding */
};

extern const struct hash hashes[HASHES];

/* Appends the padding of a message of `size` bytes, of which the last `size - before` are in
 * `bytes`; there must be room for two blocks more.  Returns the number of bytes with it. */
size_t hash_pad(const struct hash *hash, uint8_t *bytes, size_t size, size_t before);

#endif
