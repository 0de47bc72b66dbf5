/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "rules.h"

#include <stdio.h>

#include "../../silex/cryptomaster.h"
#include "../../silex/soc.h"

static const char *const names[RULES] = {
	[RULE_PK_IDLE] = "pk-idle",           [RULE_PK_RUN] = "pk-run",
	[RULE_PK_SWAP] = "pk-swap",           [RULE_PK_R2] = "pk-r2",
	[RULE_PK_OPERANDS] = "pk-operands",   [RULE_PK_VAIN] = "pk-vain",
	[RULE_PK_BLINDING] = "pk-blinding",   [RULE_PK_PLAIN_SIGN] = "pk-plain-sign",
	[RULE_CM_IDLE] = "cm-idle",           [RULE_CM_CLEAR] = "cm-clear",
	[RULE_CM_BOTH] = "cm-both",           [RULE_CM_LENGTH] = "cm-length",
	[RULE_CM_FETCH_END] = "cm-fetch-end", [RULE_CM_PUSH_END] = "cm-push-end",
	[RULE_CM_REALIGN] = "cm-realign",     [RULE_CM_INVALID] = "cm-invalid",
	[RULE_CM_ORDER] = "cm-order",         [RULE_CM_ONE] = "cm-one",
};

const char *rules_name(enum rule rule)
{
	return names[rule];
}

unsigned rules_breaches(const struct rules *rules, uint32_t except)
{
	unsigned sum = 0;

	for (unsigned rule = 0; rule < RULES; rule++)
		if (!(except >> rule & 1))
			sum += rules->broken[rule];
	return sum;
}

void rules_demand(struct rules *rules, bool kept, enum rule rule, const char *what, uint32_t value)
{
	if (kept)
		return;
	rules->broken[rule]++;
	if (!rules->first[0])
		snprintf(rules->first, sizeof(rules->first), "%s: %s: %08x", names[rule], what,
			 value);
}

void rules_begin(struct rules *rules, uint32_t stride, bool wide, rules_memory *memory,
		 void *opaque)
{
	*rules = (struct rules){
		.memory = memory,
		.opaque = opaque,
		.wide = wide,
		.stride = stride,
	};
	rules_reset(rules);
}

void rules_reset(struct rules *rules)
{
	rules->command = SILEX_PK_OP_CLEAR_MEMORY;
	rules->pointers = 0;
	rules->pk_busy = true; /* it clears its memory */
	rules->holds = 0;
	rules->fresh = 0;
	rules->config = 0;
	rules->cm_busy = false;
	rules->cleared = true;
}

void rules_read(struct rules *rules, uint32_t offset, uint32_t value)
{
	const uint32_t cm_busy = SILEX_CM_STATUS_BUSY | SILEX_CM_STATUS_RESET_BUSY;

	if (offset == SILEX_PK_BASE + SILEX_PK_STATUS)
		rules->pk_busy = value & SILEX_PK_STATUS_BUSY;
	else if (offset == SILEX_CM_BASE + SILEX_CM_STATUS)
		rules->cm_busy = value & cm_busy;
	else if (offset == SILEX_CM_BASE + SILEX_CM_INT_STAT_RAW ||
		 offset == SILEX_CM_BASE + SILEX_CM_INT_STAT)
		rules->cm_busy &= !(value & SILEX_CM_INT_ENDED);
	else if (offset >= SILEX_PK_RAM_BASE && offset < SILEX_PK_RAM_BASE + SILEX_PK_RAM_SIZE)
		rules_demand(rules, !rules->pk_busy, RULE_PK_IDLE, "a result is read", offset);
}

void rules_write(struct rules *rules, uint32_t offset, uint32_t value)
{
	if (offset < SILEX_CM_BASE + SILEX_CM_SIZE)
		rules_cm_write(rules, offset - SILEX_CM_BASE, value);
	else if (offset >= SILEX_PK_BASE && offset < SILEX_PK_BASE + SILEX_PK_SPACE)
		rules_pk_write(rules, offset - SILEX_PK_BASE, value);
	else if (offset >= SILEX_PK_RAM_BASE && offset < SILEX_PK_RAM_BASE + SILEX_PK_RAM_SIZE)
		rules_pk_ram(rules, offset - SILEX_PK_RAM_BASE, value);
}
