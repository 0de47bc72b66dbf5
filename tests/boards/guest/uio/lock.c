// SPDX-License-Identifier: Apache-2.0
/* The lock of the public-key engine, step by step as silex/share.h has it. */
#include <stdlib.h>

#include "uio.h"

#define SPINS    64u
#define SLEEP_MS 10

uint32_t lock_load(const uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

static bool exchange(uint32_t *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static bool got(struct pk *pk, uint32_t ticket)
{
	return lock_load(&pk->share->owner) == ticket ||
	       exchange(&pk->share->owner, SILEX_SHARE_FREE, ticket);
}

static struct silex_share_slot *oldest(const struct pk *pk, uint32_t *ticket)
{
	uint32_t next = lock_load(&pk->share->next_ticket);
	struct silex_share_slot *best = NULL;

	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++) {
		struct silex_share_slot *slot = &pk->share->slots[i];
		uint32_t its;

		if (lock_load(&slot->waits) == SILEX_SHARE_NO)
			continue;
		its = lock_load(&slot->ticket);
		if (its && (!best || next - its > next - *ticket)) {
			best = slot;
			*ticket = its;
		}
	}
	return best;
}

/* Hands on what `owner` has */
static void hand_on(struct pk *pk, uint32_t owner)
{
	for (;;) {
		uint32_t next = SILEX_SHARE_FREE, late;
		struct silex_share_slot *slot = oldest(pk, &next);
		bool done = exchange(&pk->share->owner, owner, next);

		store(&pk->slot->ticket, 0);
		if (!done)
			return;
		if (!slot && !oldest(pk, &late))
			return;
		if (slot && lock_load(&slot->ticket) == next) {
			if (lock_load(&slot->waits) == SILEX_SHARE_SLEEPS)
				pk_tell(pk, SILEX_SHARE_WAKE);
			return;
		}
		owner = next;
	}
}

/* False: the lock has come in the last moment */
static bool give_up(struct pk *pk, uint32_t ticket)
{
	store(&pk->slot->waits, SILEX_SHARE_NO);
	store(&pk->slot->ticket, 0);
	if (lock_load(&pk->share->owner) == ticket)
		hand_on(pk, ticket);
	return false;
}

bool lock_take(struct pk *pk, unsigned ms)
{
	uint32_t ticket = __atomic_fetch_add(&pk->share->next_ticket, SILEX_SHARE_TICKET_STEP,
					     __ATOMIC_SEQ_CST) |
			  1;
	unsigned spins = 0;
	unsigned long end = 0;

	store(&pk->slot->ticket, ticket);
	store(&pk->slot->waits, SILEX_SHARE_SPINS);
	while (!got(pk, ticket)) {
		if (spins++ < SPINS)
			continue;
		end = end ? end : now_ms() + ms;
		if (now_ms() > end || lock_load(&pk->share->state) != SILEX_SHARE_READY)
			return give_up(pk, ticket);
		store(&pk->slot->waits, SILEX_SHARE_SLEEPS);
		if (lock_load(&pk->share->owner) != ticket)
			pk_event(pk, SLEEP_MS);
	}
	store(&pk->slot->waits, SILEX_SHARE_NO);
	pk->generation = lock_load(&pk->share->generation);
	if (lock_load(&pk->share->state) != SILEX_SHARE_READY) {
		lock_give(pk);
		return false;
	}
	while (pk_is_busy(pk))
		;
	return true;
}

void lock_give(struct pk *pk)
{
	hand_on(pk, lock_load(&pk->slot->ticket));
}
