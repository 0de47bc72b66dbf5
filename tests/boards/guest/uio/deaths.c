// SPDX-License-Identifier: Apache-2.0
/* Processes that end while they use the core, and what is left to the others. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "uio.h"

/* What a child does before it is killed */
enum moment { OWNING, RUNNING, WAITING, UNMAPPING, LEAVING };

struct death {
	struct pk pk;
	enum moment moment;
	volatile bool *there; /* shared: it has come so far */
};

static bool live(void *data)
{
	struct death *death = data;
	struct pk *pk = &death->pk;
	struct modexp longest;

	modexp_longest(&longest);
	pk_map(pk);
	if (death->moment == WAITING) {
		*death->there = true;
		must(lock_take(pk, 100000), "lock");
		stay();
	}
	must(lock_take(pk, 1000), "lock");
	modexp_start(pk, &longest);
	while (death->moment != RUNNING && pk_is_busy(pk))
		;
	*death->there = true;
	if (death->moment == UNMAPPING)
		pk_unmap(pk);
	if (death->moment == LEAVING)
		return true;
	stay();
}

static pid_t begin(struct death *death, enum moment moment)
{
	pid_t child;

	death->moment = moment;
	*death->there = false;
	child = start(live, death);
	check(eventually(*death->there), "it has come so far");
	return child;
}

/* The generation, when what others have left is cleared */
static uint32_t settled(struct pk *pk)
{
	uint32_t generation;

	must(lock_take(pk, 3000), "lock");
	generation = lock_load(&pk->share->generation);
	lock_give(pk);
	return generation;
}

/* The lock comes, the core is idle and clear, and the generation is `grown` more */
static void heir(struct pk *pk, uint32_t generation, uint32_t grown)
{
	check(lock_take(pk, 3000), "the lock is handed on");
	check(!pk_is_busy(pk) && pk_is_clear(pk), "the core is idle and clear");
	check(lock_load(&pk->share->generation) == generation + grown, "the generation tells");
	lock_give(pk);
}

static void dies(struct death *death, enum moment moment, const char *how)
{
	uint32_t generation;
	pid_t child;

	printf("# %s\n", how);
	generation = settled(&death->pk);
	child = begin(death, moment);
	if (moment == LEAVING) {
		check(ended_well(child), "it has ended");
	} else if (moment != UNMAPPING) {
		kill(child, SIGKILL);
		check(ended_by(child) == SIGKILL, "it is dead");
	}
	heir(&death->pk, generation, 1);
	if (moment == UNMAPPING) {
		kill(child, SIGKILL);
		ended_by(child);
	}
}

/* One that only waits: nothing is done to the core, which another has */
static void dies_waiting(struct death *death)
{
	struct pk *pk = &death->pk;
	pid_t first, second;
	uint32_t generation;

	printf("# killed while it waits\n");
	generation = settled(pk);
	must(lock_take(pk, 1000), "lock");
	first = begin(death, WAITING);
	second = begin(death, WAITING);
	sleep_ms(30);
	kill(first, SIGKILL);
	check(ended_by(first) == SIGKILL, "it is dead");
	lock_give(pk);
	sleep_ms(30);
	check(lock_load(&pk->share->owner) & 1, "the one behind it has the lock");
	kill(second, SIGKILL);
	check(ended_by(second) == SIGKILL, "it is dead too");
	heir(pk, generation, 1);
}

/* In the line behind the one that dies: asleep, and woken */
static bool be_next(void *data)
{
	struct death *death = data;
	struct pk *pk = &death->pk;

	pk_map(pk);
	*death->there = true;
	if (!lock_take(pk, 3000) || !pk_is_clear(pk))
		return false;
	lock_give(pk);
	return true;
}

static void is_followed(struct death *death)
{
	pid_t owner, heirs[4];
	bool well = true;

	printf("# killed while four wait\n");
	owner = begin(death, RUNNING);
	for (unsigned i = 0; i < 4; i++)
		heirs[i] = start(be_next, death);
	sleep_ms(30);
	kill(owner, SIGKILL);
	check(ended_by(owner) == SIGKILL, "it is dead");
	for (unsigned i = 0; i < 4; i++)
		well &= ended_well(heirs[i]);
	check(well, "all of them had the lock, and a clear core");
}

/*
 * The last process leaves, and has not kept to the lock at all.  But for this: the kernel clears the
 * core after its last user and has the lock meanwhile.  An operation that is started then is, to the
 * kernel, a clearing that does not end, and so the core is rightly taken out of service.
 */
static bool misuse(void *data)
{
	struct modexp longest;
	struct pk pk;

	(void)data;
	modexp_longest(&longest);
	pk_open(&pk);
	must(eventually(lock_load(&pk.share->owner) == SILEX_SHARE_FREE), "wait for the kernel");
	modexp_start(&pk, &longest);
	return true;
}

void scenario_deaths(void)
{
	struct death death = {
		.there = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			      0),
	};

	pk_open(&death.pk);
	dies(&death, OWNING, "killed while it owns the lock");
	dies(&death, RUNNING, "killed while the core runs");
	dies(&death, LEAVING, "ends and leaves secrets");
	dies(&death, UNMAPPING, "unmaps what it owns");
	dies_waiting(&death);
	is_followed(&death);
	pk_unmap(&death.pk);
	close(death.pk.fd);
	printf("# misuse, and nobody is left\n");
	check(ended_well(start(misuse, NULL)), "it has ended");
	pk_open(&death.pk);
	check(lock_take(&death.pk, 3000), "the lock comes");
	check(!pk_is_busy(&death.pk) && pk_is_clear(&death.pk), "the core is idle and clear");
	lock_give(&death.pk);
	pk_unmap(&death.pk);
	close(death.pk.fd);
}

/* ---- at any moment ---- */

#define CHILDREN 6u
#define KILLS    200u

static _Noreturn void work_on(struct pk *pk)
{
	struct modexp modexp;

	modexp_read(&modexp);
	pk_map(pk);
	for (;;) {
		must(lock_take(pk, 5000), "lock");
		must(pk_is_clear(pk), "a clear core");
		must(modexp_run(pk, &modexp), "a right result");
		lock_give(pk);
	}
}

static bool work(void *data)
{
	work_on(data);
}

void scenario_chaos(void)
{
	pid_t children[CHILDREN];
	unsigned well = 0;
	struct pk pk;

	srandom(1);
	pk_open(&pk);
	for (unsigned i = 0; i < CHILDREN; i++)
		children[i] = start(work, &pk);
	for (unsigned i = 0; i < KILLS; i++) {
		unsigned victim = (unsigned)random() % CHILDREN;

		usleep((unsigned)random() % 5000);
		kill(children[victim], SIGKILL);
		well += ended_by(children[victim]) == SIGKILL;
		children[victim] = start(work, &pk);
	}
	check(well == KILLS, "all worked until they were killed");
	for (unsigned i = 0; i < CHILDREN; i++) {
		kill(children[i], SIGKILL);
		ended_by(children[i]);
	}
	check(lock_take(&pk, 3000) && pk_is_clear(&pk),
	      "in the end the lock comes, the core clear");
	lock_give(&pk);
	pk_unmap(&pk);
	close(pk.fd);
}

/* ---- a core that never ends ---- */

static bool is_warned(void *data)
{
	struct pk *pk = data;
	unsigned long begin = now_ms();

	pk_map(pk);
	return !lock_take(pk, 60000) && now_ms() - begin < 5000 &&
	       lock_load(&pk->share->state) == SILEX_SHARE_FAULT;
}

void scenario_stuck(void)
{
	struct modexp modexp;
	struct pk pk;
	pid_t waiting;

	modexp_read(&modexp);
	pk_open(&pk);
	must(lock_take(&pk, 1000), "lock");
	modexp_start(&pk, &modexp);
	waiting = start(is_warned, &pk);
	sleep_ms(100);
	check(pk_is_busy(&pk), "the core does not end");
	check(!pk_tell(&pk, SILEX_SHARE_GIVE_UP), "it is given up");
	check(ended_well(waiting), "who waits learns of it in time");
	check(lock_load(&pk.share->owner) == SILEX_SHARE_KERNEL, "the lock stays with the kernel");
	pk_unmap(&pk);
	close(pk.fd);
}
