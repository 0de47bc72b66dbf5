/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The checker of rules finds each breach: the tables of conformance show that it finds no other. */
#include <string.h>

#include "../../silex/ba413.h"
#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"
#include "rules.h"
#include "unit.h"

#define PK(offset)   (SILEX_PK_BASE + (offset))
#define SLOT(number) (SILEX_PK_RAM_BASE + ((number) + 1) * 512 - 64)
#define FACTOR       (SILEX_PK_RAM_BASE + 16 * 512 - 4)
#define BIG          SILEX_PK_SWAP_BYTES
#define R            SILEX_LEN_REALIGN
#define HASH         SILEX_ENGINE_HASH
#define LAST         SILEX_TAG_LAST
#define ACCESSES     12u

static uint32_t lists[32]; /* two descriptors to fetch at 0, one to push at 64 */

static bool memory(void *opaque, uint64_t address, void *data, size_t size)
{
	(void)opaque;
	if (address + size > sizeof(lists))
		return false;
	memcpy(data, (const uint8_t *)lists + address, size);
	return true;
}

/* Writes to registers after STATUS was read as idle; the last one may break a rule */
struct trace {
	enum silex_rule rule; /* SILEX_RULES: none */
	struct {
		uint32_t offset, value;
	} write[ACCESSES];
};

#define WRITE(name, value) { PK(SILEX_PK_##name), value }
#define START              WRITE(CONTROL, SILEX_PK_CONTROL_RUN)
#define ADD                SILEX_PK_OP_MODADD | SILEX_PK_CALC_R2 | BIG
#define MUL                SILEX_PK_OP_ECC_MUL | SILEX_PK_CURVE(SILEX_PK_CURVE_P256) | BIG

static const struct trace traces[] = {
	{ SILEX_RULES,
	  { WRITE(COMMAND, ADD),
	    { SLOT(0), 1 },
	    { SLOT(6), 1 },
	    { SLOT(8), 1 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	{ SILEX_RULES,
	  { WRITE(COMMAND, MUL),
	    { SLOT(12), 1 },
	    { SLOT(13), 1 },
	    { SLOT(8), 1 },
	    WRITE(POINTERS, 0x000a080c),
	    START } },
	{ SILEX_RULE_PK_IDLE, { WRITE(COMMAND, SILEX_PK_OP_CLEAR_MEMORY), START, { SLOT(1), 1 } } },
	{ SILEX_RULE_PK_RUN,
	  { WRITE(COMMAND, SILEX_PK_OP_CLEAR_MEMORY), WRITE(CONTROL, SILEX_PK_CONTROL_START) } },
	{ SILEX_RULE_PK_SWAP,
	  { WRITE(COMMAND, SILEX_PK_OP_X25519 | BIG),
	    { SLOT(6), 1 },
	    { SLOT(8), 1 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	{ SILEX_RULE_PK_R2,
	  { WRITE(COMMAND, SILEX_PK_OP_MODADD | BIG),
	    { SLOT(0), 1 },
	    { SLOT(6), 1 },
	    { SLOT(8), 1 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	{ SILEX_RULE_PK_OPERANDS,
	  { WRITE(COMMAND, ADD),
	    { SLOT(0), 1 },
	    { SLOT(6), 1 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	/* the point that POINTERS does not name */
	{ SILEX_RULE_PK_VAIN,
	  { WRITE(COMMAND, MUL),
	    { SLOT(6), 1 },
	    { SLOT(7), 1 },
	    { SLOT(8), 1 },
	    { SLOT(12), 1 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	{ SILEX_RULE_PK_BLINDING,
	  { WRITE(COMMAND, SILEX_PK_OP_MODEXP | SILEX_PK_CALC_R2 | SILEX_PK_RAND_MOD | BIG),
	    { SLOT(0), 1 },
	    { SLOT(6), 1 },
	    { SLOT(8), 1 },
	    { FACTOR, 0x02000000 },
	    WRITE(POINTERS, 0x000a0806),
	    START } },
	{ SILEX_RULE_PK_PLAIN_SIGN,
	  { WRITE(COMMAND, SILEX_PK_OP_EDDSA_SIGN | SILEX_PK_RAND_KE),
	    { SLOT(6), 1 },
	    { SLOT(7), 1 },
	    { SLOT(8), 1 },
	    { SLOT(9), 1 },
	    { SLOT(11), 1 },
	    { SILEX_PK_RAM_BASE + 15 * 512, 1 },
	    START } },
};

static void expect(const struct silex_rules *rules, enum silex_rule rule)
{
	for (unsigned i = 0; i < SILEX_RULES; i++)
		if ((rules->broken[i] > 0) != (i == rule))
			fail_msg("%s: %u, wanted %s: %s", silex_rules_name(i), rules->broken[i],
				 rule == SILEX_RULES ? "none" : silex_rules_name(rule),
				 rules->first);
}

static void breaches_on_public_keys_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(traces) / sizeof(*traces); i++) {
		struct silex_rules rules;

		silex_rules_begin(&rules, 512, false, memory, NULL);
		silex_rules_read(&rules, PK(SILEX_PK_STATUS), SILEX_PK_STATUS_IRQ);
		for (unsigned k = 0; k < ACCESSES && traces[i].write[k].offset; k++)
			silex_rules_write(&rules, traces[i].write[k].offset,
					  traces[i].write[k].value);
		expect(&rules, traces[i].rule);
	}
}

/* A hash of 4 bytes, with one word of what a driver writes being another */
struct list {
	enum silex_rule rule;
	unsigned word;
	uint32_t value;
	bool pending; /* INT_STAT is not cleared */
	uint32_t mode;
};

static const struct list jobs[] = {
	{ SILEX_RULES, 0, 0, false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_CLEAR, 0, 0, true, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_BOTH, 0, 0, false, SILEX_CM_CONFIG_FETCH_SG },
	{ SILEX_RULE_CM_LENGTH, 6, R | 1u << 24, false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_FETCH_END, 6, 4, false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_PUSH_END, 19, 0, false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_REALIGN, 2, 4, false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_INVALID, 7, HASH | LAST | SILEX_TAG_INVALID(5), false, SILEX_CM_CONFIG_SG },
	{ SILEX_RULE_CM_ORDER, 3, HASH | SILEX_TAG_CONFIG | SILEX_TAG_OFFSET(4), false,
	  SILEX_CM_CONFIG_SG },
};

static void begin(struct silex_rules *rules, const struct list *job)
{
	const uint32_t written[] = {
		0, 16, 4 | R, HASH | SILEX_TAG_CONFIG, 0, SILEX_NEXT_STOP, 4 | R, HASH | LAST
	};
	const uint32_t pushed[] = { 0, SILEX_NEXT_STOP, 32 | R, LAST };

	memcpy(lists, written, sizeof(written));
	memcpy(lists + 16, pushed, sizeof(pushed));
	if (job->word)
		lists[job->word] = job->value;
	silex_rules_begin(rules, 512, false, memory, NULL);
	if (job->pending)
		rules->cleared = false;
	silex_rules_write(rules, SILEX_CM_FETCH_ADDR, 0);
	silex_rules_write(rules, SILEX_CM_PUSH_ADDR, 64);
	silex_rules_write(rules, SILEX_CM_CONFIG, job->mode);
	silex_rules_write(rules, SILEX_CM_START, SILEX_CM_START_BOTH);
}

static void breaches_in_lists_are_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		struct silex_rules rules;

		begin(&rules, &jobs[i]);
		expect(&rules, jobs[i].rule);
	}
}

static void a_busy_core_is_left_alone(void **state)
{
	struct silex_rules rules;

	(void)state;
	begin(&rules, &jobs[0]);
	silex_rules_write(&rules, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	silex_rules_write(&rules, SILEX_CM_START, SILEX_CM_START_BOTH);
	expect(&rules, SILEX_RULE_CM_IDLE);
	assert_int_equal(silex_rules_breaches(&rules, 0), 1);
	assert_int_equal(silex_rules_breaches(&rules, 1u << SILEX_RULE_CM_IDLE), 0);
	assert_string_equal(rules.first, "cm-idle: START: 00000003");
}

/* A second message behind the first in one list */
static void one_message_has_a_start(void **state)
{
	static const uint32_t second[] = { 0, SILEX_NEXT_STOP, 4 | R, HASH | LAST };
	struct silex_rules rules;

	(void)state;
	begin(&rules, &jobs[0]);
	lists[5] = 32;
	memcpy(lists + 8, second, sizeof(second));
	silex_rules_read(&rules, SILEX_CM_STATUS, 0);
	silex_rules_write(&rules, SILEX_CM_INT_STAT_CLR, SILEX_CM_INT_ALL);
	silex_rules_write(&rules, SILEX_CM_START, SILEX_CM_START_BOTH);
	expect(&rules, SILEX_RULE_CM_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breaches_on_public_keys_are_found),
		cmocka_unit_test(breaches_in_lists_are_found),
		cmocka_unit_test(a_busy_core_is_left_alone),
		cmocka_unit_test(one_message_has_a_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
