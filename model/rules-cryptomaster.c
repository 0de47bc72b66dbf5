/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* What all public drivers do with CryptoMaster. */
#include "rules-cryptomaster.h"

#include "../silex/ba411.h"
#include "../silex/ba413.h"
#include "../silex/cryptomaster.h"

#define DESCRIPTORS 65536u /* of one list, at most */

struct descriptor {
	uint64_t next;
	uint32_t length;
	uint32_t tag;
	bool last;
};

/* A list as it is walked along */
struct walk {
	struct silex_rules *rules;
	uint32_t item; /* bytes of the data item so far */
	uint32_t engine; /* of the message; 0: none has begun */
	unsigned messages;
};

static uint64_t number(const uint8_t *bytes, unsigned size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | bytes[size];
	return value;
}

static bool take(struct silex_rules *rules, uint64_t address, struct descriptor *descriptor)
{
	unsigned wide = rules->wide ? 8 : 4;
	uint8_t bytes[sizeof(struct silex_descriptor64)];

	if (!rules->memory(rules->opaque, address, bytes, 2 * wide + 8))
		return false;
	descriptor->next = number(bytes + wide, wide);
	descriptor->last = descriptor->next & SILEX_NEXT_STOP;
	descriptor->length = (uint32_t)number(bytes + 2 * wide, 4);
	descriptor->tag = (uint32_t)number(bytes + 2 * wide + 4, 4);
	return true;
}

static uint32_t unit_of(uint32_t engine)
{
	return engine == SILEX_ENGINE_AES    ? SILEX_AES_BLOCK
	       : engine == SILEX_ENGINE_HASH ? SILEX_HASH_WORD
					     : 1;
}

static void check_config(struct walk *walk, const struct descriptor *descriptor)
{
	struct silex_rules *rules = walk->rules;
	uint32_t offset = SILEX_TAG_OFFSET_OF(descriptor->tag);

	silex_rules_demand(rules, descriptor->length & SILEX_LEN_REALIGN, SILEX_RULE_CM_REALIGN,
			   "length", descriptor->length);
	silex_rules_demand(rules, walk->item % unit_of(walk->engine) == 0, SILEX_RULE_CM_ORDER,
			   "configuration within data", descriptor->tag);
	walk->item = 0;
	if (offset == SILEX_AES_CONFIG)
		walk->engine = descriptor->tag & SILEX_TAG_ENGINE;
}

/* Its bytes with the padding that was not fetched end on a block, and less than a block is padding,
 * or all of the one block of an empty item */
static void check_end(struct walk *walk, const struct descriptor *descriptor)
{
	uint32_t unit = unit_of(walk->engine), invalid = SILEX_TAG_INVALID_OF(descriptor->tag);
	uint32_t over = walk->item % unit, missing = over ? unit - over : 0;

	silex_rules_demand(walk->rules,
			   invalid >= missing && (invalid < unit ||
						  (invalid == unit &&
						   (descriptor->length & SILEX_LEN_MASK) <= unit)),
			   SILEX_RULE_CM_INVALID, "tag", descriptor->tag);
}

static void check_data(struct walk *walk, const struct descriptor *descriptor)
{
	struct silex_rules *rules = walk->rules;
	uint32_t engine = descriptor->tag & SILEX_TAG_ENGINE;
	bool last = descriptor->tag & SILEX_TAG_LAST;

	silex_rules_demand(rules, engine == SILEX_ENGINE_BYPASS || engine == walk->engine,
			   SILEX_RULE_CM_ORDER, "data without configuration", descriptor->tag);
	walk->item += descriptor->length & SILEX_LEN_MASK;
	if (engine != SILEX_ENGINE_BYPASS && (SILEX_TAG_INVALID_OF(descriptor->tag) || last))
		check_end(walk, descriptor);
	if (SILEX_TAG_INVALID_OF(descriptor->tag) || last)
		walk->item = 0;
	if (last && !(engine == SILEX_ENGINE_HASH && SILEX_TAG_TYPE_OF(descriptor->tag)))
		walk->messages++;
}

static void check_length(struct silex_rules *rules, const struct descriptor *descriptor)
{
	silex_rules_demand(rules, (descriptor->length & SILEX_LEN_MASK) < 1u << 24,
			   SILEX_RULE_CM_LENGTH, "length", descriptor->length);
}

static void check_stop(struct silex_rules *rules, const struct descriptor *descriptor,
		       enum silex_rule rule)
{
	silex_rules_demand(
		rules, descriptor->length & SILEX_LEN_REALIGN && descriptor->tag & SILEX_TAG_LAST,
		rule, "tag", descriptor->tag);
}

static void check_fetch(struct silex_rules *rules)
{
	struct walk walk = { .rules = rules };
	struct descriptor descriptor = { .next = rules->fetch };

	for (unsigned i = 0; i < DESCRIPTORS && !descriptor.last; i++) {
		if (!take(rules, descriptor.next & ~(uint64_t)3, &descriptor))
			return;
		check_length(rules, &descriptor);
		if (descriptor.tag & SILEX_TAG_CONFIG)
			check_config(&walk, &descriptor);
		else
			check_data(&walk, &descriptor);
	}
	check_stop(rules, &descriptor, SILEX_RULE_CM_FETCH_END);
	silex_rules_demand(rules, walk.messages <= 1, SILEX_RULE_CM_ONE, "messages", walk.messages);
}

static void check_push(struct silex_rules *rules)
{
	struct descriptor descriptor = { .next = rules->push };

	for (unsigned i = 0; i < DESCRIPTORS && !descriptor.last; i++) {
		if (!take(rules, descriptor.next & ~(uint64_t)3, &descriptor))
			return;
		check_length(rules, &descriptor);
	}
	check_stop(rules, &descriptor, SILEX_RULE_CM_PUSH_END);
}

static void check_start(struct silex_rules *rules, uint32_t value)
{
	uint32_t lists = rules->config & SILEX_CM_CONFIG_SG;

	silex_rules_demand(rules, !rules->cm_busy, SILEX_RULE_CM_IDLE, "START", value);
	silex_rules_demand(rules, rules->cleared, SILEX_RULE_CM_CLEAR, "START", value);
	silex_rules_demand(
		rules, value == SILEX_CM_START_BOTH && (lists == 0 || lists == SILEX_CM_CONFIG_SG),
		SILEX_RULE_CM_BOTH, "CONFIG", rules->config);
	rules->cm_busy = true;
	rules->cleared = false;
	if (lists != SILEX_CM_CONFIG_SG)
		return;
	check_fetch(rules);
	check_push(rules);
}

static uint64_t half(uint64_t address, uint32_t value, bool high)
{
	return high ? (address & UINT32_MAX) | (uint64_t)value << 32
		    : (address & ~(uint64_t)UINT32_MAX) | value;
}

void silex_rules_cm_write(struct silex_rules *rules, uint32_t offset, uint32_t value)
{
	bool high = offset == SILEX_CM_FETCH_ADDR_HI || offset == SILEX_CM_PUSH_ADDR_HI;

	switch (offset) {
	case SILEX_CM_FETCH_ADDR:
	case SILEX_CM_FETCH_ADDR_HI:
		rules->fetch = half(rules->fetch, value, high);
		break;
	case SILEX_CM_PUSH_ADDR:
	case SILEX_CM_PUSH_ADDR_HI:
		rules->push = half(rules->push, value, high);
		break;
	case SILEX_CM_INT_STAT_CLR:
		rules->cleared = true;
		break;
	case SILEX_CM_CONFIG:
		rules->config = value;
		/* until RESET_BUSY was read as 0 */
		rules->cm_busy = rules->cm_busy || value & SILEX_CM_CONFIG_SOFT_RESET;
		break;
	case SILEX_CM_START:
		check_start(rules, value);
		break;
	}
}
