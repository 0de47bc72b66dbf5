/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
#include "fault-plan.h"

/*
 * The next number of the sequence whose state is `*state`.  Source: splitmix64, the generator of
 * Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
 */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void silex_fault_plan_begin(struct silex_fault_plan *plan, const struct silex_faults *faults)
{
	uint64_t seeds = faults->seed;

	*plan = (struct silex_fault_plan){ .faults = faults };
	for (unsigned kind = 0; kind < SILEX_FAULT_KINDS; kind++)
		plan->sequence[kind] = next(&seeds);
	plan->places = next(&seeds);
}

static bool is_armed(const struct silex_fault *fault, uint64_t now)
{
	return fault->armed && now >= fault->from_ns && (!fault->until_ns || now < fault->until_ns);
}

bool silex_fault_strikes(struct silex_fault_plan *plan, enum silex_fault_kind kind, uint64_t now)
{
	const struct silex_fault *fault = &plan->faults->fault[kind];

	if (!is_armed(fault, now))
		return false;
	plan->count[kind]++;
	if (fault->rate)
		return next(&plan->sequence[kind]) % fault->rate == 0;
	return plan->count[kind] == fault->nth;
}

bool silex_fault_follows(struct silex_fault_plan *plan, enum silex_fault_kind kind, uint64_t now)
{
	const struct silex_fault *fault = &plan->faults->fault[kind];

	return fault->accesses && is_armed(fault, now) &&
	       next(&plan->sequence[kind]) % fault->accesses == 0;
}

uint64_t silex_fault_delay(struct silex_fault_plan *plan, enum silex_fault_kind kind)
{
	uint64_t within = plan->faults->fault[kind].within_ns;

	return within ? next(&plan->sequence[kind]) % within : 0;
}

uint64_t silex_fault_choice(struct silex_fault_plan *plan)
{
	return next(&plan->places);
}
