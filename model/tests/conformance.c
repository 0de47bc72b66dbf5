/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../silex/soc.h"
#include "unit.h"

#define LONG_AGO_NS    1000000000u
#define MICROCODE_SIZE 8192u /* at least what any part wants; the bytes are ours */

static const char *const profiles[] = { "firesteel", "nrf54l15", "nrf54lm20a", "efr32mg22",
					"lan969x" };

static bool memory(void *opaque, uint64_t address, void *data, size_t size)
{
	struct bus *bus = opaque;

	if (address < bus->memory_base || address - bus->memory_base > bus->memory_size - size)
		return false;
	bus->memory_read(bus, address, data, size);
	return true;
}

uint32_t conformance_read(struct part *part, uint32_t offset)
{
	uint32_t value = part->bus->read(part->bus, offset);

	silex_rules_read(&part->rules, offset, value);
	return value;
}

void conformance_write(struct part *part, uint32_t offset, uint32_t value)
{
	silex_rules_write(&part->rules, offset, value);
	part->bus->write(part->bus, offset, value);
}

static struct part open_part(const char *profile)
{
	struct part part = { .profile = profile };
	char configuration[64];

	snprintf(configuration, sizeof(configuration), "hash=on,profile=%s", profile);
	part.bus = bus_open(configuration);
	part.bytes = strcmp(profile, "nrf54lm20a") != 0;
	silex_rules_begin(&part.rules, SILEX_PK_STRIDE(512), false, memory, part.bus);
	for (uint32_t i = 0; i < MICROCODE_SIZE; i += 4)
		conformance_write(&part, SILEX_PK_CODE_BASE + i, i * 2654435761u);
	part.bus->pass(part.bus, LONG_AGO_NS);
	assert_false(conformance_read(&part, SILEX_PK_BASE + SILEX_PK_STATUS) &
		     SILEX_PK_STATUS_BUSY);
	return part;
}

void conformance_each(void (*check)(struct part *part))
{
	for (unsigned i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		struct part part = open_part(profiles[i]);

		check(&part);
		if (silex_rules_breaches(&part.rules, 0))
			fail_msg("%s: %s", part.profile, part.rules.first);
		bus_close(part.bus);
	}
}

size_t conformance_hex(const char *digits, uint8_t *bytes, size_t size)
{
	size_t count = strlen(digits) / 2;

	assert_true(count <= size);
	for (size_t i = 0; i < count; i++) {
		char byte[3] = { digits[2 * i], digits[2 * i + 1] };

		bytes[i] = (uint8_t)strtoul(byte, NULL, 16);
	}
	return count;
}
