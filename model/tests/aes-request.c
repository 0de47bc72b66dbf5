/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "aes-request.h"

#include <stdlib.h>

#include "unit.h"

#define DESCRIPTORS 1000u
#define CYCLE_NS    10u

/* Where a request's word, key and IV lie */
enum { WORD = ITEMS, KEY = ITEMS + 0x40, IV = ITEMS + 0x80, EACH = 0x100 };

static struct silex_descriptor fetch_list[DESCRIPTORS], push_list[DESCRIPTORS];

struct lists {
	struct silex_list fetch;
	struct silex_list push;
	uint32_t base; /* of memory */
};

static void add_config(struct lists *lists, unsigned offset, uint32_t place, uint32_t size)
{
	silex_list_config(&lists->fetch, SILEX_ENGINE_AES, offset, lists->base + place, size);
}

static void add_payload(struct lists *lists, uint32_t place, const struct aes_request *request)
{
	uint32_t piece = request->piece ? request->piece : request->size;

	for (uint32_t done = 0; done < request->size; done += piece) {
		uint32_t left = request->size - done, part = left < piece ? left : piece;
		uint32_t end = part == left ? SILEX_LEN_IRQ : 0;

		silex_list_add(&lists->fetch, lists->base + place + done, part, SILEX_ENGINE_AES);
		silex_list_add(&lists->push, lists->base + place + done, part | end, 0);
	}
	silex_list_end_item(&lists->fetch, request->size, SILEX_AES_BLOCK, 0,
			    SILEX_ENGINE_AES | SILEX_TAG_LAST);
}

void aes_request_prepare(struct bus *bus, const struct aes_request *requests, unsigned count)
{
	const uint32_t base = (uint32_t)bus->memory_base;
	struct lists lists = { .base = base };
	uint32_t payload = INPUT;

	silex_list_begin(&lists.fetch, fetch_list, base + FETCH_LIST, DESCRIPTORS);
	silex_list_begin(&lists.push, push_list, base + PUSH_LIST, DESCRIPTORS);
	for (unsigned i = 0; i < count; i++) {
		const struct aes_request *request = &requests[i];
		uint32_t word = silex_to_le32(request->mode | silex_aes_key_bits(request->key));

		bus->memory_write(bus, base + WORD + i * EACH, &word, sizeof(word));
		add_config(&lists, SILEX_AES_CONFIG, WORD + i * EACH, sizeof(word));
		add_config(&lists, SILEX_AES_KEY, KEY + i * EACH, request->key);
		add_config(&lists, SILEX_AES_IV, IV + i * EACH, SILEX_AES_BLOCK);
		add_payload(&lists, payload, request);
		payload += request->size;
	}
	assert_true(silex_list_stop(&lists.fetch, 0) && silex_list_stop(&lists.push, 0));
	bus->memory_write(bus, base + FETCH_LIST, fetch_list,
			  lists.fetch.count * sizeof(*fetch_list));
	bus->memory_write(bus, base + PUSH_LIST, push_list, lists.push.count * sizeof(*push_list));
	driver_prepare(bus);
}

uint64_t aes_request_run(struct bus *bus)
{
	uint64_t ns;

	driver_start(bus, SILEX_CM_START_BOTH);
	ns = driver_interrupt(bus, CYCLE_NS);
	assert_false(driver_raw(bus) & SILEX_CM_INT_ERRORS);
	return ns / CYCLE_NS;
}

uint64_t aes_request_cycles(const char *configuration, const struct aes_request *request)
{
	struct bus *bus = bus_open(configuration);
	uint64_t cycles;

	aes_request_prepare(bus, request, 1);
	cycles = aes_request_run(bus);
	bus_close(bus);
	return cycles;
}
