// SPDX-License-Identifier: Apache-2.0
/* Slots of the lock page: who has one, and for how long. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

static unsigned taken(const struct pk *pk)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++)
		count += lock_load(&pk->share->slots[i].pid) != 0;
	return count;
}

static bool touch_inherited(void *data)
{
	struct pk *pk = data;

	return lock_load(&pk->share->version) == SILEX_SHARE_VERSION;
}

static bool map_anew(void *data)
{
	struct pk *pk = data, old = *pk;

	pk_map(pk);
	return taken(pk) == 2 && pk->slot != old.slot && lock_take(pk, 1000) &&
	       (lock_give(pk), true);
}

static bool wait_for_ever(void *data)
{
	pk_map(data);
	stay();
}

/* Whether a map of the lock page fails with that error */
static bool fails_with(const struct pk *pk, int error)
{
	void *area = device_map(pk->fd, SILEX_SHARE_PK_LOCK_MAP, (size_t)getpagesize());

	return area == MAP_FAILED && errno == error;
}

static bool one_too_many(void *data)
{
	return fails_with(data, ENOSPC);
}

static void all_slots(struct pk *pk)
{
	pid_t children[SILEX_SHARE_SLOTS - 1];

	for (unsigned i = 0; i < SILEX_SHARE_SLOTS - 1; i++)
		children[i] = start(wait_for_ever, pk);
	check(eventually(taken(pk) == SILEX_SHARE_SLOTS), "all slots can be taken");
	check(ended_well(start(one_too_many, pk)), "one more is refused");
	kill(children[7], SIGKILL);
	check(ended_by(children[7]) == SIGKILL && taken(pk) == SILEX_SHARE_SLOTS - 1,
	      "a slot is free when its process has been killed");
	children[7] = start(wait_for_ever, pk);
	check(eventually(taken(pk) == SILEX_SHARE_SLOTS), "and is taken by another");
	for (unsigned i = 0; i < SILEX_SHARE_SLOTS - 1; i++) {
		kill(children[i], SIGKILL);
		ended_by(children[i]);
	}
	check(taken(pk) == 1, "all are free in the end");
}

static bool in_another_namespace(void *data)
{
	return fails_with(data, EXDEV);
}

static bool make_namespace(void *data)
{
	must(!unshare(CLONE_NEWPID), "another pid namespace");
	return ended_well(start(in_another_namespace, data));
}

static bool run_another_program(void *data)
{
	pk_map(data);
	sleep_ms(50); /* to be seen */
	execl("/usr/bin/sleep", "sleep", "1000", (char *)NULL);
	return false;
}

static void after_exec(struct pk *pk)
{
	pid_t child = start(run_another_program, pk);

	check(eventually(taken(pk) == 2) && eventually(taken(pk) == 1), "exec gives the slot back");
	kill(child, SIGKILL);
	ended_by(child);
}

static void twice(struct pk *pk)
{
	size_t page = (size_t)getpagesize();
	void *area = device_map(pk->fd, SILEX_SHARE_PK_LOCK_MAP, page);

	check(area != MAP_FAILED && taken(pk) == 1, "a second map has the same slot");
	munmap(area, page);
	check(taken(pk) == 1, "which stays until the last is gone");
	area = mremap(pk->share, page, page, MREMAP_MAYMOVE | MREMAP_FIXED,
		      mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
	must(area != MAP_FAILED, "move the lock page");
	pk->share = area;
	check(taken(pk) == 1, "it may be moved");
}

void scenario_slots(void)
{
	struct pk pk, again;

	pk_open(&pk);
	check(taken(&pk) == 1, "one slot");
	twice(&pk);
	munmap(pk.share, (size_t)getpagesize());
	pk_map(&pk);
	check(ended_by(start(touch_inherited, &pk)) == SIGSEGV, "a child inherits no map");
	again = pk;
	check(ended_well(start(map_anew, &again)), "a child has a slot of its own");
	check(taken(&pk) == 1, "until it ends");
	check(ended_well(start(make_namespace, &pk)), "no slot for another pid namespace");
	after_exec(&pk);
	all_slots(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}
