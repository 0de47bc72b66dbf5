/* SPDX-License-Identifier: GPL-2.0-or-later OR Apache-2.0 */
/*
 * How programs share cores with the kernel's driver and with each other: two kinds of UIO device,
 * their maps, the words that can be written to them, and the lock page of the public-key engine.
 * docs/user-space.md describes all of this from the user's side.
 *
 * SILEX_SHARE_PK ("firesteel-pk"), for each window with BA414E; any number of processes:
 *	map 0	page of BA414E's registers, window offset 0x2000
 *	map 1	operand RAM, window offset 0x8000
 *	map 2	lock page: struct silex_share
 *	write	one 32-bit word, SILEX_SHARE_DISARM to SILEX_SHARE_GIVE_UP, or SILEX_SHARE_JOIN | N
 *	poll, read: an event has occurred; see "Sleeping"
 *
 * SILEX_SHARE_CM ("firesteel-cm"), for a CryptoMaster that is exported to user space; one owner,
 * whose second open() is refused (EBUSY) like any other process's:
 *	map 0	page of CryptoMaster and presence registers, window offset 0
 *	map 1	buffer for DMA; in /sys/class/uio/uioN/maps/map1, addr is its bus address and size
 *		its size
 *	map 2	results, for reading only, and only where DMA is not coherent: memory that is
 *		cached, while the buffer is not; addr and size as of map 1
 *	write	one 32-bit word, SILEX_SHARE_RESULTS(): the core has written there
 *	poll, read: an interrupt has occurred.  The kernel has written INT_EN = 0; the owner must
 *		clear INT_STAT_RAW, and set INT_EN before it sleeps again.
 *
 * Map N with MAP_SHARED at offset N * page size, at its whole size or less.  A child, however it is
 * made, inherits maps as private memory that reads all ones, the lock page too: it uses the
 * inherited descriptor, and maps again.
 *
 * When the device disappears (removed, driver unbound), the kernel replaces maps of registers,
 * operand RAM, buffer and results by private memory that reads all ones, like the registers of a
 * core that is gone: no access faults.  So a result is the core's only if the device is still
 * present after it was read: for BA414E if `generation` has not changed; for CryptoMaster if STATUS
 * does not read all ones or, without a register access, if a word of the buffer that the owner once
 * set to another value still has that value.
 *
 * A reset or power loss of BA414E may be unannounced: it always is for a platform device; for a PCI
 * function the kernel announces only its own resets.  STATUS then reads as after a success.
 * POINTERS is a canary: it reads 0 after a reset, the kernel hands the engine over with another
 * value, and an owner never leaves 0 there.  If POINTERS reads 0 after a result, the result is
 * invalid; further evidence is needed that an operation has run (docs/library.md).  An owner that
 * reads 0 writes GIVE_UP.
 * The kernel checks it too: at open(), at ARM, and when CryptoMaster of the same window has been
 * reset.  If it is 0 then, `state` and `generation` change as for an announced reset.
 *
 * open() of a SILEX_SHARE_PK fails (EIO) until the kernel has cleared the engine once.
 */
#ifndef SILEX_SHARE_H
#define SILEX_SHARE_H

#include "types.h"

/* /sys/class/uio/uioN/name, and map numbers */
#define SILEX_SHARE_PK          "firesteel-pk"
#define SILEX_SHARE_PK_REGS_MAP 0
#define SILEX_SHARE_PK_RAM_MAP  1
#define SILEX_SHARE_PK_LOCK_MAP 2

#define SILEX_SHARE_CM             "firesteel-cm"
#define SILEX_SHARE_CM_REGS_MAP    0
#define SILEX_SHARE_CM_BUFFER_MAP  1
#define SILEX_SHARE_CM_RESULTS_MAP 2

/*
 * The word to write to the descriptor of a SILEX_SHARE_CM after the core has written results and
 * before they are read: `count` units from unit `first` on of map 2.  The caches then have nothing
 * of them that is older.  EINVAL: there are no such results.  Without map 2 it is not needed.
 */
#define SILEX_SHARE_RESULTS_UNIT          64u /* bytes: a multiple of the caches' lines */
#define SILEX_SHARE_RESULTS(first, count) ((uint32_t)(first) << 16 | (uint32_t)(count))
#define SILEX_SHARE_RESULTS_FIRST(word)   ((word) >> 16)
#define SILEX_SHARE_RESULTS_COUNT(word)   ((word) & 0xffffu)

/*
 * Words to write to the descriptor of a SILEX_SHARE_PK; any other is refused (EINVAL).
 * DISARM: cancels ARM.
 * ARM: the next end of an operation is an event, once.  If an operation has already ended, and its
 *	IRQ bit is not cleared, the event occurs at once; so none is lost between reading STATUS and
 *	arming.  EOPNOTSUPP: the engine has no interrupt (SILEX_SHARE_INTERRUPT is not set).
 *	If both cores share one interrupt, every end is an event, armed or not.
 * WAKE: an event for all sleepers.
 * GIVE_UP: the caller owns the lock and the core does not answer: the kernel takes the lock, and
 *	passes it on when the core is idle and was cleared.  EPERM: the caller does not own it.
 * JOIN | N: the caller's slot is called so from now on, and found by that; N has 31 bits.
 *	EPERM: the caller has no slot.  EEXIST: another slot is called so: take another N.
 */
#define SILEX_SHARE_DISARM  0
#define SILEX_SHARE_ARM     1
#define SILEX_SHARE_WAKE    2
#define SILEX_SHARE_GIVE_UP 3
#define SILEX_SHARE_JOIN    0x80000000u

/*
 * The lock.  All words are 32-bit atomics in the host's byte order; "full" means sequentially
 * consistent.  T is a ticket.
 *
 * Joining: mmap() of the lock page takes a slot for the address space of the caller.  ENOSPC: no
 * slot is free; one may be later.  Then the process writes JOIN | N, and finds its slot as the one
 * whose `name` is that word.  Nothing here is a process id, so processes of any PID namespaces
 * share a page.  munmap(), exec() and the end of the process free the slot.  Threads of a process
 * need another lock between them: a slot has one user.
 *
 * Acquire:
 *	1. T = fetch_add(next_ticket, SILEX_SHARE_TICKET_STEP) | 1: never FREE or KERNEL
 *	2. slot.ticket = T; then slot.waits = SPINS (release)
 *	3. until owner == T, or compare_exchange(owner, FREE -> T) succeeds (full)
 *	4. slot.waits = NO; the ticket stays in the slot while the lock is held
 *	5. remember `generation`; then (full) if state is not READY release the lock
 *	6. wait while STATUS says BUSY: as after a reset
 *
 * Release, with operand RAM cleared if there were secrets in it (opcode CLEAR_MEMORY):
 *	1. N = the oldest ticket of all slots with waits != NO (not the caller's own): the one
 *	   with the greatest (next_ticket - ticket); FREE if there is none
 *	2. compare_exchange(owner, T -> N) (full); if it fails the lock is no longer the caller's:
 *	   do step 3 and stop
 *	3. slot.ticket = 0
 *	4. check again (full).  If N is a ticket and that slot's ticket is no longer N, its process
 *	   has just ended or given up: repeat from 1 with compare_exchange(owner, N -> ...).
 *	   If N is FREE and a slot waits by now, it may be about to sleep: repeat from 1 with
 *	   compare_exchange(owner, FREE -> ...).  If that fails, another process has done it.
 *	5. if that slot's waits == SLEEPS: write WAKE
 *
 * Giving up waiting: slot.waits = NO; slot.ticket = 0; then (full) if owner == T the caller has
 * just got the lock: release it.
 *
 * Sleeping: slot.waits = SLEEPS, then (full) read `owner` once more, then poll() with a time-out
 * of some 10 ms, then read(), which consumes the event (use O_NONBLOCK), then check again.
 * All sleepers get events of all kinds, and another process that shares the descriptor by fork()
 * may consume one: an event is only a reason to check.
 *
 * Never wait while state is not READY: use software.  If a process ends, in whatever way, while it
 * owns the lock, the lock becomes the kernel's (owner == KERNEL): when the core has ended its
 * operation, the kernel clears operand RAM, increments `generation` and passes the lock on.  A live
 * process may keep the lock for any time; waiters should give up after a while.
 */
#define SILEX_SHARE_VERSION 2u
#define SILEX_SHARE_SLOTS   64u

/* silex_share.flags */
#define SILEX_SHARE_INTERRUPT (1u << 0) /* ARM works */

/* silex_share.state */
#define SILEX_SHARE_READY 0u
#define SILEX_SHARE_FAULT 1u /* the core does not answer; it may recover */
#define SILEX_SHARE_GONE  2u /* the device has been removed, permanently */

/* silex_share.owner, besides tickets, which are odd */
#define SILEX_SHARE_FREE   0u
#define SILEX_SHARE_KERNEL 2u

#define SILEX_SHARE_TICKET_STEP 2u

/* silex_share_slot.waits */
#define SILEX_SHARE_NO     0u
#define SILEX_SHARE_SPINS  1u
#define SILEX_SHARE_SLEEPS 2u

struct silex_share_slot {
	uint32_t name; /* SILEX_SHARE_JOIN | N, written by the kernel alone; 0: it has none */
	uint32_t ticket; /* 0: neither waits nor owns */
	uint32_t waits; /* SILEX_SHARE_NO, SPINS, SLEEPS */
	uint32_t reserved;
};

struct silex_share {
	/* written by the kernel alone */
	uint32_t version; /* SILEX_SHARE_VERSION; others are not to be used */
	uint32_t flags; /* SILEX_SHARE_INTERRUPT */
	uint32_t state; /* SILEX_SHARE_READY, FAULT, GONE */
	uint32_t generation; /* grows when the kernel has stopped or cleared the core */
	uint32_t reserved1[12];

	/* on a cache line of their own */
	uint32_t owner; /* FREE, KERNEL or the ticket of who owns the lock */
	uint32_t next_ticket; /* even */
	uint32_t reserved2[14];

	struct silex_share_slot slots[SILEX_SHARE_SLOTS];
};

#endif
