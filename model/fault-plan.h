/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/* Which of a model's operations its faults strike. */
#ifndef SILEX_FAULT_PLAN_H
#define SILEX_FAULT_PLAN_H

#include "fault.h"

struct silex_fault_plan {
	const struct silex_faults *faults;
	uint64_t count[SILEX_FAULT_KINDS]; /* operations that each could strike */
	uint64_t sequence[SILEX_FAULT_KINDS]; /* state of each one's random numbers */
	uint64_t places; /* state of those that say where a fault strikes */
};

/* `faults` stays the caller's and must live as long */
void silex_fault_plan_begin(struct silex_fault_plan *plan, const struct silex_faults *faults);

/* Counts an operation that `kind` can strike; true if it does */
bool silex_fault_strikes(struct silex_fault_plan *plan, enum silex_fault_kind kind, uint64_t now);

/* Whether `kind` follows an access to a register that was made now */
bool silex_fault_follows(struct silex_fault_plan *plan, enum silex_fault_kind kind, uint64_t now);

/* How long after the start of the operation that `kind` strikes it does so, ns */
uint64_t silex_fault_delay(struct silex_fault_plan *plan, enum silex_fault_kind kind);

/* A random number that chooses where a fault strikes */
uint64_t silex_fault_choice(struct silex_fault_plan *plan);

#endif
