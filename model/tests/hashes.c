/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "hashes.h"

#include <string.h>

#include "../../silex/ba413.h"

const struct hash hashes[HASHES] = {
	{ SILEX_HASH_ALG_SHA1, 64, SILEX_HASH_STATE_SHA1, 20, 8 },
	{ SILEX_HASH_ALG_SHA224, 64, SILEX_HASH_STATE_SHA256, 28, 8 },
	{ SILEX_HASH_ALG_SHA256, 64, SILEX_HASH_STATE_SHA256, 32, 8 },
	{ SILEX_HASH_ALG_SHA384, 128, SILEX_HASH_STATE_SHA512, 48, 16 },
	{ SILEX_HASH_ALG_SHA512, 128, SILEX_HASH_STATE_SHA512, 64, 16 },
};

size_t hash_pad(const struct hash *hash, uint8_t *bytes, size_t size, size_t before)
{
	size_t here = size - before, end = size + 1 + hash->length;

	end = (end + hash->block - 1) / hash->block * hash->block - before;
	memset(bytes + here, 0, end - here);
	bytes[here] = 0x80;
	for (unsigned i = 0; i < 4; i++)
		bytes[end - 1 - i] = (uint8_t)(8 * size >> (8 * i));
	return end;
}
