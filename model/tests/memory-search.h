/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Looks for bytes in all memory that this process may write: heap, freed heap, stacks, data. */
#ifndef SILEX_TESTS_MEMORY_SEARCH_H
#define SILEX_TESTS_MEMORY_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that are looked for are handed over masked, each xor this: else they would be found where
 * they are handed over */
#define SEARCH_MASK 0xa5u

/* How often the bytes are there, in this order and in the reverse one; a mapping of more than
 * 1 GiB, which only sanitizers have, is left out */
unsigned memory_search(const uint8_t *masked, size_t size);

#endif
