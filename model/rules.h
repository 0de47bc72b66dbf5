/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * Rules that all public drivers of these cores keep, checked over a trace: silicon may rest on any of
 * them, whether or not a model does.  docs/programming-model.md argues each.
 *
 * A trace is every access to one window, in order:
 *  1. silex_rules_begin(), with how memory of descriptors is read;
 *  2. silex_rules_read() and silex_rules_write() for each access, silex_rules_reset() when the window was reset;
 *  3. `broken` counts the breaches of each rule, `first` says what was first.
 * Descriptors are read at START, when a driver has written all of them.
 */
#ifndef SILEX_RULES_H
#define SILEX_RULES_H

#include "breach.h"

/* `stride`: SILEX_PK_STRIDE() of the core */
void silex_rules_begin(struct silex_rules *rules, uint32_t stride, bool wide,
		       silex_rules_memory *memory, void *opaque);
void silex_rules_read(struct silex_rules *rules, uint32_t offset, uint32_t value);
void silex_rules_write(struct silex_rules *rules, uint32_t offset, uint32_t value);
void silex_rules_reset(struct silex_rules *rules);

#endif
