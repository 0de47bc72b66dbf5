/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "breach.h"

#include <stdio.h>

static const char *const names[SILEX_RULES] = {
	[SILEX_RULE_PK_IDLE] = "pk-idle",           [SILEX_RULE_PK_RUN] = "pk-run",
	[SILEX_RULE_PK_SWAP] = "pk-swap",           [SILEX_RULE_PK_R2] = "pk-r2",
	[SILEX_RULE_PK_OPERANDS] = "pk-operands",   [SILEX_RULE_PK_VAIN] = "pk-vain",
	[SILEX_RULE_PK_BLINDING] = "pk-blinding",   [SILEX_RULE_PK_PLAIN_SIGN] = "pk-plain-sign",
	[SILEX_RULE_CM_IDLE] = "cm-idle",           [SILEX_RULE_CM_CLEAR] = "cm-clear",
	[SILEX_RULE_CM_BOTH] = "cm-both",           [SILEX_RULE_CM_LENGTH] = "cm-length",
	[SILEX_RULE_CM_FETCH_END] = "cm-fetch-end", [SILEX_RULE_CM_PUSH_END] = "cm-push-end",
	[SILEX_RULE_CM_REALIGN] = "cm-realign",     [SILEX_RULE_CM_INVALID] = "cm-invalid",
	[SILEX_RULE_CM_ORDER] = "cm-order",         [SILEX_RULE_CM_ONE] = "cm-one",
};

const char *silex_rules_name(enum silex_rule rule)
{
	return names[rule];
}

unsigned silex_rules_breaches(const struct silex_rules *rules, uint32_t except)
{
	unsigned sum = 0;

	for (unsigned rule = 0; rule < SILEX_RULES; rule++)
		if (!(except >> rule & 1))
			sum += rules->broken[rule];
	return sum;
}

void silex_rules_demand(struct silex_rules *rules, bool kept, enum silex_rule rule,
			const char *what, uint32_t value)
{
	if (kept || rules->except >> rule & 1)
		return;
	rules->broken[rule]++;
	if (!rules->first[0])
		snprintf(rules->first, sizeof(rules->first), "%s: %s: %08x", names[rule], what,
			 value);
}
