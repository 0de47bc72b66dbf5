/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* For the checker of rules. */
#ifndef SILEX_RULES_PK_H
#define SILEX_RULES_PK_H

#include "breach.h"

/* BA414E: a write to a register, and one to operand RAM, by their offsets there */
void silex_rules_pk_write(struct silex_rules *rules, uint32_t offset, uint32_t value);
void silex_rules_pk_ram(struct silex_rules *rules, uint32_t offset, uint32_t value);

#endif
