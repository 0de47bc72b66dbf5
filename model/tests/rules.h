/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Rules that all public drivers of these cores keep, checked over a trace: silicon may rest on any of
 * them, whether or not a model does.  docs/programming-model.md argues each.
 *
 * A trace is every access to one window, in order:
 *  1. rules_begin(), with how memory of descriptors is read;
 *  2. rules_read() and rules_write() for each access, rules_reset() when the window was reset;
 *  3. `broken` counts the breaches of each rule, `first` says what was first.
 * Descriptors are read at START, when a driver has written all of them.
 */
#ifndef SILEX_TESTS_RULES_H
#define SILEX_TESTS_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../silex/ba414.h"

enum rule {
	/* BA414E */
	RULE_PK_IDLE, /* COMMAND, POINTERS, operands and START wait until BUSY is 0 */
	RULE_PK_RUN, /* START comes with CLEAR_IRQ */
	RULE_PK_SWAP, /* 28 and 3b to 3e run little-endian, all others big-endian */
	RULE_PK_R2, /* 01 to 0a, 10, 14 and 15 recompute R^2 */
	RULE_PK_OPERANDS, /* what an operation reads was written: fixed slots, or those of POINTERS */
	RULE_PK_VAIN, /* what was written is read: a point that POINTERS does not name is a mistake */
	RULE_PK_BLINDING, /* the factor is odd with RAND_MOD, and not 0 for curves */
	RULE_PK_PLAIN_SIGN, /* 3c has no countermeasures */

	/* CryptoMaster */
	RULE_CM_IDLE, /* lists and START wait until STATUS is not busy, after a reset, too */
	RULE_CM_CLEAR, /* INT_STAT is cleared before START */
	RULE_CM_BOTH, /* both lists start, with CONFIG of both or of neither */
	RULE_CM_LENGTH, /* a descriptor has less than 16 MiB */
	RULE_CM_FETCH_END, /* the last fetch descriptor: REALIGN, LAST */
	RULE_CM_PUSH_END, /* the last push descriptor: REALIGN, LAST */
	RULE_CM_REALIGN, /* configuration: REALIGN */
	RULE_CM_INVALID, /* a data item ends on its engine's block, with its invalid bytes */
	RULE_CM_ORDER, /* a message begins with its configuration word; data follow */
	RULE_CM_ONE, /* one message for each START; the driver's chains are longer */
	RULES
};

/* Memory as DMA sees it; false: there is none */
typedef bool rules_memory(void *opaque, uint64_t address, void *data, size_t size);

struct rules {
	rules_memory *memory;
	void *opaque;
	bool wide; /* descriptors of 64-bit hosts */
	uint32_t stride; /* of operand RAM */

	unsigned broken[RULES];
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

/* `stride`: SILEX_PK_STRIDE() of the core */
void rules_begin(struct rules *rules, uint32_t stride, bool wide, rules_memory *memory,
		 void *opaque);
void rules_read(struct rules *rules, uint32_t offset, uint32_t value);
void rules_write(struct rules *rules, uint32_t offset, uint32_t value);
void rules_reset(struct rules *rules);

/* "pk-idle" and so on, and the sum of all breaches but those of `except`, a bit for each rule */
const char *rules_name(enum rule rule);
unsigned rules_breaches(const struct rules *rules, uint32_t except);

/* For the parts of the checker */
void rules_demand(struct rules *rules, bool kept, enum rule rule, const char *what, uint32_t value);
void rules_pk_write(struct rules *rules, uint32_t offset, uint32_t value);
void rules_pk_ram(struct rules *rules, uint32_t offset, uint32_t value);
void rules_cm_write(struct rules *rules, uint32_t offset, uint32_t value);

#endif
