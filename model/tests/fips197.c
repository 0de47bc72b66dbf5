/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "fips197.h"

#include "../../silex/ba411.h"
#include "driver.h"

static const uint8_t key[FIPS197_SIZE] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
static const uint8_t plain[FIPS197_SIZE] = { 0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
					     0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff };
const uint8_t fips197_cipher[FIPS197_SIZE] = { 0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
					       0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a };

void fips197_write(struct bus *bus)
{
	const uint8_t config[4] = { SILEX_AES_KEY_128, SILEX_AES_MODE_ECB >> 8, 0, 0 };
	const uint64_t base = bus->memory_base;

	bus->memory_write(bus, base + ITEMS, config, sizeof(config));
	bus->memory_write(bus, base + ITEMS + 16, key, sizeof(key));
	bus->memory_write(bus, base + INPUT, plain, sizeof(plain));
}
