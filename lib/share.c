/* SPDX-License-Identifier: Apache-2.0 */
#include "share.h"

#include "barrier.h"
#include "clock.h"

/* Waiters spin before they sleep: another process's short operation has ended by then */
#define SPIN_NS  (20 * FS_MICROSECOND)
#define SLEEP_NS (5 * FS_MILLISECOND)

#define FULL __ATOMIC_SEQ_CST

static uint32_t load(const uint32_t *word)
{
	return __atomic_load_n(word, FULL);
}

static void store(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, FULL);
}

static bool exchange(uint32_t *word, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(word, &from, to, false, FULL, FULL);
}

int fs_share_find(const struct silex_share *share, uint32_t name)
{
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (load(&share->slots[i].name) == name)
			return (int)i;
	return -1;
}

uint32_t fs_share_generation(const struct fs_transport *transport)
{
	return load(&transport->share->generation);
}

unsigned fs_share_before(const struct fs_transport *transport)
{
	const struct silex_share *share = transport->share;
	unsigned before = 0;

	/* a ticket is there from when it is drawn until the lock is released */
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++)
		if (i != transport->slot && load(&share->slots[i].ticket))
			before++;
	return before;
}

/* ---- handing on ---- */

uint32_t fs_share_oldest(const struct silex_share *share, unsigned own, unsigned *slot)
{
	uint32_t next = load(&share->next_ticket), oldest = SILEX_SHARE_FREE, age = 0;

	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++) {
		const struct silex_share_slot *at = &share->slots[i];
		uint32_t ticket;

		if (i == own || load(&at->waits) == SILEX_SHARE_NO)
			continue;
		ticket = load(&at->ticket);
		if (ticket == 0 || (oldest && next - ticket <= age))
			continue;
		oldest = ticket;
		age = next - ticket;
		*slot = i;
	}
	return oldest;
}

int fs_share_hand_on(struct silex_share *share, uint32_t ticket, unsigned own)
{
	/* one more round for each waiter that left meanwhile, and one for a waiter that came:
	 * later ones check for themselves */
	for (unsigned round = 0; round <= 2 * SILEX_SHARE_SLOTS; round++) {
		unsigned slot = 0;
		uint32_t next = fs_share_oldest(share, own, &slot);

		if (ticket == SILEX_SHARE_FREE && next == SILEX_SHARE_FREE)
			return -1;
		if (!exchange(&share->owner, ticket, next))
			return -1;
		if (next != SILEX_SHARE_FREE && load(&share->slots[slot].ticket) == next)
			return load(&share->slots[slot].waits) == SILEX_SHARE_SLEEPS ? (int)slot
										     : -1;
		ticket = next;
	}
	exchange(&share->owner, ticket, SILEX_SHARE_FREE);
	return -1;
}

static void hand_on(struct fs_transport *transport, uint32_t ticket)
{
	if (fs_share_hand_on(transport->share, ticket, transport->slot) >= 0)
		transport->ops->wake(transport);
}

void fs_share_release(struct fs_transport *transport)
{
	struct silex_share_slot *slot = &transport->share->slots[transport->slot];
	uint32_t ticket = load(&slot->ticket);

	hand_on(transport, ticket);
	store(&slot->ticket, 0);
}

void fs_share_give_up(struct fs_transport *transport)
{
	transport->ops->give_up(transport);
	store(&transport->share->slots[transport->slot].ticket, 0);
}

/* ---- waiting ---- */

static int state_error(const struct silex_share *share)
{
	switch (load(&share->state)) {
	case SILEX_SHARE_READY:
		return FIRESTEEL_OK;
	case SILEX_SHARE_FAULT:
		return FIRESTEEL_ERROR_FAULT;
	default:
		return FIRESTEEL_ERROR_GONE;
	}
}

static bool is_ours(struct silex_share *share, uint32_t ticket)
{
	return load(&share->owner) == ticket || exchange(&share->owner, SILEX_SHARE_FREE, ticket);
}

/* Leaves the queue; the lock may be handed over at that moment */
static void give_up(struct fs_transport *transport, uint32_t ticket)
{
	struct silex_share_slot *slot = &transport->share->slots[transport->slot];

	store(&slot->waits, SILEX_SHARE_NO);
	store(&slot->ticket, 0);
	if (load(&transport->share->owner) == ticket)
		hand_on(transport, ticket);
}

static void sleep_once(struct fs_transport *transport, uint32_t ticket, uint64_t deadline)
{
	struct silex_share *share = transport->share;
	uint64_t now = fs_now(), left = deadline > now ? deadline - now : 0;

	store(&share->slots[transport->slot].waits, SILEX_SHARE_SLEEPS);
	if (is_ours(share, ticket))
		return;
	transport->ops->sleep(transport, FS_PK, left < SLEEP_NS ? left : SLEEP_NS);
}

static int wait_for(struct fs_transport *transport, uint32_t ticket, uint64_t deadline)
{
	struct silex_share *share = transport->share;
	uint64_t begin = fs_now();
	int error = FIRESTEEL_OK;

	while (!error && !is_ours(share, ticket)) {
		uint64_t now = fs_now();

		error = state_error(share);
		if (error)
			break;
		if (now >= deadline)
			error = FIRESTEEL_ERROR_TIMEOUT;
		else if (now - begin < SPIN_NS)
			fs_relax();
		else {
			transport->ops->reap(transport);
			sleep_once(transport, ticket, deadline);
		}
	}
	return error;
}

int fs_share_acquire(struct fs_transport *transport, uint64_t deadline, uint32_t *generation,
		     bool *waited)
{
	struct silex_share *share = transport->share;
	struct silex_share_slot *slot = &share->slots[transport->slot];
	int error = state_error(share);
	uint32_t ticket;

	if (error)
		return error;
	ticket = __atomic_fetch_add(&share->next_ticket, SILEX_SHARE_TICKET_STEP, FULL) | 1;
	store(&slot->ticket, ticket);
	store(&slot->waits, SILEX_SHARE_SPINS);
	if (!is_ours(share, ticket)) {
		*waited = true;
		error = wait_for(transport, ticket, deadline);
		if (error) {
			give_up(transport, ticket);
			return error;
		}
	}
	store(&slot->waits, SILEX_SHARE_NO);
	*generation = fs_share_generation(transport);
	/* the state shows an earlier loss of the core, the generation a later one */
	error = state_error(share);
	if (error)
		fs_share_release(transport);
	return error;
}
