// SPDX-License-Identifier: Apache-2.0
/* Slots of the lock page: who has one, and for how long. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "silex/soc.h"
#include "uio.h"

static unsigned taken(const struct pk *pk)
{
	unsigned count = 0;

	for (unsigned i = 0; i < SILEX_SHARE_SLOTS; i++)
		count += lock_load(&pk->share->slots[i].name) != 0;
	return count;
}

/* Whether all that a child inherits reads ones, and takes what is written as its own */
static bool touch_inherited(void *data)
{
	struct pk *pk = data;
	bool ones = lock_load(&pk->share->version) == UINT32_MAX &&
		    lock_load(&pk->share->slots[0].name) == UINT32_MAX &&
		    pk_read(pk, SILEX_PK_STATUS) == UINT32_MAX && pk->ram[0] == UINT32_MAX &&
		    pk->ram[SILEX_PK_RAM_SIZE / 4 - 1] == UINT32_MAX;

	pk->share->generation = 12345;
	pk->ram[0] = 12345;
	return ones && lock_load(&pk->share->generation) == 12345 && pk->ram[0] == 12345;
}

/* A child's child has no more */
static bool touch_as_grandchild(void *data)
{
	return touch_inherited(data) && ended_well(start(touch_inherited, data));
}

static bool map_anew(void *data)
{
	struct pk *pk = data, old = *pk;

	pk_map(pk);
	return taken(pk) == 2 && pk->slot != old.slot && lock_take(pk, 1000) &&
	       (lock_give(pk), true);
}

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

static pid_t by_namespace(void)
{
	return (pid_t)syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
}

/* However a child is made, it inherits memory that it may touch, and joins */
static bool child_by(pid_t (*make)(void), struct pk *pk)
{
	struct pk again = *pk;
	uint32_t generation = lock_load(&pk->share->generation);
	pid_t child = make();

	must(child >= 0, "a child");
	if (child == 0)
		_exit(touch_as_grandchild(pk) && map_anew(&again) ? 0 : 1);
	return ended_well(child) && lock_load(&pk->share->generation) == generation;
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

static bool run_another_program(void *data)
{
	pk_map(data);
	sleep_ms(50); /* to be seen */
	execl("/usr/bin/sleep", "sleep", "1000", (char *)NULL);
	return false;
}

static bool without_a_slot(void *data)
{
	return pk_tell(data, (int32_t)(SILEX_SHARE_JOIN | 7)) == EPERM;
}

/* No two slots have one name, and who has no slot names none */
static void names(struct pk *pk)
{
	uint32_t name = lock_load(&pk->slot->name);
	struct pk other = *pk;

	check(pk_tell(pk, (int32_t)name) == EEXIST, "a name is given once");
	check(!pk_tell(pk, (int32_t)(name + 1)) && lock_load(&pk->slot->name) == name + 1,
	      "a slot can be renamed");
	check(ended_well(start(without_a_slot, &other)), "without a slot there is no name");
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
	struct pk pk;

	pk_open(&pk);
	check(taken(&pk) == 1, "one slot");
	twice(&pk);
	munmap(pk.share, (size_t)getpagesize());
	pk_map(&pk);
	check(child_by(fork, &pk), "a child has a slot of its own, by fork()");
	check(child_by(_Fork, &pk), "by _Fork()");
	check(child_by(by_clone, &pk), "by clone()");
	check(child_by(by_namespace, &pk), "in another PID namespace");
	check(taken(&pk) == 1, "until it ends");
	names(&pk);
	after_exec(&pk);
	all_slots(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}
