/* SPDX-License-Identifier: Apache-2.0 */
/* What the public-key core's operations consist of, in cycles: the formula of docs/pk-timing.md.
 * Numbers have `size` bytes. */
#ifndef FS_PK_CYCLES_H
#define FS_PK_CYCLES_H

#include <stddef.h>
#include <stdint.h>

/* Modulo a number: a product, a square, a power whose exponent has `bits` bits, an inverse */
uint64_t fs_cycles_product(unsigned multipliers, size_t size);
uint64_t fs_cycles_square(unsigned multipliers, size_t size);
uint64_t fs_cycles_power(unsigned multipliers, size_t size, uint64_t bits);
uint64_t fs_cycles_inverse(size_t size);

#endif
