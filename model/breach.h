/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* The rules that all public drivers keep, what is known of a trace so far, and what was broken. */
#ifndef SILEX_BREACH_H
#define SILEX_BREACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../silex/ba414.h"

enum silex_rule {
	/* BA414E */
	SILEX_RULE_PK_IDLE, /* COMMAND, POINTERS, operands and START wait until BUSY is 0 */
	SILEX_RULE_PK_RUN, /* START comes with CLEAR_IRQ */
	SILEX_RULE_PK_SWAP, /* 28 and 3b to 3e run little-endian, all others big-endian */
	SILEX_RULE_PK_R2, /* 01 to 0a, 10, 14 and 15 recompute R^2 */
	SILEX_RULE_PK_OPERANDS, /* what an operation reads was written: fixed slots, or those of POINTERS */
	SILEX_RULE_PK_VAIN, /* what was written is read: a point that POINTERS does not name is a mistake */
	SILEX_RULE_PK_BLINDING, /* the factor is odd with RAND_MOD, and not 0 for curves */
	SILEX_RULE_PK_PLAIN_SIGN, /* 3c has no countermeasures */

	/* CryptoMaster */
	SILEX_RULE_CM_IDLE, /* lists and START wait until STATUS is not busy, after a reset, too */
	SILEX_RULE_CM_CLEAR, /* INT_STAT is cleared before START */
	SILEX_RULE_CM_BOTH, /* both lists start, with CONFIG of both or of neither */
	SILEX_RULE_CM_LENGTH, /* a descriptor has less than 16 MiB */
	SILEX_RULE_CM_FETCH_END, /* the last fetch descriptor: REALIGN, LAST */
	SILEX_RULE_CM_PUSH_END, /* the last push descriptor: REALIGN, LAST */
	SILEX_RULE_CM_REALIGN, /* configuration: REALIGN */
	SILEX_RULE_CM_INVALID, /* a data item ends on its engine's block, with its invalid bytes */
	SILEX_RULE_CM_ORDER, /* a message begins with its configuration word; data follow */
	SILEX_RULE_CM_ONE, /* one message for each START; the driver's chains are longer */
	SILEX_RULES
};

/* Memory as DMA sees it; false: there is none */
typedef bool silex_rules_memory(void *opaque, uint64_t address, void *data, size_t size);

struct silex_rules {
	silex_rules_memory *memory;
	void *opaque;
	bool wide; /* descriptors of 64-bit hosts */
	uint32_t stride; /* of operand RAM */
	uint32_t except; /* rules that are not checked, a bit each: set it after the beginning */

	unsigned broken[SILEX_RULES];
	char first[200]; /* "" while no rule is broken */

	/* BA414E */
	uint32_t command;
	uint32_t pointers;
	bool pk_busy; /* may be, as far as was read */
	uint32_t holds; /* slots with something in them, a bit each */
	uint32_t fresh; /* slots written since the last START */
	uint8_t factor[2][SILEX_PK_BLINDING_BYTES]; /* as it lies, little-endian and big-endian */

	/* CryptoMaster */
	uint64_t fetch;
	uint64_t push;
	uint32_t config;
	bool cm_busy;
	bool cleared; /* INT_STAT, since the last START */
};

/* "pk-idle" and so on, and the sum of all breaches but those of `except`, a bit for each rule */
const char *silex_rules_name(enum silex_rule rule);
unsigned silex_rules_breaches(const struct silex_rules *rules, uint32_t except);

/* Counts a breach of `rule` unless it was kept, or is not checked; `what` and `value` say where */
void silex_rules_demand(struct silex_rules *rules, bool kept, enum silex_rule rule,
			const char *what, uint32_t value);

#endif
