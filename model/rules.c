/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "rules.h"

#include "../silex/cryptomaster.h"
#include "../silex/soc.h"
#include "rules-cryptomaster.h"
#include "rules-pk.h"

void silex_rules_begin(struct silex_rules *rules, uint32_t stride, bool wide,
		       silex_rules_memory *memory, void *opaque)
{
	*rules = (struct silex_rules){
		.memory = memory,
		.opaque = opaque,
		.wide = wide,
		.stride = stride,
	};
	silex_rules_reset(rules);
}

void silex_rules_reset(struct silex_rules *rules)
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

void silex_rules_read(struct silex_rules *rules, uint32_t offset, uint32_t value)
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
		silex_rules_demand(rules, !rules->pk_busy, SILEX_RULE_PK_IDLE, "a result is read",
				   offset);
}

void silex_rules_write(struct silex_rules *rules, uint32_t offset, uint32_t value)
{
	if (offset < SILEX_CM_BASE + SILEX_CM_SIZE)
		silex_rules_cm_write(rules, offset - SILEX_CM_BASE, value);
	else if (offset >= SILEX_PK_BASE && offset < SILEX_PK_BASE + SILEX_PK_SPACE)
		silex_rules_pk_write(rules, offset - SILEX_PK_BASE, value);
	else if (offset >= SILEX_PK_RAM_BASE && offset < SILEX_PK_RAM_BASE + SILEX_PK_RAM_SIZE)
		silex_rules_pk_ram(rules, offset - SILEX_PK_RAM_BASE, value);
}
