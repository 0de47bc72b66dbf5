/* SPDX-License-Identifier: Apache-2.0 */
#include "model-slots.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FULL __ATOMIC_SEQ_CST

/* Whose slot is just being taken; no process has that number */
#define NAMELESS UINT32_MAX

/* Who has a slot, as a kernel knows it.  A process in another PID namespace cannot be asked for: its
 * slot stays. */
struct holder {
	uint32_t pid; /* 0: the slot is free */
	_Atomic uint64_t space; /* which PID namespace it is in */
};

struct slots {
	struct silex_share share; /* first: it is what others see */
	struct holder holder[SILEX_SHARE_SLOTS];
};

static struct holder *holder_of(struct silex_share *share, unsigned slot)
{
	return &((struct slots *)(void *)share)->holder[slot];
}

/* 0 where no /proc says it */
static uint64_t own_space(void)
{
	struct stat about;

	return stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
}

/* ---- life ---- */

struct silex_share *fs_model_slots_new(void)
{
	struct slots *slots = mmap(NULL, sizeof(*slots), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (slots == MAP_FAILED)
		return NULL;
	slots->share.version = SILEX_SHARE_VERSION;
	slots->share.flags = SILEX_SHARE_INTERRUPT;
	return &slots->share;
}

void fs_model_slots_free(struct silex_share *share)
{
	munmap(share, sizeof(struct slots));
}

/* ---- processes that end ---- */

void fs_model_slots_reclaim(struct silex_share *share, unsigned slot)
{
	struct silex_share_slot *words = &share->slots[slot];
	uint32_t ticket = __atomic_load_n(&words->ticket, FULL), owner = ticket;

	__atomic_store_n(&words->waits, SILEX_SHARE_NO, FULL);
	if (ticket && __atomic_compare_exchange_n(&share->owner, &owner, SILEX_SHARE_KERNEL, false,
						  FULL, FULL)) {
		__atomic_fetch_add(&share->generation, 1, FULL);
		fs_share_hand_on(share, SILEX_SHARE_KERNEL, slot);
	}
	__atomic_store_n(&words->ticket, 0, FULL);
}

static void reap(struct silex_share *share, uint64_t space)
{
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++) {
		struct holder *holder = holder_of(share, i);
		uint32_t pid = __atomic_load_n(&holder->pid, FULL);

		if (pid == 0 || pid == NAMELESS || atomic_load(&holder->space) != space ||
		    kill((pid_t)pid, 0) == 0 || errno != ESRCH)
			continue;
		if (__atomic_compare_exchange_n(&holder->pid, &pid, 0, false, FULL, FULL))
			fs_model_slots_reclaim(share, i);
	}
}

void fs_model_slots_reap(struct silex_share *share, unsigned own)
{
	reap(share, atomic_load(&holder_of(share, own)->space));
}

/* ---- joining ---- */

static int claim(struct silex_share *share, uint64_t space)
{
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++) {
		struct holder *holder = holder_of(share, i);
		uint32_t free = 0;

		if (!__atomic_compare_exchange_n(&holder->pid, &free, NAMELESS, false, FULL, FULL))
			continue;
		atomic_store(&holder->space, space);
		__atomic_store_n(&holder->pid, (uint32_t)getpid(), FULL);
		return (int)i;
	}
	return -1;
}

/* Looks for dead processes only when no slot is free: a child may be in a sandbox that forbids
 * kill() */
int fs_model_slots_join(struct silex_share *share)
{
	uint64_t space = own_space();
	int slot = claim(share, space);

	if (slot < 0) {
		reap(share, space);
		slot = claim(share, space);
	}
	return slot;
}

void fs_model_slots_leave(struct silex_share *share, unsigned slot)
{
	__atomic_store_n(&holder_of(share, slot)->pid, 0, FULL);
}
