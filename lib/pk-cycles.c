/* SPDX-License-Identifier: Apache-2.0 */
#include "pk-cycles.h"

#define PRODUCT_CYCLES 20u

static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t words_of(size_t size)
{
	return (size + 3) / 4;
}

uint64_t fs_cycles_product(unsigned multipliers, size_t size)
{
	uint64_t words = words_of(size);

	return divide_up(2 * words * words, multipliers) + PRODUCT_CYCLES;
}

uint64_t fs_cycles_square(unsigned multipliers, size_t size)
{
	uint64_t words = words_of(size);

	return divide_up(3 * words * words, 2 * (uint64_t)multipliers) + PRODUCT_CYCLES;
}

uint64_t fs_cycles_power(unsigned multipliers, size_t size, uint64_t bits)
{
	return bits * fs_cycles_square(multipliers, size) +
	       (bits / 5 + 8) * fs_cycles_product(multipliers, size);
}

uint64_t fs_cycles_inverse(size_t size)
{
	return 16 * words_of(size) * size;
}
