/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* One block by a 128-bit key: FIPS 197, appendix C.1. */
#ifndef SILEX_TESTS_FIPS197_H
#define SILEX_TESTS_FIPS197_H

#include "bus.h"

#define FIPS197_SIZE 16u

extern const uint8_t fips197_cipher[FIPS197_SIZE];

/* Writes the configuration word to ITEMS, the key 16 bytes behind it, and the block to INPUT */
void fips197_write(struct bus *bus);

#endif
