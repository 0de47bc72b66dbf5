/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "driver.h"

#include <stdlib.h>

#include "unit.h"

/* At most so many, each a little later after the last than that one was: 0.2 s in all */
#define POLLS      2500u
#define POLL_NS(i) (1000u * (1 + (i) / 16))
#define LARGEST    4096u

/* Towards an interrupt: more than the longest job of a test has cycles */
#define STEPS 10000000u

#define LIST_MAX ((PUSH_LIST - FETCH_LIST) / sizeof(struct silex_descriptor))

void driver_descriptor(struct bus *bus, uint32_t where, const struct item *item, uint32_t next)
{
	const uint32_t base = (uint32_t)bus->memory_base;
	const struct silex_descriptor descriptor = {
		.addr = base + item->offset,
		.next = next,
		.length = item->length,
		.tag = item->tag,
	};

	bus->memory_write(bus, base + where, &descriptor, sizeof(descriptor));
}

void driver_list(struct bus *bus, uint32_t list, const struct item *items, unsigned count)
{
	static struct silex_descriptor descriptors[LIST_MAX];
	const uint32_t base = (uint32_t)bus->memory_base;
	struct silex_list made;

	silex_list_begin(&made, descriptors, base + list, LIST_MAX);
	for (unsigned i = 0; i < count; i++)
		silex_list_add(&made, base + items[i].offset, items[i].length, items[i].tag);
	assert_true(count && !made.overflow);
	/* not silex_list_stop(), which ends the message, too: tests also stop in the middle of one */
	descriptors[count - 1].next = silex_to_le32(SILEX_NEXT_STOP);
	bus->memory_write(bus, base + list, descriptors, count * sizeof(*descriptors));
}

void driver_prepare(struct bus *bus)
{
	bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	bus->write(bus, SILEX_CM_INT_EN, SILEX_CM_INT_ENDED);
	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + FETCH_LIST);
	bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + PUSH_LIST);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
}

void driver_start(struct bus *bus, uint32_t sides)
{
	bus->write(bus, SILEX_CM_START, sides);
}

uint32_t driver_wait(struct bus *bus)
{
	for (unsigned i = 0; i < POLLS; i++) {
		uint32_t raw = driver_raw(bus);

		if (raw & SILEX_CM_INT_ERRORS || !(driver_status(bus) & SILEX_CM_STATUS_BUSY))
			return driver_raw(bus);
		bus->pass(bus, POLL_NS(i));
	}
	fail_msg("CryptoMaster is not done: STATUS %08x", driver_status(bus));
	return 0;
}

uint64_t driver_interrupt(struct bus *bus, uint64_t step_ns)
{
	uint64_t begin = bus->now(bus);

	for (unsigned i = 0; !bus->line(bus, SILEX_LINE_CM); i++) {
		assert_true(i < STEPS);
		bus->pass(bus, step_ns);
	}
	return bus->now(bus) - begin;
}

uint32_t driver_run(struct bus *bus)
{
	driver_prepare(bus);
	driver_start(bus, SILEX_CM_START_BOTH);
	return driver_wait(bus);
}

void driver_recover(struct bus *bus)
{
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	for (unsigned i = 0; driver_status(bus) & SILEX_CM_STATUS_RESET_BUSY; i++) {
		assert_true(i < POLLS);
		bus->pass(bus, POLL_NS(i));
	}
}

uint32_t driver_status(struct bus *bus)
{
	return bus->read(bus, SILEX_CM_STATUS);
}

uint32_t driver_raw(struct bus *bus)
{
	return bus->read(bus, SILEX_CM_INT_STAT_RAW);
}

void driver_fill(struct bus *bus, size_t size)
{
	uint8_t *bytes = malloc(size);

	assert_non_null(bytes);
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(i * 7 + i / 251 + 1);
	bus->memory_write(bus, bus->memory_base + INPUT, bytes, size);
	free(bytes);
}

void driver_expect(struct bus *bus, uint32_t offset, const void *bytes, size_t size)
{
	uint8_t found[LARGEST];

	assert_true(size <= sizeof(found));
	bus->memory_read(bus, bus->memory_base + offset, found, size);
	assert_memory_equal(found, bytes, size);
}
