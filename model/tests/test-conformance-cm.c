/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Messages as public drivers give them to CryptoMaster: padding in the lists or left out of them. */
#include <stdio.h>
#include <string.h>

#include "../../silex/ba411.h"
#include "../../silex/ba413.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/message.h"
#include "../../silex/soc.h"
#include "conformance-messages.h"
#include "conformance.h"
#include "unit.h"

#define BYTES   128u
#define POLLS   1000u
#define POLL_NS 10000u

/* Where things lie, from the beginning of memory on */
enum { FETCH_LIST = 0, PUSH_LIST = 0x800, INPUT = 0x1000, OUTPUT = 0x4000, NOTHING = 0x8000 };

/* A list as it is written */
struct list {
	struct part *part;
	uint32_t at; /* of the next descriptor */
	uint32_t data; /* of the next bytes */
	uint32_t words[4]; /* the descriptor that is not written yet: it may be the last */
	bool begun;
};

static void flush(struct list *list, bool last)
{
	struct bus *bus = list->part->bus;

	if (!list->begun)
		return;
	list->words[1] = last ? SILEX_NEXT_STOP : (uint32_t)bus->memory_base + list->at + 16;
	bus->memory_write(bus, bus->memory_base + list->at, list->words, 16);
	list->at += 16;
}

static void descriptor(struct list *list, uint32_t offset, uint32_t length, uint32_t tag)
{
	flush(list, false);
	list->begun = true;
	list->words[0] = (uint32_t)list->part->bus->memory_base + offset;
	list->words[2] = length;
	list->words[3] = tag;
}

static void item(struct list *list, const struct message *message, const struct item *given,
		 bool last, bool fetched)
{
	struct bus *bus = list->part->bus;
	uint32_t unit = message->engine == SILEX_ENGINE_AES ? SILEX_AES_BLOCK : SILEX_HASH_WORD;
	uint32_t tag = message->engine | (last ? SILEX_TAG_LAST : 0), padding = 0;
	uint8_t bytes[BYTES + 16] = { 0 };
	uint32_t size = (uint32_t)conformance_hex(given->digits, bytes, BYTES);

	if (given->kind == CONFIG) {
		tag |= SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(given->what);
	} else {
		padding = silex_item_padding(size, unit);
		tag |= SILEX_TAG_TYPE(given->what) | SILEX_TAG_INVALID(padding);
		if (message->engine == SILEX_ENGINE_HASH && given->what)
			tag |= SILEX_TAG_LAST;
		if (fetched || size == 0)
			size += padding;
	}
	bus->memory_write(bus, bus->memory_base + list->data, bytes, sizeof(bytes));
	descriptor(list, list->data, size | SILEX_LEN_REALIGN, tag);
	list->data += (uint32_t)sizeof(bytes);
}

static bool is_last(const struct message *message, unsigned index)
{
	return index + 1 == ITEMS || message->item[index + 1].kind == NONE;
}

/* Bytes of the payload that come out behind the result because its last block is full */
static uint32_t behind(const struct message *message, uint32_t size)
{
	return message->engine == SILEX_ENGINE_AES ? silex_item_padding(size, SILEX_AES_BLOCK) : 0;
}

static void write_lists(struct part *part, const struct message *message, bool fetched)
{
	struct list fetch = { .part = part, .at = FETCH_LIST, .data = INPUT };
	struct list push = { .part = part, .at = PUSH_LIST };
	uint32_t size = (uint32_t)strlen(message->result) / 2, rest = behind(message, size);
	uint32_t end = SILEX_LEN_REALIGN;

	for (unsigned i = 0; i < ITEMS && message->item[i].kind != NONE; i++)
		item(&fetch, message, &message->item[i], is_last(message, i), fetched);
	flush(&fetch, true);
	if (message->drop)
		descriptor(&push, NOTHING, message->drop | SILEX_LEN_DISCARD, 0);
	descriptor(&push, OUTPUT, size | (rest ? 0 : end), rest ? 0 : SILEX_TAG_LAST);
	if (rest)
		descriptor(&push, NOTHING, rest | SILEX_LEN_DISCARD | end, SILEX_TAG_LAST);
	flush(&push, true);
}

static bool run(struct part *part, uint32_t mode)
{
	conformance_write(part, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	conformance_write(part, SILEX_CM_INT_EN, SILEX_CM_INT_ENDED);
	conformance_write(part, SILEX_CM_CONFIG, mode);
	conformance_write(part, SILEX_CM_START, SILEX_CM_START_BOTH);
	for (unsigned i = 0; i < POLLS; i++) {
		if (!(conformance_read(part, SILEX_CM_STATUS) & SILEX_CM_STATUS_BUSY))
			return !(conformance_read(part, SILEX_CM_INT_STAT_RAW) &
				 SILEX_CM_INT_ERRORS);
		part->bus->pass(part->bus, POLL_NS);
	}
	return false;
}

static bool run_lists(struct part *part)
{
	conformance_write(part, SILEX_CM_FETCH_ADDR, (uint32_t)part->bus->memory_base + FETCH_LIST);
	conformance_write(part, SILEX_CM_PUSH_ADDR, (uint32_t)part->bus->memory_base + PUSH_LIST);
	return run(part, SILEX_CM_CONFIG_SG);
}

static void check_message(struct part *part, const struct message *message, bool fetched)
{
	uint8_t expected[BYTES], found[BYTES], nothing[BYTES];
	size_t size = conformance_hex(message->result, expected, BYTES);
	struct bus *bus = part->bus;

	memset(nothing, 0xee, sizeof(nothing));
	bus->memory_write(bus, bus->memory_base + OUTPUT, nothing, sizeof(nothing));
	write_lists(part, message, fetched);
	if (!run_lists(part))
		fail_msg("%s: %s (%s) does not end", part->profile, message->name, message->source);
	bus->memory_read(bus, bus->memory_base + OUTPUT, found, sizeof(found));
	if (memcmp(found, expected, size) != 0 || found[size] != 0xee)
		fail_msg("%s: %s (%s), padding %s, is wrong", part->profile, message->name,
			 message->source, fetched ? "fetched" : "left out");
}

static void check_messages(struct part *part)
{
	uint32_t caps = conformance_read(part, SILEX_AES_CAPS);

	for (unsigned i = 0; i < conformance_message_count; i++) {
		if (conformance_messages[i].caps & ~caps) {
			print_message("%s has no %s\n", part->profile,
				      conformance_messages[i].name);
			continue;
		}
		check_message(part, &conformance_messages[i], true);
		check_message(part, &conformance_messages[i], false);
	}
}

static void messages_give_what_drivers_expect(void **state)
{
	(void)state;
	conformance_each(check_messages);
}

/* Silicon Labs, Nordic: a seed for the masks, and nothing comes out */
static void check_mask(struct part *part)
{
	struct list fetch = { .part = part, .at = FETCH_LIST };
	struct list push = { .part = part, .at = PUSH_LIST };

	descriptor(&fetch, INPUT, 4 | SILEX_LEN_REALIGN,
		   SILEX_ENGINE_AES | SILEX_TAG_CONFIG | SILEX_TAG_LAST |
			   SILEX_TAG_OFFSET(SILEX_AES_MASK_SEED));
	descriptor(&push, NOTHING, SILEX_LEN_REALIGN, SILEX_TAG_LAST);
	flush(&fetch, true);
	flush(&push, true);
	assert_true(run_lists(part));
}

static void a_mask_alone_is_a_message(void **state)
{
	(void)state;
	conformance_each(check_mask);
}

static void copy(struct part *part, uint64_t from, uint64_t to, uint32_t size)
{
	conformance_write(part, SILEX_CM_FETCH_ADDR, (uint32_t)from);
	conformance_write(part, SILEX_CM_FETCH_LEN, size | SILEX_LEN_REALIGN);
	conformance_write(part, SILEX_CM_FETCH_TAG, SILEX_ENGINE_BYPASS);
	conformance_write(part, SILEX_CM_PUSH_ADDR, (uint32_t)to);
	conformance_write(part, SILEX_CM_PUSH_LEN, size | SILEX_LEN_REALIGN);
	assert_true(run(part, 0));
}

/* Silicon Labs sx_memcpy.c: 16 bytes and more of an operand go by DMA, in direct mode */
static void check_bypass(struct part *part)
{
	struct bus *bus = part->bus;
	uint64_t slot = bus->window_base + SILEX_PK_RAM_BASE + 0x200 - 16;
	uint8_t operand[16], found[16];

	for (unsigned i = 0; i < sizeof(operand); i++)
		operand[i] = (uint8_t)(i + 1);
	conformance_write(part, SILEX_PK_BASE + SILEX_PK_COMMAND, SILEX_PK_SWAP_BYTES);
	bus->memory_write(bus, bus->memory_base + INPUT, operand, sizeof(operand));
	copy(part, bus->memory_base + INPUT, slot, sizeof(operand));
	assert_int_equal(bus->read(bus, SILEX_PK_RAM_BASE + 0x200 - 16), 0x04030201);
	assert_int_equal(bus->read(bus, SILEX_PK_RAM_BASE + 0x200 - 4), 0x100f0e0d);
	copy(part, slot, bus->memory_base + OUTPUT, sizeof(operand));
	bus->memory_read(bus, bus->memory_base + OUTPUT, found, sizeof(found));
	assert_memory_equal(found, operand, sizeof(found));
}

static void operands_come_by_dma(void **state)
{
	(void)state;
	conformance_each(check_bypass);
}

/* What a part demands that has the options of the strictest */
static void strict_parts_refuse(void **state)
{
	struct bus *bus = bus_open("profile=nrf54l15");
	struct part part = { .profile = "nrf54l15", .bus = bus };
	struct list fetch = { .part = &part, .at = FETCH_LIST };
	struct list push = { .part = &part, .at = PUSH_LIST };

	(void)state;
	silex_rules_begin(&part.rules, SILEX_PK_STRIDE(512), false, NULL, NULL);
	descriptor(&fetch, INPUT, 16 | SILEX_LEN_REALIGN, SILEX_ENGINE_BYPASS | SILEX_TAG_LAST);
	descriptor(&push, OUTPUT, 16 | SILEX_LEN_REALIGN, 0);
	flush(&fetch, true);
	flush(&push, true);
	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + FETCH_LIST);
	bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + PUSH_LIST);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
	bus->write(bus, SILEX_CM_START, SILEX_CM_START_BOTH);
	bus->pass(bus, POLLS * POLL_NS);
	assert_true(bus->read(bus, SILEX_CM_STATUS) & SILEX_CM_STATUS_PUSH_BUSY);
	bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SOFT_RESET);
	bus->write(bus, SILEX_CM_CONFIG, 0);
	bus->pass(bus, POLL_NS);

	bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base);
	bus->write(bus, SILEX_CM_FETCH_LEN, 1u << 24);
	bus->write(bus, SILEX_CM_START, SILEX_CM_START_FETCH);
	bus->pass(bus, POLL_NS);
	assert_int_equal(bus->read(bus, SILEX_CM_INT_STAT_RAW), SILEX_CM_INT_FETCH_ERROR);
	bus_close(bus);
}

/* A pending BLOCK_END holds its side back until it is cleared */
static void block_ends_hold_back(void **state)
{
	static const uint32_t strict[] = { 0, 1 };

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		struct bus *bus = bus_open(strict[i] ? "back_pressure=on" : NULL);
		struct part part = { .bus = bus };
		struct list fetch = { .part = &part, .at = FETCH_LIST };
		struct list push = { .part = &part, .at = PUSH_LIST };

		descriptor(&fetch, INPUT, 16 | SILEX_LEN_IRQ, SILEX_ENGINE_BYPASS);
		descriptor(&fetch, INPUT, 16, SILEX_ENGINE_BYPASS | SILEX_TAG_LAST);
		descriptor(&push, OUTPUT, 32, 0);
		flush(&fetch, true);
		flush(&push, true);
		bus->write(bus, SILEX_CM_FETCH_ADDR, (uint32_t)bus->memory_base + FETCH_LIST);
		bus->write(bus, SILEX_CM_PUSH_ADDR, (uint32_t)bus->memory_base + PUSH_LIST);
		bus->write(bus, SILEX_CM_CONFIG, SILEX_CM_CONFIG_SG);
		bus->write(bus, SILEX_CM_START, SILEX_CM_START_BOTH);
		bus->pass(bus, POLLS * POLL_NS);
		assert_int_equal(!!(bus->read(bus, SILEX_CM_STATUS) & SILEX_CM_STATUS_FETCH_BUSY),
				 strict[i]);
		bus->write(bus, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_FETCH_BLOCK_END);
		bus->pass(bus, POLLS * POLL_NS);
		assert_int_equal(bus->read(bus, SILEX_CM_STATUS), 0);
		assert_int_equal(bus->read(bus, SILEX_CM_INT_STAT_RAW),
				 SILEX_CM_INT_FETCH_STOPPED | SILEX_CM_INT_PUSH_STOPPED);
		bus_close(bus);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_give_what_drivers_expect),
		cmocka_unit_test(a_mask_alone_is_a_message),
		cmocka_unit_test(operands_come_by_dma),
		cmocka_unit_test(strict_parts_refuse),
		cmocka_unit_test(block_ends_hold_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
