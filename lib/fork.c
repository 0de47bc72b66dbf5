/* SPDX-License-Identifier: Apache-2.0 */
#include "fork.h"

#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

typedef _Atomic uint64_t number;

/*
 * Where the number lies: on a page that the kernel clears in each child, however it is made
 * (MADV_WIPEONFORK, Linux 4.14).  pthread_atfork() would miss all but fork().
 *
 * The page is never unmapped: while a process exits, its threads may still ask.  NULL: nobody has asked
 * yet; &without: the kernel clears no pages.
 */
static _Atomic(number *) place;
static number without;

/* The last number that this process or one of those it was forked from was given.  If none was, no
 * state is marked yet, and a child may well have the number that its parent gets later. */
static number last;

/* Emulators that know nothing of an advice may say that they have followed it: they follow any */
static int advise(void *page, size_t size)
{
	if (madvise(page, size, -1) == 0)
		return -1;
	return madvise(page, size, MADV_WIPEONFORK);
}

static number *new_place(size_t size)
{
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		return &without;
	if (advise(page, size) == 0)
		return page;
	munmap(page, size);
	return &without;
}

/* Two threads may be the first: one of their pages stays.  What was found stays so in children, too. */
static number *find_place(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	number *new = new_place(size), *found = NULL;

	if (atomic_compare_exchange_strong(&place, &found, new))
		return new;
	if (new != &without)
		munmap(new, size);
	return found;
}

/* Of this process, which has none */
static uint64_t draw(number *at)
{
	uint64_t new = atomic_fetch_add(&last, 1) + 1, found = 0;

	return atomic_compare_exchange_strong(at, &found, new) ? new : found;
}

uint64_t fs_fork_generation(void)
{
	number *at = atomic_load_explicit(&place, memory_order_acquire);
	uint64_t found = at ? atomic_load_explicit(at, memory_order_relaxed) : 0;

	if (found)
		return found;
	if (!at)
		at = find_place();
	/* A process that has the id of one that has ended, of which it descends, goes unnoticed; so
	 * does the first process of a namespace below another one's first */
	return at == &without ? (uint64_t)getpid() : draw(at);
}

/* ---- state of one process ---- */

/* A mark is twice the number of the process, and one more while it makes the state */
static uint64_t made_mark(void)
{
	return 2 * fs_fork_generation();
}

bool fs_fork_enter(fs_fork_mark *mark)
{
	uint64_t made = made_mark(), seen;

	while ((seen = atomic_load_explicit(mark, memory_order_acquire)) != made) {
		if (seen == made + 1)
			sched_yield();
		else if (atomic_compare_exchange_strong(mark, &seen, made + 1))
			return true;
	}
	return false;
}

void fs_fork_made(fs_fork_mark *mark)
{
	atomic_store_explicit(mark, made_mark(), memory_order_release);
}

bool fs_fork_is_made(const fs_fork_mark *mark)
{
	return atomic_load_explicit(mark, memory_order_acquire) == made_mark();
}
