/* SPDX-License-Identifier: Apache-2.0 */
#include "software.h"

#include <stdbool.h>
#include <string.h>

#define WORDS (SOFTWARE_BYTES / 4)

/* The lowest word first */
struct number {
	uint32_t word[WORDS];
};

static struct number number_of(const uint8_t *bytes, size_t size)
{
	struct number number = { { 0 } };

	for (size_t i = 0; i < size; i++)
		number.word[i / 4] |= (uint32_t)bytes[size - 1 - i] << 8 * (i % 4);
	return number;
}

static bool is_less(const struct number *a, const struct number *b, size_t words)
{
	while (words-- > 0)
		if (a->word[words] != b->word[words])
			return a->word[words] < b->word[words];
	return false;
}

static void subtract(struct number *a, const struct number *b, size_t words)
{
	uint64_t borrow = 0;

	for (size_t i = 0; i < words; i++) {
		uint64_t difference = (uint64_t)a->word[i] - b->word[i] - borrow;

		a->word[i] = (uint32_t)difference;
		borrow = difference >> 63;
	}
}

/* a + b modulo n, of numbers that are less than it */
static void add(struct number *a, const struct number *b, const struct number *n, size_t words)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < words; i++) {
		sum += (uint64_t)a->word[i] + b->word[i];
		a->word[i] = (uint32_t)sum;
		sum >>= 32;
	}
	if (sum || !is_less(a, n, words))
		subtract(a, n, words);
}

static struct number multiply(const struct number *a, const struct number *b,
			      const struct number *n, size_t words)
{
	struct number result = { { 0 } };

	for (size_t bit = 32 * words; bit-- > 0;) {
		const struct number copy = result;

		add(&result, &copy, n, words);
		if (a->word[bit / 32] >> bit % 32 & 1)
			add(&result, b, n, words);
	}
	return result;
}

void software_power(const uint8_t *modulus, const uint8_t *base, uint32_t exponent, uint8_t *result,
		    size_t size)
{
	const struct number n = number_of(modulus, size), one = { { 1 } };
	struct number factor = number_of(base, size), power = one;
	size_t words = size / 4;

	for (; exponent > 0; exponent >>= 1) {
		if (exponent & 1)
			power = multiply(&factor, &power, &n, words);
		factor = multiply(&factor, &factor, &n, words);
	}
	for (size_t i = 0; i < size; i++)
		result[size - 1 - i] = (uint8_t)(power.word[i / 4] >> 8 * (i % 4));
}

void software_product(struct firesteel_bytes a, struct firesteel_bytes b, uint8_t *result)
{
	memset(result, 0, a.size + b.size);
	for (size_t i = a.size; i-- > 0;) {
		uint32_t carry = 0;

		for (size_t j = b.size; j-- > 0;) {
			carry += (uint32_t)a.data[i] * b.data[j] + result[i + j + 1];
			result[i + j + 1] = (uint8_t)carry;
			carry >>= 8;
		}
		result[i] = (uint8_t)carry;
	}
}
