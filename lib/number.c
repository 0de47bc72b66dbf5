/* SPDX-License-Identifier: Apache-2.0 */
#include "number.h"

#include <endian.h>
#include <string.h>

struct firesteel_bytes fs_number_trim(struct firesteel_bytes number)
{
	while (number.data && number.size > 0 && *number.data == 0) {
		number.data++;
		number.size--;
	}
	return number;
}

unsigned fs_number_bits(struct firesteel_bytes number)
{
	unsigned bits = 8 * (unsigned)number.size;

	for (unsigned mask = 0x80; bits > 0 && mask && !(number.data[0] & mask); mask >>= 1)
		bits--;
	return bits;
}

/* The byte that is `offset` bytes before the end */
static unsigned byte_at(struct firesteel_bytes number, size_t offset)
{
	return offset < number.size ? number.data[number.size - 1 - offset] : 0;
}

/* The four bytes that end there.  Numbers are compared by these, as a request that is checked has some
 * of 512 bytes; what is in them is not seen by the time. */
static uint32_t word_at(struct firesteel_bytes number, size_t offset)
{
	uint32_t word = 0;

	if (offset + sizeof(word) <= number.size) {
		memcpy(&word, number.data + number.size - offset - sizeof(word), sizeof(word));
		return be32toh(word);
	}
	for (size_t i = 0; i < sizeof(word); i++)
		word |= (uint32_t)byte_at(number, offset + i) << 8 * i;
	return word;
}

static size_t longer(struct firesteel_bytes a, struct firesteel_bytes b)
{
	return a.size > b.size ? a.size : b.size;
}

bool fs_number_less(struct firesteel_bytes a, struct firesteel_bytes b)
{
	uint32_t borrow = 0;

	for (size_t i = 0; i < longer(a, b); i += sizeof(borrow))
		borrow = ((uint64_t)word_at(a, i) - word_at(b, i) - borrow) >> 32 & 1;
	return borrow;
}

bool fs_number_equal(struct firesteel_bytes a, struct firesteel_bytes b)
{
	uint32_t difference = 0;

	for (size_t i = 0; i < longer(a, b); i += sizeof(difference))
		difference |= word_at(a, i) ^ word_at(b, i);
	return difference == 0;
}

bool fs_number_is_zero(struct firesteel_bytes number)
{
	return fs_number_fits(number, 0);
}

bool fs_number_is_odd(struct firesteel_bytes number)
{
	return byte_at(number, 0) & 1;
}

bool fs_number_fits(struct firesteel_bytes number, size_t size)
{
	unsigned beyond = 0;

	for (size_t i = size; i < number.size; i++)
		beyond |= byte_at(number, i);
	return beyond == 0;
}

void fs_number_pad(struct firesteel_bytes number, uint8_t *bytes, size_t size)
{
	size_t used = number.size < size ? number.size : size;

	memset(bytes, 0, size - used);
	if (used > 0)
		memcpy(bytes + size - used, number.data + number.size - used, used);
}

bool fs_number_output(struct firesteel_bytes number, struct firesteel_output output)
{
	if (!fs_number_fits(number, output.size))
		return false;
	fs_number_pad(number, output.data, output.size);
	return true;
}
