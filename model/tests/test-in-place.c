/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Output that lies where input does, or near it: the same bytes whether the model maps memory or
 * copies pieces of it. */
#include <stdlib.h>
#include <string.h>

#include "../../silex/ba411.h"
#include "driver.h"
#include "unit.h"

#define REALIGN SILEX_LEN_REALIGN
#define AES     SILEX_ENGINE_AES
#define CONFIG  (AES | SILEX_TAG_CONFIG)
#define FIRST   16u /* bytes of payload that come from elsewhere: the core may hold them back */
#define SIZE    4096u
#define AROUND  1024u /* output lies at most so far from input */
#define PLACE   (INPUT + AROUND)
#define AREA    (SIZE + 2 * AROUND)

static const uint32_t modes[] = {
	SILEX_AES_MODE_ECB, SILEX_AES_MODE_CBC, SILEX_AES_MODE_CTR,
	SILEX_AES_MODE_GCM, SILEX_AES_MODE_XTS,
};

#define MODES (sizeof(modes) / sizeof(*modes))

/* Configuration word, keys, IV and trailer */
static void write_items(struct bus *bus, uint32_t mode)
{
	uint8_t items[128];

	for (unsigned i = 0; i < sizeof(items); i++)
		items[i] = (uint8_t)(3 * i + 1);
	items[0] = SILEX_AES_KEY_128;
	items[1] = (uint8_t)(mode >> 8);
	items[2] = (uint8_t)(mode >> 16);
	items[3] = 0;
	bus->memory_write(bus, bus->memory_base + ITEMS, items, sizeof(items));
}

/* Some bytes and then `SIZE` of PLACE go in, all comes out from PLACE + shift on */
static void run(struct bus *bus, uint32_t mode, int shift, uint8_t *area)
{
	bool gcm = mode == SILEX_AES_MODE_GCM;
	const struct item fetch[] = {
		{ ITEMS, 4 | REALIGN, CONFIG },
		{ ITEMS + 16, 16 | REALIGN, CONFIG | SILEX_TAG_OFFSET(SILEX_AES_KEY) },
		{ ITEMS + 32, (gcm ? 12 : 16) | REALIGN, CONFIG | SILEX_TAG_OFFSET(SILEX_AES_IV) },
		{ ITEMS + 48, 16 | REALIGN, CONFIG | SILEX_TAG_OFFSET(SILEX_AES_KEY2) },
		{ ITEMS + 64, FIRST, AES },
		{ PLACE, SIZE | REALIGN, AES | (gcm ? 0 : SILEX_TAG_LAST) },
		{ ITEMS + 80, 16 | REALIGN, AES | SILEX_TAG_LAST },
	};
	const struct item push[] = {
		{ (uint32_t)((int)PLACE + shift), FIRST + SIZE, 0 },
		{ OUTPUT, 16, 0 },
	};

	write_items(bus, mode);
	driver_fill(bus, AREA);
	driver_list(bus, FETCH_LIST, fetch, gcm ? 7 : 6);
	driver_list(bus, PUSH_LIST, push, gcm ? 2 : 1);
	assert_int_equal(driver_run(bus) & SILEX_CM_INT_ERRORS, 0);
	bus->memory_read(bus, bus->memory_base + INPUT, area, AREA);
}

static void mapping_changes_nothing(void **state)
{
	static uint8_t mapped[AREA], copied[AREA];
	struct bus *bus = bus_open("zero=on");

	(void)state;
	for (unsigned i = 0; i < MODES; i++) {
		for (int shift = -(int)AROUND; shift < (int)(AROUND - FIRST); shift += 4) {
			bus->mapped = true;
			run(bus, modes[i], shift, mapped);
			bus->mapped = false;
			run(bus, modes[i], shift, copied);
			if (memcmp(mapped, copied, AREA) != 0)
				fail_msg("mode %05x, output %d bytes behind: not the same",
					 modes[i], shift);
		}
	}
	bus_close(bus);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mapping_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
