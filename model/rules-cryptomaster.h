/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* For the checker of rules. */
#ifndef SILEX_RULES_CRYPTOMASTER_H
#define SILEX_RULES_CRYPTOMASTER_H

#include "breach.h"

/* CryptoMaster: a write to a register, by its offset there */
void silex_rules_cm_write(struct silex_rules *rules, uint32_t offset, uint32_t value);

#endif
